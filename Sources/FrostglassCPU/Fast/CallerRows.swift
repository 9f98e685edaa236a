internal import FrostglassCore

/// The rows of an input picture.
struct InputRows: @unchecked Sendable {
  let format: PixelFormat
  /// Pixels of a row.
  let width: Int
  /// Rows that the picture has.
  let height: Int
  /// Rows that are kept: row `y` replaces row `y - capacity`.
  let capacity: Int
  let bytesPerRow: Int
  let bytes: UnsafeRawPointer
  /// Where the rows are instead, if that changes from frame to frame.
  private var place: UnsafePointer<PixelPlace>?

  /// A whole picture wherever a place says.
  init(_ input: Plan.Input, at place: UnsafePointer<PixelPlace>) {
    self.init(
      format: input.format, width: input.size.width, height: input.size.height,
      capacity: input.size.height, bytesPerRow: 0, bytes: UnsafeRawPointer(place))
    self.place = place
  }

  /// A whole picture.
  init(_ image: Image, _ bytes: UnsafeRawPointer) {
    self.init(
      format: image.format, width: image.size.width, height: image.size.height,
      capacity: image.size.height,
      bytesPerRow: image.bytesPerRow, bytes: bytes)
  }

  /// A picture whose rows are copied to memory of their own.
  init(copy rows: InputRows, in memory: RowMemory) {
    let length = rows.width * rows.format.bytesPerPixel
    let room = memory.take(rows: rows.height, stride: length)
    for y in 0..<rows.height {
      (room.first + y * room.stride).copyMemory(from: rows.row(y), byteCount: length)
    }
    self.init(
      format: rows.format, width: rows.width, height: rows.height, capacity: rows.height,
      bytesPerRow: room.stride, bytes: UnsafeRawPointer(room.first))
  }

  init(
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

  /// The first byte of a row; it must be one of the picture.
  func row(_ y: Int) -> UnsafeRawPointer {
    precondition((0..<height).contains(y), "a row is read that the picture does not have")
    if let place { return UnsafeRawPointer(place.pointee.bytes + y * place.pointee.bytesPerRow) }
    return bytes + y % capacity * bytesPerRow
  }
}

/// Where the rows of a result go.
struct OutputRows: @unchecked Sendable {
  /// The part of the picture that is made.
  let rect: Rect
  let format: PixelFormat
  /// Rows that are kept: row `y` replaces row `y - capacity`.
  let capacity: Int
  let bytesPerRow: Int
  let bytes: UnsafeMutableRawPointer
  /// Where the rows are instead, if that changes from frame to frame.
  var place: UnsafePointer<PixelPlace>?

  /// The first byte of a row, given in absolute coordinates; it must be one of the result.
  func row(_ y: Int) -> UnsafeMutableRawPointer {
    precondition(rect.rows.contains(y), "a row is written that the result does not have")
    if let place { return place.pointee.bytes + (y - rect.y) * place.pointee.bytesPerRow }
    return bytes + (y - rect.y) % capacity * bytesPerRow
  }
}

/// Where a picture's rows are in memory.
struct PixelPlace {
  /// Of the first row. Inputs are only read.
  var bytes = UnsafeMutableRawPointer(bitPattern: 64).unsafelyUnwrapped
  var bytesPerRow = 0
}

extension OutputRows {
  /// A whole result wherever a place says.
  init(_ result: Plan.Result, at place: UnsafeMutablePointer<PixelPlace>) {
    self.init(result, bytesPerRow: 0, bytes: place.pointee.bytes)
    self.place = UnsafePointer(place)
  }

  /// A whole result.
  init(_ result: Plan.Result, bytesPerRow: Int, bytes: UnsafeMutableRawPointer) {
    self.init(
      rect: result.rect, format: result.format, capacity: result.rect.height,
      bytesPerRow: bytesPerRow, bytes: bytes)
  }

  /// A whole result with rows in memory of their own.
  init(_ result: Plan.Result, in memory: RowMemory) {
    let room = memory.take(
      rows: result.rect.height, stride: result.rect.width * result.format.bytesPerPixel)
    self.init(result, bytesPerRow: room.stride, bytes: room.first)
  }

  /// Copies all rows to another place for the same result.
  func copy(to other: OutputRows) {
    for y in rect.rows {
      other.row(y).copyMemory(from: row(y), byteCount: rect.width * format.bytesPerPixel)
    }
  }
}
