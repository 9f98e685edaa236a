internal import Glibc

extension Preset {
  /// More is no preset.
  private static let mostBytes = 1 << 20

  /// Reads a preset's file.
  ///
  /// - Throws: `PresetError`.
  public init(file path: String) throws(PresetError) {
    let text = try Self.contents(path)
    do throws(PresetError) { try self.init(text: text) } catch { throw error.inFile(path) }
  }

  /// Writes the preset to a file, which appears whole or not at all.
  ///
  /// - Throws: `EncodeError.exists` or `.unwritable`.
  public func write(to path: String, overwrite: Bool = false) throws(EncodeError) {
    try StillSink.file(path, overwrite: overwrite).write(Array(text.utf8))
  }

  private static func contents(_ path: String) throws(PresetError) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      let code = errno
      throw code == ENOENT ? .missing(path: path) : .unreadable(path: path, reason: words(code))
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { break }
      guard count > 0 else { throw .unreadable(path: path, reason: words(errno)) }
      bytes += buffer[..<count]
      guard bytes.count <= mostBytes else {
        throw .unreadable(path: path, reason: "it is larger than 1 MiB")
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .unreadable(path: path, reason: "it is not UTF-8 text")
    }
    return text
  }

  private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }
}
