import Testing

/// The script that holds videos against what `frostglass video` makes of them, for what ffmpeg does not make:
/// information for each frame, put between its slices by hand.
@Suite(
  .enabled(
    if: RunningService.has("ffmpeg", "ffprobe", "python3"), "needs ffmpeg, ffprobe and python3"))
struct VideoTableTests {
  /// The script ends with 1 where a video is refused that is to be taken, where its frames are not the same
  /// without loss, or where what is left out is not said.
  @Test(arguments: [
    ("HDR10+", "left out, as libx265 takes none: HDR10+ for each frame"),
    ("Dolby Vision", "left out, as libx265 takes none: Dolby Vision"),
    ("captions in HEVC", "left out, as libx265 takes none: closed captions"),
    // Captions, as all side data, are the same.
    ("captions in H.264", "| 25 same | same | same | none | none | 25 same | 0 |  |"),
  ])
  func whatFramesSayStaysOrIsNamed(_ video: String, _ told: String) throws {
    let scratch = try Scratch()
    let script = CommandRun.package + "/Benchmarks/films/film_table.py"
    let run = try scratch.shell(
      "PYTHONDONTWRITEBYTECODE=1 python3 '\(script)' --program \"$frostglass\" --only '\(video)'")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text.contains(told), "\(run)")
  }
}
