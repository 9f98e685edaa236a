import Testing

/// Parts of videos, by times and by frames.
@Suite(.enabled(if: Scratch.hasFFmpeg, "there is no ffmpeg")) struct VideoPartTests {
  /// A video of 32 frames that are shown, behind 18 that an edit list hides; one of 44 at various times, with
  /// frames that are coded before others; and one that begins late.
  private static let videos: [(name: String, lines: [String])] = [
    (
      "hidden",
      [
        "-f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=440:d=2 -c:v libx264 -preset ultrafast -g 60 "
          + "-pix_fmt yuv420p -c:a aac long.mp4", "-ss 0.7 -i long.mp4 -c copy in.mp4",
      ]
    ),
    (
      "variable",
      [
        "-f lavfi -i testsrc2=s=64x48:r=30000/1001:d=1.6 -vf \"select='not(eq(n,2)+eq(n,3)+eq(n,7)+eq(n,20))'\" "
          + "-fps_mode passthrough -c:v libx264 -bf 3 -g 12 -pix_fmt yuv420p -video_track_timescale 90000 in.mp4"
      ]
    ),
    (
      "late",
      [
        "-f lavfi -i testsrc2=s=64x48:r=25:d=1.6 -f lavfi -i sine=440:d=1.6 -c:v libx264 -preset ultrafast -g 10 "
          + "-pix_fmt yuv420p -c:a mp2 -muxdelay 1.4 in.ts"
      ]
    ),
  ]

  private func digests(_ scratch: Scratch, _ file: String) throws -> [Substring] {
    let text = try scratch.shell(
      "ffmpeg -v error -nostdin -i \(file) -map 0:v -fps_mode passthrough -f framemd5 -"
    ).text
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .compactMap { $0.split(separator: " ").last }
  }

  /// Frame n is the n-th that is shown, wherever it is in the file.
  @Test(arguments: videos.indices) func framesAreCountedAsTheyAreShown(_ index: Int) throws {
    let video = Self.videos[index]
    let scratch = try Scratch(ffmpeg: video.lines)
    let input = scratch.names.contains("in.ts") ? "in.ts" : "in.mp4"
    let all = try digests(scratch, input)
    try #require(all.count > 30)
    for (words, part) in [
      ("9..23", Array(all[9..<23])), ("..4", Array(all[..<4])), ("28..", Array(all[28...])),
      ("28..999", Array(all[28...])),
    ] {
      let run = try scratch.shell(
        "\"$frostglass\" video \(input) out.mkv --overwrite --filter none --codec ffv1 --frames \(words)"
      )
      #expect(run.exitCode == 0, "\(run)")
      #expect(try digests(scratch, "out.mkv") == part, "\(video.name) \(words)")
    }
    // The same by times, between those of frames.
    let timed = try scratch.shell(
      """
      "$frostglass" video \(input) late.mkv --filter none --codec ffv1 --time 0.5..1
      """)
    #expect(timed.exitCode == 0, "\(timed)")
    let part = try digests(scratch, "late.mkv")
    #expect((10...13).contains(part.count) || video.name == "variable", "\(part.count)")
    let first = try #require(all.firstIndex { $0 == part.first })
    #expect((10...15).contains(first) && part == Array(all[first..<first + part.count]))
    // The image is the one that the part of that frame begins with.
    for frame in [0, 17] {
      let run = try scratch.shell(
        """
        "$frostglass" video \(input) one.mkv --overwrite --filter none --codec ffv1 --frames \(frame)..\(frame + 1) &&
        "$frostglass" video one.mkv one.png --overwrite --filter none --frames 0 &&
        "$frostglass" video \(input) still.png --overwrite --filter none --frames \(frame) && cmp one.png still.png
        """)
      #expect(run.exitCode == 0, "\(video.name) \(frame): \(run)")
    }
  }

  /// Ranges that begin behind the end are errors with the value, for videos and for images.
  @Test(
    arguments: [
      ("out.mp4 --frames 40..", 64, "--frames is 40.., and in.mp4 has 32 frames"),
      ("out.png --frames 32", 64, "in.mp4 has 32 frames, which count from 0"),
      ("out.mp4 --frames 7", 64, "7..8, or a name such as still.png"),
      ("out.mp4 --frames 9..9", 64, "two numbers such as 250..500"),
      ("out.mp4 --frames 1s..2s", 64, "two numbers such as 250..500"),
      ("out.mp4 --frames ..", 64, "two numbers such as 250..500"),
      ("out.mp4 --frames 1..9 --time 0..1", 64, "--time and --frames both say"),
      ("out.mp4 --frames 1..9 --tracks t.csv", 64, "and --frames takes a part"),
      ("out.mp4 --time 8..9", 64, "--time begins at 8.0 s, and in.mp4 is not as long"),
      ("out.gif --time 8..9", 64, "--time begins at 8.0 s, and in.mp4 is not as long"),
      ("out.y4m", 64, "frames as y4m go between pipes"),
    ])
  func partsThatAreNotThere(_ words: String, _ code: Int, _ told: String) throws {
    let scratch = try Scratch(ffmpeg: Self.videos[0].lines)
    try scratch.add("t.csv", Array("frame,x,y,w,h\n0,1,1,9,9\n".utf8))
    let names = scratch.names
    let run = try scratch.shell("\"$frostglass\" video in.mp4 \(words) --sigma 2")
    #expect(run.exitCode == Int32(code) && run.explains([told]), "\(run)")
    #expect(scratch.names == names)
  }
}
