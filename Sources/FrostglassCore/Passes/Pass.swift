/// Something a machine does to pixels. Backends know passes, and nothing of filters.
package enum Pass: Sendable, Hashable {
  case load(Load)
  case resample(Resample)
  case convolve(Convolve)
  case colorMatrix(ColorMatrix)
  case lumaCurve(LumaCurve)
  case displace(Displace)
  case blend(Blend)
  case packChannels(PackChannels)
  case generate(Generate)
  case stencil(Stencil)
  case gather(Gather)
  case highlightWeight(HighlightWeight)
  case bilateral(Bilateral)
  case median(Median)
  case cellMeans(CellMeans)
  case cellFill(CellFill)
  case grain(Grain)
  case store(Store)

  /// Every pass, for tests that look for the files.
  static let kinds: [any PassKind.Type] = [
    Load.self, Resample.self, Convolve.self, ColorMatrix.self, LumaCurve.self, Displace.self,
    Blend.self, PackChannels.self, Generate.self,
    Stencil.self, Gather.self, HighlightWeight.self, Bilateral.self, Median.self, CellMeans.self,
    CellFill.self, Grain.self, Store.self,
  ]

  /// Every pass name.
  package static let names = kinds.map { "\($0)" }

  /// The pass's own numbers.
  package var kind: any PassKind {
    switch self {
    case .load(let pass): pass
    case .resample(let pass): pass
    case .convolve(let pass): pass
    case .colorMatrix(let pass): pass
    case .lumaCurve(let pass): pass
    case .displace(let pass): pass
    case .blend(let pass): pass
    case .packChannels(let pass): pass
    case .generate(let pass): pass
    case .stencil(let pass): pass
    case .gather(let pass): pass
    case .highlightWeight(let pass): pass
    case .bilateral(let pass): pass
    case .median(let pass): pass
    case .cellMeans(let pass): pass
    case .cellFill(let pass): pass
    case .grain(let pass): pass
    case .store(let pass): pass
    }
  }

  /// The pass's name, also that of its files: `Passes/<Name>.swift` unless it is one of those below,
  /// `<Name>+Reference.swift`, ….
  package var name: String { "\(type(of: kind))" }

  /// Multiply-adds per target sample and channel, for the plan's account of its cost.
  package var multiplyAdds: Int { kind.multiplyAdds }

  /// The samples of one of the sources that `target` is computed from, before edges.
  package func sourceRect(for target: Rect, of source: Int) -> Rect {
    kind.sourceRect(for: target, of: source)
  }

  /// Returns true if the channels of a source can become those of the target. Most passes make every channel from the
  /// same channel of the source; some repeat gray.
  func makes(_ target: PixelFormat.Layout, of source: PixelFormat.Layout) -> Bool {
    switch self {
    case .resample, .convolve, .stencil, .gather, .bilateral, .median, .cellMeans, .cellFill:
      source == target
    case .grain, .lumaCurve: source <= target
    case .load, .colorMatrix, .displace, .blend, .packChannels, .generate, .highlightWeight, .store:
      true
    }
  }

  /// Returns true if any sample of one of the sources goes into some rows of the target. Otherwise the source need not
  /// be there.
  package func reads(_ source: Int, for rows: Range<Int>) -> Bool {
    kind.reads(source, for: rows)
  }
}

extension Pass: CustomStringConvertible {
  /// Name and numbers.
  package var description: String { kind.summary.isEmpty ? name : "\(name) \(kind.summary)" }
}

/// The properties that every pass has, besides its numbers.
package protocol PassKind: Sendable, Hashable {
  /// The number of slots it reads.
  var sourceCount: Int { get }
  /// Multiply-adds per target sample and channel, for the plan's account of its cost.
  var multiplyAdds: Int { get }
  /// The longest run of samples that go into one.
  var tapCount: Int { get }
  /// Target samples along each axis after which the arithmetic begins anew.
  var period: (x: Int, y: Int) { get }
  /// The numbers, for people.
  var summary: String { get }
  /// Why its numbers are none that can be computed with; `nil` for those of any planner.
  var fault: String? { get }

  /// The samples of a source that `target` is computed from, before edges, if it is read at all.
  func sourceRect(for target: Rect) -> Rect
  /// The samples of one of the sources that `target` is computed from, before edges.
  func sourceRect(for target: Rect, of source: Int) -> Rect
  /// Returns true if any sample of a source goes into some rows of the target.
  func reads(_ source: Int, for rows: Range<Int>) -> Bool
  /// Returns the samples from which a part of the target is computed, wherever in `domain` it lies.
  func reach(of target: Rect, in domain: Rect) -> Rect
  /// Returns the axes along which a source is read beyond its edges, if a plan asks for pixels there.
  ///
  /// Along the others the pass reads in place: target sample i is made of source sample i alone. Kernels
  /// then take samples as they lie in memory, and a plan asks for none outside the source's edges;
  /// see `Plan.resolveEdges`.
  func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool)
}

extension PassKind {
  package var sourceCount: Int { 1 }
  package var multiplyAdds: Int { 1 }
  package var tapCount: Int { 1 }
  package var period: (x: Int, y: Int) { (1, 1) }
  package var fault: String? { nil }
  package func sourceRect(for target: Rect) -> Rect { target }
  package func sourceRect(for target: Rect, of source: Int) -> Rect { sourceRect(for: target) }
  package func reads(_ source: Int, for rows: Range<Int>) -> Bool { true }
  package func reach(of target: Rect, in domain: Rect) -> Rect { sourceRect(for: target) }
  package func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool) { (false, false) }
}

// The four that every blur is made of. All others have files of their names.

/// Brings an input image into the working space: linear or encoded, premultiplied.
///
/// For each pixel, with samples as fractions of full scale:
/// 1. the colors of straight-alpha input are decoded to linear light if `decodesToLinear`,
///    then multiplied by alpha; premultiplied input is divided, decoded and multiplied again;
/// 2. gray is repeated where `layout` has colors; alpha is 1 where the input has none.
package struct Load: Sendable, Hashable {
  /// The index of the plan's input.
  package var input: Int
  /// The alpha mode of that input.
  package var alpha: AlphaMode
  /// Apply the inverse sRGB curve.
  package var decodesToLinear: Bool
  /// The number of low bits that a gray sample has in 16-bit words. All of them set is full scale; words above are
  /// limited. `nil` is all bits.
  package var bits: Int?

  package init(input: Int, alpha: AlphaMode, decodesToLinear: Bool, bits: Int? = nil) {
    self.input = input
    self.alpha = alpha
    self.decodesToLinear = decodesToLinear
    self.bits = bits
  }
}

extension Load: PassKind {
  package var sourceCount: Int { 0 }
  package var summary: String {
    "input \(input)\(decodesToLinear ? ", to linear light" : "")"
      + (bits.map { ", \($0) bits" } ?? "")
  }
}

/// A change of scale along both axes; either may be `.identity`.
///
/// The source rows of a target row are first combined along y, then along x, or the other way
/// round: backends may choose, as both orders are within the rounding the plan accounts for.
package struct Resample: Sendable, Hashable {
  package var x: Polyphase
  package var y: Polyphase

  package init(x: Polyphase, y: Polyphase) {
    self.x = x
    self.y = y
  }

  package func sourceRect(for target: Rect) -> Rect {
    Rect(columns: x.sourceRange(for: target.columns), rows: y.sourceRange(for: target.rows))
  }
}

extension Resample: PassKind {
  package var multiplyAdds: Int { x.longestPhase * y.longestPhase }
  package var tapCount: Int { max(x.longestPhase, y.longestPhase) }
  package var period: (x: Int, y: Int) { (x.phases.count, y.phases.count) }
  package var summary: String { "x \(x.ratio), y \(y.ratio)" }
  package func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool) { (true, true) }
}

/// A change of scale by a fixed ratio along one axis, by several short filters in rotation.
///
/// With `n` phases, target sample `i` belongs to period `q = floor(i / n)` and phase `p = i - n q`,
/// and is `Σ_j phases[p].taps[j] * source[q * stride + phases[p].first + j]`. Shrinking by 2 is one
/// phase with stride 2; growing by `f` is `f` phases with stride 1.
package struct Polyphase: Sendable, Hashable {
  /// One of these filters.
  package struct Phase: Sendable, Hashable {
    /// Offset of the first source sample.
    package var first: Int
    package var taps: [Float]

    package init(first: Int, taps: [Float]) {
      self.first = first
      self.taps = taps
    }
  }

  /// Source samples per period.
  package var stride: Int
  package var phases: [Phase]

  package init(stride: Int, phases: [Phase]) {
    self.stride = stride
    self.phases = phases
  }

  /// Leaves the axis as it is.
  package static let identity = Polyphase(stride: 1, phases: [Phase(first: 0, taps: [1])])

  /// Moves the image by whole samples, toward larger coordinates where positive.
  package static func moving(by offset: Int) -> Polyphase {
    Polyphase(stride: 1, phases: [Phase(first: -offset, taps: [1])])
  }

  /// The number of samples it moves by, if it does nothing else; `nil` otherwise.
  package var move: Int? {
    stride == 1 && phases.count == 1 && phases[0].taps == [1] ? -phases[0].first : nil
  }

  package var isIdentity: Bool { self == .identity }

  /// The number of taps of the longest phase.
  package var longestPhase: Int { phases.reduce(0) { max($0, $1.taps.count) } }

  /// The first source sample and the phase for one target sample.
  @inline(__always)
  package func start(of target: Int) -> (source: Int, phase: Int) {
    let period = floorDivide(target, phases.count)
    let phase = target - period * phases.count
    return (period * stride + phases[phase].first, phase)
  }

  package func sourceRange(for target: Range<Int>) -> Range<Int> {
    if isIdentity { return target }
    let low = start(of: target.lowerBound)
    let high = start(of: target.upperBound - 1)
    return low.source..<high.source + phases[high.phase].taps.count
  }
}

extension Polyphase {
  /// `÷2`, `×8`, `1` or `moved by 12`.
  var ratio: String {
    if isIdentity { return "1" }
    if let move { return "moved by \(move)" }
    return stride > 1 ? "÷\(stride)" : "×\(phases.count)"
  }
}

/// A symmetric filter along one axis: `out[i] = t0 in[i] + Σ tk (in[i - k] + in[i + k])`.
///
/// The sum is formed from the outermost pair inward in every backend.
package struct Convolve: Sendable, Hashable {
  /// The weights, as what they are.
  package enum Kernel: Sendable, Hashable {
    /// The first is the center's; that at index k serves the samples at distance k on both sides.
    case taps([Float])
    /// Means of runs, which a backend may form as running sums.
    case box(BoxPower)
  }

  package var axis: Axis
  package var kernel: Kernel

  package init(axis: Axis, kernel: Kernel) {
    self.axis = axis
    self.kernel = kernel
  }

  package init(axis: Axis, taps: [Float]) {
    self.init(axis: axis, kernel: .taps(taps))
  }

  /// The weights from the center outward; of boxes they are computed on each call.
  package var taps: [Float] {
    switch kernel {
    case .taps(let taps): taps
    case .box(let box): box.taps
    }
  }

  /// Samples read to each side.
  package var radius: Int { kernel.radius }

  package func sourceRect(for target: Rect) -> Rect {
    switch axis {
    case .x: Rect(columns: target.columns.expanded(by: radius), rows: target.rows)
    case .y: Rect(columns: target.columns, rows: target.rows.expanded(by: radius))
    }
  }
}

extension Convolve: PassKind {
  package var multiplyAdds: Int { 2 * radius + 1 }
  package var tapCount: Int { 2 * radius + 1 }
  package var summary: String {
    switch kernel {
    case .taps(let taps): "\(axis), radius \(radius), center \(taps[0])"
    case .box(let box): "\(axis), \(box)"
    }
  }
  package var fault: String? {
    switch kernel {
    case .taps(let taps): taps.isEmpty ? "no taps" : nil
    case .box(let box): box.isCentered ? nil : "\(box) without a middle"
    }
  }
  package func readsBeyondEdges(of source: Int) -> (x: Bool, y: Bool) { (axis == .x, axis == .y) }
}

extension Convolve.Kernel {
  /// Samples read to each side.
  var radius: Int {
    switch self {
    case .taps(let taps): taps.count - 1
    case .box(let box): box.radius
    }
  }

  /// The kernels that make this one in sequence, where it is not made at once.
  var parts: [Convolve.Kernel] {
    guard case .box(let box) = self else { return [self] }
    let part = Convolve.Kernel.box(BoxPower(width: box.width, order: box.leastOrder))
    return [Convolve.Kernel](repeating: part, count: box.order / box.leastOrder)
  }
}

/// A box, or several of them in a row: each is the mean of a run of samples.
package struct BoxPower: Sendable, Hashable, CustomStringConvertible {
  /// Samples of a run.
  package var width: Int
  /// The number of boxes.
  package var order: Int

  package init(width: Int, order: Int = 1) {
    self.width = width
    self.order = order
  }

  /// Samples to each side of all of them together.
  package var radius: Int { order * (width - 1) / 2 }

  /// True if there are runs, as many samples of them on the one side as on the other.
  var isCentered: Bool { width >= 1 && order >= 1 && order * (width - 1) % 2 == 0 }

  /// The smallest number of boxes that have a middle together: two of an even width, else one.
  package var leastOrder: Int { width % 2 == 0 ? 2 : 1 }

  /// The ways in which all samples together are counted.
  package var total: Double { (0..<order).reduce(1) { total, _ in total * Double(width) } }

  /// The weights of all of them together, from the middle outward.
  var taps: [Float] {
    var ways = [1.0]
    for _ in 0..<order {
      // Each is the sum of the last `width` before.
      var sum = 0.0
      ways = (0..<ways.count + width - 1).map { index in
        if index < ways.count { sum += ways[index] }
        if index >= width { sum -= ways[index - width] }
        return sum
      }
    }
    return ways[radius...].map { Float($0 / total) }
  }

  package var description: String { "box of \(width)" + (order > 1 ? ", \(order) times" : "") }
}

/// A direction in the image.
package enum Axis: Sendable, Hashable, CaseIterable {
  /// Along rows, left to right.
  case x
  /// Along columns, top to bottom.
  case y
}

/// Brings the working image into the form the caller asked for.
///
/// For each pixel: composed on `background` if there is one, divided by alpha if the output is
/// straight (a pixel of alpha 0 becomes all zeros), encoded with the sRGB curve if
/// `encodesFromLinear`. Integers are limited to 0…1 and rounded: `floor(v * fullScale + 0.5)`.
/// Gray is repeated where the output has colors; alpha is 1 where the image has none.
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
  /// The number of low bits that a gray sample gets in 16-bit words; all of them set is full scale. `nil` is all bits.
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
  /// Returns the plan, which has one result, with that result in another format.
  ///
  /// - Parameters:
  ///   - format: channels and depth. Gray is repeated where colors are asked for; asking for gray
  ///     where there are colors is a programming error.
  ///   - background: the color behind a result with alpha when `format` has none.
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
