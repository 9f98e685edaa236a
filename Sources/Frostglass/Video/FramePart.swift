internal import FrostglassCore

/// A part of a frame that is rendered together, by one plan or by several in sequence.
enum FramePart: Sendable {
  /// All planes of brightness and differences.
  case planes(YCbCrRenderer)
  /// A single plane, as brightness with neutral color differences.
  case luma(YCbCrRenderer, NeutralPlanes)
  /// Pixels of colors.
  case colors(Renderer)

  /// The number of a frame's planes that it takes.
  var planeCount: Int {
    switch self {
    case .planes(let renderer): renderer.plan.format.arrangement.planeCount
    case .luma, .colors: 1
    }
  }

  /// Pixels that share a sample in one of its planes, along rows and columns.
  var sampling: (columns: Int, rows: Int) {
    switch self {
    case .planes(let renderer), .luma(let renderer, _):
      (renderer.plan.format.sampling.columns, renderer.plan.format.sampling.rows)
    case .colors: (1, 1)
    }
  }

  /// Scratch bytes that rendering writes in addition to the planes.
  var scratchBytes: Int {
    if case .luma(_, let neutral) = self { neutral.byteCount } else { 0 }
  }

  /// Bytes that are kept from frame to frame.
  var memory: Int {
    switch self {
    case .planes(let renderer), .luma(let renderer, _): renderer.memory
    case .colors(let renderer): renderer.memory
    }
  }

  /// The same for frames that are covered elsewhere.
  ///
  /// - Parameter recipe: with the mask.
  func with(_ recipe: Recipe) throws(FrostglassError) -> FramePart {
    func like(_ renderer: YCbCrRenderer) throws(FrostglassError) -> YCbCrRenderer {
      try YCbCrRenderer(
        recipe.chain, options: recipe.options, background: recipe.background, like: renderer)
    }
    switch self {
    case .planes(let renderer): return .planes(try like(renderer))
    case .luma(let renderer, let neutral): return .luma(try like(renderer), neutral)
    case .colors(let renderer):
      let plan = try mapped(
        FrostglassError.plan, Self.colors(renderer.plan.inputs[0], recipe))
      return .colors(try Renderer(plan, like: renderer))
    }
  }

  /// Returns the plan for pixels of colors, which keep their format.
  static func colors(_ frame: Plan.Input, _ recipe: Recipe) throws(PlanError) -> Plan {
    try recipe.chain.plan(for: frame, options: recipe.options)
      .storing(as: frame.format, on: recipe.background)
  }
}

/// A part of a frame as if it were one.
extension FramePart {
  /// The plan for a window, before its renderers are prepared.
  enum WindowPlan {
    case planes(YCbCrPlan)
    case colors(Plan)

    /// The pixels that what changes is made of, and those themselves; `nil` where nothing does, or it is not
    /// known.
    func looked() throws(PlanError) -> Rect? {
      switch self {
      case .planes(let plan): try plan.looked()
      case .colors(let plan): try plan.looked()
      }
    }
  }

  /// - Parameter recipe: with the window's mask.
  func plan(forWindow size: Size, _ recipe: Recipe) throws(PlanError) -> WindowPlan {
    switch self {
    case .planes(let renderer), .luma(let renderer, _):
      return .planes(
        try recipe.chain.plan(
          for: renderer.plan.format, size: size, options: recipe.options,
          background: recipe.background))
    case .colors(let renderer):
      var window = renderer.plan.inputs[0]
      window.size = size
      return .colors(try Self.colors(window, recipe))
    }
  }

  /// Returns the renderers for a window's plan. They share the backend and queue of this part.
  func ready(for plan: WindowPlan) throws(FrostglassError) -> FramePart {
    switch (self, plan) {
    case (.planes(let renderer), .planes(let plan)):
      return .planes(try YCbCrRenderer(plan, like: renderer))
    case (.luma(let renderer, let neutral), .planes(let plan)):
      return .luma(try YCbCrRenderer(plan, like: renderer), neutral)
    case (.colors(let renderer), .colors(let plan)):
      return .colors(try Renderer(plan, like: renderer))
    default: preconditionFailure("a window of another kind of frame")
    }
  }
}

extension FramePart {
  /// Renders planes, or a window of them.
  ///
  /// - Parameters:
  ///   - planes: of whole frames, as many as it takes.
  ///   - results: other memory for them; of a window the rest is left as it is.
  ///   - scrap: `scratchBytes` bytes that nobody needs.
  ///   - place: the position of the window; `nil` for whole frames.
  func render(
    _ planes: [PixelMemory], into results: [MutablePixelMemory],
    scratch: UnsafeMutableRawBufferPointer, at place: Rect? = nil
  ) async throws(FrostglassError) -> [Recovery] {
    switch self {
    case .planes(let renderer):
      return try await render(planes, results, by: renderer, place)
    case .luma(let renderer, let neutral):
      return try await render(
        planes + neutral.sources, results + neutral.results(scratch), by: renderer, place)
    case .colors(let renderer):
      let input = renderer.plan.inputs[0]
      return try await renderer.render(
        planes[0].part(input, x: place?.x ?? 0, y: place?.y ?? 0),
        into: results[0].part(input, x: place?.x ?? 0, y: place?.y ?? 0)
      ).recoveries
    }
  }

  private func render(
    _ planes: [PixelMemory], _ results: [MutablePixelMemory], by renderer: YCbCrRenderer,
    _ place: Rect?
  ) async throws(FrostglassError) -> [Recovery] {
    guard let place else { return try await renderer.render(planes, into: results).recoveries }
    let format = renderer.plan.format
    var (sources, targets): ([PixelMemory], [MutablePixelMemory]) = ([], [])
    for (index, input) in renderer.plan.inputs.enumerated() {
      // Interleaved samples of a row are twice as many.
      let repeats = index > 0 && format.arrangement == .interleaved ? 2 : 1
      let columns = index > 0 ? format.sampling.columns : 1
      let rows = index > 0 ? format.sampling.rows : 1
      let (x, y) = (place.x / columns * repeats, place.y / rows)
      sources.append(planes[index].part(input, x: x, y: y))
      targets.append(results[index].part(input, x: x, y: y))
    }
    return try await renderer.render(sources, into: targets).recoveries
  }
}

extension PixelMemory {
  /// A part of a plane.
  ///
  /// - Parameter x: the first of its samples in a row.
  fileprivate func part(_ part: Plan.Input, x: Int, y: Int) -> PixelMemory {
    let start = y * bytesPerRow + x * part.format.bytesPerPixel
    return PixelMemory(
      part, bytes: UnsafeRawBufferPointer(rebasing: bytes[start...]), bytesPerRow: bytesPerRow)
  }
}

extension MutablePixelMemory {
  /// The same of a result.
  fileprivate func part(_ part: Plan.Input, x: Int, y: Int) -> MutablePixelMemory {
    let start = y * bytesPerRow + x * part.format.bytesPerPixel
    return MutablePixelMemory(
      bytes: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), bytesPerRow: bytesPerRow)
  }
}

/// Color differences that are none, for brightness that comes alone: two pixels' to a sample, so that
/// there are few.
package final class NeutralPlanes: Sendable {
  private let planes: [Plan.Input]
  private let memory: OwnedMemory

  /// The planes of brightness alone and of few differences.
  ///
  /// - Parameter range: `nil` is that of the brightness.
  package static func format(
    of luma: YCbCrFormat, range: YCbCrFormat.Levels? = nil
  ) -> YCbCrFormat {
    YCbCrFormat(
      matrix: luma.matrix, range: range ?? luma.range, sampling: .both, siting: .center,
      bits: luma.bits)
  }

  /// The differences as images.
  package static func images(_ format: YCbCrFormat, _ size: Size) -> [Image] {
    let middle = 1 << (format.bits.rawValue - 1)
    let code =
      format.bits == .eight ? [UInt8(middle)] : [UInt8(middle & 255), UInt8(middle >> 8)]
    return format.planes(of: size).dropFirst().compactMap { plane in
      try? Image(
        size: plane.size, format: plane.format, alpha: plane.alpha, transfer: plane.transfer,
        bytes: (0..<plane.size.area).flatMap { _ in code })
    }
  }

  init(_ format: YCbCrFormat, _ size: Size) {
    planes = Array(format.planes(of: size).dropFirst())
    let count = planes.reduce(0) { $0 + $1.bytesPerRow * $1.size.height }
    memory = OwnedMemory(count)
    if format.bits == .eight {
      bytes.initializeMemory(as: UInt8.self, repeating: 128)
    } else {
      bytes.initializeMemory(as: UInt16.self, repeating: UInt16(1 << (format.bits.rawValue - 1)))
    }
  }

  private var bytes: UnsafeMutableRawBufferPointer { memory.bytes }

  var byteCount: Int { bytes.count }

  var sources: [PixelMemory] {
    places.map { plane, place in
      PixelMemory(plane, bytes: UnsafeRawBufferPointer(rebasing: bytes[place]))
    }
  }

  func results(_ memory: UnsafeMutableRawBufferPointer) -> [MutablePixelMemory] {
    places.map { plane, place in
      MutablePixelMemory(
        bytes: UnsafeMutableRawBufferPointer(rebasing: memory[place]),
        bytesPerRow: plane.bytesPerRow)
    }
  }

  private var places: [(Plan.Input, Range<Int>)] {
    var start = 0
    return planes.map { plane in
      let end = start + plane.bytesPerRow * plane.size.height
      defer { start = end }
      return (plane, start..<end)
    }
  }
}
