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
