package import FrostglassCore
internal import FrostglassStills
internal import Glibc

/// A small file of text, read as a whole.
package enum TextFile {
  package enum Failure: Error {
    case missing
    case unreadable(reason: String)
    /// It is not UTF-8, from this place on.
    case notText(TextPosition)
  }

  /// The message for text that is not UTF-8.
  package static let notUTF8 = "what begins here is not UTF-8; save the file as UTF-8"

  /// - Parameter most: mebibytes; a larger file is not what was meant.
  /// - Throws: `Failure` when the file is not there, cannot be read, is too large or not UTF-8.
  package static func contents(_ path: String, most mebibytes: Int) throws(Failure) -> String {
    let bytes: [UInt8]
    do { bytes = try bytesOfFile(path, most: mebibytes << 20) } catch {
      switch error {
      case .system(ENOENT): throw .missing
      case .system(let code): throw .unreadable(reason: systemWords(code))
      case .tooLarge: throw .unreadable(reason: "it is larger than \(mebibytes) MiB")
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .notText(firstStray(in: bytes))
    }
    return text
  }

  /// Returns the position of the first byte that is not valid UTF-8.
  private static func firstStray(in bytes: [UInt8]) -> TextPosition {
    var (line, column) = (1, 1)
    var decoder = UTF8()
    var rest = bytes.makeIterator()
    while case .scalarValue(let character) = decoder.decode(&rest) {
      (line, column) = character == "\n" ? (line + 1, 1) : (line, column + 1)
    }
    return TextPosition(line: line, column: column)
  }
}

extension StillSink {
  /// Writes a text as a whole file.
  ///
  /// - Throws: `FrostglassError.encode`; then nothing was written.
  package func save(_ text: String) throws(FrostglassError) {
    try mapped(FrostglassError.encode, write(Array(text.utf8)))
  }
}
