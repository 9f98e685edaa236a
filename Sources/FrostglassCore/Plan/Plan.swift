/// All operations on an image with every number: a value that any backend can run.
///
/// Steps run in order. Each writes one slot that no other step writes, or is a `store` that writes one
/// of the results; the last step is one. Every number a backend needs is here.
public struct Plan: Sendable, Hashable {
  /// The description of an input.
  public struct Input: Sendable, Hashable {
    /// Width and height, in pixels.
    public var size: Size
    /// Channels and their depth.
    public var format: PixelFormat
    /// The meaning of its alpha; `opaque` without an alpha channel.
    public var alpha: AlphaMode
    /// The transfer of samples: encoded or light.
    public var transfer: PixelFormat.Transfer

    /// A description; without an alpha channel `alpha` is `opaque` whatever is given.
    public init(size: Size, format: PixelFormat, alpha: AlphaMode, transfer: PixelFormat.Transfer) {
      self.size = size
      self.format = format
      self.alpha = format.layout.hasAlpha ? alpha : .opaque
      self.transfer = transfer
    }

    /// The description of an image.
    public init(_ image: Image) {
      self.init(
        size: image.size, format: image.format, alpha: image.alpha, transfer: image.transfer)
    }
  }

  /// The description of a result.
  public struct Result: Sendable, Hashable {
    /// The part of the image that is computed, in image coordinates.
    public var rect: Rect
    /// Channels and their depth.
    public var format: PixelFormat
    /// The meaning of its alpha; `opaque` without an alpha channel.
    public var alpha: AlphaMode
    /// The transfer of samples: encoded or light.
    public var transfer: PixelFormat.Transfer
    /// The largest distance of a sample from the true one, for any input.
    public internal(set) var certifiedError: CertifiedError

    package init(
      rect: Rect, format: PixelFormat, alpha: AlphaMode, transfer: PixelFormat.Transfer,
      certifiedError: CertifiedError = CertifiedError()
    ) {
      self.rect = rect
      self.format = format
      self.alpha = alpha
      self.transfer = transfer
      self.certifiedError = certifiedError
    }

    /// Returns true if another one is of the same part and kind.
    func isLike(_ other: Result) -> Bool {
      rect == other.rect && Input(self) == Input(other)
    }

    /// Bytes of the result image.
    public var bytes: Int { rect.area * format.bytesPerPixel }
  }

  /// The descriptions of the inputs, in the order they are given.
  public internal(set) var inputs: [Input]
  /// The intermediate images.
  package internal(set) var slots: [Slot]
  /// The steps, in order.
  package internal(set) var steps: [Step]
  /// The results, of the same part of the image; each is written by a `store` with its index.
  public internal(set) var results: [Result]
  /// True if every intermediate image is rounded as its precision says, also where a backend could merge two steps.
  /// Plans that share steps then compute the same bytes in them.
  package internal(set) var roundsBetweenSteps = false
  /// The size of the result that this plan computes a part of; `nil` where that is its own.
  var uncropped: Size?

  /// Puts a plan together; `validate(for:)` checks it. Slot domains are taken as given.
  package init(inputs: [Input], slots: [Slot], steps: [Step], results: [Result]) {
    self.inputs = inputs
    self.slots = slots
    self.steps = steps
    self.results = results
  }

  /// The only result, or the first of several.
  public internal(set) var result: Result {
    get { results[0] }
    set { results[0] = newValue }
  }

  /// The largest distance of a sample from the true one, for any input; of several results the largest error.
  public var certifiedError: CertifiedError {
    results.map(\.certifiedError).max { $0.total < $1.total } ?? CertifiedError()
  }

  /// The size of the whole result, of which this plan may compute a part: what a backend decides by size is
  /// decided by this one, so that a part is computed like the whole.
  package var wholeSize: Size { uncropped ?? result.rect.size }

  /// Bytes of the result images.
  public var resultBytes: Int { results.reduce(0) { $0 + $1.bytes } }

  /// For each slot, the index of the last step that reads it.
  package var lastUses: [Int] {
    var last = [Int](repeating: -1, count: slots.count)
    for (index, step) in steps.enumerated() {
      for source in step.sources { last[source.slot] = index }
    }
    return last
  }

  /// The most bytes of intermediate images that exist at once, at least precision.
  ///
  /// A backend may take less, which makes at once what others make in parts.
  public var memory: Int { inParts().peakBytes { $0.bytes } }

  /// The most bytes of intermediate images that exist at once when a slot takes `bytes`.
  package func peakBytes(_ bytes: (Slot) -> Int) -> Int {
    let last = lastUses
    var live = 0
    var peak = 0
    for (index, step) in steps.enumerated() {
      if let target = step.target { live += bytes(slots[target]) }
      peak = max(peak, live)
      for slot in Set(step.sources.map(\.slot)) where last[slot] == index {
        live -= bytes(slots[slot])
      }
    }
    return peak
  }

  /// Multiply-adds per result pixel and channel, likewise.
  public var multiplyAddsPerPixel: Double {
    let plan = inParts()
    let total = plan.steps.reduce(0.0) { sum, step in
      let area = step.target.map { plan.slots[$0].domain.area } ?? result.rect.area
      return sum + Double(area) * Double(step.pass.multiplyAdds)
    }
    return total / Double(result.rect.area)
  }
}

/// One intermediate image of a plan, written by exactly one step.
package struct Slot: Sendable, Hashable {
  /// The samples that are computed, in absolute coordinates of the slot's own grid.
  ///
  /// Coordinates do not change when a plan is cropped; only the domain shrinks.
  package var domain: Rect
  package var layout: PixelFormat.Layout
  package var precision: Precision
  /// The largest distance of this image from the true one.
  package var error: CertifiedError

  package init(
    domain: Rect, layout: PixelFormat.Layout, precision: Precision,
    error: CertifiedError = CertifiedError()
  ) {
    self.domain = domain
    self.layout = layout
    self.precision = precision
    self.error = error
  }

  /// Bytes this image takes at its least precision.
  package var bytes: Int { domain.area * layout.channels * precision.bytes }
}

/// One pass with the images it reads and the one it writes.
package struct Step: Sendable, Hashable {
  package var pass: Pass
  /// None for `load` and `generate`, two or three for `blend`, two for `packChannels`
  /// and `displace`, one otherwise.
  package var sources: [Source]
  /// Index of the slot written; `nil` for `store`, which writes a result.
  package var target: Int?

  package init(pass: Pass, sources: [Source], target: Int?) {
    self.pass = pass
    self.sources = sources
    self.target = target
  }
}

/// An image that a step reads.
package struct Source: Sendable, Hashable {
  /// Index into the plan's slots.
  package var slot: Int
  /// Columns outside the source; `nil` when the step never reads any.
  package var x: AxisEdge?
  /// Rows outside the source; `nil` when the step never reads any.
  package var y: AxisEdge?

  package init(slot: Int, x: AxisEdge? = nil, y: AxisEdge? = nil) {
    self.slot = slot
    self.x = x
    self.y = y
  }

  /// The part of the slot that is read when `wanted` is asked for.
  package func footprint(of wanted: Rect) -> Rect {
    Rect(
      columns: x.map { $0.mode.footprint(of: wanted.columns, in: $0.range) } ?? wanted.columns,
      rows: y.map { $0.mode.footprint(of: wanted.rows, in: $0.range) } ?? wanted.rows)
  }
}

extension Plan {
  /// The step that makes a slot.
  package func step(making slot: Int) -> Step? { steps.first { $0.target == slot } }

  /// The steps that read a slot.
  package func readers(of slot: Int) -> [Step] {
    steps.filter { step in step.sources.contains { $0.slot == slot } }
  }

  /// Checks once, before running, all that a backend would otherwise have to check.
  ///
  /// - Throws: `PlanError.tooLarge` when a limit is exceeded (a smaller part may fit),
  ///   `PlanError.malformed` when the plan was put together wrongly.
  package func validate(for limits: PlanLimits) throws(PlanError) {
    try validateWiring()
    try validateReads()
    for step in steps {
      if let fault = step.pass.kind.fault { throw .malformed("\(step.pass.name) has \(fault)") }
    }
    guard limits != .none else { return }
    for slot in slots {
      guard slot.domain.width <= limits.longestSide, slot.domain.height <= limits.longestSide
      else { throw .tooLarge(slot.domain.size, limit: "\(limits.longestSide) per side") }
    }
    guard memory <= limits.bytes else {
      throw .tooLarge(result.rect.size, limit: "\(limits.bytes) bytes; it takes \(memory)")
    }
    for step in inParts().steps where step.pass.kind.tapCount > limits.taps {
      throw .malformed(
        "\(step.pass.name) has \(step.pass.kind.tapCount) taps, at most \(limits.taps)")
    }
  }

  private func validateWiring() throws(PlanError) {
    var written = Set<Int>()
    var stored = Set<Int>()
    for (index, step) in steps.enumerated() {
      for source in step.sources where !written.contains(source.slot) {
        throw .malformed("step \(index) reads slot \(source.slot) before it is written")
      }
      guard step.sources.count == step.pass.kind.sourceCount else {
        throw .malformed("step \(index) has \(step.sources.count) sources")
      }
      guard let target = step.target else {
        guard case .store(let store) = step.pass, results.indices.contains(store.result),
          stored.insert(store.result).inserted
        else { throw .malformed("step \(index) writes nothing") }
        continue
      }
      guard slots.indices.contains(target), written.insert(target).inserted else {
        throw .malformed("step \(index) writes slot \(target) again")
      }
    }
    guard case .store = steps.last?.pass, stored.count == results.count else {
      throw .malformed("no store at the end")
    }
    guard results.allSatisfy({ $0.rect == result.rect }) else {
      throw .malformed("the results are of different parts of the image")
    }
  }

  /// Every sample a step reads must be in its source's domain.
  private func validateReads() throws(PlanError) {
    for (index, step) in steps.enumerated() {
      let target = step.target.map { slots[$0].domain } ?? result.rect
      guard !target.isEmpty else { throw .malformed("step \(index) computes nothing") }
      if case .load(let load) = step.pass {
        guard inputs.indices.contains(load.input) else {
          throw .malformed("step \(index) loads input \(load.input)")
        }
        guard Rect(inputs[load.input].size).contains(target) else {
          throw .malformed("step \(index) loads \(target), outside its input")
        }
      }
      for (place, source) in step.sources.enumerated() {
        let wanted = step.pass.sourceRect(for: target, of: place)
        guard slots[source.slot].domain.contains(source.footprint(of: wanted)) else {
          throw .malformed("step \(index) reads \(wanted), outside slot \(source.slot)")
        }
        guard step.pass.finds(wanted, in: source, of: place, for: target) else {
          throw .malformed(
            "step \(index) reads \(wanted) in place, beyond the edges of slot \(source.slot)")
        }
        let (made, read) = (step.target.map { slots[$0].layout }, slots[source.slot].layout)
        guard made.map({ step.pass.makes($0, of: read) }) ?? true else {
          throw .malformed("step \(index) makes another layout of \(read)")
        }
      }
    }
  }
}

/// The limits of a backend.
package struct PlanLimits: Sendable, Hashable {
  /// Longest side of an intermediate image, in samples.
  package var longestSide: Int
  /// Bytes of intermediate images at once, at the plan's least precision.
  package var bytes: Int
  /// Taps of one convolution or resampling phase.
  package var taps: Int

  package init(longestSide: Int = .max, bytes: Int = .max, taps: Int = .max) {
    self.longestSide = longestSide
    self.bytes = bytes
    self.taps = taps
  }

  /// No limits.
  package static let none = PlanLimits()
}

/// An error in making or running a plan.
public enum PlanError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A parameter's value, spelled as given, is not accepted by the filter.
  case badValue(filter: String, parameter: String, value: String, accepted: String)
  /// The requested part is outside the image.
  case regionOutside(Rect, picture: Rect)
  /// A mask may not cover what was meant, and refuses that doubt.
  case doubtful([MaskWarning])
  /// An image exceeds the limits of the backend.
  case tooLarge(Size, limit: String)
  /// A plan is malformed, with the place.
  case malformed(String)

  /// The error of a filter that another one is made of: names the one that was asked for.
  func inside(_ composite: String) -> PlanError {
    guard case .badValue(let filter, let parameter, let value, let accepted) = self else {
      return self
    }
    return .badValue(
      filter: "\(composite), its \(filter)", parameter: parameter, value: value,
      accepted: accepted)
  }

  /// A user-facing description.
  public var description: String {
    switch self {
    case .badValue(let filter, let parameter, let value, let accepted):
      "\(filter): \(parameter) is \(value); it must be \(accepted)"
    case .regionOutside(let rect, let picture):
      "the region \(rect) is not inside the image \(picture)"
    case .doubtful(let doubts):
      doubts.map { "\($0)" }.joined(separator: "; ")
    case .tooLarge(let size, let limit):
      "an intermediate image of \(size) is too large; the limit is \(limit)"
    case .malformed(let what):
      "the plan is not well formed: \(what)"
    }
  }
}

extension Size {
  /// The longest side that plans are made for: what is counted of its pixels stays far within 64 bits.
  private static let longestPlanned = 1 << 24

  /// Refuses what no plan is made for.
  ///
  /// - Parameter what: it is the size of, for messages.
  func check(of what: String) throws(PlanError) {
    guard width >= 1, height >= 1 else {
      throw .badValue(filter: what, parameter: "size", value: "\(self)", accepted: "at least 1×1")
    }
    guard max(width, height) <= Self.longestPlanned else {
      throw .tooLarge(self, limit: "\(Self.longestPlanned) px per side")
    }
  }
}

extension Plan {
  /// One plan with the results of several, in order: what they have in common is computed once.
  ///
  /// Steps are the same where they do the same to the same images, beginning with the inputs; so two
  /// plans may share how far they shrink an image before their blurs part. Each result keeps the error
  /// it is certified for. Its bytes may differ within that from those of its plan alone, as backends
  /// fuse other passes where an image has more than one reader.
  ///
  /// - Parameter plans: plans with the same inputs, for the same part of the image; one or more.
  /// - Throws: `PlanError.malformed` where they are not.
  public init(joining plans: [Plan]) throws(PlanError) {
    guard let first = plans.first else { throw .malformed("no plan to join") }
    self = first
    // By what they do to which slots, the slots that steps of earlier plans wrote.
    var known: [SharedStep: Int] = [:]
    for step in steps {
      if let target = step.target { known[SharedStep(step, slots[target])] = target }
    }
    for plan in plans.dropFirst() {
      guard plan.inputs == inputs else { throw .malformed("plans of different inputs are joined") }
      guard plan.result.rect == result.rect else {
        throw .malformed("plans of \(result.rect) and \(plan.result.rect) are joined")
      }
      append(plan, &known)
      roundsBetweenSteps = roundsBetweenSteps || plan.roundsBetweenSteps
    }
  }

  private mutating func append(_ plan: Plan, _ known: inout [SharedStep: Int]) {
    // Where the other plan's slots are in this one.
    var places = [Int](repeating: 0, count: plan.slots.count)
    let firstResult = results.count
    for var step in plan.steps {
      for source in step.sources.indices {
        step.sources[source].slot = places[step.sources[source].slot]
      }
      if let target = step.target {
        let shared = SharedStep(step, plan.slots[target])
        if let place = known[shared] {
          places[target] = place
          continue
        }
        places[target] = slots.count
        known[shared] = slots.count
        step.target = slots.count
        slots.append(plan.slots[target])
      } else if case .store(var store) = step.pass {
        store.result += firstResult
        step.pass = .store(store)
      }
      steps.append(step)
    }
    results += plan.results
  }
}

/// A step and what it makes, wherever that is kept.
private struct SharedStep: Hashable {
  private let pass: Pass
  private let sources: [Source]
  private let made: Slot

  init(_ step: Step, _ made: Slot) {
    pass = step.pass
    sources = step.sources
    self.made = made
  }
}

extension Plan: CustomStringConvertible {
  /// The plan for people: inputs, steps, result, what it costs and what it guarantees.
  public var description: String {
    var lines = inputs.enumerated().map { index, input in
      "input \(index)   \(input.size) \(input.format) \(input.alpha), \(input.transfer)"
    }
    for (index, step) in steps.enumerated() { lines.append(line(index, step)) }
    for (index, result) in results.enumerated() {
      let name = results.count > 1 ? "result \(index)" : "result"
      lines.append(
        name.padded(to: 10) + "\(result.rect) \(result.format) \(result.alpha), \(result.transfer)")
    }
    lines.append(
      "cost      \(decimal(multiplyAddsPerPixel, places: 1)) multiply-adds per pixel and channel, "
        + "\(decimal(Double(memory) / 1e6, places: 1)) MB of intermediates, "
        + "reach \(reach.x)×\(reach.y) px")
    for (index, result) in results.enumerated() {
      let name = results.count > 1 ? "error \(index)" : "error"
      lines.append(name.padded(to: 10) + result.certifiedError.words)
    }
    return lines.joined(separator: "\n")
  }

  private func line(_ index: Int, _ step: Step) -> String {
    let number = "step \(index + 1)".padded(to: 9)
    let sources = step.sources.map { source in "#\(source.slot)\(edges(source))" }
    let reads = sources.isEmpty ? "" : sources.joined(separator: " + ") + " "
    guard let target = step.target else {
      guard results.count > 1, case .store(let store) = step.pass else {
        return "\(number) \(reads)→ \(step.pass)"
      }
      return "\(number) \(reads)→ result \(store.result) \(step.pass)"
    }
    let slot = slots[target]
    return "\(number) \(reads)→ #\(target) \(step.pass): \(slot.domain) \(slot.layout) "
      + "\(slot.precision)"
  }

  private func edges(_ source: Source) -> String {
    let axes = [source.x.map { "x \($0)" }, source.y.map { "y \($0)" }].compactMap { $0 }
    return axes.isEmpty ? "" : "(" + axes.joined(separator: ", ") + ")"
  }
}

extension CertifiedError {
  /// The certified error and its parts in words.
  fileprivate var words: String {
    "certified under \(decimal(total + 0.0005, places: 3)) levels of 255 "
      + "(kernels \(decimal(kernel, places: 3)), "
      + (model > 0 ? "approximations \(decimal(model, places: 3)), " : "")
      + "arithmetic \(decimal(arithmetic, places: 3)))"
  }
}

extension AxisEdge: CustomStringConvertible {
  /// The mode and where the image ends.
  package var description: String {
    "\(mode.rawValue) \(range.lowerBound)…\(range.upperBound - 1)"
  }
}

extension String {
  /// With spaces behind it, up to a width in characters.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }
}

/// A number with a fixed number of decimal places.
package func decimal(_ value: Double, places: Int) -> String {
  guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
  let scale = (0..<places).reduce(1) { product, _ in product * 10 }
  let scaled = Int((abs(value) * Double(scale)).rounded())
  let sign = value < 0 && scaled > 0 ? "-" : ""
  let fraction = "\(scaled % scale)"
  let zeros = String(repeating: "0", count: places - fraction.count * (places > 0 ? 1 : 0))
  return places > 0 ? "\(sign)\(scaled / scale).\(zeros)\(fraction)" : "\(sign)\(scaled)"
}
