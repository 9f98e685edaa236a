extension Plan {
  /// The same plan with its result in another format.
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
      plan.certifiedError.arithmetic *= 1 + Double(background.max())
      // Composing rounds once more.
      plan.certifiedError.arithmetic += Arithmetic.store(slots[source.slot].precision)
    }
    plan.result.format = format
    plan.result.alpha = store.alpha
    return plan
  }
}
