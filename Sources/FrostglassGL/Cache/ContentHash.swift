/// A fingerprint of 128 bits: FNV-1a, which tells texts apart and notices damage; no secret.
package struct ContentHash: Sendable, Hashable, CustomStringConvertible {
  package private(set) var value: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d

  /// One that was written down.
  package init(value: UInt128) {
    self.value = value
  }

  /// The fingerprint of some bytes.
  package init(_ bytes: some Sequence<UInt8>) {
    add(bytes)
  }

  /// The fingerprint of texts in order; where one ends and the next begins counts too.
  package init(texts: [String]) {
    for text in texts {
      add(text.utf8)
      // Occurs in no text.
      add([0xFF])
    }
  }

  /// 32 hexadecimal digits.
  package var description: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }

  private mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      value ^= UInt128(byte)
      value &*= 0x0000_0000_0100_0000_0000_0000_0000_013B
    }
  }
}
