import FrostglassCore
import Glibc

/// A folder that goes with this object.
final class Folder {
  let path: String

  struct Failure: Error {}

  init() throws {
    var template = Array("/tmp/frostglass-server-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure() }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    guard let file = fopen("\(path)/\(name)", "wb") else { throw Failure() }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw Failure() }
  }

  deinit {
    func remove(_ path: String) {
      // First: behind a link there may be anything.
      guard unlink(path) != 0, let names = try? namesOfFiles(in: path) else { return }
      for name in names { remove("\(path)/\(name)") }
      rmdir(path)
    }
    remove(path)
  }
}
