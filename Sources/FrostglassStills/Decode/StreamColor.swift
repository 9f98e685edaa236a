internal import FrostglassCore

/// Color code points in the header of an AV1 or HEVC stream, for HEIC and AVIF files without a `colr` box.
enum StreamColor {
  /// Reads the sequence header among the units of an AV1 stream (AV1 specification 5.5); `nil` if it says nothing
  /// about color.
  static func av1(_ units: [UInt8]) -> CodePoints? {
    var place = 0
    while place < units.count {
      let header = Int(units[place])
      place += header & 4 == 0 ? 1 : 2
      var size = header & 2 == 0 ? units.count - place : 0
      if header & 2 != 0 {
        for shift in stride(from: 0, to: 28, by: 7) where place < units.count {
          let byte = Int(units[place])
          place += 1
          size |= (byte & 127) << shift
          if byte < 128 { break }
        }
      }
      guard size >= 0, place + size <= units.count else { return nil }
      if header >> 3 & 15 == 1 { return sequence(HeaderBits(units[place..<place + size])) }
      place += size
    }
    return nil
  }

  private static func sequence(_ given: HeaderBits) -> CodePoints? {
    var bits = given
    let profile = bits.take(3)
    bits.skip(1)
    let isReduced = bits.flag()
    if isReduced { bits.skip(5) } else { skipOperatingPoints(&bits) }
    let sides = (bits.take(4), bits.take(4))
    bits.skip(sides.0 + sides.1 + 2)
    if !isReduced, bits.flag() { bits.skip(7) }
    bits.skip(3)
    if !isReduced {
      bits.skip(4)
      let hasOrder = bits.flag()
      if hasOrder { bits.skip(2) }
      let forcesTools = bits.flag() || bits.flag()
      if forcesTools, !bits.flag() { bits.skip(1) }
      if hasOrder { bits.skip(3) }
    }
    bits.skip(3)
    let isDeep = bits.flag()
    if profile == 2, isDeep { bits.skip(1) }
    if profile != 1 { bits.skip(1) }
    return bits.codePoints()
  }

  private static func skipOperatingPoints(_ bits: inout HeaderBits) {
    var delay: Int?
    if bits.flag() {
      bits.skip(64)
      if bits.flag() { _ = bits.golomb() }
      if bits.flag() {
        delay = bits.take(5) + 1
        bits.skip(42)
      }
    }
    let hasDisplayDelay = bits.flag()
    for _ in 0...bits.take(5) {
      bits.skip(12)
      if bits.take(5) > 7 { bits.skip(1) }
      if let delay, bits.flag() { bits.skip(2 * delay + 1) }
      if hasDisplayDelay, bits.flag() { bits.skip(4) }
    }
  }

  /// Reads a sequence parameter set of HEVC (ITU-T H.265 7.3.2.2); `nil` if it says nothing about color.
  static func hevc(_ unit: [UInt8]) -> CodePoints? {
    var bits = HeaderBits(withoutEmulation: unit.dropFirst(2))
    bits.skip(4)
    let layers = bits.take(3)
    bits.skip(1 + 96)
    if layers > 0 {
      let present = (0..<8).map { _ in (bits.flag(), bits.flag()) }
      for (profile, level) in present.prefix(layers) {
        bits.skip((profile ? 88 : 0) + (level ? 8 : 0))
      }
    }
    bits.skipGolomb(1)
    if bits.golomb() == 3 { bits.skip(1) }
    bits.skipGolomb(2)
    if bits.flag() { bits.skipGolomb(4) }
    bits.skipGolomb(2)
    let orderBits = bits.golomb() + 4
    bits.skipGolomb(bits.flag() ? 3 * (layers + 1) : 3)
    bits.skipGolomb(6)
    if bits.flag(), bits.flag() { skipScalingLists(&bits) }
    bits.skip(2)
    if bits.flag() {
      bits.skip(8)
      bits.skipGolomb(2)
      bits.skip(1)
    }
    skipReferences(&bits)
    if bits.flag() { bits.skip(min(bits.golomb(), 32) * (orderBits + 1)) }
    bits.skip(2)
    guard bits.flag() else { return nil }
    if bits.flag(), bits.take(8) == 255 { bits.skip(32) }
    if bits.flag() { bits.skip(1) }
    guard bits.flag() else { return nil }
    bits.skip(4)
    return bits.codePoints()
  }

  private static func skipScalingLists(_ bits: inout HeaderBits) {
    for size in 0..<4 {
      for _ in 0..<(size == 3 ? 2 : 6) {
        if bits.flag() {
          bits.skipGolomb(min(64, 16 << (2 * size)) + (size > 1 ? 1 : 0))
        } else {
          bits.skipGolomb(1)
        }
      }
    }
  }

  private static func skipReferences(_ bits: inout HeaderBits) {
    var pictures = 0
    for set in 0..<min(bits.golomb(), 64) {
      if set > 0, bits.flag() {
        bits.skip(1)
        bits.skipGolomb(1)
        pictures = (0...pictures).count { _ in bits.flag() || bits.flag() }
      } else {
        pictures = min(bits.golomb() + bits.golomb(), 32)
        for _ in 0..<pictures {
          bits.skipGolomb(1)
          bits.skip(1)
        }
      }
    }
  }
}

/// Bits of a header, the highest of a byte first; zeros behind the last.
private struct HeaderBits {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

  /// Leaves out each 3 that follows two zeros.
  init(withoutEmulation unit: ArraySlice<UInt8>) {
    var zeros = 0
    bytes = unit.filter { byte in
      let isKept = byte != 3 || zeros < 2
      zeros = byte == 0 ? zeros + 1 : 0
      return isKept
    }
  }

  mutating func take(_ count: Int) -> Int {
    var value = 0
    for _ in 0..<count {
      value <<= 1
      if place < bytes.count * 8 { value |= Int(bytes[place / 8] >> (7 - place % 8) & 1) }
      place += 1
    }
    return value
  }

  mutating func flag() -> Bool { take(1) == 1 }

  mutating func skip(_ count: Int) { place += count }

  /// Reads a number with as many zeros in front as bits behind its first.
  mutating func golomb() -> Int {
    var zeros = 0
    while zeros < 32, !flag() { zeros += 1 }
    return 1 << zeros - 1 + take(zeros)
  }

  mutating func skipGolomb(_ count: Int) { for _ in 0..<count { _ = golomb() } }

  /// Reads primaries and transfer behind a flag that says whether they are there.
  mutating func codePoints() -> CodePoints? {
    guard flag() else { return nil }
    let found = CodePoints(primaries: take(8), transfer: take(8))
    return place <= bytes.count * 8 ? found : nil
  }
}
