/// An amount of memory, as people write it.
package struct ByteCount: Sendable, Hashable {
  package var bytes: Int

  package init(_ bytes: Int) { self.bytes = bytes }

  /// Reads a number with or without one of the units K, M, G and T, which are powers of 1024; `2G`,
  /// `512M`, `1.5g`, `2GB` and `2GiB` are accepted.
  ///
  /// - Returns: `nil` for everything else, for less than a byte and for more than an `Int` holds.
  package init?(text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    let unit = text.dropFirst(digits.count).lowercased()
    let power = ["", "k", "m", "g", "t"].firstIndex { letter in
      unit == letter || unit == letter + "b" || !letter.isEmpty && unit == letter + "ib"
    }
    guard let number = Double(digits), let power else { return nil }
    let bytes = (0..<power).reduce(number) { value, _ in value * 1024 }
    guard bytes >= 1, bytes < 0x1p62 else { return nil }
    self.bytes = Int(bytes)
  }
}
