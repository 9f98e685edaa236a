import Testing

/// Subtitles as tracks: the look is where they are, while they are shown.
struct SubtitleTracksTests {
  private static let (width, height) = (48, 32)
  private static let first = Array("YUV4MPEG2 W48 H32 F25:1 Ip A1:1 C444\n".utf8)
  private static let frame = Array("FRAME\n".utf8)

  /// Ten frames with edges everywhere.
  private static let video: [UInt8] = {
    var video: [UInt8] = first
    for number in 0..<10 {
      video += frame
      for place in 0..<3 * width * height {
        video.append((place / 3 + number) % 2 == 0 ? 60 : 160)
      }
    }
    return video
  }()

  private static let subRip =
    "1\r\n00:00:00,080 --> 00:00:00,200\r\nHello,\r\nthere\r\n\r\n2\r\n00:00:00,320 --> 00:00:00,360\r\n#1\r\n"
  private static let webVTT =
    "WEBVTT\n\nNOTE whatever\n\n00:00.080 --> 00:00.200 line:80%\nHello\n\n2\n00:00.320 --> 00:00.360\n- there\n"

  @Test(arguments: [("words.srt", subRip), ("words.vtt", webVTT)])
  func theLookIsThereWhileTheyAreShown(_ name: String, _ text: String) throws {
    let scratch = try Scratch()
    try scratch.add("in.y4m", Self.video)
    try scratch.add(name, Array(text.utf8))
    let run = try scratch.shell(
      "\"$frostglass\" video - - --sigma 3 --tracks \(name) --cues-at 8,16,32,12 < in.y4m > out.y4m"
    )
    #expect(run.exitCode == 0, "\(run)")
    let result = try scratch.contents("out.y4m")
    try #require(result.count == Self.video.count)
    let length = Self.frame.count + 3 * Self.width * Self.height
    for number in 0..<10 {
      let start = Self.first.count + number * length + Self.frame.count
      let changed = (0..<3 * Self.width * Self.height).filter {
        result[start + $0] != Self.video[start + $0]
      }
      // From 0.08 s to the frame before 0.2 s, and that at 0.32 s.
      let isShown = [2, 3, 4, 8].contains(number)
      #expect(changed.isEmpty != isShown, "\(number)")
      let area = Self.width * Self.height
      let isInside = changed.allSatisfy {
        (8..<40).contains($0 % Self.width) && (16..<28).contains($0 % area / Self.width)
      }
      #expect(isInside, "\(number)")
    }
    // The same in a form that says places.
    let converted = try scratch.shell(
      """
      "$frostglass" tracks \(name) places.json --cues-at 8,16,32,12 &&
      "$frostglass" video - - --sigma 3 --tracks places.json < in.y4m > again.y4m && cmp out.y4m again.y4m
      """)
    #expect(converted.exitCode == 0, "\(converted)")
  }

  @Test(
    arguments: [
      ("--tracks words.srt", 65, "--cues-at SHAPE says where they are"),
      ("--tracks words.srt --cues-at 1,2,3", 64, "--cues-at"),
      ("--tracks t.csv --cues-at 1,2,3,4", 65, "--cues-at is for subtitles, and csv says"),
      ("--tracks folder --cues-at 1,2,3,4", 65, "it is a folder, and --cues-at is for subtitles"),
      ("--cues-at 1,2,3,4", 64, "--cues-at needs --tracks"),
    ])
  func whatSaysNoPlaceNeedsOne(_ words: String, _ code: Int, _ told: String) throws {
    let scratch = try Scratch()
    try scratch.add("words.srt", Array(Self.subRip.utf8))
    try scratch.add("t.csv", Array("frame,x,y,w,h\n0,1,1,9,9\n".utf8))
    try scratch.addFolder("folder")
    let run = try scratch.shell("\"$frostglass\" video - - --sigma 3 \(words) < /dev/null")
    #expect(run.exitCode == Int32(code) && run.errors.contains(told), "\(run)")
  }
}
