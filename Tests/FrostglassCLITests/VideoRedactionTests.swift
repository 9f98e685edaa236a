import FrostglassCore
import Glibc
import Testing

/// `frostglass redact in.mp4 out.mp4`: what is hidden is nowhere in what is written, what is not known is not
/// shown.
@Suite(.enabled(if: Scratch.hasFFmpeg, "there is no ffmpeg")) struct VideoRedactionTests {
  private static let (width, height) = (96, 64)
  /// Without loss, so that only what differs differs.
  private static let lossless = "-c:v libx264 -preset ultrafast -qp 0 -pix_fmt yuv420p"

  /// A video of smooth noise as y4m; in the frames named a mark of random bytes stands where it is said.
  private func video(
    frames: Int = 12, mark: (frames: Range<Int>, x: Int, y: Int)? = nil
  ) -> [UInt8] {
    var video = Array("YUV4MPEG2 W\(Self.width) H\(Self.height) F25:1 Ip A1:1 C420mpeg2\n".utf8)
    for frame in 0..<frames {
      var luma = (0..<Self.width * Self.height).map { index in
        UInt8(60 + (index % Self.width * 3 + index / Self.width * 5 + frame * 7) % 120)
      }
      if let mark, mark.frames.contains(frame) {
        for place in 0..<36 {
          luma[(mark.y + place / 6) * Self.width + mark.x + place % 6] =
            UInt8(truncatingIfNeeded: place * 7919 + 13)
        }
      }
      video += Array("FRAME\n".utf8) + luma
      video += [UInt8](repeating: 120, count: Self.width * Self.height / 2)
    }
    return video
  }

  private func shell(_ scratch: Scratch, _ script: String) throws -> CommandRun {
    let run = try scratch.shell("set -e\n" + script)
    try #require(run.exitCode == 0, "\(run)")
    return run
  }

  private func ffmpeg(_ scratch: Scratch, _ words: String) throws {
    _ = try shell(scratch, "ffmpeg -v error -y -nostdin -bitexact \(words)")
  }

  /// Something that stands still, as MOT, in frames that count from 1.
  private func tracks(_ frames: [Int], x: Int = 10, y: Int = 10, score: Double = 0.9) -> String {
    frames.map { "\($0),5,\(x + 1),\(y + 1),24,20,\(score),-1,-1,-1\n" }.joined()
  }

  /// Places of a mark that a redaction has to hide.
  private static let hidingPlaces = ["gap", "pre-roll", "cover", "second video", "places", "slip"]

  /// Two videos that differ only in a hidden mark give the same bytes.
  @Test(arguments: hidingPlaces) func aMarkIsFoundNowhere(_ place: String) throws {
    let scratch = try Scratch()
    for (name, isMarked) in [("plain", false), ("marked", true)] {
      func mark(_ frames: Range<Int>, x: Int = 18, y: Int = 16) -> (Range<Int>, Int, Int)? {
        isMarked ? (frames, x, y) : nil
      }
      let inFrames =
        switch place {
        case "gap": mark(4..<7)
        // Just before it was found.
        case "slip": mark(1..<2)
        case "pre-roll": mark(0..<10)
        default: nil as (Range<Int>, Int, Int)?
        }
      try scratch.add("in.y4m", video(frames: place == "pre-roll" ? 22 : 12, mark: inFrames))
      try scratch.add("second.y4m", video(frames: 12, mark: mark(0..<12)))
      let text = isMarked ? "marked" : "plain"
      switch place {
      case "pre-roll":
        try ffmpeg(scratch, "-i in.y4m \(Self.lossless) -g 50 long.mp4")
        try ffmpeg(scratch, "-ss 0.4 -i long.mp4 -c copy \(name).mp4")
        let hidden = try shell(
          scratch,
          "ffprobe -v error -count_packets -show_entries "
            + "stream=nb_read_packets -of csv=p=0 \(name).mp4")
        #expect(hidden.text.hasPrefix("22"), "\(hidden)")
      case "cover":
        try ffmpeg(
          scratch, "-f lavfi -i color=\(isMarked ? "red" : "blue"):s=16x16 -frames:v 1 c.png")
        try ffmpeg(
          scratch,
          "-i in.y4m -i c.png -map 0 -map 1 \(Self.lossless) -c:v:1 png -disposition:v:1 attached_pic \(name).mp4"
        )
      case "second video":
        try ffmpeg(
          scratch, "-i in.y4m -i second.y4m -map 0 -map 1 \(Self.lossless) \(name).mp4")
      case "places":
        try ffmpeg(
          scratch,
          "-i in.y4m \(Self.lossless) -metadata location=+52.\(isMarked ? "5" : "4")+013.3/ -metadata comment=\(text) "
            + "-metadata:s:v:0 title=\(text) -movflags use_metadata_tags \(name).mp4")
      default: try ffmpeg(scratch, "-i in.y4m \(Self.lossless) \(name).mp4")
      }
    }
    #expect(try scratch.contents("plain.mp4") != scratch.contents("marked.mp4"))
    // Lost in frames 5, 6 and 7, or not found before frame 3.
    let frames = place == "slip" ? Array(3...12) : [1, 2, 3, 4, 8, 9, 10, 11, 12]
    try scratch.add("tracks", Array(tracks(frames).utf8))
    for fill in ["--fill solid", "", "--fill frosted --filter none"] {
      for name in ["plain", "marked"] {
        let run = try scratch.shell(
          "\"$frostglass\" redact \(name).mp4 safe-\(name).mp4 --overwrite --tracks tracks --speed ultrafast "
            + "--backend fast --audit \(name).json \(fill)")
        #expect(run.exitCode == 0, "\(run)")
      }
      let (one, other) = (
        try scratch.contents("safe-plain.mp4"), try scratch.contents("safe-marked.mp4")
      )
      #expect(one == other, "\(place) \(fill)")
      #expect(one.count > 1000)
    }
    let audit = String(decoding: try scratch.contents("marked.json"), as: UTF8.self)
    let told = [
      "cover": "stream 1 (cover, png)", "second video": "stream 1 (video, h264",
      "places": "tag location",
    ]
    if let told = told[place] { #expect(audit.contains(told), "\(audit)") }
    #expect(audit.split(separator: "\n").filter { $0.contains("\"frame\":") }.count == 12)
  }

  /// Outside of what is covered not a sample changes, and every frame is covered where its track is.
  @Test(arguments: [0, 90, 180]) func onlyWhatIsCoveredChanges(_ angle: Int) throws {
    let scratch = try Scratch()
    try scratch.add("in.y4m", video())
    try ffmpeg(scratch, "-i in.y4m \(Self.lossless) coded.mp4")
    try ffmpeg(scratch, "-i coded.mp4 -c copy -metadata:s:v:0 rotate=\(angle) in.mp4")
    let upright = angle == 90 ? (Self.height, Self.width) : (Self.width, Self.height)
    let moving =
      "frame,x,y,w,h,id\n" + (0..<12).map { "\($0),\(4 + 3 * $0),20,16,16,1\n" }.joined()
    try scratch.add("tracks", Array(moving.utf8))
    let run = try scratch.shell(
      "\"$frostglass\" redact in.mp4 out.mp4 --tracks tracks --crf 0 --fill solid --color white --grow 0 "
        + "--spread-frames 0 --grow-motion 0")
    #expect(run.exitCode == 0, "\(run)")
    _ = try shell(
      scratch,
      """
      ffmpeg -v error -nostdin -i in.mp4 -vf extractplanes=y -f rawvideo before
      ffmpeg -v error -nostdin -i out.mp4 -vf extractplanes=y -f rawvideo after
      """)
    let (before, after) = (try scratch.contents("before"), try scratch.contents("after"))
    let area = Self.width * Self.height
    #expect(before.count == 12 * area && after.count == before.count)
    for frame in 0..<12 {
      for place in 0..<area {
        let (x, y) = (place % upright.0, place / upright.0)
        let isInside = (4 + 3 * frame..<20 + 3 * frame).contains(x) && (20..<36).contains(y)
        let index = frame * area + place
        if isInside {
          guard after[index] == 235 else {
            Issue.record("frame \(frame) shows \(x), \(y)")
            return
          }
          continue
        }
        // To the grid of 4, and 3 for the color differences of what is hidden.
        let isNear = (-4 + 3 * frame..<28 + 3 * frame).contains(x) && (12..<44).contains(y)
        guard isNear || after[index] == before[index] else {
          Issue.record("frame \(frame) changed at \(x), \(y)")
          return
        }
      }
    }
  }

  /// Frames without known regions are not written.
  @Test(
    arguments: [
      ("--tracks short", 65, "short: it ends before frame 8, and the video goes on"),
      ("--tracks long", 65, "of a video of 20 frames, and this one has 12"),
      ("--tracks sized", 65, "of a video of 640×480, and this one has 96×64"),
      ("--tracks away", 65, "outside the frames of 96×64"),
      ("--tracks gap --on-gap error", 65, "track 5 is lost after frame 1"),
      ("--tracks all --labels face", 65, "have no labels"),
      ("--tracks all --min-score 0.95", 65, "all regions are left out"),
      ("--region 200,4,10,10", 65, "--allow-outside"),
      ("--tracks all --rate 25", 64, "files say so themselves"),
      ("--tracks all --review r.png", 64, "--review is for images"),
      ("", 64, "nothing to redact"),
    ])
  func whatIsNotKnownIsNotShown(_ words: String, _ code: Int, _ told: String) throws {
    let scratch = try Scratch()
    try scratch.add("in.y4m", video())
    try ffmpeg(scratch, "-i in.y4m \(Self.lossless) in.mp4")
    unlink(scratch / "in.y4m")
    let key = #"{"frame": 0, "bbox": [4, 4, 16, 16], "until": 12}"#
    for (name, text) in [
      ("short", tracks(Array(1...8))), ("long", tracks(Array(1...20))),
      ("sized", "{\"size\": [640, 480], \"tracks\": [{\"keys\": [\(key)]}]}"),
      ("away", tracks(Array(1...12), x: 300)), ("gap", tracks([1, 2, 8, 12])),
      ("all", tracks(Array(1...12))),
    ] { try scratch.add(name, Array(text.utf8)) }
    let names = scratch.names
    let run = try scratch.shell("\"$frostglass\" redact in.mp4 out.mp4 \(words) --audit audit")
    #expect(run.exitCode == Int32(code) && run.errors.contains(told), "\(run)")
    #expect(scratch.names == names)
  }

  /// Missing frames are errors, because all frames behind them are shifted.
  @Test func damagedVideosAreRefused() throws {
    let scratch = try Scratch()
    try scratch.add("in.y4m", video(frames: 60))
    try ffmpeg(scratch, "-i in.y4m \(Self.lossless) -g 1 -movflags +faststart whole.mp4")
    _ = try shell(
      scratch,
      "dd if=/dev/zero of=whole.mp4 bs=1 seek=$(( $(stat -c %s whole.mp4) / 2 )) count=30000 conv=notrunc && mv whole.mp4 in.mp4 && rm in.y4m"
    )
    try scratch.add("tracks", Array(tracks(Array(1...60)).utf8))
    let blurred = try scratch.shell(
      "\"$frostglass\" video in.mp4 blurred.mp4 --sigma 2 --tracks tracks")
    #expect(blurred.exitCode == 65 && scratch.names.contains("blurred.mp4"), "\(blurred)")
    let run = try scratch.shell(
      "\"$frostglass\" redact in.mp4 out.mp4 --tracks tracks --tracks-frames 60")
    #expect(
      run.exitCode == 65 && run.errors.contains("damaged, so which frame is which is in doubt"),
      "\(run)")
    #expect(scratch.names == ["blurred.mp4", "in.mp4", "tracks"])
  }

  @Test func theAuditSaysWhatWasDone() throws {
    let scratch = try Scratch()
    try scratch.add("in.y4m", video())
    try ffmpeg(
      scratch,
      "-i in.y4m -f lavfi -i sine=440:d=0.48 -map 0 -map 1 \(Self.lossless) -c:a aac -metadata:s:a:0 language=deu "
        + "-metadata title=Night in.mp4"
    )
    let rows = (0..<12).map { "\($0),10,10,20,20,1,face,0.9\n\($0),60,10,20,20,2,plate,0.3\n" }
    try scratch.add("tracks.csv", Array(("frame,x,y,w,h,id,label,score\n" + rows.joined()).utf8))
    let run = try scratch.shell(
      "\"$frostglass\" redact in.mp4 out.mp4 --tracks tracks.csv --min-score 0.5 --audit a.json --grow 0 --audit-time"
    )
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.contains("left out 1 track: 1 under --min-score 0.5"), "\(run)")
    #expect(run.errors.contains("tag title is left out"), "\(run)")
    let audit = String(decoding: try scratch.contents("a.json"), as: UTF8.self)
    for (file, member) in [("in.mp4", "input"), ("out.mp4", "output")] {
      let digest = try shell(scratch, "sha256sum \(file) | cut -c1-64").text.prefix(64)
      #expect(
        audit.contains("\"\(member)\": {\"name\":\"\(file)\",\"sha256\":\"\(digest)\"}"), "\(audit)"
      )
    }
    #expect(audit.contains("\"dropped\": [\"tag title\"]"), "\(audit)")
    #expect(audit.contains("\"encoders\": [\"libx264\"]") && audit.contains("\"minScore\": 0.5"))
    #expect(audit.contains("\"taken\":1,\"leftOut\":{\"byScore\":1,\"byLabel\":0}"), "\(audit)")
    #expect(audit.contains("\"time\": \"2"), "\(audit)")
    let frames = audit.split(separator: "\n").filter { $0.contains("\"frame\":") }
    try #require(frames.count == 12 && frames.allSatisfy { $0.contains("\"label\":\"face\"") })
    #expect(frames.allSatisfy { !$0.contains("plate") } && frames[2].contains("\"time\":0.08,"))
    // Sound stays as it is, with its language.
    let sound = try shell(
      scratch,
      """
      for f in in out; do ffprobe -v error -select_streams a -show_entries \
      packet=size,data_hash:stream_tags=language -show_data_hash md5 -of compact $f.mp4; done
      """
    ).text.split(separator: "\n")
    #expect(
      sound.count > 4 && Array(sound[..<(sound.count / 2)]) == Array(sound[(sound.count / 2)...]))
    #expect(sound.contains { $0.contains("language=deu") })
    // Plates are still to be seen.
    let all = try scratch.shell(
      "\"$frostglass\" redact in.mp4 all.mp4 --tracks tracks.csv --labels plate,dog --grow 0 --quiet"
    )
    #expect(all.exitCode == 0 && all.errors.isEmpty, "\(all)")
    let json = try scratch.shell(
      "\"$frostglass\" redact in.mp4 all.mp4 --overwrite --tracks tracks.csv --labels plate,dog --json"
    )
    #expect(json.exitCode == 0 && json.text.contains("\"frames\":12"), "\(json)")
    #expect(json.text.contains("no track has the label dog"), "\(json)")
  }

  /// A video is not published if its audit cannot be written.
  @Test func noVideoIsThereWithoutItsAudit() throws {
    let scratch = try Scratch()
    try scratch.add("in.y4m", video())
    try ffmpeg(scratch, "-i in.y4m \(Self.lossless) in.mp4")
    let run = try scratch.shell(
      "\"$frostglass\" redact in.mp4 out.mp4 --region 10,10,20,20 --speed ultrafast --backend fast "
        + "--audit /dev/full")
    #expect(run.exitCode == 73 && run.errors.contains("/dev/full"), "\(run)")
    #expect(scratch.names == ["in.mp4", "in.y4m"])
  }

  /// Nothing in the video says by which weights a color becomes planes.
  @Test func theMatrixOfAColorIsSaid() throws {
    let scratch = try Scratch()
    try scratch.add("in.y4m", video(frames: 2))
    try ffmpeg(scratch, "-i in.y4m \(Self.lossless) in.mp4")
    let words = "colors are taken for bt601, as frames of 64 rows mostly are; --matrix"
    try scratch.add("tracks.csv", Array(tracks([1, 2]).utf8))
    for place in ["--region 10,10,20,20", "--tracks tracks.csv"] {
      for (color, isSaid) in [("red", true), ("white", false), ("red --matrix bt709", false)] {
        let run = try scratch.video(
          "redact in.mp4 out.mp4 --overwrite \(place) --fill solid --color \(color)")
        #expect(run.errors.contains(words) == isSaid, "\(color) \(place): \(run)")
      }
    }
  }

  /// Frames of red, green and blue get the color itself.
  @Test(arguments: ["ffv1 -pix_fmt bgr0", "ffv1 -pix_fmt bgra", "ffv1 -pix_fmt gbrp10le"])
  func framesOfColorsGetTheColor(_ codec: String) throws {
    let scratch = try Scratch(
      ffmpeg: "-f lavfi -i color=gray:s=64x48:r=5:d=0.4 -c:v \(codec) in.mkv")
    _ = try scratch.video(
      "redact in.mkv out.mkv --region 16,16,16,16 --grow 0 --fill solid --color '#00ff00'")
    let shown = try scratch.shell(
      "ffmpeg -v error -i out.mkv -frames:v 1 -vf crop=1:1:24:24 -f rawvideo -pix_fmt rgb24 - | od -An -tu1"
    )
    #expect(
      shown.text.split(whereSeparator: { !$0.isNumber }) == ["0", "255", "0"],
      "\(shown)")
  }

  /// Gray is the same by all weights; to bring a color to a video whose weights are not known is refused.
  @Test func aMatrixThatIsNotTakenTakesNoColor() throws {
    let scratch = try Scratch()
    try scratch.add("in.y4m", video(frames: 2))
    try ffmpeg(scratch, "-i in.y4m \(Self.lossless) -colorspace smpte240m in.mp4")
    let words = "redact in.mp4 out.mp4 --overwrite --region 10,10,20,20 --fill solid --color"
    let refusal = try scratch.video("\(words) red", exit: 65)
    #expect(refusal.errors.contains("the matrix smpte240m, which only plain blurs take"))
    #expect(scratch.names == ["in.mp4", "in.y4m"])
    for color in ["white", "red --matrix bt709"] {
      let run = try scratch.video("\(words) \(color)")
      #expect(!run.errors.contains("matrix"), "\(color): \(run)")
    }
  }

  /// Something that is mounted there cannot be replaced, which only its rename finds out.
  @Test(.enabled(if: Privileges.ownMounts != nil, "mounting is not permitted here"))
  func noAuditIsThereWithoutItsVideo() throws {
    let scratch = try Scratch()
    try scratch.add("in.y4m", video())
    try ffmpeg(scratch, "-i in.y4m \(Self.lossless) in.mp4")
    try scratch.add("out.mp4", [1])
    let mounts = try #require(Privileges.ownMounts)
    let run = try scratch.shell(
      """
      \(mounts) sh -c 'mount --bind out.mp4 out.mp4
      exec "$frostglass" redact in.mp4 out.mp4 --region 10,10,20,20 --speed ultrafast --backend fast \
        --overwrite --audit a.json'
      """)
    #expect(run.exitCode == 73 && run.errors.contains("out.mp4"), "\(run)")
    #expect(scratch.names == ["in.mp4", "in.y4m", "out.mp4"])
    #expect(try scratch.contents("out.mp4") == [1])
  }

  /// Ended in the middle of any write, it leaves nothing under the name: a file may only become so large here
  /// before the system ends the process.
  @Test func endedAtAnyByte() throws {
    let scratch = try Scratch()
    try scratch.add("in.y4m", video(frames: 25))
    try ffmpeg(scratch, "-i in.y4m \(Self.lossless) in.mp4")
    unlink(scratch / "in.y4m")
    let words = "redact in.mp4 out.mp4 --region 10,10,20,20 --crf 0 --backend fast"
    let whole = try scratch.shell("\"$frostglass\" \(words)")
    let size = try scratch.contents("out.mp4").count
    #expect(whole.exitCode == 0 && size > 4096, "\(whole)")
    unlink(scratch / "out.mp4")
    for blocks in stride(from: 0, to: size / 512, by: max(size / 512 / 7, 1)) {
      let run = try scratch.shell("ulimit -f \(blocks); ulimit -c 0; exec \"$frostglass\" \(words)")
      #expect(run.exitCode != 0, "\(blocks) of \(size / 512): \(run)")
      #expect(!scratch.names.contains("out.mp4"), "\(blocks)")
    }
  }

  /// The second video is a pipe that nobody writes to: what was before is done, and nothing more will be.
  @Test(arguments: [SIGINT, SIGKILL])
  func anInterruptedBatchHasToldOfItsVideos(_ signal: Int32) throws {
    let scratch = try Scratch()
    try scratch.add("in.y4m", video())
    try scratch.addFolder("films")
    try ffmpeg(scratch, "-i in.y4m \(Self.lossless) films/a.mp4")
    #expect(mkfifo(scratch / "films/b.mp4", 0o600) == 0)
    let words = [
      "redact", "films/a.mp4", "films/b.mp4", "--out-dir", "safe", "--region", "9,9,20,20",
      "--audit",
      "a.json", "--speed", "ultrafast", "--backend", "fast",
    ]
    func outputs() throws -> [String] {
      let text = String(decoding: try scratch.contents("a.json"), as: UTF8.self)
      guard case .array(let rows) = try JSONValue(text: text).content else { return [text] }
      return rows.map { "\($0)".contains("safe/a.mp4") ? "a" : "b" }
    }
    let running = try RunningCommand(CommandRun.executable, words, in: scratch.path)
    let pipe = open(scratch / "films/b.mp4", O_WRONLY)
    running.send(signal)
    let run = try running.end()
    close(pipe)
    #expect(run.signal == signal, "\(run)")
    #expect(scratch.names.filter { $0.hasPrefix("safe/") } == ["safe/", "safe/a.mp4"])
    #expect(try outputs() == ["a"])
    unlink(scratch / "films/b.mp4")
    try scratch.add("films/b.mp4", scratch.contents("films/a.mp4"))
    let rest = try scratch.run(words + ["--resume"])
    #expect(rest.exitCode == 0 && !rest.errors.contains("warning"), "\(rest)")
    #expect(try outputs() == ["a", "b"])
    // Without their rows they are there all the same, and that is said.
    unlink(scratch / "a.json")
    let untold = try scratch.run(words + ["--resume"])
    #expect(
      untold.errors.contains("warning: 2 videos are there already and not in a.json"), "\(untold)")
  }

  /// Videos of a folder, each with tracks of its own name; what has none is not written.
  @Test func aFolderOfVideos() throws {
    let scratch = try Scratch()
    try scratch.add("in.y4m", video())
    for folder in ["films/far", "tracks/far"] { try scratch.addFolder(folder) }
    try ffmpeg(scratch, "-i in.y4m \(Self.lossless) films/a.mp4")
    _ = try shell(
      scratch,
      "rm in.y4m; cp films/a.mp4 films/far/b.mp4; cp films/a.mp4 films/c.MP4; head -c 900 films/a.mp4 > films/d.mp4"
    )
    for name in ["a.csv", "far/b.csv", "d.csv"] {
      let rows = (0..<12).map { "\($0),10,10,20,20,1\n" }.joined()
      try scratch.add("tracks/" + name, Array(("frame,x,y,w,h,id\n" + rows).utf8))
    }
    let run = try scratch.shell(
      "\"$frostglass\" redact films --recursive --out-dir safe --tracks tracks --audit a.json --speed ultrafast"
    )
    #expect(run.exitCode == 65, "\(run)")
    #expect(run.errors.contains("2 done, 1 failed, 1 without regions left out in"), "\(run)")
    #expect(
      run.errors.contains("1 of 4 have no regions and were not written:\n  films/c.MP4"), "\(run)")
    #expect(
      scratch.names.filter { $0.hasPrefix("safe/") } == [
        "safe/", "safe/a.mp4", "safe/far/", "safe/far/b.mp4",
      ])
    let audit = String(decoding: try scratch.contents("a.json"), as: UTF8.self)
    #expect(
      audit.hasPrefix("[\n{")
        && audit.split(separator: "\n").filter { $0.contains("\"frame\":") }.count == 24)
    #expect(audit.contains("\"name\":\"tracks/far/b.csv\""), "\(audit)")
    // Once more, nothing is done; other commands take videos as well.
    let again = try scratch.shell(
      "\"$frostglass\" redact films/a.mp4 films/far/b.mp4 --out-dir safe --resume --tracks tracks --json"
    )
    #expect(again.text.contains("\"status\":\"skipped\""), "\(again)")
    for words in [
      "video films/a.mp4 films/c.MP4 --sigma 3", "fill films/a.mp4 films/c.MP4 --size 40x60",
    ] {
      let other = try scratch.shell(
        "\"$frostglass\" \(words) --out-dir more --overwrite --speed ultrafast")
      #expect(other.exitCode == 0 && other.errors.contains("2 done in"), "\(other)")
      #expect(
        scratch.names.filter { $0.hasPrefix("more/") } == ["more/", "more/a.mp4", "more/c.MP4"])
    }
    let audited = try scratch.shell(
      "\"$frostglass\" redact films/a.mp4 --out-dir safe --tracks tracks --audit films/a.mp4 --overwrite"
    )
    #expect(
      audited.exitCode == 64 && audited.errors.contains("of this command"), "\(audited)")
    let same = try scratch.shell(
      "\"$frostglass\" video films/a.mp4 --sigma 3 --out-dir films --overwrite")
    #expect(same.exitCode == 64 && same.errors.contains("would be its own output"), "\(same)")
  }
}
