import TestSupport

extension SplitMix {
  /// A whole number below `count`, which is 1 or more.
  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

  /// Returns true once in `count` times.
  mutating func once(in count: Int) -> Bool { below(count) == 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}

/// A number in a file whose meaning is known: a length, a size, an offset, a kind.
struct FuzzField {
  var offset: Int
  /// Bytes.
  var count: Int
  var isBig: Bool

  init(_ offset: Int, _ count: Int, big: Bool = false) {
    self.offset = offset
    self.count = count
    isBig = big
  }

  func value(in bytes: [UInt8]) -> UInt64 {
    let own = bytes[offset..<offset + count]
    return (isBig ? Array(own) : own.reversed()).reduce(0) { $0 << 8 | UInt64($1) }
  }

  func set(_ value: UInt64, in bytes: inout [UInt8]) {
    for index in 0..<count {
      let shift = UInt64(8 * (isBig ? count - 1 - index : index))
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> shift)
    }
  }
}

/// The fields and parts of a file, as far as it can be parsed.
struct FuzzStructure {
  var fields: [FuzzField] = []
  /// Parts that can be left out, doubled and exchanged: chunks, segments, boxes, entries.
  var parts: [Range<Int>] = []

  /// Drops what reaches beyond the end.
  func inside(_ count: Int) -> FuzzStructure {
    FuzzStructure(
      fields: fields.filter { $0.offset >= 0 && $0.offset + $0.count <= count },
      parts: parts.filter { $0.lowerBound >= 0 && $0.upperBound <= count && !$0.isEmpty })
  }
}

/// Changes bytes, with or without knowing what they mean.
struct ByteMutator {
  /// Files do not grow beyond this.
  private static let mostBytes = 1 << 16
  private static let interesting: [UInt64] = [
    0, 1, 2, 3, 4, 7, 8, 9, 12, 16, 31, 32, 63, 64, 100, 127, 128, 129, 255, 256, 257, 1000, 4095,
    4096, 16383, 16384, 32767, 32768, 65535, 65536, 0xFF_FFFF, 0x7FFF_FFFF, 0x8000_0000,
    0xFFFF_FFFE, 0xFFFF_FFFF, 0x7FFF_FFFF_FFFF_FFFF, .max,
  ]

  /// One change that looks at the structure, where there is some.
  static func mutate(
    _ bytes: inout [UInt8], _ structure: FuzzStructure, other: [UInt8], _ random: inout SplitMix
  ) {
    guard !bytes.isEmpty else {
      bytes = Array(other.prefix(1 + random.below(64)))
      return
    }
    let known = structure.inside(bytes.count)
    switch random.below(10) {
    case 0..<4 where !known.fields.isEmpty: changeField(&bytes, known.fields, &random)
    case 4..<6 where !known.parts.isEmpty: changePart(&bytes, known.parts, &random)
    default: changeBytes(&bytes, other, &random)
    }
    if bytes.count > mostBytes { bytes.removeLast(bytes.count - mostBytes) }
  }

  private static func changeField(
    _ bytes: inout [UInt8], _ fields: [FuzzField], _ random: inout SplitMix
  ) {
    let field = random.pick(fields)
    let value = field.value(in: bytes)
    let new: UInt64 =
      switch random.below(8) {
      case 0: value &+ 1
      case 1: value &- 1
      case 2: value &* 2
      case 3: value / 2
      case 4: random.pick(fields).value(in: bytes)
      case 5: UInt64(random.below(bytes.count + 1))
      case 6: value ^ 1 << UInt64(random.below(8 * field.count))
      default: random.pick(interesting)
      }
    field.set(new, in: &bytes)
  }

  private static func changePart(
    _ bytes: inout [UInt8], _ parts: [Range<Int>], _ random: inout SplitMix
  ) {
    let part = random.pick(parts)
    let copy = Array(bytes[part])
    switch random.below(4) {
    case 0: bytes.removeSubrange(part)
    case 1: bytes.insert(contentsOf: copy, at: random.pick(parts).lowerBound)
    case 2: bytes.replaceSubrange(random.pick(parts), with: copy)
    default:
      bytes.removeSubrange(part)
      bytes.insert(contentsOf: copy, at: min(random.pick(parts).lowerBound, bytes.count))
    }
  }

  private static func changeBytes(
    _ bytes: inout [UInt8], _ other: [UInt8], _ random: inout SplitMix
  ) {
    let place = random.below(bytes.count)
    let length = 1 + random.below(min(bytes.count - place, 1 << random.below(8)))
    switch random.below(9) {
    case 0, 1: bytes[place] ^= 1 << UInt8(random.below(8))
    case 2: bytes[place] = UInt8(truncatingIfNeeded: random.next())
    case 3: bytes[place] = random.pick([0, 1, 0x7F, 0x80, 0xFE, 0xFF])
    case 4: bytes.removeLast(bytes.count - place)
    case 5: bytes.removeSubrange(place..<place + length)
    case 6: bytes.insert(contentsOf: bytes[place..<place + length], at: random.below(bytes.count))
    case 7:
      for index in place..<place + length {
        bytes[index] = UInt8(truncatingIfNeeded: random.next())
      }
    default:
      guard !other.isEmpty else { return }
      let start = random.below(other.count)
      bytes.replaceSubrange(place..<place + length, with: other[start...].prefix(length))
    }
  }
}
