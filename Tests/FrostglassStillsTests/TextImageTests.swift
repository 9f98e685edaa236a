import FrostglassCore
import FrostglassFonts
import FrostglassStills
import Testing

/// Texts by what must hold for any version of Inter, and for whatever other fonts there are.
@Suite struct TextImageTests {
  /// The height of one line.
  private func line(_ size: Double = 40) throws -> Int {
    try TextImage("H", TextStyle(size: size)).height
  }

  private func ink(_ picture: TextImage) -> Int { picture.image.bytes.reduce(0) { $0 + Int($1) } }

  @Test func itIsGrayCoverageCroppedToTheInk() throws {
    let image = try TextImage("Hello", TextStyle(size: 40)).image
    #expect(image.format == .gray8)
    #expect(image.bytes.contains(255) && image.bytes.contains(0))
    // Pango crops to whole pixels, outward, of which an outer one may be next to empty.
    let rows = (0..<image.size.height).map { y in
      (0..<image.size.width).contains { image.sample(x: $0, y: y, channel: 0) > 0 }
    }
    #expect(rows[1] && rows[rows.count - 2])
  }

  @Test func moreTextIsWiderOfTheSameHeight() throws {
    let style = TextStyle(size: 40)
    let (short, long) = try (TextImage("Hello", style), TextImage("Hello, world", style))
    #expect(long.width > short.width && long.image.size.width > short.image.size.width)
    #expect(long.height == short.height && long.baseline == short.baseline)
    #expect(try TextImage("a ", style).width > TextImage("a", style).width)
  }

  @Test func twiceTheSizeIsTwiceAsLarge() throws {
    let small = try TextImage("Frostglass", TextStyle(size: 30))
    let large = try TextImage("Frostglass", TextStyle(size: 60))
    let pairs = [
      (small.width, large.width), (small.height, large.height), (small.baseline, large.baseline),
      (small.image.size.width, large.image.size.width),
      (small.image.size.height, large.image.size.height),
    ]
    for (one, two) in pairs { #expect(abs(two - 2 * one) <= max(4, one / 10), "\(one) \(two)") }
    #expect(try TextImage("Frostglass", TextStyle(size: 30.5)).width >= small.width)
  }

  @Test(arguments: ["H", "E", "x", "Hxg", "jpqy", "ace,"])
  func allTextsOfALineStandOnOneBaseline(text: String) throws {
    let style = TextStyle(size: 50)
    let reference = try TextImage("H", style)
    let picture = try TextImage(text, style)
    #expect(picture.baseline == reference.baseline && picture.height == reference.height)
    #expect(reference.top + reference.image.size.height == reference.baseline)
    let below = picture.top + picture.image.size.height - picture.baseline
    if text.contains(where: "gjpqy,".contains) { #expect(below > 2) } else { #expect(below <= 1) }
    #expect(picture.top >= 0 && picture.baseline < picture.height)
  }

  @Test func lineEndsAndSpacingAddWholeLines() throws {
    let line = try line()
    let style = TextStyle(size: 40)
    #expect(try TextImage("one\ntwo", style).height == 2 * line)
    #expect(try TextImage("one\r\ntwo\r\nthree", style).height == 3 * line)
    #expect(try TextImage("one\n", style).height == 2 * line)
    let spaced = try TextImage("one\ntwo\nthree", TextStyle(size: 40, lineSpacing: 10))
    #expect(spaced.height == 3 * line + 20)
    #expect(spaced.baseline == (try TextImage("one", style).baseline))
  }

  @Test(arguments: [160, 240, 400]) func aWrappedTextKeepsToItsBox(width: Int) throws {
    let line = try line()
    let text = "The quick brown fox jumps over the lazy dog"
    let picture = try TextImage(text, TextStyle(size: 40, wrapWidth: width))
    #expect(picture.width == width)
    #expect(picture.height >= 2 * line && picture.height % line == 0)
    // Ink may stand out of a glyph's room by its overhang.
    #expect(picture.left >= -4 && picture.left + picture.image.size.width <= width + 4)
    let wide = try TextImage(text, TextStyle(size: 40, wrapWidth: 4 * width))
    #expect(wide.height < picture.height)
  }

  @Test func aWordThatIsTooLongIsBroken() throws {
    let picture = try TextImage(
      String(repeating: "w", count: 30), TextStyle(size: 40, wrapWidth: 120))
    #expect(picture.height >= 3 * (try line()))
    #expect(picture.image.size.width <= 124)
  }

  @Test func linesStandLeftInTheMiddleAndRight() throws {
    let pictures = try TextAlignment.allCases.map {
      try TextImage("HH", TextStyle(size: 40, wrapWidth: 300, alignment: $0))
    }
    let (left, center, right) = (pictures[0], pictures[1], pictures[2])
    let free = try TextImage("HH", TextStyle(size: 40))
    #expect(left.image.bytes == right.image.bytes && left.image.bytes == free.image.bytes)
    #expect(left.left == free.left)
    #expect(abs(center.left - (300 - free.width) / 2 - free.left) <= 1)
    #expect(abs(right.left - (300 - free.width) - free.left) <= 1)
    // Without a width, beside the longest line: the second line's ink is on the right.
    let two = try TextImage("HHHHHHHH\nH", TextStyle(size: 40, alignment: .right))
    let image = two.image
    let second = (image.size.height - 8..<image.size.height - 4)
    #expect(!second.contains { image.sample(x: 10, y: $0, channel: 0) > 0 })
    #expect(second.contains { image.sample(x: image.size.width - 3, y: $0, channel: 0) > 0 })
  }

  @Test func markupIsText() throws {
    let style = TextStyle(size: 30)
    #expect(try TextImage("<b>x</b>", style).width > TextImage("bxb", style).width)
    #expect(try TextImage("&amp;", style).width > 2 * TextImage("&", style).width)
    #expect(try ink(TextImage("a < b && c > d", style)) > 0)
    #expect(try ink(TextImage("</span><u>", style)) > 0)
  }

  @Test func controlCharactersAreSpaces() throws {
    let style = TextStyle(size: 30)
    let spaced = try TextImage("a b c", style)
    #expect(try TextImage("a\u{0}b\u{1}c", style).image.bytes == spaced.image.bytes)
  }

  @Test(arguments: ["漢字かな", "مرحبا", "Ελληνικά Кириллица", "👍🏽 ok", "हिन्दी", "e\u{301}\u{200D}"])
  func whatAFontLacksComesFromAnother(text: String) throws {
    let picture: TextImage
    do throws(TextError) { picture = try TextImage(text, TextStyle(size: 30)) } catch {
      // Where there is no other.
      guard case .noCharacters(let missing, _) = error else { throw error }
      #expect(missing.allSatisfy { text.unicodeScalars.contains($0) && !$0.isASCII })
      #expect(!InstalledFonts.missing(in: text, ["Inter"]).isEmpty)
      return
    }
    #expect(InstalledFonts.missing(in: text, ["Inter"]).isEmpty)
    #expect(ink(picture) > 0)
    #expect(picture.baseline > 0 && picture.baseline < picture.height)
    #expect(try TextImage(text + "\n" + text, TextStyle(size: 30)).height == 2 * picture.height)
  }

  @Test(arguments: ["", "   ", "\u{200B}"]) func noInkIsOneEmptyPixel(text: String) throws {
    let picture = try TextImage(text, TextStyle(size: 40))
    #expect(picture.image.size == Size(width: 1, height: 1) && picture.image.bytes == [0])
    #expect(picture.height == (try line()))
    #expect(picture.baseline == (try TextImage("H", TextStyle(size: 40)).baseline))
    #expect((picture.width > 0) == (text == "   "))
  }

  @Test func aBoldFontHasMoreInk() throws {
    let regular = try TextImage("Frostglass", TextStyle(size: 60))
    #expect(
      try ink(TextImage("Frostglass", TextStyle(font: "Inter Bold", size: 60))) > ink(regular))
    #expect(try ink(TextImage("Frostglass", TextStyle(font: "No Font, sans", size: 60))) > 0)
    #expect(try ink(TextImage("Frostglass", TextStyle(font: "Inter @wght=500", size: 60))) > 0)
  }

  @Test func aLabelIsCenteredOrPutOnABaseline() throws {
    let picture = try TextImage("Hxg", TextStyle(size: 20))
    let box = LayoutRect(x: 10, y: 20, width: 201, height: 61)
    let origin = picture.origin(centeredIn: box)
    #expect(origin.x == origin.x.rounded() && origin.y == origin.y.rounded())
    #expect(abs(origin.x - Double(picture.left) + Double(picture.width) / 2 - 110.5) <= 0.5)
    #expect(abs(origin.y - Double(picture.top) + Double(picture.height) / 2 - 50.5) <= 0.5)
    let standing = picture.origin(x: 7.3, baseline: 99.6)
    #expect(standing.x == Double(7 + picture.left))
    #expect(standing.y == Double(100 - picture.baseline + picture.top))
  }

  @Test(arguments: [0, -3, .nan, .infinity, 5000]) func anImpossibleSizeIsRefused(
    size: Double
  ) {
    let error = #expect(throws: TextError.self) {
      try TextImage("Title", TextStyle(size: size))
    }
    guard case .badSize = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.hasPrefix("“Title”: size \(size)") == true)
  }

  @Test func otherImpossibleWishesAreRefused() throws {
    #expect(throws: TextError.badWrapWidth(0, text: "a")) {
      try TextImage("a", TextStyle(wrapWidth: 0))
    }
    #expect(throws: TextError.badLineSpacing(-1, text: "a")) {
      try TextImage("a", TextStyle(lineSpacing: -1))
    }
    let long = String(repeating: "w", count: 5000)
    let tooWide = #expect(throws: TextError.tooLarge(text: long)) {
      try TextImage(long, TextStyle(size: 100))
    }
    #expect(tooWide?.description.hasPrefix("“" + String(long.prefix(40)) + "…”") == true)
    #expect(throws: TextError.tooLarge(text: long)) { try TextImage(long, TextStyle(size: 4000)) }
  }
}
