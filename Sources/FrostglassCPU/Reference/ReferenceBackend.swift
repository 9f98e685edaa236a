public import FrostglassCore

/// The backend that defines what a plan computes: float, one readable function per pass.
public struct ReferenceBackend: Backend {
  /// `reference`.
  public let name = "reference"

  private let callers = ThreadPool()

  /// It needs nothing and keeps nothing.
  public init() {}

  /// Runs the whole plan at once, on one core.
  public func run(_ plan: Plan, _ io: PixelIO) async throws(BackendError) -> RunReport {
    try await io.run(on: callers) { io throws(BackendError) in try runNow(plan, io) }
  }

  private func runNow(_ plan: Plan, _ io: PixelIO) throws(BackendError) -> RunReport {
    try io.check(plan)
    var inputs: [Image] = []
    for (index, input) in io.inputs.enumerated() {
      guard let image = try input.gathered(plan.inputs[index], io.cancellation) else {
        throw .unsupported(
          backend: name, what: "input \(index), which is on a device; download it first")
      }
      inputs.append(image)
    }
    for case .resident in io.outputs {
      throw .unsupported(backend: name, what: "results on a device; ask for them in memory")
    }
    try MemoryRoom.check(
      max(plan.wholeMemory, plan.resultBytes),
      "\(plan.results.map { "\($0.rect.size)" }.joined(separator: " and ")) pixels in floats")
    let images = ReferenceKernels.run(plan.inParts(), inputs) {
      io.cancellation?.isCancelled == true
    }
    try io.cancellation?.check()
    guard images.count == io.outputs.count else {
      throw .failed(backend: name, what: "the plan has no result; was it validated?")
    }
    for (output, image) in zip(io.outputs, images) { try output.deliver(image, io.cancellation) }
    return RunReport(backend: name)
  }

  /// Every pass is computed alone.
  public func isBitIdentical(_ first: Plan, _ second: Plan) -> Bool { true }
}

/// Runs a plan step by step in float: what every other backend is compared with.
enum ReferenceKernels {
  /// - Parameters:
  ///   - plan: a valid one.
  ///   - inputs: images that match its inputs.
  ///   - isCancelled: asked between passes.
  /// - Returns: the results in order; none where it was cancelled.
  static func run(_ plan: Plan, _ inputs: [Image], isCancelled: () -> Bool = { false }) -> [Image] {
    var results = [Image?](repeating: nil, count: plan.results.count)
    var pictures = [WorkingImage?](repeating: nil, count: plan.slots.count)
    let lastUses = plan.lastUses
    for (index, step) in plan.steps.enumerated() {
      if isCancelled() { return [] }
      let sources = step.sources.compactMap { source in
        pictures[source.slot].map { SourceRows(picture: $0, source: source) }
      }
      if case .store(let store) = step.pass {
        results[store.result] = store.reference(sources[0], result: plan.results[store.result])
      } else {
        guard let target = step.target,
          let made = run(step, of: plan, sources, inputs, isCancelled)
        else { return [] }
        pictures[target] = made
      }
      for source in step.sources where lastUses[source.slot] == index {
        pictures[source.slot] = nil
      }
    }
    return results.compactMap { $0 }
  }

  /// A step that writes a slot, in parts where it takes long.
  private static func run(
    _ step: Step, of plan: Plan, _ sources: [SourceRows], _ inputs: [Image],
    _ isCancelled: () -> Bool
  ) -> WorkingImage? {
    guard let target = step.target else { return nil }
    let slot = plan.slots[target]
    let blocks = plan.blocks(of: slot.domain, step)
    guard blocks.count > 1 else { return run(step.pass, sources, inputs, into: slot) }
    var picture = WorkingImage(slot)
    for block in blocks {
      var part = slot
      part.domain = block
      guard !isCancelled(), let made = run(step.pass, sources, inputs, into: part) else {
        return nil
      }
      picture.replace(block, with: made)
    }
    return picture
  }

  /// One pass other than a store.
  static func run(
    _ pass: Pass, _ sources: [SourceRows], _ inputs: [Image], into slot: Slot
  ) -> WorkingImage? {
    switch pass {
    case .load(let load): load.reference(inputs[load.input], into: slot)
    case .resample(let resample): resample.reference(sources[0], into: slot)
    case .convolve(let convolve): convolve.reference(sources[0], into: slot)
    case .colorMatrix(let matrix): matrix.reference(sources[0], into: slot)
    case .lumaCurve(let curve): curve.reference(sources[0], into: slot)
    case .displace(let displace): displace.reference(sources[0], sources[1], into: slot)
    case .blend(let blend): blend.reference(sources, into: slot)
    case .packChannels(let pack): pack.reference(sources[0], sources[1], into: slot)
    case .generate(let generate): generate.reference(into: slot)
    case .bilateral(let bilateral): bilateral.reference(sources[0], into: slot)
    case .median(let median): median.reference(sources[0], into: slot)
    case .cellMeans(let means): means.reference(sources[0], into: slot)
    case .cellFill(let fill): fill.reference(sources[0], into: slot)
    case .grain(let grain): grain.reference(sources[0], into: slot)
    case .stencil(let stencil): stencil.reference(sources[0], into: slot)
    case .gather(let gather): gather.reference(sources[0], into: slot)
    case .highlightWeight(let pass): pass.reference(sources[0], into: slot)
    case .store: nil
    }
  }
}

/// An intermediate image of a plan in memory: interleaved floats of a slot's domain.
struct WorkingImage: Sendable {
  let domain: Rect
  let layout: PixelFormat.Layout
  var samples: [Float]

  var channels: Int { layout.channels }
  /// Samples per row.
  var rowLength: Int { domain.width * layout.channels }

  init(_ slot: Slot) {
    self.init(domain: slot.domain, layout: slot.layout)
  }

  init(domain: Rect, layout: PixelFormat.Layout) {
    self.domain = domain
    self.layout = layout
    samples = [Float](repeating: 0, count: domain.area * layout.channels)
  }

  /// Index of the first sample of a row, given in absolute coordinates.
  func rowStart(_ y: Int) -> Int { (y - domain.y) * rowLength }

  /// Takes over a part.
  mutating func replace(_ part: Rect, with made: WorkingImage) {
    let offset = (part.x - domain.x) * channels
    for y in part.rows {
      let (to, from) = (rowStart(y) + offset, made.rowStart(y))
      samples.replaceSubrange(
        to..<to + made.rowLength, with: made.samples[from..<from + made.rowLength])
    }
  }

  /// Computes the image row by row; `body` gets the row's absolute y and its samples.
  mutating func fillRows(_ body: (Int, UnsafeMutableBufferPointer<Float>) -> Void) {
    let length = rowLength
    let rows = domain.rows
    samples.withUnsafeMutableBufferPointer { all in
      for (index, y) in rows.enumerated() {
        body(y, UnsafeMutableBufferPointer(rebasing: all[index * length..<(index + 1) * length]))
      }
    }
  }
}

/// A pixel as red, green, blue and alpha, whatever the layout: gray is repeated, alpha is 1 where
/// there is none.
@inline(__always)
func pixel(_ row: UnsafeBufferPointer<Float>, _ x: Int, _ layout: PixelFormat.Layout) -> SIMD4<
  Float
> {
  switch layout {
  case .gray: SIMD4(row[x], row[x], row[x], 1)
  case .rgb: SIMD4(row[3 * x], row[3 * x + 1], row[3 * x + 2], 1)
  case .rgba: SIMD4(row[4 * x], row[4 * x + 1], row[4 * x + 2], row[4 * x + 3])
  }
}

/// Writes a pixel; a gray image takes the red.
@inline(__always)
func setPixel(
  _ row: UnsafeMutableBufferPointer<Float>, _ x: Int, _ layout: PixelFormat.Layout,
  _ value: SIMD4<Float>
) {
  switch layout {
  case .gray:
    row[x] = value.x
  case .rgb:
    row[3 * x] = value.x
    row[3 * x + 1] = value.y
    row[3 * x + 2] = value.z
  case .rgba:
    row[4 * x] = value.x
    row[4 * x + 1] = value.y
    row[4 * x + 2] = value.z
    row[4 * x + 3] = value.w
  }
}

/// A source image as a step sees it: rows in absolute coordinates, going on beyond its edges.
struct SourceRows {
  let picture: WorkingImage
  let source: Source

  /// Calls `body` with a row's samples, or with `nil` where the row is transparent.
  func withRow(_ y: Int, _ body: (UnsafeBufferPointer<Float>?) -> Void) {
    guard let resolved = source.y.map({ $0.mode.resolve(y, in: $0.range) }) ?? y else {
      return body(nil)
    }
    let start = picture.rowStart(resolved)
    picture.samples.withUnsafeBufferPointer { all in
      body(UnsafeBufferPointer(rebasing: all[start..<start + picture.rowLength]))
    }
  }

  /// Returns the pixel index in a row of each of `columns`; -1 where it is transparent.
  func indices(of columns: Range<Int>) -> [Int] {
    columns.map { x in
      guard let resolved = source.x.map({ $0.mode.resolve(x, in: $0.range) }) ?? x else {
        return -1
      }
      return resolved - picture.domain.x
    }
  }

  /// Copies the pixels at `indices` of a row one after another.
  func gather(
    _ row: UnsafeBufferPointer<Float>?, _ indices: [Int],
    into gathered: UnsafeMutableBufferPointer<Float>
  ) {
    let channels = picture.channels
    for (position, index) in indices.enumerated() {
      for channel in 0..<channels {
        let value: Float = if index >= 0, let row { row[index * channels + channel] } else { 0 }
        gathered[position * channels + channel] = value
      }
    }
  }
}

extension SourceRows {
  /// An image each of whose pixels is made from the source's pixel in the same place.
  @inline(__always)
  func eachPixel(
    into slot: Slot, _ change: (SIMD4<Float>) -> SIMD4<Float>
  ) -> WorkingImage {
    var made = WorkingImage(slot)
    let layout = picture.layout
    let offset = slot.domain.x - picture.domain.x
    made.fillRows { y, target in
      withRow(y) { row in
        guard let row else { return }
        for x in 0..<slot.domain.width {
          setPixel(target, x, slot.layout, change(pixel(row, offset + x, layout)))
        }
      }
    }
    return made
  }
}

/// Some rows of a source as pixels, with all columns that a step reads, beyond the edges too.
struct PixelRows {
  /// Pixels per row.
  let width: Int
  private let indices: [Int]
  private let layout: PixelFormat.Layout
  private var pixels: [SIMD4<Float>]

  /// - Parameters:
  ///   - columns: the columns that are read.
  ///   - count: the number of rows.
  init(_ source: SourceRows, columns: Range<Int>, count: Int) {
    width = columns.count
    layout = source.picture.layout
    indices = source.indices(of: columns)
    pixels = [SIMD4<Float>](repeating: .zero, count: columns.count * count)
  }

  /// Replaces all rows: `rows` in order, of the same source.
  mutating func load(_ rows: some Sequence<Int>, of source: SourceRows) {
    let (width, indices, layout) = (width, indices, layout)
    pixels.withUnsafeMutableBufferPointer { pixels in
      for (place, y) in rows.enumerated() {
        source.withRow(y) { row in
          for (column, index) in indices.enumerated() {
            let value =
              if index >= 0, let row { pixel(row, index, layout) } else { SIMD4<Float>.zero }
            pixels[place * width + column] = value
          }
        }
      }
    }
  }

  /// Calls `body` with the rows one after another.
  func withPixels(_ body: (UnsafeBufferPointer<SIMD4<Float>>) -> Void) {
    pixels.withUnsafeBufferPointer(body)
  }
}
