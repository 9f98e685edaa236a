import TestSupport

/// Changes texts by the words and signs they consist of.
enum TextMutator {
  /// Texts do not grow beyond this.
  private static let mostBytes = 1 << 14

  /// Tokens of the grammars here, and texts that break other parsers.
  private static let pieces = [
    "(", ")", ",", ";", "=", ":", "{", "}", "[", "]", "\"", "'", "\\", "/*", "*/", "!important",
    " ", "\t", "\n", "\r\n", "\u{FEFF}", "\u{0}", "\u{301}", "é", "🧊", "%", "px", "pt", "deg",
    "turn", "-", "+", ".", "e", "0", "-0", "1", "1e999", "-1e-999", "0x10", "nan", "inf", "1e308",
    "4294967296", "9223372036854775808", "0.1", ".5", "5.", "100%", "blur(", "none", "null", "true",
    "[]", "{}", "\\u0000", "\\ud800", "rgb(", "hsl(", "calc(", "url(", "polygon(", "mix(", "#fff",
    "transparent",
  ]

  static func mutate(
    _ bytes: inout [UInt8], other: [UInt8], _ random: inout SplitMix
  ) {
    // Invalid UTF-8 too, now and then.
    guard !random.once(in: 8) else {
      ByteMutator.mutate(&bytes, FuzzStructure(), other: other, &random)
      return
    }
    var words = words(of: bytes)
    let strange = self.words(of: other)
    guard !words.isEmpty else {
      bytes = Array(random.pick(pieces).utf8)
      return
    }
    let place = random.below(words.count)
    let end = min(words.count, place + 1 + random.below(6))
    switch random.below(9) {
    case 0: words.removeSubrange(place..<end)
    case 1: words.insert(contentsOf: words[place..<end], at: random.below(words.count))
    case 2: words.swapAt(place, random.below(words.count))
    case 3 where !strange.isEmpty: words[place] = random.pick(strange)
    case 4 where !strange.isEmpty:
      let start = random.below(strange.count)
      words.insert(contentsOf: strange[start...].prefix(1 + random.below(12)), at: place)
    case 5: words.removeLast(words.count - place)
    case 6:
      // Deep or long, where something is repeated.
      let times = 1 << random.below(9)
      let piece = Array(words[place..<end].joined())
      words.insert(contentsOf: (0..<times).map { _ in piece }, at: place)
    case 7: words.insert(Array(random.pick(pieces).utf8), at: place)
    default: words[place] = Array(random.pick(pieces).utf8)
    }
    bytes = Array(words.joined().prefix(mostBytes))
  }

  /// Runs of letters, of digits, and single signs.
  private static func words(of bytes: [UInt8]) -> [[UInt8]] {
    var words: [[UInt8]] = []
    var last = 0
    for byte in bytes {
      let kind =
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): 1
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "-"), UInt8(ascii: "_"), 0x80...:
          2
        default: 0
        }
      if kind != 0, kind == last {
        words[words.count - 1].append(byte)
      } else {
        words.append([byte])
      }
      last = kind
    }
    return words
  }
}
