package import CCUDA
package import FrostglassCore

/// A plan as kernels of a CUDA device: what is launched in which order, and where samples between are kept.
///
/// The kernels serve Gaussians of 8-bit images, whose sums are whole numbers. All other plans are refused with the
/// reason.
package struct DevicePlan: Sendable {
  /// One launch.
  package struct Launch: Sendable {
    /// The kernel's name.
    package var kernel: String
    /// The kernel's numbers. The pitch of the input and that of the output are set when they are known.
    package var pass: CCUDAPass
    /// The offset of the target in the memory between passes, in bytes; `nil` for the output.
    package var target: Int?
    /// The same of the source; `nil` for the input.
    package var source: Int?
    /// Blocks of threads along x and y.
    package var grid: (x: Int, y: Int)
  }

  /// Threads of a block: a warp reads a row.
  package static let block = (x: 32, y: 8)

  package let launches: [Launch]
  /// Bytes of samples between passes.
  package let memory: Int

  /// - Throws: `BackendError.unsupported` with the reason.
  package init(_ plan: Plan) throws(BackendError) {
    guard plan.inputs.count == 1, plan.results.count == 1 else {
      throw .unsupported("plans with several images")
    }
    guard plan.inputs[0].format.depth == .uint8, plan.result.format.depth == .uint8 else {
      throw .unsupported("\(plan.inputs[0].format) images; 8-bit ones run there")
    }
    let steps = plan.inParts().steps
    let slots = plan.inParts().slots
    for step in steps {
      switch step.pass {
      case .load, .convolve, .resample, .store: continue
      default: throw .unsupported("\(step.pass.name) passes; Gaussians run there")
      }
    }
    guard case .load(let load)? = steps.first?.pass, case .store(let store)? = steps.last?.pass
    else { throw .unsupported("a plan that does not read and write one image") }
    guard !load.decodesToLinear, !store.encodesFromLinear else {
      throw .unsupported("linear light")
    }
    let input = try InputKind(load, plan.inputs[0], slots)
    // Beyond a transparent edge nothing is opaque.
    let fades = steps.contains {
      $0.sources.contains { $0.x?.mode == .transparent || $0.y?.mode == .transparent }
    }
    let output = try OutputKind(store, isFull: input.isOpaque && !fades)

    var passes = Array(steps.dropFirst().dropLast())
    var place = steps[0].target ?? 0
    for step in passes {
      // A chain: each step reads what the one before made.
      guard step.sources.count == 1, step.sources[0].slot == place, let target = step.target else {
        throw .unsupported("a \(step.pass.name) of several images")
      }
      place = target
    }
    guard steps.last?.sources.first?.slot == place else {
      throw .unsupported("a plan that stores another image than the last")
    }
    if passes.isEmpty {
      // The image as it is: a convolution that reads each sample alone.
      passes = [
        Step(
          pass: .convolve(Convolve(axis: .x, taps: [1])), sources: [Source(slot: place)],
          target: place)
      ]
    }
    let inputDomain = Rect(plan.inputs[0].size)

    var launches: [Launch] = []
    // Two places, written in turn.
    var bytes = [0, 0]
    for (index, step) in passes.enumerated() {
      let isLast = index == passes.count - 1
      let rect = isLast ? plan.result.rect : slots[step.target ?? 0].domain
      guard slots[step.target ?? 0].precision != .float32 else {
        throw .unsupported("samples in floats of 32 bits")
      }
      var pass = try CCUDAPass(step.pass)
      pass.set(rect)
      let held = index == 0 ? inputDomain : slots[step.sources[0].slot].domain
      pass.columns = CCUDAAxis(held.columns, step.sources[0].x)
      pass.rows = CCUDAAxis(held.rows, step.sources[0].y)
      if index == 0 && input.isOpaque { pass.set = 0xFF00_0000 }
      if index > 0 { pass.sourcePitch = Int64(held.width * input.slotBytes) }
      if !isLast {
        pass.targetPitch = Int64(rect.width * input.slotBytes)
        bytes[index % 2] = max(bytes[index % 2], rect.area * input.slotBytes)
      }
      let kernel = [
        pass.kernel(of: step.pass), index == 0 ? input.name : input.slotName,
        isLast ? output.rawValue : "slot",
      ].joined(separator: "_")
      guard Self.kernels.contains(kernel) else {
        throw .unsupported("a \(step.pass.name) as the \(isLast ? "last" : "first") pass")
      }
      let rows = pass.threadRows(of: step.pass)
      launches.append(
        Launch(
          kernel: kernel, pass: pass, target: isLast ? nil : index % 2,
          source: index == 0 ? nil : (index - 1) % 2,
          grid: (
            (rect.width + Self.block.x - 1) / Self.block.x,
            (rows + Self.block.y - 1) / Self.block.y
          )))
    }
    // The second place begins where the first one ends.
    let second = (bytes[0] + 255) / 256 * 256
    for index in launches.indices {
      launches[index].target = launches[index].target.map { $0 * second }
      launches[index].source = launches[index].source.map { $0 * second }
    }
    guard launches.allSatisfy({ $0.grid.y <= 65535 }) else {
      throw .unsupported("images of more than \(65535 * Self.block.y) rows")
    }
    self.launches = launches
    memory = second + bytes[1]
  }

  /// The kernels in the module.
  package static let kernels: [String] = {
    let inputs = ["gray", "rgb", "rgba", "straight"]
    let slots = ["slot1": ["gray"], "slot4": ["rgb", "rgba", "straight"]].sorted { $0.key < $1.key }
    return inputs.flatMap { ["shrink_\($0)_slot", "convolve_\($0)_slot", "convolve_\($0)_\($0)"] }
      + slots.flatMap { slot, outputs in
        [
          "shrink_\(slot)_slot", "convolve_\(slot)_slot", "grow_\(slot)_slot",
          "grow_wide_\(slot)_slot",
        ]
          + outputs.flatMap { output in
            ["convolve", "grow", "grow_wide"].map { "\($0)_\(slot)_\(output)" }
          }
      }
  }()
}

extension BackendError {
  /// Returns the error for a plan that the kernels do not serve.
  fileprivate static func unsupported(_ what: String) -> BackendError {
    .unsupported(backend: CUDABackend.name, what: what)
  }
}

/// The input's samples as kernels read them.
private struct InputKind {
  /// The name within kernels' names.
  let name: String
  /// True if the fourth channel counts as opaque whatever it holds.
  let isOpaque: Bool

  init(_ load: Load, _ input: Plan.Input, _ slots: [Slot]) throws(BackendError) {
    guard load.bits == nil, slots.allSatisfy({ $0.layout == input.format.layout }) else {
      throw .unsupported("filters that add channels or transparency")
    }
    switch input.format.layout {
    case .gray: name = "gray"
    case .rgb: name = "rgb"
    case .rgba: name = load.alpha == .straight ? "straight" : "rgba"
    }
    isOpaque = input.format.layout == .rgba && load.alpha == .opaque
  }

  var slotName: String { name == "gray" ? "slot1" : "slot4" }
  /// Bytes of a pixel between passes.
  var slotBytes: Int { name == "gray" ? 2 : 8 }
}

/// The output's samples as kernels write them.
private enum OutputKind: String {
  case gray, rgb, rgba, straight

  /// - Parameter isFull: true if the fourth channel is opaque everywhere.
  init(_ store: Store, isFull: Bool) throws(BackendError) {
    guard store.background == nil, store.bits == nil else {
      throw .unsupported("a background color")
    }
    switch store.format.layout {
    case .gray: self = .gray
    case .rgb: self = .rgb
    case .rgba: self = store.alpha == .straight && !isFull ? .straight : .rgba
    }
  }
}

extension CCUDAAxis {
  /// - Parameters:
  ///   - held: the samples in memory.
  ///   - edge: `nil` where nothing beyond the edge is read.
  fileprivate init(_ held: Range<Int>, _ edge: AxisEdge?) {
    let range = edge?.range ?? held
    let mode: CCUDAEdge =
      switch edge?.mode {
      case .clamp, nil: CCUDAEdgeClamp
      case .mirror: CCUDAEdgeMirror
      case .wrap: CCUDAEdgeWrap
      case .reflect101: CCUDAEdgeReflect101
      case .transparent: CCUDAEdgeTransparent
      }
    self.init(
      first: Int32(held.lowerBound), count: Int32(held.count), low: Int32(range.lowerBound),
      span: Int32(range.count), edge: Int32(mode.rawValue))
  }
}

extension CCUDAPass {
  fileprivate mutating func set(_ rect: Rect) {
    (x, y) = (Int32(rect.x), Int32(rect.y))
    (width, height) = (Int32(rect.width), Int32(rect.height))
  }

  /// The numbers of a pass in whole numbers.
  fileprivate init(_ pass: Pass) throws(BackendError) {
    self.init()
    switch pass {
    case .convolve(let convolve):
      guard convolve.radius < Int(CCUDATableWords) else {
        throw .unsupported("a convolution of radius \(convolve.radius)")
      }
      guard case .taps(let taps) = convolve.kernel, let whole = Self.whole(taps, of: 65536),
        2 * whole.reduce(0, +) - whole[0] == 65536
      else { throw .unsupported("a Convolve whose taps are not 65536ths") }
      radius = Int32(convolve.radius)
      isAlongY = convolve.axis == .y ? 1 : 0
      withTable { table in for (index, tap) in whole.enumerated() { table[index] = tap } }
    case .resample(let resample):
      if resample.x.stride == 1, resample.y.stride == 1 {
        guard let x = Growth(resample.x), let y = Growth(resample.y),
          x.words.count + y.words.count <= Int(CCUDATableWords)
        else { throw .unsupported("a Resample x \(resample.x.factor), y \(resample.y.factor)") }
        (phasesX, phasesY) = (Int32(x.words.count), Int32(y.words.count))
        (unitX, unitY) = (Int32(x.unit), Int32(y.unit))
        withTable { table in
          for (index, word) in (x.words + y.words).enumerated() { table[index] = word }
        }
      } else {
        guard let x = Self.shrinking(resample.x), let y = Self.shrinking(resample.y) else {
          throw .unsupported("a Resample x \(resample.x.factor), y \(resample.y.factor)")
        }
        (strideX, firstX, lengthX) = (Int32(resample.x.stride), x.first, x.length)
        (strideY, firstY, lengthY) = (Int32(resample.y.stride), y.first, y.length)
        (shrinkX, shrinkY) = (x.taps, y.taps)
      }
    default: throw .unsupported("a \(pass.name) in between")
    }
  }

  /// Returns the first part of a kernel's name.
  fileprivate func kernel(of pass: Pass) -> String {
    guard case .resample(let resample) = pass else { return "convolve" }
    guard resample.x.stride == 1, resample.y.stride == 1 else { return "shrink" }
    return unitX + unitY > 16 ? "grow_wide" : "grow"
  }

  /// Returns the rows of threads that make the target's rows.
  fileprivate func threadRows(of pass: Pass) -> Int {
    guard phasesY > 0 else { return Int(height) }
    let group = min(phasesY, Int32(CCUDAGrownRows))
    return Int((y + height - 1) >> group.trailingZeroBitCount)
      - Int(y >> group.trailingZeroBitCount) + 1
  }

  private mutating func withTable(_ body: (UnsafeMutableBufferPointer<UInt32>) -> Void) {
    withUnsafeMutableBytes(of: &table) { body($0.bindMemory(to: UInt32.self)) }
  }

  /// Returns taps as multiples of a unit; `nil` where they are none, or negative.
  fileprivate static func whole(_ taps: [Float], of unit: Float) -> [UInt32]? {
    guard taps.allSatisfy({ $0 >= 0 && $0 <= 1 && ($0 * unit).rounded() == $0 * unit }) else {
      return nil
    }
    return taps.map { UInt32($0 * unit) }
  }

  private typealias Shrinking = (
    first: Int32, length: Int32, taps: (UInt32, UInt32, UInt32, UInt32)
  )

  /// Returns the numbers of shrinking along an axis; `nil` for other changes of scale.
  private static func shrinking(_ axis: Polyphase) -> Shrinking? {
    guard axis.phases.count == 1, axis.phases[0].taps.count <= Int(CCUDAShrinkTaps),
      let taps = whole(axis.phases[0].taps, of: 256), taps.reduce(0, +) == 256
    else { return nil }
    func tap(_ index: Int) -> UInt32 { index < taps.count ? taps[index] : 0 }
    return (
      Int32(axis.phases[0].first), Int32(taps.count), (tap(0), tap(1), tap(2), tap(3))
    )
  }
}

/// Growing along an axis: of each phase the taps of the samples before and after.
private struct Growth {
  /// The power of two that each phase's taps sum to.
  let unit: Int
  /// A word for each phase.
  let words: [UInt32]

  /// - Returns: `nil` for other changes of scale.
  init?(_ axis: Polyphase) {
    guard axis.phases.count.nonzeroBitCount == 1,
      axis.phases.allSatisfy({ $0.first >= -1 && $0.first + $0.taps.count <= 2 }),
      let unit = (0...16).first(where: { unit in
        axis.phases.allSatisfy { phase in
          CCUDAPass.whole(phase.taps, of: Float(1 << unit))?.reduce(0, +) == 1 << unit
        }
      })
    else { return nil }
    var words: [UInt32] = []
    for phase in axis.phases {
      var taps: [UInt32] = [0, 0, 0]
      for (index, tap) in phase.taps.enumerated() {
        taps[phase.first + 1 + index] = UInt32(tap * Float(1 << unit))
      }
      guard taps[0] < 1 << 16, taps[2] < 1 << 16 else { return nil }
      words.append(taps[0] | taps[2] << 16)
    }
    self.unit = unit
    self.words = words
  }
}

extension Polyphase {
  /// The change of scale, for messages.
  fileprivate var factor: String { stride > 1 ? "÷\(stride)" : "×\(phases.count)" }
}
