import FrostglassFonts
import FrostglassStills
import Testing

/// The installed fonts. The tests need Inter.
@Suite struct FontTests {
  @Test(arguments: [
    ("Inter", ["Inter"]), ("Inter Semi-Bold", ["Inter"]), ("Inter SemiBold Italic", ["Inter"]),
    ("DejaVu Sans Mono", ["DejaVu Sans Mono"]),
    ("Nope,  Inter Display Bold", ["Nope", "Inter Display"]),
    ("Inter, Bold", ["Inter"]), ("Inter @wght=500", ["Inter"]), ("Bold", []), ("", []),
    ("Inter Bolt", ["Inter Bolt"]),
  ])
  func familiesAreWhatIsNoStyle(name: String, families: [String]) {
    #expect(FontName(name).families == families)
  }

  @Test func whatIsInstalledIsKnown() throws {
    #expect(InstalledFonts.has(family: "Inter") && InstalledFonts.has(family: "iNTER"))
    #expect(InstalledFonts.has(family: "sans") && InstalledFonts.has(family: "System-UI"))
    #expect(!InstalledFonts.has(family: "No Such Font"))
    #expect(InstalledFonts.families.contains("Inter"))
    let substitute = try #require(InstalledFonts.substitute(for: "No Such Font"))
    #expect(InstalledFonts.has(family: substitute))
  }

  @Test func whatNoFontHasIsFound() {
    // U+FFFFD is for private use; fonts that have it would have it for something of their own.
    #expect(InstalledFonts.missing(in: "a\u{FFFFD}b\u{FFFFD}", ["Inter"]) == ["\u{FFFFD}"])
    #expect(InstalledFonts.missing(in: "Aé ß–\n\t\u{200B}\u{2060}\u{0}", ["Inter"]).isEmpty)
    #expect(InstalledFonts.missing(in: "A", ["No Such Font"]).isEmpty)
    #expect(InstalledFonts.missing(in: "", []).isEmpty)
  }

  private func error(_ text: String, _ font: String = "Inter") -> TextError? {
    do {
      _ = try TextImage(text, TextStyle(font: font, size: 20))
      return nil
    } catch { return error }
  }

  @Test func aFontThatIsNotThereIsNamed() throws {
    #expect(error("Hi", "Nope, Inter") == nil)
    #expect(error("Hi", "Itner Bold") == .noFont("Itner", like: "Inter", text: "Hi"))
    // The words that are no style are what is wrong.
    #expect(error("Hi", "Inter Semi-Bld") == .noFont("Inter Semi-Bld", like: "Inter", text: "Hi"))
    let far = try #require(error("Hi", "Xxxxxxxxxxxxxx"))
    #expect(
      far.description.hasPrefix("“Hi”: the font Xxxxxxxxxxxxxx is not installed; like it is "))
  }

  @Test func aCharacterThatNoFontHasIsNamed() throws {
    let found = try #require(error("a\u{FFFFD}"))
    #expect(found == .noCharacters(["\u{FFFFD}"], text: "a\u{FFFFD}"))
    #expect(found.description.contains("has \u{FFFFD} (U+FFFFD); install one"))
    let many = String(
      String.UnicodeScalarView((0xF_FFF0...0xF_FFF5).compactMap { Unicode.Scalar($0) }))
    #expect(try #require(error(many)).description.contains(" and 2 more; "))
  }
}
