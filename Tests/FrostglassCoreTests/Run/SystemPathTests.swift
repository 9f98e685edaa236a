import FrostglassCore
import TestSupport
import Testing

/// Names of files as strings and back.
@Suite struct SystemPathTests {
  @Test(arguments: [
    "", "a.jpg", "/tmp/ü/漢字 😀.png", "e\u{301}", "\u{FFFD}", "\u{10FF7F}", "\u{FFFF}",
  ])
  func utf8IsItself(text: String) {
    let path = String(systemPath: Array(text.utf8))
    #expect(Array(path.unicodeScalars) == Array(text.unicodeScalars))
    #expect(text.systemBytes == Array(text.utf8))
  }

  @Test func strayBytesComeBack() {
    // Latin 1, a character cut short, a surrogate, one too long, and bytes that are never UTF-8.
    let names: [[UInt8]] = [
      [0x63, 0x61, 0x66, 0xE9], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xFE, 0xFF],
      [0x2F, 0x80, 0x2F], Array("\u{10FF80}\u{10FFFF}".utf8),
    ]
    for name in names {
      let path = String(systemPath: name)
      #expect(path.systemBytes == name)
      #expect(path.systemPath == name.map { CChar(bitPattern: $0) } + [0])
      #expect(
        path
          == (name + [0]).map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { text in
            text.baseAddress.map { String(systemPath: $0) }
          })
    }
    // Different names are different strings.
    #expect(Set(names.map { String(systemPath: $0) }).count == names.count)
  }

  @Test func allBytesComeBack() {
    var random = SplitMix(state: 7)
    for _ in 0..<2000 {
      let name = (0..<random.next() % 12).map { _ in
        // Mostly those that UTF-8 is made of, so that some of it is.
        let byte = UInt8(truncatingIfNeeded: random.next())
        return [byte, 0xF4, 0x8F, 0xBE, 0xC3, 0xA9, 0x41][Int(random.next() % 7)]
      }
      #expect(String(systemPath: name).systemBytes == name, "\(name)")
    }
  }

  /// Separators of paths stay as they are.
  @Test func slashesAndDotsStay() {
    let path = String(systemPath: [0xFF, 0x2F, 0xE9, 0x2E, 0x6A, 0x70, 0x67])
    #expect(path.hasSuffix(".jpg") && path.split(separator: "/").count == 2)
  }
}
