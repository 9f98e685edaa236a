internal import CKernels
package import FrostglassCore

/// Rows of an intermediate picture: the last few, or all.
///
/// Around each row is room for FG_SLACK samples. Whoever writes and reads rows from several threads
/// sees to it that they are different rows.
struct PictureRows<Sample: RowSample>: @unchecked Sendable {
  /// What the picture is; rows outside are not there.
  let domain: Rect
  let layout: PixelFormat.Layout
  /// How many rows are kept: row `y` replaces row `y - capacity`.
  let capacity: Int
  /// Whether several threads read these rows, so that the room around them must stay as it is.
  let isShared: Bool
  /// Samples per pixel.
  let channels: Int
  private let first: UnsafeMutablePointer<Sample>
  private let stride: Int

  init(
    domain: Rect, layout: PixelFormat.Layout, capacity: Int, isShared: Bool = false,
    in memory: RowMemory
  ) {
    self.domain = domain
    self.layout = layout
    self.capacity = capacity
    self.isShared = isShared
    channels = Sample.channels(of: layout)
    let samples = Self.stride(domain.width * channels + 2 * Int(FG_SLACK))
    let size = MemoryLayout<Sample>.stride
    let rows = memory.take(rows: capacity, stride: samples * size)
    stride = rows.stride / size
    first = rows.first.assumingMemoryBound(to: Sample.self) + Int(FG_SLACK)
  }

  /// A whole picture, for all threads.
  init(_ slot: Slot, in memory: RowMemory) {
    self.init(
      domain: slot.domain, layout: slot.layout, capacity: slot.domain.height, isShared: true,
      in: memory)
  }

  /// At least `samples`: 13 cache lines more than a multiple of 64, so that a stretch of 13 lines of
  /// many rows spreads over all sets of a cache instead of meeting in a few.
  private static func stride(_ samples: Int) -> Int {
    let line = 64 / MemoryLayout<Sample>.stride
    let lines = (samples + line - 1) / line
    return (lines + floorModulo(13 - lines, 64)) * line
  }

  /// Samples per row.
  var rowLength: Int { domain.width * channels }

  /// The first sample of a row, given in absolute coordinates; it must be one of the domain.
  func row(_ y: Int) -> UnsafeMutablePointer<Sample> {
    precondition(domain.rows.contains(y), "a row is read that is not there")
    return first + (y - domain.y) % capacity * stride
  }
}

/// A source picture as a step sees it: rows in absolute coordinates, going on beyond its edges.
struct PictureSource<Sample: RowSample> {
  let rows: PictureRows<Sample>
  let source: Source
  /// A row of transparent pixels as long as any.
  let transparent: UnsafePointer<Sample>

  /// The samples of a row's domain.
  func row(_ y: Int) -> UnsafePointer<Sample> {
    rowStandingFor(y).map { UnsafePointer(rows.row($0)) } ?? transparent
  }

  /// The row that is seen as row `y`; `nil` where nothing is.
  func rowStandingFor(_ y: Int) -> Int? {
    guard let edge = source.y else { return y }
    return edge.mode.resolve(y, in: edge.range)
  }

  /// Where columns that are read in place begin in a row, in samples; all must be there.
  func offset(of columns: Range<Int>) -> Int {
    let present = rows.domain.columns
    precondition(
      columns.lowerBound >= present.lowerBound && columns.upperBound <= present.upperBound,
      "columns are read that are not there")
    return (columns.lowerBound - present.lowerBound) * rows.channels
  }

  /// The columns a step reads of each row.
  func columns(_ wanted: Range<Int>) -> ColumnReach {
    ColumnReach(wanted, of: rows.domain.columns, edge: source.x)
  }

  /// Rows with all columns that a step reads.
  func extended(_ wanted: Range<Int>, _ tools: RowTools) -> ExtendedRows<Sample> {
    ExtendedRows(self, columns(wanted), tools)
  }
}

/// The columns a step reads of a row that is shorter than that: its own, and what lies beyond.
struct ColumnReach {
  /// The columns that are read.
  let wanted: Range<Int>
  /// The columns that are there.
  let present: Range<Int>
  /// Columns beyond the present ones, with those that stand for them; `nil` where nothing is.
  private let outside: [(column: Int, standsFor: Int?)]

  init(_ wanted: Range<Int>, of present: Range<Int>, edge: AxisEdge?) {
    self.wanted = wanted
    self.present = present
    outside = wanted.lazy.filter { !present.contains($0) }.map { column in
      let standsFor = edge.flatMap { $0.mode.resolve(column, in: $0.range) }
      precondition(
        standsFor.map { present.contains($0) } ?? true, "a column is read that is not there")
      return (column, standsFor)
    }
  }

  /// Where the present columns begin in a row that has room for all, in pixels.
  var presentOffset: Int { present.lowerBound - start }
  /// Where the wanted columns begin in it.
  var wantedOffset: Int { wanted.lowerBound - start }
  /// How many pixels such a row has.
  var width: Int { max(wanted.upperBound, present.upperBound) - start }

  private var start: Int { min(wanted.lowerBound, present.lowerBound) }

  /// Fills what lies beyond the present columns of such a row.
  func fillOutside<Sample>(
    _ row: UnsafeMutablePointer<Sample>, channels: Int, transparent: Sample
  ) {
    for (column, standsFor) in outside {
      let target = row + (column - start) * channels
      if let standsFor {
        target.update(from: row + (standsFor - start) * channels, count: channels)
      } else {
        target.update(repeating: transparent, count: channels)
      }
    }
  }

  /// Copies the present columns into such a row and fills the rest.
  func gather<Sample: RowSample>(
    _ source: UnsafePointer<Sample>, channels: Int, into row: UnsafeMutablePointer<Sample>
  ) {
    (row + presentOffset * channels).update(from: source, count: present.count * channels)
    fillOutside(row, channels: channels, transparent: .transparent)
  }
}

/// A source's rows with what lies beyond their columns.
///
/// What lies beyond is written into the room around a row where that is wide enough; otherwise the
/// row is copied to where there is more.
struct ExtendedRows<Sample: RowSample> {
  private let source: PictureSource<Sample>
  private let reach: ColumnReach
  private let channels: Int
  private let copy: UnsafeMutablePointer<Sample>?

  init(_ source: PictureSource<Sample>, _ reach: ColumnReach, _ tools: RowTools) {
    self.source = source
    self.reach = reach
    channels = source.rows.channels
    let room = Int(FG_SLACK) - 64
    let fits =
      reach.presentOffset * channels <= room
      && (reach.width - reach.presentOffset - reach.present.count) * channels <= room
    copy = fits && !source.rows.isShared ? nil : tools.scratch(reach.width * channels)
  }

  /// Whether rows are copied, each to where the one before was.
  var isCopy: Bool { copy != nil }

  /// The first wanted column of a row.
  func row(_ y: Int) -> UnsafePointer<Sample> {
    if let copy {
      reach.gather(source.row(y), channels: channels, into: copy)
      return UnsafePointer(copy + reach.wantedOffset * channels)
    }
    // A row that stands for one beyond the edge is one of these, too.
    let start = UnsafeMutablePointer(mutating: source.row(y)) - reach.presentOffset * channels
    reach.fillOutside(start, channels: channels, transparent: .transparent)
    return UnsafePointer(start + reach.wantedOffset * channels)
  }
}

/// What rows of intermediate pictures are made of, and with it which kernels compute them.
protocol RowSample: BitwiseCopyable {
  /// Nothing is there.
  static var transparent: Self { get }
  /// Samples per pixel of a picture.
  static func channels(of layout: PixelFormat.Layout) -> Int
  /// What computes a step of a strip's schedule; `nil` where the next step does it on the way.
  static func program(for step: Step, of strip: RowStrip<Self>) -> RowProgram?
  /// Takes over pixels of floats, as many as fill `source`.
  static func take(
    _ source: UnsafeBufferPointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutablePointer<Self>)
  /// Gives pixels as floats, as many as fill `target`.
  static func give(
    _ source: UnsafePointer<Self>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutableBufferPointer<Float>)
}

/// 16-bit fixed point; `CKernels.h` says what a sample stands for.
extension Int16: RowSample {
  static var transparent: Int16 { -Int16(FG_FULL) }

  /// Colors have a fourth sample, full where there is no alpha.
  static func channels(of layout: PixelFormat.Layout) -> Int { layout == .gray ? 1 : 4 }

  static func program(for step: Step, of strip: RowStrip<Int16>) -> RowProgram? {
    strip.fixedProgram(for: step)
  }

  /// To the nearest unit; values outside 0…1 are limited, and what is not a number becomes 0.
  static func take(
    _ source: UnsafeBufferPointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutablePointer<Int16>
  ) {
    let full = Float(2 * FG_FULL)
    func sample(_ value: Float) -> Int16 {
      // In this order 0 is made of what is not a number; vectors can do comparisons.
      let positive = value > 0 ? value : 0
      let limited = positive < 1 ? positive : 1
      return Int16(truncatingIfNeeded: Int32(limited * full + 0.5) - Int32(FG_FULL))
    }
    guard layout == .rgb else {
      for index in source.indices { target[index] = sample(source[index]) }
      return
    }
    for pixel in 0..<source.count / 3 {
      for channel in 0..<3 { target[4 * pixel + channel] = sample(source[3 * pixel + channel]) }
      target[4 * pixel + 3] = Int16(FG_FULL)
    }
  }

  static func give(
    _ source: UnsafePointer<Int16>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutableBufferPointer<Float>
  ) {
    let unit = 1 / Float(2 * FG_FULL)
    guard layout == .rgb else {
      for index in target.indices { target[index] = Float(Int32(source[index]) + FG_FULL) * unit }
      return
    }
    for pixel in 0..<target.count / 3 {
      for channel in 0..<3 {
        target[3 * pixel + channel] = Float(Int32(source[4 * pixel + channel]) + FG_FULL) * unit
      }
    }
  }
}

/// 32-bit float, any value.
extension Float: RowSample {
  static var transparent: Float { 0 }

  static func channels(of layout: PixelFormat.Layout) -> Int { layout.channels }

  static func program(for step: Step, of strip: RowStrip<Float>) -> RowProgram? {
    strip.floatProgram(for: step)
  }

  static func take(
    _ source: UnsafeBufferPointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutablePointer<Float>
  ) {
    _ = UnsafeMutableBufferPointer(start: target, count: source.count).update(
      fromContentsOf: source)
  }

  static func give(
    _ source: UnsafePointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutableBufferPointer<Float>
  ) {
    _ = target.update(fromContentsOf: UnsafeBufferPointer(start: source, count: target.count))
  }
}

/// What the samples of a plan's intermediate rows are.
package enum RowArithmetic {
  /// `Int16`.
  case fixed
  /// `Float`.
  case float
}

extension Plan {
  /// In what the plan's rows are computed.
  ///
  /// - Parameter allowsFixed: whether fixed point is used where it serves.
  package func arithmetic(allowsFixed: Bool = true) -> RowArithmetic {
    allowsFixed && isFixed ? .fixed : .float
  }

  /// Whether 16-bit intermediates are enough, and every pass has fixed-point kernels.
  var isFixed: Bool {
    slots.allSatisfy { $0.precision <= .fixed16 }
      && steps.allSatisfy { $0.pass.hasFixedKernel(in: self) }
  }
}

extension Pass {
  /// Whether there are fixed-point kernels for exactly these numbers.
  fileprivate func hasFixedKernel(in plan: Plan) -> Bool {
    switch self {
    case .load(let load): load.fits(plan.inputs[load.input].format)
    case .resample(let resample): resample.hasFixedKernel
    case .convolve(let convolve): convolve.hasFixedKernel
    // Fixed point holds nothing outside 0…1.
    case .colorMatrix(let matrix): matrix.clamps
    // The others stay in 0…1, and run on their reference kernels where they have no other.
    case .blend, .lumaCurve, .displace, .generate, .bilateral, .median, .cellMeans, .cellFill,
      .grain, .stencil, .gather, .highlightWeight, .packChannels:
      true
    // There is no sRGB curve.
    case .store(let store): !store.encodesFromLinear
    }
  }
}

extension Load {
  /// Whether rows of a format can be loaded into fixed point.
  fileprivate func fits(_ format: PixelFormat) -> Bool {
    let ignoresAlpha = format.layout.hasAlpha && alpha == .opaque
    return !decodesToLinear && format.depth != .float32 && !ignoresAlpha
  }
}
