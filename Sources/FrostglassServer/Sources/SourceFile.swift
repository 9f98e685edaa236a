internal import CHTTP
internal import FrostglassCore
internal import Glibc

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
  package var room: Gate.Room?
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
    let descriptor = fg_open_beneath(descriptor, path)
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
