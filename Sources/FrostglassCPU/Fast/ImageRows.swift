internal import CKernels
internal import FrostglassCore

/// Rows of an intermediate image: the last few, or all.
///
/// Around each row is room for FG_SLACK samples. Whoever writes and reads rows from several threads
/// sees to it that they are different rows.
struct ImageRows<Sample: RowSample> {
  /// The image's area; rows outside do not exist.
  let domain: Rect
  let layout: PixelFormat.Layout
  /// The number of rows kept: row `y` replaces row `y - capacity`.
  let capacity: Int
  /// True if several threads read these rows, so that the room around them must not change.
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

  /// A whole image, for all threads.
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

  /// Returns true if another image's rows are in the same memory.
  func isSame(as other: ImageRows) -> Bool { first == other.first }

  /// Samples per row.
  var rowLength: Int { domain.width * channels }

  /// The first sample of a row, given in absolute coordinates; it must be one of the domain.
  func row(_ y: Int) -> UnsafeMutablePointer<Sample> {
    precondition(domain.rows.contains(y), "a row is read that is not there")
    return first + (y - domain.y) % capacity * stride
  }
}

/// A source image as a step sees it: rows in absolute coordinates, going on beyond its edges.
struct ImageSource<Sample: RowSample> {
  let rows: ImageRows<Sample>
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

  /// Returns the offset in a row of columns that are read in place, in samples; all must be present.
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

/// The rows of an input image.
struct InputRows {
  let format: PixelFormat
  /// Pixels of a row.
  let width: Int
  /// Rows that the image has.
  let height: Int
  /// Rows that are kept: row `y` replaces row `y - capacity`.
  let capacity: Int
  let bytesPerRow: Int
  let bytes: UnsafeRawPointer
  /// The current place of the rows, if it changes from frame to frame.
  private var place: UnsafePointer<PixelPlace>?

  /// A whole image wherever a place says.
  init(_ input: Plan.Input, at place: UnsafePointer<PixelPlace>) {
    self.init(
      format: input.format, width: input.size.width, height: input.size.height,
      capacity: input.size.height, bytesPerRow: 0, bytes: UnsafeRawPointer(place))
    self.place = place
  }

  /// An image whose last rows are kept in a ring buffer.
  init(_ input: Plan.Input, in ring: KeptRows) {
    self.init(
      format: input.format, width: input.size.width, height: input.size.height,
      capacity: ring.capacity, bytesPerRow: ring.place.bytesPerRow,
      bytes: UnsafeRawPointer(ring.place.bytes))
  }

  private init(
    format: PixelFormat, width: Int, height: Int, capacity: Int, bytesPerRow: Int,
    bytes: UnsafeRawPointer
  ) {
    self.format = format
    self.width = width
    self.height = height
    self.capacity = capacity
    self.bytesPerRow = bytesPerRow
    self.bytes = bytes
  }

  /// The first byte of a row; it must be one of the image.
  func row(_ y: Int) -> UnsafeRawPointer {
    precondition((0..<height).contains(y), "a row is read that the picture does not have")
    if let place { return UnsafeRawPointer(place.pointee.bytes + y * place.pointee.bytesPerRow) }
    return bytes + y % capacity * bytesPerRow
  }
}

/// The destination of a result's rows.
struct OutputRows {
  /// The part of the image that is made.
  var rect: Rect
  /// The part that there is memory for; more, where parts are made one by one.
  let frame: Rect
  let format: PixelFormat
  /// Rows that are kept: row `y` replaces row `y - capacity`.
  let capacity: Int
  let bytesPerRow: Int
  let bytes: UnsafeMutableRawPointer
  /// The current place of the rows, if it changes from frame to frame.
  var place: UnsafePointer<PixelPlace>?

  /// The first byte of a row, given in absolute coordinates; it must be one of the result.
  func row(_ y: Int) -> UnsafeMutableRawPointer {
    precondition(rect.rows.contains(y), "a row is written that the result does not have")
    let left = (rect.x - frame.x) * format.bytesPerPixel
    if let place { return place.pointee.bytes + (y - frame.y) * place.pointee.bytesPerRow + left }
    return bytes + (y - frame.y) % capacity * bytesPerRow + left
  }

  init(
    rect: Rect, format: PixelFormat, capacity: Int, bytesPerRow: Int,
    bytes: UnsafeMutableRawPointer
  ) {
    (self.rect, frame) = (rect, rect)
    self.format = format
    self.capacity = capacity
    self.bytesPerRow = bytesPerRow
    self.bytes = bytes
  }

  /// The same for a part of what is made.
  func part(_ rect: Rect) -> OutputRows {
    var rows = self
    rows.rect = rect
    return rows
  }
}

extension OutputRows {
  /// A whole result wherever a place says.
  init(_ result: Plan.Result, at place: UnsafeMutablePointer<PixelPlace>) {
    self.init(
      rect: result.rect, format: result.format, capacity: result.rect.height, bytesPerRow: 0,
      bytes: place.pointee.bytes)
    self.place = UnsafePointer(place)
  }

  /// A result whose last rows are kept in a ring buffer.
  init(_ result: Plan.Result, in ring: KeptRows) {
    self.init(
      rect: result.rect, format: result.format, capacity: ring.capacity,
      bytesPerRow: ring.place.bytesPerRow, bytes: ring.place.bytes)
  }

  /// The same where the place is now.
  var fixed: OutputRows {
    OutputRows(
      rect: rect, format: format, capacity: capacity,
      bytesPerRow: place?.pointee.bytesPerRow ?? bytesPerRow, bytes: place?.pointee.bytes ?? bytes)
  }
}

/// The rows in a ring that keeps the last few: row y is at y modulo their number.
///
/// The contents belong to one run: the next has its own rows with the same numbers.
struct HeldRows {
  private var rows: [Int]
  private let current: CurrentRun
  /// The run that rows are held of.
  private var run = 0

  init(_ count: Int, _ current: CurrentRun) {
    rows = [Int](repeating: .min, count: count)
    self.current = current
  }

  var count: Int { rows.count }

  /// Forgets what is left of another run.
  mutating func begin() {
    guard run != current.number else { return }
    for place in rows.indices { rows[place] = .min }
    run = current.number
  }

  /// Takes a row's place in the ring, and returns it and whether it must be filled first.
  mutating func take(_ y: Int) -> (place: Int, isNew: Bool) {
    let place = floorModulo(y, rows.count)
    let isNew = rows[place] != y
    rows[place] = y
    return (place, isNew)
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
    let left = min(wanted.lowerBound, present.lowerBound)..<present.lowerBound
    let right = present.upperBound..<max(wanted.upperBound, present.upperBound)
    outside = [left, right].joined().filter(wanted.contains).map { column in
      let standsFor = edge.flatMap { $0.mode.resolve(column, in: $0.range) }
      precondition(
        standsFor.map { present.contains($0) } ?? true, "a column is read that is not there")
      return (column, standsFor)
    }
  }

  /// The offset of the present columns in a row that has room for all, in pixels.
  var presentOffset: Int { present.lowerBound - start }
  /// The offset of the wanted columns in such a row, in pixels.
  var wantedOffset: Int { wanted.lowerBound - start }
  /// The number of pixels in such a row.
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
  private let source: ImageSource<Sample>
  private let reach: ColumnReach
  private let channels: Int
  private let copy: UnsafeMutablePointer<Sample>?

  init(_ source: ImageSource<Sample>, _ reach: ColumnReach, _ tools: RowTools) {
    self.source = source
    self.reach = reach
    channels = source.rows.channels
    let room = Int(FG_SLACK) - 64
    let fits =
      reach.presentOffset * channels <= room
      && (reach.width - reach.presentOffset - reach.present.count) * channels <= room
    copy = fits && !source.rows.isShared ? nil : tools.scratch(reach.width * channels)
  }

  /// True if rows are copied, each over the one before.
  var isCopy: Bool { copy != nil }

  /// The first wanted column of a row.
  func row(_ y: Int) -> UnsafePointer<Sample> {
    if let copy {
      reach.gather(source.row(y), channels: channels, into: copy)
      return UnsafePointer(copy + reach.wantedOffset * channels)
    }
    // Also for rows that replace rows beyond the edge.
    let start = UnsafeMutablePointer(mutating: source.row(y)) - reach.presentOffset * channels
    reach.fillOutside(start, channels: channels, transparent: .transparent)
    return UnsafePointer(start + reach.wantedOffset * channels)
  }
}
