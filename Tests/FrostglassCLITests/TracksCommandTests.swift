import FrostglassCore
import Testing

/// `frostglass tracks`, and `--tracks` of `video` and `redact`.
@Suite struct TracksCommandTests {
  private static let (width, height) = (96, 64)
  private static let frameBytes = width * height * 3 / 2 + 6

  /// A video of smooth noise; in the frames named a mark of random bytes stands where it is said.
  private func video(
    frames: Int = 12, mark: (frames: ClosedRange<Int>, x: Int, y: Int)? = nil
  ) -> [UInt8] {
    var video = Array("YUV4MPEG2 W\(Self.width) H\(Self.height) F25:1 Ip A1:1 C420mpeg2\n".utf8)
    for frame in 0..<frames {
      video += Array("FRAME\n".utf8)
      var luma = (0..<Self.width * Self.height).map { index in
        UInt8(60 + (index % Self.width * 3 + index / Self.width * 5 + frame * 7) % 120)
      }
      if let mark, mark.frames.contains(frame) {
        for place in 0..<36 {
          luma[(mark.y + place / 6) * Self.width + mark.x + place % 6] =
            UInt8(truncatingIfNeeded: place * 7919 + 13)
        }
      }
      video += luma + [UInt8](repeating: 120, count: Self.width * Self.height / 2)
    }
    return video
  }

  private func frame(_ index: Int, of video: [UInt8]) -> ArraySlice<UInt8> {
    let start = video.count % Self.frameBytes + index * Self.frameBytes
    return video[start..<start + Self.frameBytes]
  }

  private func run(
    _ words: String, _ tracks: String, _ video: [UInt8], name: String = "tracks"
  ) throws -> (run: CommandRun, output: [UInt8], audit: String) {
    let scratch = try Scratch()
    try scratch.add("in", video)
    try scratch.add(name, Array(tracks.utf8))
    let run = try scratch.shell("\"$frostglass\" \(words) --backend fast < in > out")
    let audit = (try? scratch.contents("audit")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return (run, try scratch.contents("out"), audit)
  }

  /// Something that goes 6 pixels to the right in each frame, as a table.
  private let moving =
    "frame,x,y,w,h,id,label\n" + (0..<12).map { "\($0),\(4 + 6 * $0),20,16,16,1,face\n" }.joined()

  @Test(arguments: [
    "video - - --sigma 4", "video - - --filter 'saturation(0) blur(3px)'", "redact - -",
  ])
  func regionsMoveWithTheFrames(_ words: String) throws {
    let video = video()
    let exact = words.hasPrefix("video") ? "" : " --spread-frames 0 --grow-motion 0 --grow 0"
    let (run, output, _) = try run("\(words) --tracks tracks\(exact)", moving, video)
    #expect(run.exitCode == 0 && output.count == video.count, "\(run)")
    for index in 0..<12 {
      let (before, after) = (Array(frame(index, of: video)), Array(frame(index, of: output)))
      var columns: Set<Int> = []
      for place in 0..<Self.width * Self.height where before[6 + place] != after[6 + place] {
        columns.insert(place % Self.width)
        #expect((16..<40).contains(place / Self.width) || !words.hasPrefix("video"))
      }
      // Colors depend on samples around them, and a redaction widens to a grid.
      let reach = words.contains("--sigma") ? 0 : 8
      let (least, most) = (try #require(columns.min()), try #require(columns.max()))
      #expect((4 + 6 * index - reach...6 + 6 * index).contains(least), "\(index) \(least)")
      #expect((16 + 6 * index...19 + 6 * index + reach).contains(most), "\(index) \(most)")
    }
  }

  @Test func framesWithoutRegionsKeepEveryByte() throws {
    let video = video()
    let text = "frame,x,y,w,h,id\n3,4,4,16,16,1\n5,4,4,16,16,1\n"
    for words in [
      "video - - --filter 'saturation(0)'", "redact - - --tracks-frames 12 --spread-frames 0",
    ] {
      let (run, output, _) = try run("\(words) --tracks tracks", text, video)
      #expect(run.exitCode == 0, "\(run)")
      for index in 0..<12 {
        #expect(
          (frame(index, of: video).elementsEqual(frame(index, of: output))) == !(3...5).contains(
            index))
      }
    }
  }

  /// A mark that shows only while a track is lost leaves no trace in the output: videos that differ in it alone give
  /// the same bytes.
  @Test func whatShowsInAGapIsHidden() throws {
    let tracks = [1, 2, 3, 8, 9, 10].map { "\($0),5,\(5 + 6 * $0),21,16,16,0.9,-1,-1,-1\n" }
      .joined()
    let mark = (frames: 4...5, x: 43, y: 24)
    let (plain, marked) = (video(frames: 10), video(frames: 10, mark: mark))
    #expect(plain != marked)
    for words in ["redact - -", "redact - - --fill solid", "redact - - --filter none"] {
      let one = try run("\(words) --tracks tracks --spread-frames 0", tracks, plain)
      let other = try run("\(words) --tracks tracks --spread-frames 0", tracks, marked)
      #expect(one.run.exitCode == 0 && one.output.count == plain.count, "\(one.run)")
      #expect(one.output == other.output, "\(words)")
      #expect(one.output != plain)
    }
    // Somewhere between both places it would be seen if these alone were held.
    let held = try run(
      "redact - - --tracks tracks --spread-frames 0 --on-gap hold --grow 0", tracks, plain)
    let seen = try run(
      "redact - - --tracks tracks --spread-frames 0 --on-gap hold --grow 0", tracks, marked)
    #expect(held.output != seen.output)
    let refused = try run("redact - - --tracks tracks --on-gap error", tracks, plain)
    #expect(refused.run.exitCode == 65 && refused.output.isEmpty, "\(refused.run)")
    #expect(refused.run.errors.contains("track 5 is lost after frame 2 and found again at frame 7"))
  }

  /// Frames without known regions are not shown: the frames before them are written, and the exit code is 65.
  @Test(
    arguments: [
      ("tracks", "", 10, "it ends before frame 10, and the video goes on; --tracks-frames", 10),
      ("tracks", "", 9, "of a video of 10 frames, and this one has 9", 9),
      ("tracks", "--tracks-frames 12", 12, "", 12),
      ("tracks", "--tracks-frames 11", 12, "more than the 11 frames", 11),
      ("tracks", "--tracks-frames 12", 11, "has 11 frames, and --tracks-frames says 12", 11),
      ("sized", "", 10, "are of a video of 640×480, and this one has 96×64", 0),
      ("sized", "--allow-other-size", 10, "warning", 10),
      ("away", "", 10, "outside the frames of 96×64", 0),
      ("away", "--allow-outside", 10, "warning", 10),
      ("cues", "", 10, "ends before 0.4 s, and the video goes on", 10),
    ])
  func whatIsNotKnownIsNotShown(
    _ name: String, _ options: String, _ frames: Int, _ words: String, _ written: Int
  ) throws {
    let key = #"{"frame": 0, "bbox": [4, 4, 16, 16], "until": 10}"#
    let text =
      switch name {
      case "sized": "{\"size\": [640, 480], \"tracks\": [{\"keys\": [\(key)]}]}"
      case "away": "frame,x,y,w,h,id\n0,4,4,16,16,1\n9,200,4,16,16,1\n"
      case "cues": "WEBVTT\n\n00:00.000 --> 00:00.400\n#xywh=4,4,16,16\n"
      default: "frame,x,y,w,h,id\n0,4,4,16,16,1\n9,4,4,16,16,1\n"
      }
    let video = video(frames: name == "tracks" && frames == 10 ? 12 : name == "cues" ? 12 : frames)
    let (run, output, _) = try run("redact - - --tracks tracks \(options)", text, video)
    let isFine = words.isEmpty || words == "warning"
    #expect(run.exitCode == (isFine ? 0 : 65), "\(run)")
    #expect(run.errors.contains(words), "\(run)")
    #expect(output.count / Self.frameBytes == written, "\(run)")
    // A blur goes on, and says it.
    let blurred = try self.run("video - - --sigma 2 --tracks tracks", text, video)
    #expect(blurred.run.exitCode == 0 && blurred.output.count == video.count, "\(blurred.run)")
  }

  @Test func theAuditHasARowForEachFrame() throws {
    let tracks = "1,5,5,21,16,16,0.9\n2,5,11,21,16,16,0.9\n5,5,29,21,16,16,0.9\n"
    let (run, _, audit) = try run(
      "redact - - --fill solid --tracks tracks --audit audit --spread-frames 0 --tracks-frames 7",
      tracks,
      video(frames: 7))
    #expect(run.exitCode == 0, "\(run)")
    let rows = audit.split(whereSeparator: \.isNewline).filter { $0.contains("\"frame\":") }
    let states = rows.map { row in
      ["measured", "interpolated", "held"].filter { row.contains("\"\($0)\"") }.joined()
    }
    try #require(
      states == ["measured", "measured", "held", "held", "measured", "", ""], "\(audit)")
    #expect(rows[4].contains("\"time\":0.16") && rows[4].contains("\"track\":\"5\""), "\(audit)")
    #expect(audit.contains("\"reversible\": false") && audit.contains("\"onGap\":\"cover\""))
  }

  @Test func regionsInEveryFrameCountToo() throws {
    let video = video()
    let (run, output, _) = try run(
      "redact - - --tracks tracks --region 80,48,10,10 --fill solid", moving, video)
    #expect(run.exitCode == 0, "\(run)")
    let black = frame(0, of: output)
    #expect(black[black.startIndex + 6 + 50 * Self.width + 84] == 16)
    #expect(black[black.startIndex + 6 + 24 * Self.width + 10] == 16)
    let alone = try self.run("redact - - --region 80,48,10,10 --to y4m", moving, video)
    #expect(alone.run.exitCode == 0 && alone.output.count == video.count, "\(alone.run)")
  }

  @Test func formsAreConvertedAndLossesNamed() throws {
    let scratch = try Scratch()
    try scratch.add("in.csv", Array(moving.utf8))
    let said = try scratch.run("tracks", "in.csv")
    #expect(
      said.exitCode == 0 && said.text == "1 track: 1 face\n12 keys, up to 12 frames\n", "\(said)")
    for (output, options, loss) in [
      ("a.json", [], ""), ("b.xml", [], ""),
      ("c.vtt", ["--rate", "25"], "which cues are of one track"),
      ("d.txt", ["--to", "mot"], "labels"),
      ("e.json", ["--to", "coco-video", "--size", "96x64"], "ids"),
      ("f", ["--to", "yolo", "--size", "96x64"], "--tracks-columns id"),
      ("g", ["--to", "kitti"], ""),
    ] {
      let run = try scratch.run(["tracks", "in.csv", output] + options)
      #expect(run.exitCode == 0 && run.errors.contains(loss), "\(run)")
      #expect(loss.isEmpty == run.errors.isEmpty, "\(run)")
      let columns = output == "f" ? ["--tracks-columns", "id"] : []
      let back = try scratch.run(
        ["tracks", output, "back.csv", "--overwrite", "--rate", "25"] + columns)
      #expect(back.exitCode == 0, "\(back)")
      let rows = String(decoding: try scratch.contents("back.csv"), as: UTF8.self)
      #expect(
        rows.split(whereSeparator: \.isNewline).count == 13 || output == "b.xml",
        "\(output) \(rows)")
    }
    let json = try scratch.run("tracks", "d.txt", "--json")
    #expect(json.text.contains("\"tracks\":1,\"keys\":12,\"end\":12,\"length\":null"), "\(json)")
    #expect(try scratch.run("tracks", "in.csv", "a.json").exitCode == 73)
  }

  @Test(arguments: [
    ("tracks", "INPUT is needed"), ("tracks none.csv", "there is no such file"),
    ("tracks in.csv out", "--to NAME does"), ("tracks in.csv out.vtt", "--rate N says"),
    ("tracks in.csv out --to yolo", "--size WxH says it"),
    ("tracks in.csv --to csv", "is for OUTPUT"),
    ("video - - --sigma 2 --on-gap hold", "--on-gap needs --tracks FILE"),
    ("video - - --sigma 2 --tracks in.csv --on-gap holt", "did you mean hold"),
    ("redact a.png b.png --tracks in.csv", "--tracks is for videos"),
    ("redact - - --tracks in.csv --review r.png", "--review is for images"),
    ("video - - --sigma 2 --tracks in.csv --tracks-format webvtt", "does not begin with WEBVTT"),
  ])
  func wrongWordsAreNamed(_ words: String, _ told: String) throws {
    let scratch = try Scratch()
    try scratch.add("in.csv", Array(moving.utf8))
    let run = try scratch.shell("\"$frostglass\" \(words) < /dev/null")
    #expect([64, 65, 66].contains(run.exitCode) && run.explains([told]), "\(run)")
  }
}
