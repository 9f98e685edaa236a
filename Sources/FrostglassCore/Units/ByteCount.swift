/// An amount of memory, as people write and read it.
package struct ByteCount: Sendable, Hashable, CustomStringConvertible {
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

  /// With the largest unit that leaves 1 or more, rounded to one decimal place: `1.5 GiB`.
  package var description: String {
    var value = Double(bytes)
    var units = ["B", "KiB", "MiB", "GiB", "TiB"][...]
    while value >= 1024, units.count > 1 {
      value /= 1024
      units = units.dropFirst()
    }
    let tenths = (value * 10).rounded() / 10
    let number = tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
    return "\(number) \(units.first ?? "")"
  }
}
