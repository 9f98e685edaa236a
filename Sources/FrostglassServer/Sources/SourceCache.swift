internal import CHTTP
internal import FoundationEssentials
internal import FrostglassCore
package import FrostglassOptions
internal import FrostglassStills
internal import Glibc
internal import Synchronization

/// Metadata of a cached image.
struct CachedImage: Sendable, Codable {
  var etag: String?
  var lastModified: String?
  /// Another text as soon as the image is another one.
  var version: String
  /// The time until which the image is fresh, in seconds since 1970.
  var freshUntil: Int
  /// Seconds that its server said it is current for, from when it was asked.
  var freshSeconds: Int
  var mustRevalidate: Bool
  /// Bytes of the image.
  var size: Int
}

/// A disk cache of images of other servers, which evicts the least recently used.
///
/// Each image is a file that begins with a line of JSON, and is written atomically. A damaged or removed file counts
/// as not cached.
package final class SourceCache: Sendable {
  private struct Entry {
    var size: Int
    /// Grows from one use to the next.
    var turn: Int
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var bytes = 0
    var lastTurn = 0
  }

  private let folder: String
  private let mostBytes: Int
  private let state = Mutex(State())

  /// The longest line before an image.
  private static let longestHead = 16 << 10
  /// The suffix of files that are still being written.
  private static let unfinished = ".part"

  /// - Parameters:
  ///   - folder: made where it is not there; nothing else should be in it.
  ///   - mostBytes: the most bytes of all images together.
  /// - Throws: `Failure` where it cannot be written; for the operator, with the path.
  package init(folder: String, mostBytes: Int) throws(Failure) {
    self.folder = folder
    self.mostBytes = mostBytes
    if let refusal = Folder.make(folder) {
      throw Failure("\(refusal.path): cannot be made (\(refusal.reason))", .cannotCreate)
    }
    let names: [String]
    do { names = try namesOfFiles(in: folder) } catch {
      throw Failure("\(folder): cannot be read (\(error.words))", .noInput)
    }
    guard access(folder.systemPath, W_OK) == 0 else {
      throw Failure("\(folder): cannot be written (\(systemWords(errno)))", .cannotCreate)
    }
    take(names)
    makeRoom()
  }

  /// Bytes on disk.
  package var bytes: Int { state.withLock { $0.bytes } }

  /// The name of an image's file.
  static func key(_ origin: Origin, _ url: String) -> String {
    FileDigest.sha256(of: Array("\(origin.name)\n\(url)".utf8))
  }

  /// Takes over what an earlier process has left, by when it was used.
  private func take(_ names: [String]) {
    var found: [(name: String, size: Int, used: Int)] = []
    for name in names {
      let path = "\(folder)/\(name)"
      var status = stat()
      guard stat(path.systemPath, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      if name.hasSuffix(Self.unfinished) {
        unlink(path.systemPath)
      } else if name.utf8.count == 64 {
        found.append((name, Int(status.st_size), status.st_mtim.tv_sec))
      }
    }
    state.withLock { state in
      for file in found.sorted(by: { $0.used < $1.used }) {
        state.lastTurn += 1
        state.entries[file.name] = Entry(size: file.size, turn: state.lastTurn)
        state.bytes += file.size
      }
    }
  }

  /// Finds an image. Waits for the disk.
  ///
  /// - Returns: the image's metadata and a function that reads it; `nil` if it is not cached.
  func image(_ key: String) -> (CachedImage, @Sendable () -> [UInt8]?)? {
    let path = "\(folder)/\(key)"
    let descriptor = open(path.systemPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      if errno == ENOENT { forget(key) }
      return nil
    }
    let file = OpenFile(descriptor)
    let size = file.status.map { Int($0.st_size) } ?? 0
    guard let head = file.bytes(from: 0, count: min(size, Self.longestHead)),
      let end = head.firstIndex(of: UInt8(ascii: "\n")),
      let image = try? JSONDecoder().decode(CachedImage.self, from: Data(head[..<end])),
      image.size == size - end - 1
    else {
      remove(key)
      return nil
    }
    utimensat(AT_FDCWD, path.systemPath, nil, 0)
    state.withLock { state in
      state.lastTurn += 1
      state.entries[key]?.turn = state.lastTurn
    }
    return (image, { file.bytes(from: end + 1, count: image.size) })
  }

  /// Keeps an image, in place of an earlier one; what finds no room is not kept. Waits for the disk.
  func store(_ key: String, _ image: CachedImage, _ bytes: [UInt8]) {
    guard let head = try? JSONEncoder().encode(image), head.count < Self.longestHead else { return }
    let size = head.count + 1 + bytes.count
    guard size <= mostBytes else { return remove(key) }
    let unfinished = "\(folder)/\(key)-\(UInt64.random(in: 0 ... .max))\(Self.unfinished)"
    let descriptor = open(
      unfinished.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    let failures = [[UInt8](head) + [UInt8(ascii: "\n")], bytes].map { part in
      part.withUnsafeBytes { writeAll($0, to: descriptor) }
    }
    let isWhole = close(descriptor) == 0 && failures.allSatisfy { $0 == nil }
    guard isWhole, rename(unfinished.systemPath, "\(folder)/\(key)".systemPath) == 0 else {
      unlink(unfinished.systemPath)
      return
    }
    state.withLock { state in
      state.lastTurn += 1
      state.bytes += size - (state.entries[key]?.size ?? 0)
      state.entries[key] = Entry(size: size, turn: state.lastTurn)
    }
    makeRoom()
  }

  /// Removes an image. Waits for the disk.
  func remove(_ key: String) {
    forget(key)
    unlink("\(folder)/\(key)".systemPath)
  }

  private func forget(_ key: String) {
    state.withLock { state in
      if let entry = state.entries.removeValue(forKey: key) { state.bytes -= entry.size }
    }
  }

  /// Removes what was not used for longest, a tenth more than has to be, so that it is not sought each time.
  private func makeRoom() {
    let out = state.withLock { state -> [String] in
      guard state.bytes > mostBytes else { return [] }
      var out: [String] = []
      for (key, entry) in state.entries.sorted(by: { $0.value.turn < $1.value.turn })
      where state.bytes > mostBytes / 10 * 9 {
        state.entries[key] = nil
        state.bytes -= entry.size
        out.append(key)
      }
      return out
    }
    for key in out { unlink("\(folder)/\(key)".systemPath) }
  }
}

/// An image of an origin: what is known of it, and its bytes once they are needed.
package struct SourceFile: Sendable {
  /// Bytes.
  package let size: Int
  /// The last modification, in seconds since 1970; `nil` if unknown.
  package let modified: Int?
  /// Another text as soon as the image is another one.
  package let version: String
  /// The time that results of it may be kept, in seconds; `nil` if unspecified.
  package var freshSeconds: Int?
  /// The share of the memory for bodies that it takes, if it is already in memory.
  package var room: AdmissionQueue.Room?
  /// All of it; `nil` where it cannot be read. Waits for the disk.
  package let contents: @Sendable () -> [UInt8]?
}

/// An open file that is read from some byte on.
final class OpenFile: Sendable {
  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// The file's status; `nil` if it is not a regular file.
  var status: stat? {
    var status = stat()
    let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    return isFile ? status : nil
  }

  /// So many bytes from a place on; `nil` where there are fewer.
  func bytes(from place: Int, count size: Int) -> [UInt8]? {
    guard size >= 0 else { return nil }
    var isWhole = false
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let got = pread(
          descriptor, buffer.baseAddress?.advanced(by: count), size - count, place + count)
        guard got > 0 else { return }
        count += got
      }
      isWhole = true
    }
    return isWhole ? bytes : nil
  }
}

/// The operator's images below one folder, and nowhere else.
final class ImageFolder: Sendable {
  private let descriptor: Int32

  /// - Returns: `nil` where there is no such folder that can be read.
  init?(_ path: String) {
    descriptor = open(path.systemPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Opens a file by its path below the folder. The kernel keeps the search beneath it, whatever
  /// symbolic links and `..` there are; who is asked for what is not there cannot tell why.
  func file(_ path: String) -> SourceFile? {
    let descriptor = fgk_open_beneath(descriptor, path)
    guard descriptor >= 0 else { return nil }
    let file = OpenFile(descriptor)
    guard let status = file.status else { return nil }
    let (size, modified) = (Int(status.st_size), status.st_mtim)
    return SourceFile(
      size: size, modified: modified.tv_sec,
      version:
        "\(status.st_dev).\(status.st_ino).\(size).\(modified.tv_sec).\(modified.tv_nsec)"
    ) { file.bytes(from: 0, count: size) }
  }
}
