/// Brings the working picture into the form the caller asked for.
///
/// For each pixel: composed on `background` if there is one, divided by alpha if the output is
/// straight (a pixel of alpha 0 becomes all zeros), encoded with the sRGB curve if
/// `encodesFromLinear`. Integers are limited to 0…1 and rounded: `floor(v * fullScale + 0.5)`.
/// Gray is repeated where the output has colors; alpha is 1 where the picture has none.
package struct Store: Sendable, Hashable {
  /// Index into the plan's results.
  package var result: Int
  /// Output channels and storage.
  package var format: PixelFormat
  /// Alpha mode of the output.
  package var alpha: AlphaMode
  /// Apply the sRGB curve.
  package var encodesFromLinear: Bool
  /// Red, green and blue in the working space to compose on; `nil` keeps alpha.
  package var background: SIMD3<Float>?
  /// How many low bits of 16-bit words a gray sample gets, of which all are full scale; `nil` is all.
  package var bits: Int?

  package init(
    result: Int = 0, format: PixelFormat, alpha: AlphaMode, encodesFromLinear: Bool,
    background: SIMD3<Float>?, bits: Int? = nil
  ) {
    self.result = result
    self.format = format
    self.alpha = alpha
    self.encodesFromLinear = encodesFromLinear
    self.background = background
    self.bits = bits
  }
}

extension Store: PassKind {
  package var summary: String {
    "\(format) \(alpha)\(encodesFromLinear ? ", from linear light" : "")"
      + (background.map { ", on \($0.x) \($0.y) \($0.z)" } ?? "")
      + (bits.map { ", \($0) bits" } ?? "")
  }
}

extension Plan {
  /// The same plan, which has one result, with that in another format.
  ///
  /// - Parameters:
  ///   - format: channels and depth. Gray is repeated where colors are asked for; asking for gray
  ///     where there are colors is a programming error.
  ///   - background: what a result with alpha is composed on when `format` has none.
  public func storing(as format: PixelFormat, on background: Color = .white) -> Plan {
    guard let last = steps.last, case .store(var store) = last.pass,
      let source = last.sources.first
    else { return self }
    let layout = slots[source.slot].layout
    precondition(format.layout != .gray || layout == .gray, "colors cannot be stored as gray")
    let worksOnLight = store.encodesFromLinear || result.transfer == .linear
    store.format = format
    store.alpha =
      format.layout.hasAlpha ? (store.alpha == .opaque ? .straight : store.alpha) : .opaque
    store.background =
      layout.hasAlpha && !format.layout.hasAlpha
      ? SIMD3<Float>(worksOnLight ? background.light : background.components) : nil
    var plan = self
    plan.steps[steps.count - 1].pass = .store(store)
    if let background = store.background {
      // Errors of color and of alpha add up where the background shows through.
      plan.result.certifiedError.arithmetic *= 1 + Double(background.max())
      // Composing rounds once more.
      plan.result.certifiedError.arithmetic += Arithmetic.store(slots[source.slot].precision)
    }
    plan.result.format = format
    plan.result.alpha = store.alpha
    return plan
  }
}
