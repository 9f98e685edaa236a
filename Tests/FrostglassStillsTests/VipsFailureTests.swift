import FrostglassStills
import Testing

@Suite struct VipsFailureTests {
  @Test(arguments: [
    ("VipsJpeg: Premature end of input file\nVipsJpeg: more\n", "Premature end of input file"),
    ("vipspng: libpng read error\n", "its PNG data is cut off or fails its checksum"),
    (
      "source: out of order read at line 3\ngifload_base: Invalid frame data\n",
      "Invalid frame data"
    ),
    ("tiff2vips: out of order read: line 3\n", "out of order read: line 3"),
    ("a sentence: with a colon\n", "a sentence: with a colon"),
    ("\n\n", "its contents make no sense"), ("", "its contents make no sense"),
  ])
  func theReasonIsTheFirstLineThatNamesACause(log: String, reason: String) {
    #expect(VipsFailure(log: log).reason == reason)
  }

  /// A disk that is full is no fault of a format.
  @Test func aFullDiskIsTold() {
    let sink = StillSink.file("a.ppm", overwrite: false)
    for words in ["File too large", "No space left on device", "Disk quota exceeded"] {
      #expect(
        sink.failure(spooling: VipsFailure(log: "unix error: \(words)\n"), as: .ppm)
          == .unwritable(path: "a.ppm", reason: words))
    }
    #expect(
      sink.failure(spooling: VipsFailure(log: "no such compression\n"), as: .tiff)
        == .cannotEncode(format: .tiff, reason: "no such compression"))
  }
}
