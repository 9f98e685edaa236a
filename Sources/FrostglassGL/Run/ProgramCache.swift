internal import FrostglassShaders

/// Makes each program once, from what an earlier process has kept where there is that.
final class ProgramCache {
  private let capacity: Int
  private let context: GLContext
  private let store: ProgramStore?
  private var programs: [Shader: GLProgram] = [:]
  private(set) var statistics = GLProgramStatistics()
  private var lastSerial = 0

  /// - Parameters:
  ///   - capacity: programs that are kept; 1 or more.
  ///   - store: `nil` keeps nothing beyond this process.
  init(context: GLContext, capacity: Int, store: ProgramStore?) {
    self.capacity = capacity
    self.context = context
    self.store = store
  }

  /// A number for a pass that sets numbers of these programs; each is given once.
  func nextSerial() -> Int {
    lastSerial += 1
    return lastSerial
  }

  func program(for shader: Shader) throws(GLFailure) -> GLProgram {
    if let program = programs[shader] { return program }
    if programs.count >= capacity { programs = [:] }
    let program = try make(ProgramText(shader))
    programs[shader] = program
    return program
  }

  private func make(_ text: ProgramText) throws(GLFailure) -> GLProgram {
    guard let store else {
      statistics.compiled += 1
      return try GLProgram(text, in: context)
    }
    let key = store.key(of: text.stages.map(\.text))
    let entry = store.entry(key)
    if case .binary(let binary) = entry, let program = GLProgram(binary, in: context) {
      statistics.loaded += 1
      return program
    }
    if entry != .missing { statistics.rejected += 1 }
    statistics.compiled += 1
    let program = try GLProgram(text, in: context)
    if let binary = program.binary {
      if store.keep(binary, as: key) { statistics.stored += 1 }
    } else if entry != .missing {
      store.remove(key)
    }
    return program
  }
}

/// Where a backend's programs came from.
package struct GLProgramStatistics: Sendable, Hashable {
  /// Compiled from their text.
  package var compiled = 0
  /// Taken from the cache directory, compiled by an earlier process.
  package var loaded = 0
  /// Found in the cache directory but of no use, as they were damaged or the driver refused them;
  /// they count as compiled too.
  package var rejected = 0
  /// Written to the cache directory.
  package var stored = 0

  package init() {}
}

/// Keeps compiled programs on disk from one process to the next.
///
/// Any number of processes may share a folder: files appear whole, and which of two equal ones stays
/// does not matter.
package final class ProgramStore {
  /// What is known of a program.
  package enum Entry: Hashable {
    case missing
    /// There is a file, of no use.
    case damaged
    case binary(ProgramBinary)
  }

  /// No driver's program for one pass comes near.
  private static let largestFile = 8 << 20

  private let folder: CacheDirectory
  private let driver: String
  private let most: Int
  /// Bytes in the folder; not known until something is written.
  private var held: Int?

  /// - Parameters:
  ///   - driver: renderer and version; another driver's programs are others.
  ///   - most: bytes in the folder, beyond which the programs not used for longest go.
  package init(_ cache: CacheDirectory, driver: String, most: Int = 64 << 20) {
    folder = cache.folder("programs")
    self.driver = driver
    self.most = most
  }

  /// What a program made from these texts goes by.
  package func key(of texts: [String]) -> ContentHash {
    ContentHash(texts: [driver] + texts)
  }

  package func entry(_ key: ContentHash) -> Entry {
    guard let file = folder.read("\(key)", atMost: ProgramStore.largestFile) else {
      return .missing
    }
    guard let binary = ProgramBinary(file: file, for: key) else { return .damaged }
    folder.touch("\(key)")
    return .binary(binary)
  }

  /// Keeps a program in the place of what was there.
  ///
  /// - Returns: whether that was possible.
  package func keep(_ binary: ProgramBinary, as key: ContentHash) -> Bool {
    let file = binary.file(for: key)
    guard file.count <= ProgramStore.largestFile, folder.write(file, to: "\(key)") else {
      return false
    }
    let total = (held ?? folder.trim(to: most)) + (held == nil ? 0 : file.count)
    // Down to less than is allowed, so that not every further program searches the folder.
    held = total > most ? folder.trim(to: most / 4 * 3) : total
    return true
  }

  /// Forgets a program.
  package func remove(_ key: ContentHash) {
    folder.remove("\(key)")
  }
}

/// A program as a driver has compiled it, in the driver's own form.
package struct ProgramBinary: Sendable, Hashable {
  /// The driver's number for the form.
  package var format: UInt32
  package var bytes: [UInt8]

  package init(format: UInt32, bytes: [UInt8]) {
    self.format = format
    self.bytes = bytes
  }

  /// The first bytes of a file, with the version of its layout.
  private static let signature = Array("frostglass program 1\n".utf8)
  private static let headerBytes = signature.count + 16 + 4 + 4 + 16

  /// The contents of the file that keeps it: signature, key, form, length, checksum of all that, the
  /// driver's bytes included; then those.
  ///
  /// - Parameter key: what the program was made from, and by which driver.
  package func file(for key: ContentHash) -> [UInt8] {
    let description =
      ProgramBinary.signature + ProgramBinary.littleEndian(key.value)
      + ProgramBinary.littleEndian(format) + ProgramBinary.littleEndian(UInt32(bytes.count))
    let checksum = ContentHash([description, bytes].joined())
    return description + ProgramBinary.littleEndian(checksum.value) + bytes
  }

  /// Reads a file back; `nil` where it is not whole, or another program's.
  package init?(file: [UInt8], for key: ContentHash) {
    guard file.count > ProgramBinary.headerBytes else { return nil }
    let start = ProgramBinary.signature.count + 16
    format = file[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    bytes = Array(file[ProgramBinary.headerBytes...])
    // What was read is right if it would be written so.
    guard self.file(for: key) == file else { return nil }
  }

  private static func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
}
