import CGLib
import FrostglassCore

/// A running SHA-256 of images.
struct Digest {
  private let checksum: OpaquePointer

  init() {
    guard let checksum = g_checksum_new(G_CHECKSUM_SHA256) else {
      preconditionFailure("GLib has SHA-256")
    }
    self.checksum = checksum
  }

  /// Adds an image's size, format and bytes.
  func add(_ image: Image) {
    add(Array("\(image.size.width)x\(image.size.height) \(image.format) \(image.alpha)\n".utf8))
    add(image.bytes)
  }

  /// Adds the text of an error.
  func add(_ error: any Error) { add(Array("\(error)\n".utf8)) }

  private func add(_ bytes: [UInt8]) { g_checksum_update(checksum, bytes, bytes.count) }

  /// Returns the first 80 bits in hexadecimal digits, and frees the state.
  consuming func finish() -> String {
    defer { g_checksum_free(checksum) }
    return String(String(cString: g_checksum_get_string(checksum)).prefix(20))
  }
}
