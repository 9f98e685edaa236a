internal import CVips

/// Compression for what is sent often and never changes.
package enum Gzip {
  /// Compresses bytes as gzip (RFC 1952); `nil` where that makes them no smaller.
  package static func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    var count = -1
    let made = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, initialized in
      count = bytes.withUnsafeBytes {
        Int(fg_gzip($0.baseAddress, $0.count, buffer.baseAddress, buffer.count))
      }
      initialized = max(count, 0)
    }
    return count < 0 ? nil : made
  }
}
