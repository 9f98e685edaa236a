/// Where an image's samples are: in memory of its own, or in somebody else's.
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

  /// Whether it is somebody else's memory that may be written to.
  var isInCallersMemory: Bool {
    if case .borrowed(let memory) = self { memory.mayBeWritten } else { false }
  }

  func withUnsafeBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    switch self {
    case .owned(let bytes):
      let result = bytes.withUnsafeBytes { bytes in
        do throws(Failure) { return Result<Value, Failure>.success(try body(bytes)) } catch {
          return .failure(error)
        }
      }
      return try result.get()
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
    let result = bytes.withUnsafeMutableBytes { bytes in
      do throws(Failure) { return Result<Value, Failure>.success(try body(bytes)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

/// Memory of somebody else's, who is told when it is not needed any more.
final class BorrowedMemory: @unchecked Sendable {
  let bytes: UnsafeMutableRawBufferPointer
  let mayBeWritten: Bool
  private var release: (@Sendable () -> Void)?

  init(
    _ bytes: UnsafeMutableRawBufferPointer, mayBeWritten: Bool,
    release: @escaping @Sendable () -> Void
  ) {
    self.bytes = bytes
    self.mayBeWritten = mayBeWritten
    self.release = release
  }

  deinit { release?() }

  /// Tells nobody, as long as nobody else has this.
  func forget() { release = nil }
}
