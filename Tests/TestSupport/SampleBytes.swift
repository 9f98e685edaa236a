/// Comparisons of many bytes, for tests without optimization.
extension [UInt8] {
  /// The largest difference of samples from those of another image.
  ///
  /// - Parameter isWide: true if samples have two bytes, the lower one first.
  package func largestDifference(from other: [UInt8], isWide: Bool) -> Int {
    var largest = 0
    let bytes = isWide ? 2 : 1
    for place in Swift.stride(from: 0, to: Swift.min(count, other.count), by: bytes) {
      var difference = Int(self[place]) - Int(other[place])
      if isWide { difference += (Int(self[place + 1]) - Int(other[place + 1])) << 8 }
      largest = Swift.max(largest, abs(difference))
    }
    return largest
  }

  /// Returns true if some bytes are in it, one after another.
  package func holds(_ bytes: [UInt8]) -> Bool {
    guard count >= bytes.count else { return false }
    return (0...count - bytes.count).contains { start in
      bytes.indices.allSatisfy { self[start + $0] == bytes[$0] }
    }
  }
}
