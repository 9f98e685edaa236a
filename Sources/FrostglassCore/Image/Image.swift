internal import Synchronization

/// An image in memory: a value, with row 0 at the top.
///
/// Samples are interleaved. Rows start `bytesPerRow` bytes apart; the padding between the last pixel
/// of a row and the next row is ignored.
public struct Image: Sendable {
  /// Width and height in pixels, each 1 or more.
  public let size: Size
  /// Channels and their depth.
  public let format: PixelFormat
  /// The meaning of its alpha; `opaque` without an alpha channel.
  public let alpha: AlphaMode
  /// The transfer function of samples: encoded or linear light.
  public let transfer: PixelFormat.Transfer
  /// Distance between the starts of two rows, in bytes; at least `size.width * bytesPerPixel`.
  public let bytesPerRow: Int
  private var storage: PixelStorage

  /// The samples, `bytesPerRow * (height - 1) + width * bytesPerPixel` bytes or more.
  ///
  /// For borrowed memory this is a copy; `withUnsafeBytes(_:)` reads the memory itself.
  public var bytes: [UInt8] {
    get { storage.bytes }
    set { storage = .owned(newValue) }
    _modify { yield &storage.bytes }
  }

  /// An image of existing samples.
  ///
  /// - Parameters:
  ///   - size: both sides at least 1.
  ///   - alpha: ignored if the layout has no alpha channel; it is `.opaque` then.
  ///   - bytesPerRow: `nil` means rows without gaps.
  /// - Throws: `ImageError` when a side is below 1, or when `bytes` or `bytesPerRow` is too small.
  public init(
    size: Size, format: PixelFormat, alpha: AlphaMode = .straight,
    transfer: PixelFormat.Transfer = .encoded,
    bytesPerRow: Int? = nil, bytes: [UInt8]
  ) throws(ImageError) {
    let needed = try Self.neededBytes(size, format, bytesPerRow)
    guard bytes.count >= needed else { throw .tooFewBytes(bytes.count, needed: needed) }
    let stride = bytesPerRow ?? size.width * format.bytesPerPixel
    self.size = size
    self.format = format
    self.alpha = format.layout.hasAlpha ? alpha : .opaque
    self.transfer = transfer
    self.bytesPerRow = stride
    storage = .owned(bytes)
  }

  /// Wraps the caller's memory without copying it.
  ///
  /// The memory is only read: changing the image copies it first.
  ///
  /// - Parameters:
  ///   - memory: valid and unchanged until `release` is called.
  ///   - release: called once, in any thread, when the memory is no longer used.
  /// - Throws: `ImageError`; then `release` is not called.
  public init(
    _ memory: PixelMemory, release: @escaping @Sendable () -> Void
  ) throws(ImageError) {
    let bytes = UnsafeMutableRawBufferPointer(mutating: memory.bytes)
    try self.init(
      memory.description, memory.bytesPerRow,
      BorrowedMemory(bytes, mayBeWritten: false, release: release))
  }

  /// Wraps the caller's memory, and changes pixels in place.
  ///
  /// `Backend.execute(_:_:into:)` and `ImageOutput` write results there. While a copy of the image
  /// exists, changes go to new memory.
  ///
  /// - Parameters:
  ///   - description: the description of the pixels.
  ///   - memory: not accessed by others until `release` is called.
  ///   - release: called once, in any thread, when the memory is no longer used.
  /// - Throws: `ImageError`; then `release` is not called.
  public init(
    _ description: Plan.Input, in memory: MutablePixelMemory,
    release: @escaping @Sendable () -> Void
  ) throws(ImageError) {
    try self.init(
      description, memory.bytesPerRow,
      BorrowedMemory(memory.bytes, mayBeWritten: true, release: release))
  }

  private init(
    _ description: Plan.Input, _ stride: Int, _ memory: BorrowedMemory
  ) throws(ImageError) {
    do throws(ImageError) {
      let needed = try Self.neededBytes(description.size, description.format, stride)
      guard memory.bytes.count >= needed else {
        throw .tooFewBytes(memory.bytes.count, needed: needed)
      }
    } catch {
      memory.forget()
      throw error
    }
    size = description.size
    format = description.format
    alpha = format.layout.hasAlpha ? description.alpha : .opaque
    transfer = description.transfer
    bytesPerRow = stride
    storage = .borrowed(memory)
  }

  /// An image of zeros: black, or transparent black if there is an alpha channel.
  ///
  /// Sides below 1 are a programming error.
  public init(
    zeros size: Size, format: PixelFormat, alpha: AlphaMode = .straight,
    transfer: PixelFormat.Transfer = .encoded
  ) {
    precondition(size.width >= 1 && size.height >= 1, "an image has at least one pixel")
    self.size = size
    self.format = format
    self.alpha = format.layout.hasAlpha ? alpha : .opaque
    self.transfer = transfer
    self.bytesPerRow = size.width * format.bytesPerPixel
    storage = .owned([UInt8](repeating: 0, count: bytesPerRow * size.height))
  }

  /// An image with uninitialized samples.
  package init(
    uninitialized size: Size, format: PixelFormat, alpha: AlphaMode, transfer: PixelFormat.Transfer
  ) {
    precondition(size.width >= 1 && size.height >= 1, "an image has at least one pixel")
    self.size = size
    self.format = format
    self.alpha = format.layout.hasAlpha ? alpha : .opaque
    self.transfer = transfer
    bytesPerRow = size.width * format.bytesPerPixel
    let count = bytesPerRow * size.height
    storage = .owned(
      [UInt8](unsafeUninitializedCapacity: count) { _, initialized in initialized = count })
  }

  /// Bytes up to the end of the last row; `Int.max` on overflow.
  ///
  /// - Throws: `ImageError` if there are no pixels, or the stride is too small.
  private static func neededBytes(
    _ size: Size, _ format: PixelFormat, _ bytesPerRow: Int?
  ) throws(ImageError) -> Int {
    guard size.width >= 1, size.height >= 1 else { throw .emptySize(size) }
    let (rowBytes, tooWide) = size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
    guard !tooWide else { return .max }
    let stride = bytesPerRow ?? rowBytes
    guard stride >= rowBytes else { throw .strideTooSmall(stride, needed: rowBytes) }
    let (gaps, overflow) = stride.multipliedReportingOverflow(by: size.height)
    return overflow ? .max : gaps - stride + rowBytes
  }

  /// Reads the samples in place: as many as `bytes` has, row 0 first.
  public func withUnsafeBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try storage.withUnsafeBytes(body)
  }

  /// Changes the samples in place: as many as `bytes` has, row 0 first.
  ///
  /// Shared or read-only samples are copied first.
  public mutating func withUnsafeMutableBytes<Value, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try storage.withUnsafeMutableBytes(body)
  }

  /// The number of bytes.
  package var byteCount: Int { storage.count }

  /// True if results can go to this image's memory and that is the caller's.
  package var isInCallersMemory: Bool { storage.isInCallersMemory }

  /// The bytes that samples are in: up to the end of the last row.
  var neededBytes: Int {
    bytesPerRow * (size.height - 1) + size.width * format.bytesPerPixel
  }

  /// Reads one sample as a fraction of full scale.
  ///
  /// Coordinates outside the image are a programming error.
  public func sample(x: Int, y: Int, channel: Int) -> Float {
    let offset = offset(x, y, channel)
    return withUnsafeBytes { raw in
      switch format.depth {
      case .uint8: Float(raw[offset]) / 255
      case .uint16: Float(raw.loadUnaligned(fromByteOffset: offset, as: UInt16.self)) / 65535
      case .float32: raw.loadUnaligned(fromByteOffset: offset, as: Float.self)
      }
    }
  }

  /// Returns the offset of a sample in bytes.
  private func offset(_ x: Int, _ y: Int, _ channel: Int) -> Int {
    let offset = y * bytesPerRow + (x * format.layout.channels + channel) * format.depth.bytes
    precondition(
      x >= 0 && y >= 0 && x < size.width && y < size.height && channel >= 0
        && channel < format.layout.channels && offset + format.depth.bytes <= byteCount,
      "a sample is outside the image")
    return offset
  }

  /// Returns the sample in double precision, so that whole levels of different depths compare exactly.
  func preciseSample(x: Int, y: Int, channel: Int) -> Double {
    let value = sample(x: x, y: y, channel: channel)
    guard format.depth != .float32 else { return Double(value) }
    let full = Double(format.depth.fullScale)
    return (Double(value) * full).rounded() / full
  }

  /// Writes one sample given as a fraction of full scale; integers are clamped and rounded to nearest.
  public mutating func setSample(_ value: Float, x: Int, y: Int, channel: Int) {
    let offset = offset(x, y, channel)
    let depth = format.depth
    withUnsafeMutableBytes { raw in
      switch depth {
      case .uint8:
        raw[offset] = UInt8(value.clampedToUnit * 255 + 0.5)
      case .uint16:
        raw.storeBytes(
          of: UInt16(value.clampedToUnit * 65535 + 0.5),
          toByteOffset: offset, as: UInt16.self)
      case .float32:
        raw.storeBytes(of: value, toByteOffset: offset, as: Float.self)
      }
    }
  }
}

extension Float {
  /// The value limited to 0…1; not-a-number becomes 0.
  package var clampedToUnit: Float { self > 0 ? min(self, 1) : 0 }
}

/// An error in the description of samples.
public enum ImageError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The size has no pixels.
  case emptySize(Size)
  /// The stride is smaller than a row.
  case strideTooSmall(Int, needed: Int)
  /// There are too few bytes.
  case tooFewBytes(Int, needed: Int)

  /// A user-facing description.
  public var description: String {
    switch self {
    case .emptySize(let size):
      "an image of \(size) has no pixels; both sides must be at least 1"
    case .strideTooSmall(let stride, let needed):
      "bytesPerRow \(stride) is too small; one row needs \(needed) bytes"
    case .tooFewBytes(let count, let needed):
      "\(count) bytes are too few for this image; it needs \(needed)"
    }
  }
}

/// The memory of an image's samples: its own or borrowed.
enum PixelStorage: Sendable {
  case owned([UInt8])
  case borrowed(BorrowedMemory)

  /// The samples; of borrowed memory a copy, which they stay in once they are changed.
  var bytes: [UInt8] {
    get {
      switch self {
      case .owned(let bytes): bytes
      case .borrowed(let memory): Array(memory.bytes)
      }
    }
    _modify {
      // Taken out, so that the array has one owner while it is changed.
      var bytes = bytes
      self = .owned([])
      defer { self = .owned(bytes) }
      yield &bytes
    }
  }

  var count: Int {
    switch self {
    case .owned(let bytes): bytes.count
    case .borrowed(let memory): memory.bytes.count
    }
  }

  /// True if it is the caller's memory and may be written to.
  var isInCallersMemory: Bool {
    if case .borrowed(let memory) = self { memory.mayBeWritten } else { false }
  }

  func withUnsafeBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    switch self {
    case .owned(let bytes):
      return try bytes.withUnsafeBufferPointer { bytes throws(Failure) in
        try body(UnsafeRawBufferPointer(bytes))
      }
    case .borrowed(let memory):
      defer { withExtendedLifetime(memory) {} }
      return try body(UnsafeRawBufferPointer(memory.bytes))
    }
  }

  /// Samples that others have too, or that may only be read, are copied first.
  mutating func withUnsafeMutableBytes<Value, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    if case .borrowed(var memory) = self {
      // `memory` is one owner, `self` would be another.
      self = .owned([])
      guard memory.mayBeWritten, isKnownUniquelyReferenced(&memory) else {
        self = .owned(Array(memory.bytes))
        return try withUnsafeMutableBytes(body)
      }
      defer { self = .borrowed(memory) }
      return try body(memory.bytes)
    }
    return try bytes.withUnsafeMutableBufferPointer { bytes throws(Failure) in
      try body(UnsafeMutableRawBufferPointer(bytes))
    }
  }
}

/// Borrowed memory, with a function that is called when it is not needed any more.
final class BorrowedMemory: Sendable {
  /// Not written to while other images show it, see `mayBeWritten`.
  nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
  let mayBeWritten: Bool
  private let release: Mutex<(@Sendable () -> Void)?>

  init(
    _ bytes: UnsafeMutableRawBufferPointer, mayBeWritten: Bool,
    release: @escaping @Sendable () -> Void
  ) {
    self.bytes = bytes
    self.mayBeWritten = mayBeWritten
    self.release = Mutex(release)
  }

  deinit { release.withLock { $0 }?() }

  /// Drops that function without calling it; for code that is the only owner.
  func forget() { release.withLock { $0 = nil } }
}

/// Memory that is freed with this object.
package final class OwnedMemory: Sendable {
  /// The bytes; code that shares them says which thread writes when.
  package nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

  package init(_ count: Int) { bytes = .allocate(byteCount: count, alignment: 64) }

  deinit { bytes.deallocate() }
}
