import FrostglassCore
import FrostglassStills
import Testing

@Suite struct StillFormatTests {
  @Test(arguments: [
    ("jpg", StillFormat.jpeg), ("JPEG", .jpeg), ("jpe", .jpeg), ("jfif", .jpeg), ("Png", .png),
    ("webp", .webp), ("avif", .avif), ("heic", .heic), ("HEIF", .heic), ("gif", .gif),
    ("tif", .tiff), ("tiff", .tiff), ("jxl", .jxl), ("bmp", .bmp), ("ppm", .ppm), ("PGM", .ppm),
    ("pnm", .ppm), ("pfm", .pfm),
  ])
  func extensionsNameFormatsInAnyCase(name: String, format: StillFormat) {
    #expect(StillFormat(fileExtension: name) == format)
  }

  @Test(arguments: ["", "txt", ".png", "svg", "pdf"])
  func otherExtensionsNameNone(name: String) {
    #expect(StillFormat(fileExtension: name) == nil)
  }

  @Test(arguments: StillFormat.allCases)
  func theUsualExtensionNamesItsFormat(format: StillFormat) {
    #expect(StillFormat(fileExtension: format.fileExtension) == format)
  }

  @Test(arguments: StillFormat.allCases, PixelFormat.all)
  func anAcceptedPixelFormatIsAcceptedAsItIs(format: StillFormat, source: PixelFormat) {
    let accepted = format.pixelFormat(preserving: source)
    #expect(format.pixelFormat(preserving: accepted) == accepted)
  }

  @Test func theFormatToWriteComesFromTheLastExtension() throws {
    #expect(try StillFormat.toWrite(path: "a.b/c.tar.PNG") == .png)
    for path in ["a.png/picture", "picture", "picture.", "a.psd", "a.txt"] {
      #expect(throws: EncodeError.self) { try StillFormat.toWrite(path: path) }
    }
  }

  @Test func aFormatThatCannotBeWrittenIsNamedWithThoseThatCan() {
    let error = EncodeError.unknownFormat(fileExtension: "psd", accepted: StillFormat.allCases)
    #expect(
      error.description
        == "psd is not a format that can be written; written are JPEG, PNG, APNG, WebP, AVIF, HEIC, JPEG XL, "
        + "GIF, TIFF, BMP, PPM, PFM")
  }
}
