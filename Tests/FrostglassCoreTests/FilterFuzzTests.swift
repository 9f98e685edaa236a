import FrostglassCore
import TestSupport
import Testing

/// No text, however garbled, does anything but read, or throw with a place inside the text.
@Suite struct FilterFuzzTests {
  @Test func piecesInAnyOrder() {
    let pieces = [
      "blur", "(", ")", ",", "=", "1px", "%", " ", "rgb(", "é", "-", "1e999", "x", "#f", "filter:",
      "backdrop-filter :", ";", "none", "!important", "/*", "*/", "\n", "\r\n", "drop-shadow(",
      "red",
      "4px", "-4px", "calc(", "{", "url(", "pillow:", "0x", "1e", "+", ".", "\u{0}", "\u{301}",
    ]
    var random = TestImages.Random(seed: 7)
    for _ in 0..<40_000 {
      let count = 1 + Int(random.next() * 12)
      read((0..<count).map { _ in pieces[Int(random.next() * Float(pieces.count))] }.joined())
    }
  }

  @Test func anyBytes() {
    var random = TestImages.Random(seed: 8)
    for _ in 0..<20_000 {
      let bytes = (0..<Int(random.next() * 40)).map { _ in UInt8(random.next() * 256) }
      read(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Valid texts with a character lost, doubled or replaced.
  @Test func nearlyRightTexts() {
    let texts = [
      "filter: blur(4px) contrast(1.2) drop-shadow(rgb(0 0 0 / 50%) 2px -3px 4px) !important;",
      "-webkit-backdrop-filter: saturate(180%) blur(20px);\nbackdrop-filter: saturate(180%) blur(20px);",
      "gaussian(x=20, y=5, edge=mirror) /* then */ tint(hsl(120deg 50% 50%), alpha=30%) mix(50%)",
      "hue-rotate(0.25turn) blur(pillow:7.5) drop-shadow(x=1, y=2%, blur=3pt, color=#12345678)",
    ]
    var random = TestImages.Random(seed: 9)
    let letters = Array("()=,:;/*% .-+0e9pxqa{!#\"\\\u{7F}é\n")
    for text in texts {
      #expect(throws: Never.self) { try FilterChain(text: text) }
      for _ in 0..<5000 {
        var characters = Array(text)
        for _ in 0..<1 + Int(random.next() * 3) {
          let place = Int(random.next() * Float(characters.count))
          let letter = letters[Int(random.next() * Float(letters.count))]
          switch Int(random.next() * 3) {
          case 0: characters.remove(at: place)
          case 1: characters.insert(letter, at: place)
          default: characters[place] = letter
          }
        }
        read(String(characters))
      }
    }
  }

  /// Reads a text. A valid chain's text form reads as the same chain; an error has the problem and its place.
  private func read(_ text: String) {
    do throws(FilterTextError) {
      let chain = try FilterChain(text: text)
      let isSame = (try? FilterChain(text: chain.text)) == chain
      #expect(isSame, "\(text.debugDescription) is \(chain.text)")
    } catch {
      let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      let position = error.position
      #expect(!error.description.isEmpty)
      #expect(
        (1...lines.count).contains(position.line)
          && (1...lines[position.line - 1].count + 1).contains(position.column),
        "\(text.debugDescription): \(error)")
    }
  }
}
