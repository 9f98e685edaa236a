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
}
