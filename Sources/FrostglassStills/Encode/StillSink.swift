internal import CVips
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// A destination for an encoded image.
public enum StillSink: Sendable, Hashable {
  /// A file, written atomically.
  ///
  /// Symbolic links are followed and stay. An existing destination that is not a regular file, such
  /// as a pipe or `/dev/stdout`, is written in place.
  case file(String, overwrite: Bool)
  /// The process's standard output.
  case standardOutput
  /// Memory.
  case memory(EncodedFile)

  /// The identity of the place that is written to; `nil` for memory.
  package var place: FilePlace? {
    switch self {
    case .file(let path, _): FilePlace(path)
    case .standardOutput: .standardOutput
    case .memory: nil
    }
  }

  /// True if bytes are written directly to where they are read, as into a pipe, so that no file is published.
  package var isInPlace: Bool {
    switch self {
    case .file(let path, let overwrite):
      (try? Destination(path, overwrite: overwrite)).map { !$0.holdsFile } ?? false
    case .standardOutput: true
    case .memory: false
    }
  }

  /// Checks, without changing anything, that the destination can be written.
  ///
  /// - Throws: `EncodeError.exists` or `EncodeError.unwritable`.
  public func preflight() throws(EncodeError) {
    if case .file(let path, let overwrite) = self {
      try Destination(path, overwrite: overwrite).check()
    }
  }

  /// A place for large output before it is whole: where the file will be, or for temporary files.
  var spoolFile: SpoolFile? {
    switch self {
    case .file(let path, let overwrite):
      switch try? Destination(path, overwrite: overwrite) {
      case .some(let place) where place.holdsFile: SpoolFile(in: place.folder)
      // Beside a pipe or a device there may be little room, as in /dev.
      default: Self.temporarySpoolFile
      }
    case .standardOutput: Self.temporarySpoolFile
    case .memory: nil
    }
  }

  private static var temporarySpoolFile: SpoolFile? {
    SpoolFile(in: getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp")
  }

  /// Writes a complete file.
  ///
  /// - Throws: `EncodeError.exists` or `EncodeError.unwritable`; then nothing was written.
  public func write(_ bytes: [UInt8]) throws(EncodeError) { try write(EncodedBytes(bytes)) }

  func write(_ bytes: EncodedBytes, isDurable: Bool = false) throws(EncodeError) {
    try stage(bytes, isDurable: isDurable).publish()
  }

  /// Writes a file that comes in pieces: to standard output piece by piece, elsewhere all at once when
  /// the last one is there.
  ///
  /// - Parameters:
  ///   - next: the next piece; `nil` at the end.
  ///   - finish: called once the file is whole, before it has its place, and has none if this throws.
  /// - Throws: `EncodeError.exists` or `EncodeError.unwritable`, or what `next` or `finish` throws.
  package func write(
    pieces next: () throws -> [UInt8]?, finish: () throws -> Void = {}
  ) throws {
    if case .standardOutput = self {
      while let piece = try next() { try demand(write(piece, to: STDOUT_FILENO)) }
      try finish()
      return
    }
    let bytes: EncodedBytes
    if let spool = spoolFile {
      while let piece = try next() { try demand(write(piece, to: spool.descriptor)) }
      bytes = EncodedBytes(in: spool)
    } else {
      var array: [UInt8] = []
      while let piece = try next() { array += piece }
      bytes = EncodedBytes(array)
    }
    let staged = try stage(bytes, isDurable: false)
    try finish()
    try staged.publish()
  }

  private func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
  }

  private func demand(_ failure: Int32?) throws(EncodeError) {
    if let failure { throw .unwritable(path: path, reason: systemWords(failure)) }
  }

  private var path: String {
    if case .file(let path, _) = self { path } else { "standard output" }
  }

  /// Returns the error for an encoder's failure. A full disk under the spool file is recognized by the system's
  /// message, which libvips includes in its own.
  package func failure(spooling failure: VipsFailure, as format: StillFormat) -> EncodeError {
    let full = [ENOSPC, EDQUOT, EFBIG].map(systemWords).first(where: failure.reason.contains)
    return full.map { .unwritable(path: path, reason: $0) }
      ?? .cannotEncode(format: format, reason: failure.reason)
  }

  /// Brings bytes as near to their place as can be while that is untouched.
  func stage(_ bytes: EncodedBytes, isDurable: Bool) throws(EncodeError) -> StagedOutput {
    switch self {
    case .standardOutput: .standardOutput(bytes)
    case .file(let path, let overwrite):
      .file(try Destination(path, overwrite: overwrite).stage(bytes, isDurable: isDurable))
    case .memory(let file): .memory(file, bytes)
    }
  }
}

/// A file that is whole, and has not reached its place yet.
enum StagedOutput {
  case standardOutput(EncodedBytes)
  case file(StagedFile)
  case memory(EncodedFile, EncodedBytes)

  /// Its SHA-256; `nil` where it will be no file.
  var digest: String? {
    switch self {
    case .standardOutput: nil
    case .file(let file): file.digest
    case .memory(_, let bytes): FileDigest.sha256(of: bytes.array)
    }
  }

  /// True if publishing it waits for nobody, such as the reader of a pipe.
  var isPrompt: Bool {
    switch self {
    case .standardOutput: false
    case .file(let file): file.isNamed
    case .memory: true
    }
  }

  /// Does what may take long of a file's getting its name.
  func prepare() throws(EncodeError) { if case .file(let file) = self { try file.prepare() } }

  /// Lets it be seen where it belongs; for a file, next to nothing is left to go wrong.
  func publish() throws(EncodeError) {
    switch self {
    case .standardOutput(let bytes):
      if let code = bytes.write(to: STDOUT_FILENO) {
        throw .unwritable(path: "standard output", reason: systemWords(code))
      }
    case .file(let file): try file.publish()
    case .memory(let file, let bytes): file.put(bytes.array)
    }
  }
}

/// An image file in memory, stored atomically.
public final class EncodedFile: Sendable {
  private let kept = Mutex<[UInt8]?>(nil)

  /// An empty destination.
  public init() {}

  /// The file; `nil` until it is written.
  public var bytes: [UInt8]? { kept.withLock { $0 } }

  fileprivate func put(_ bytes: [UInt8]) { kept.withLock { $0 = bytes } }
}

/// Each is another place.
extension EncodedFile: Hashable {
  /// Returns true if both are the same object.
  public static func == (one: EncodedFile, other: EncodedFile) -> Bool { one === other }

  /// Feeds the object's identity to a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A file before it has a name: in memory, which may be libvips' own, or in a spool file.
final class EncodedBytes {
  private enum Place {
    case memory(UnsafeRawBufferPointer, owner: UnsafeMutablePointer<VipsArea>)
    case array([UInt8])
    case file(SpoolFile)
  }

  private let place: Place
  /// The replacements for parts of the bytes, in order.
  private var replacements: [(range: Range<Int>, bytes: [UInt8])] = []

  /// Takes over one reference to the owner.
  init(_ bytes: UnsafeRawBufferPointer, owner: UnsafeMutablePointer<VipsArea>) {
    place = .memory(bytes, owner: owner)
  }

  init(_ bytes: [UInt8]) { place = .array(bytes) }

  init(in file: SpoolFile) { place = .file(file) }

  deinit { if case .memory(_, let owner) = place { vips_area_unref(owner) } }

  /// Bytes in all, as encoded.
  var count: Int {
    switch place {
    case .memory(let bytes, _): bytes.count
    case .array(let bytes): bytes.count
    case .file(let file): file.count
    }
  }

  /// A part of it, as encoded.
  func bytes(_ range: Range<Int>) -> [UInt8] {
    switch place {
    case .memory(let bytes, _): [UInt8](bytes[range])
    case .array(let bytes): Array(bytes[range])
    case .file(let file): file.bytes(range)
    }
  }

  /// Has something else written in the place of a part, which may be empty; parts do not overlap.
  func replace(_ range: Range<Int>, with bytes: [UInt8]) {
    replacements.append((range, bytes))
    replacements.sort { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// A copy as an array, of bytes in memory.
  var array: [UInt8] {
    var result: [UInt8] = []
    for piece in pieces {
      switch (piece, place) {
      case (.new(let bytes), _): result += bytes
      case (.encoded(let range), .memory(let bytes, _)): result += bytes[range]
      case (.encoded(let range), .array(let bytes)): result += bytes[range]
      case (_, .file): preconditionFailure("what is too large for memory is written, not read")
      }
    }
    return result
  }

  /// Writes everything to an open descriptor; `nil`, or the error number of the failed call.
  func write(to descriptor: Int32) -> Int32? {
    for piece in pieces {
      let failure =
        switch (piece, place) {
        case (.new(let bytes), _): bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
        case (.encoded(let range), .memory(let bytes, _)):
          writeAll(UnsafeRawBufferPointer(rebasing: bytes[range]), to: descriptor)
        case (.encoded(let range), .array(let bytes)):
          bytes.withUnsafeBytes {
            writeAll(UnsafeRawBufferPointer(rebasing: $0[range]), to: descriptor)
          }
        case (.encoded(let range), .file(let file)): file.write(range, to: descriptor)
        }
      if let failure { return failure }
    }
    return nil
  }

  private enum Piece {
    case encoded(Range<Int>)
    case new([UInt8])
  }

  /// The pieces to write, from the beginning to the end.
  private var pieces: [Piece] {
    var pieces: [Piece] = []
    var end = 0
    for (range, bytes) in replacements {
      pieces += [.encoded(end..<range.lowerBound), .new(bytes)]
      end = range.upperBound
    }
    return pieces + [.encoded(end..<count)]
  }
}

/// A file without a name for what is too large to be kept in memory; gone with this object.
final class SpoolFile {
  let descriptor: Int32

  /// - Returns: `nil` where the folder takes no files.
  init?(in folder: String) {
    var descriptor = openUnnamed(in: folder, O_RDWR, 0o600)
    if descriptor < 0 { descriptor = TemporaryFiles.ofProcess.makeRemoved(in: folder) }
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  /// The same file as another descriptor's.
  init?(duplicating other: Int32) {
    let descriptor = fcntl(other, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Bytes in all.
  var count: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// A part of it; zeros where it cannot be read.
  func bytes(_ range: Range<Int>) -> [UInt8] {
    var part = [UInt8](repeating: 0, count: range.count)
    _ = pread(descriptor, &part, range.count, range.lowerBound)
    return part
  }

  /// Puts bytes at a place.
  func write(_ bytes: [UInt8], at place: Int) throws(VipsFailure) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done, place + done)
      }
      guard count > 0 else { throw VipsFailure(log: systemWords(errno)) }
      done += count
    }
  }

  /// Writes a part to another descriptor; `nil`, or the error number of the failed call.
  func write(_ range: Range<Int>, to other: Int32) -> Int32? {
    let portion = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { portion.deallocate() }
    var place = range.lowerBound
    while place < range.upperBound {
      let wanted = min(portion.count, range.upperBound - place)
      let got = pread(descriptor, portion.baseAddress, wanted, place)
      guard got > 0 else { return got == 0 ? EIO : errno }
      let read = UnsafeRawBufferPointer(start: portion.baseAddress, count: got)
      if let failure = writeAll(read, to: other) { return failure }
      place += got
    }
    return nil
  }
}
