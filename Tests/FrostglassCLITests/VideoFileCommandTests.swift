import FrostglassCore
import FrostglassStills
import Glibc
import Testing

/// An image that moves, tiny and short.
private let picture = "-f lavfi -i testsrc2=s=64x48:r=25:d=0.4"
/// A tone of the same length.
private let tone = "-f lavfi -i sine=440:d=0.4"
/// An encoder that is fast.
private let x264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p"

/// `frostglass video in.mp4 out.mp4`: what is kept of videos, and what is refused.
///
/// Videos are made by `ffmpeg`, and what `ffprobe` says of them before and after is held against each other.
@Suite(.enabled(if: Scratch.hasFFmpeg, "there is no ffmpeg")) struct VideoFileCommandTests {
  /// Returns ffprobe's output, one value per line.
  private func probe(_ scratch: Scratch, _ file: String, _ words: String) throws -> String {
    try scratch.shell("ffprobe -v error \(words) -of compact=p=0 '\(file)'").text
  }

  /// Times, lengths and decoded contents of frames.
  private func frames(_ scratch: Scratch, _ file: String, _ stream: String = "v:0") throws -> String
  {
    try scratch.shell(
      "ffmpeg -v error -nostdin -noautorotate -copyts -i '\(file)' -map 0:\(stream) -fps_mode passthrough "
        + "-f framemd5 -"
    ).text
  }

  /// Digests of a stream's packets.
  private func packets(_ scratch: Scratch, _ file: String, _ stream: String) throws -> String {
    try scratch.shell(
      "ffprobe -v error -select_streams \(stream) -show_entries packet=size,data_hash -show_data_hash md5 "
        + "-of compact=p=0 '\(file)'"
    ).text
  }

  /// Returns each frame's start and duration, in seconds.
  private func times(_ scratch: Scratch, _ file: String) throws -> [[Double]] {
    let text = try probe(
      scratch, file, "-select_streams v:0 -show_entries packet=pts_time,duration_time")
    var times: [[Double]] = []
    for line in text.split(separator: "\n") {
      let values: [Double] = line.split(separator: "|").compactMap { word in
        Double(String(word.drop { $0 != "=" }.dropFirst()))
      }
      times.append(values)
    }
    times.sort { (one: [Double], other: [Double]) -> Bool in (one.first ?? 0) < (other.first ?? 0) }
    return times
  }

  /// Runs the command, which has to do what it is told and say one line.
  private func blur(
    _ scratch: Scratch, _ words: String, exit: Int32 = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> CommandRun {
    let run = try scratch.shell("\"$frostglass\" video \(words)")
    #expect(run.exitCode == exit, "\(words)\n\(run)", sourceLocation: sourceLocation)
    return run
  }

  /// Frames are blurred; times, sound and the rest stay.
  @Test func aVideoIsBlurred() throws {
    let scratch = try Scratch(
      ffmpeg:
        "\(picture) \(tone) \(x264) -c:a aac -metadata title=Night -metadata:s:a:0 "
        + "language=deu in.mp4")
    let run = try blur(scratch, "in.mp4 out.mp4 --sigma 4 --speed ultrafast --backend fast")
    #expect(run.errors.hasPrefix("frostglass video: 10 frames, "), "\(run)")
    #expect(
      run.errors.contains(", libx264, on fast") && run.errors.filter(\.isNewline).count == 1,
      "\(run)")
    #expect(scratch.names == ["in.mp4", "out.mp4"])
    for words in [
      "-show_entries format=duration:format_tags=title",
      "-show_entries stream=codec_name,width,height,pix_fmt,r_frame_rate,avg_frame_rate,time_base,duration",
      "-select_streams a -show_entries stream=start_time,duration:stream_tags=language",
    ] {
      #expect(try probe(scratch, "out.mp4", words) == probe(scratch, "in.mp4", words))
    }
    #expect(try times(scratch, "out.mp4") == times(scratch, "in.mp4"))
    #expect(try packets(scratch, "out.mp4", "a") == packets(scratch, "in.mp4", "a"))
    #expect(try packets(scratch, "out.mp4", "v") != packets(scratch, "in.mp4", "v"))
    // A file of that name is not replaced unasked.
    let again = try blur(scratch, "in.mp4 out.mp4 --sigma 4", exit: 73)
    #expect(again.explains(["out.mp4", "--overwrite"]), "\(again)")
    _ = try blur(scratch, "in.mp4 out.mp4 --sigma 4 --overwrite")
  }

  /// Filters that change nothing, with lossless encoding, give the same frames at the same times in every sample
  /// format.
  @Test(
    arguments: [
      ("yuv420p", "libx264"), ("yuv422p10le", "libx264"), ("yuv444p", "libx264"),
      ("yuv420p12le", "libx265 -x265-params log-level=none"), ("gray", "ffv1"),
      ("gbrp", "libx264rgb"),
      ("yuva444p10le", "ffv1"), ("gray10le", "ffv1"), ("bgra", "ffv1"), ("yuv411p", "ffv1"),
      ("gbrp10le", "ffv1"), ("yuva444p10le", "prores_ks -profile:v 4444"),
    ])
  func identityKeepsEveryFrame(_ pixels: String, _ encoder: String) throws {
    // Odd sides, where the sampling has them.
    let scratch = try Scratch(
      ffmpeg:
        "-f lavfi -i testsrc2=s=66x50:r=25:d=0.12 \(encoder.contains("264") || encoder.contains("265") ? "" : "-vf crop=65:49 ")"
        + "-c:v \(encoder) -pix_fmt \(encoder.contains("264rgb") ? "rgb24" : pixels) in.mkv")
    _ = try blur(scratch, "in.mkv out.mkv --filter none --codec ffv1")
    let (before, after) = (try frames(scratch, "in.mkv"), try frames(scratch, "out.mkv"))
    func lines(_ text: String) -> [Substring] {
      text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    }
    #expect(lines(before).count == 3)
    // Planes in another order are other bytes, and so are words with more bits, so both are compared in one form.
    // ProRes is decoded to 12 bits, which FFV1 with alpha holds in 16.
    let common = ["libx264rgb": "rgb24", "prores_ks -profile:v 4444": "yuva444p16le"][encoder]
    if let common {
      let same = try scratch.shell(
        "for f in in out; do ffmpeg -v error -i $f.mkv -pix_fmt \(common) -f framemd5 - | grep -v '^#' > $f; done; "
          + "cmp in out")
      #expect(same.exitCode == 0, "\(same)")
    } else {
      #expect(lines(after) == lines(before), "\(before)\n\(after)")
    }
  }

  /// Frames that are shown for different times, and a first one that is late.
  @Test func variableRatesStayVariable() throws {
    let scratch = try Scratch(
      ffmpeg:
        "\(picture) -vf \"select='not(eq(n,2)+eq(n,3)+eq(n,7))',setpts=PTS+3.5/TB\" -fps_mode passthrough \(x264) "
        + "-video_track_timescale 90000 in.mp4")
    _ = try blur(scratch, "in.mp4 out.mp4 --sigma 2 --speed ultrafast")
    func starts(_ file: String) throws -> [Double] {
      try times(scratch, file).compactMap { (values: [Double]) in values.first }
    }
    let (before, after) = (try starts("in.mp4"), try starts("out.mp4"))
    try #require(before.count == 7 && after == before, "\(before) \(after)")
    #expect(abs((after.first ?? 0) - 3.48) < 0.001 && abs(after[2] - 3.64) < 0.001, "\(after)")
    // The last frame is shown as long as before.
    let length = "-show_entries stream=start_pts,duration_ts,time_base,nb_frames"
    #expect(try probe(scratch, "out.mp4", length) == probe(scratch, "in.mp4", length))
  }

  /// Properties of frames, streams and the file are the same before and after.
  @Test(
    arguments: [
      ("\(picture) -vf setsar=4/3 \(x264)", "mp4"),
      ("\(picture) -c:v libx264 -pix_fmt yuvj420p -color_range pc", "mp4"),
      (
        "\(picture) -c:v libx264 -pix_fmt yuv422p10le -colorspace bt709 -color_primaries bt709 -color_trc bt709",
        "mkv"
      ),
      ("\(picture) -c:v libx264 -pix_fmt yuv444p", "mov"),
      ("\(picture) -c:v prores_ks -profile:v hq -pix_fmt yuv422p10le", "mov"),
      ("\(picture) -c:v prores_ks -profile:v 4444 -pix_fmt yuva444p10le", "mov"),
      (
        "\(picture) -vf format=yuva420p,colorchannelmixer=aa=0.5 -c:v libvpx-vp9 -auto-alt-ref 0 -cpu-used 8",
        "webm"
      ),
      ("\(picture) -c:v mjpeg", "avi"),
      ("\(picture) \(tone) \(x264) -c:a mp2", "ts"),
      ("\(picture) \(picture) \(tone) -map 0 -map 1 -map 2 \(x264) -c:a aac", "mkv"),
      (
        "\(picture) -c:v libx265 -pix_fmt yuv420p10le -x265-params log-level=none:master-display="
          + "'G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)':max-cll=1000,400 "
          + "-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc -color_range tv -tag:v hvc1",
        "mkv"
      ),
    ])
  func whatIsSaidStays(_ video: String, _ ending: String) throws {
    let scratch = try Scratch(ffmpeg: "\(video) in.\(ending)")
    let speed = video.contains("x26") || video.contains("vpx") ? " --speed ultrafast" : ""
    let run = try blur(scratch, "in.\(ending) out.\(ending) --sigma 2\(speed)")
    let isBright = video.contains("master-display")
    let words =
      "-show_entries stream=codec_name,width,height,pix_fmt,color_range,color_space,color_primaries,"
      + "color_transfer,chroma_location,sample_aspect_ratio,avg_frame_rate,nb_frames:"
      + (isBright ? "" : "stream_side_data:") + "stream_disposition=default,attached_pic"
    func said(_ file: String) throws -> [Substring] {
      // Without the marks of empty sections.
      try probe(scratch, file, words).split { $0.isWhitespace || $0 == "|" }
    }
    #expect(try said("out.\(ending)") == said("in.\(ending)"), "\(run)")
    let light = "-select_streams v:0 -read_intervals %+#1 -show_entries frame_side_data"
    func sideData(_ file: String) throws -> [Substring] {
      try probe(scratch, file, light).split(whereSeparator: \.isWhitespace)
        .filter { !$0.isEmpty && !$0.contains("User") && $0.contains("=") }
    }
    #expect(Set(try sideData("out.\(ending)")) == Set(try sideData("in.\(ending)")))
    if isBright {
      let inFrames = try probe(scratch, "out.\(ending)", light)
      #expect(
        inFrames.contains("max_content=1000") && inFrames.contains("red_x=34000/50000"),
        "\(inFrames)")
      let stream = try probe(scratch, "out.\(ending)", "-show_entries stream_side_data")
      #expect(
        stream.contains("max_content=1000") && stream.contains("red_x=17/25"), "\(stream)")
    }
    let lost = video.contains("4444") ? 2 : 1
    #expect(run.errors.filter(\.isNewline).count == lost, "\(run)")
  }

  /// Sound, subtitles, chapters, the cover, languages and tags go on; what a container refuses is named.
  @Test func whatIsBesideFramesStays() throws {
    let scratch = try Scratch()
    let made = try scratch.shell(
      """
      printf ';FFMETADATA1\\n[CHAPTER]\\nTIMEBASE=1/1000\\nSTART=0\\nEND=200\\ntitle=One\\n[CHAPTER]\\nTIMEBASE=1/1000\\nSTART=200\\nEND=400\\ntitle=Two\\n' > chapters
      printf '1\\n00:00:00,100 --> 00:00:00,300\\nHello\\n\\n' > words.srt
      ffmpeg -v error -nostdin -f lavfi -i color=red:s=16x16 -frames:v 1 cover.png
      ffmpeg -v error -nostdin \(picture) \(tone) -i words.srt -i cover.png -i chapters \
        -map 0 -map 1 -map 2 -map 3 -map_metadata 4 -c:v:0 libx264 -preset ultrafast -pix_fmt yuv420p \
        -c:v:1 png -disposition:v:1 attached_pic -c:a aac -c:s mov_text -metadata:s:s:0 language=fra \
        -metadata artist=Someone in.mp4
      """)
    #expect(made.exitCode == 0, "\(made)")
    let run = try blur(scratch, "in.mp4 out.mp4 --sigma 2 --speed ultrafast")
    #expect(run.errors.filter(\.isNewline).count == 1, "\(run)")
    for words in [
      "-show_chapters", "-show_entries format_tags=artist",
      "-show_entries stream=index,codec_name,codec_type:stream_tags=language:stream_disposition=attached_pic",
    ] {
      #expect(try probe(scratch, "out.mp4", words) == probe(scratch, "in.mp4", words))
    }
    for stream in ["a", "s", "v:1"] {
      #expect(try packets(scratch, "out.mp4", stream) == packets(scratch, "in.mp4", stream))
    }
    let other = try blur(scratch, "in.mp4 out.mkv --sigma 2 --speed ultrafast")
    #expect(
      other.errors.contains("stream 2 (subtitle, mov_text, fra) becomes subrip"), "\(other)")
    let back = try blur(scratch, "out.mkv back.mp4 --filter none --speed ultrafast")
    #expect(back.errors.contains("(subtitle, subrip, fra) becomes mov_text"), "\(back)")
    for file in ["out.mkv", "back.mp4"] {
      let words = try scratch.shell("ffmpeg -v error -nostdin -i \(file) -map 0:s -f srt -")
      #expect(words.text.contains("00:00:00,100 --> 00:00:00,300\nHello\n"), "\(file) \(words)")
      let cover =
        "-select_streams v:1 -show_entries stream=codec_name:stream_disposition=attached_pic"
      #expect(try probe(scratch, file, cover) == probe(scratch, "in.mp4", cover), "\(file)")
      #expect(try packets(scratch, file, "v:1") == packets(scratch, "in.mp4", "v:1"), "\(file)")
    }
    #expect(
      try probe(scratch, "out.mkv", "-show_entries chapter=start_time,end_time:chapter_tags=title")
        == probe(scratch, "in.mp4", "-show_entries chapter=start_time,end_time:chapter_tags=title"))
  }

  /// Frames that an edit list hides stay hidden, and are not written.
  @Test func hiddenFramesNeverGoOut() throws {
    let scratch = try Scratch(
      ffmpeg:
        "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=440:d=1 -c:v libx264 -preset ultrafast -g 50 "
        + "-pix_fmt yuv420p -c:a aac long.mp4", "-ss 0.5 -i long.mp4 -c copy in.mp4")
    _ = try blur(scratch, "in.mp4 out.mp4 --filter none --crf 0 --speed ultrafast")
    func lines(_ file: String) throws -> [Substring] {
      try frames(scratch, file).split(separator: "\n").filter { !$0.hasPrefix("#") }
    }
    let shown = try lines("in.mp4")
    #expect(try lines("out.mp4") == shown && shown.count < 15, "\(shown)")
    let coded = try probe(
      scratch, "out.mp4", "-select_streams v -count_packets -show_entries stream=nb_read_packets")
    #expect(coded.hasPrefix("nb_read_packets=\(shown.count)"), "\(coded)")
    // Of sound no more than decoders need to begin with.
    let sound = try probe(scratch, "out.mp4", "-select_streams a -show_entries packet=pts_time")
    let number = sound.dropFirst("pts_time=".count).prefix { "-.0123456789".contains($0) }
    let first: Double = Double(String(number)) ?? -9
    #expect(first > -0.13, "\(sound.prefix(40))")
  }

  /// Regions are those of upright frames, and outside of them not a sample changes.
  @Test(arguments: [90, 180, 270]) func regionsAreUpright(_ angle: Int) throws {
    let scratch = try Scratch(
      ffmpeg:
        "\(picture) -c:v ffv1 -pix_fmt yuv420p coded.mkv",
      "\(picture) \(x264) plain.mp4",
      "-i plain.mp4 -c copy -metadata:s:v:0 rotate=\(angle) in.mp4")
    _ = try blur(scratch, "in.mp4 out.mp4 --sigma 6 --region 0,0,16,12 --crf 0 --speed ultrafast")
    let matrix = "-show_entries stream_side_data=displaymatrix,rotation"
    #expect(try probe(scratch, "out.mp4", matrix) == probe(scratch, "in.mp4", matrix))
    let decoded = try scratch.shell(
      "for f in in out; do ffmpeg -v error -nostdin -i $f.mp4 -frames:v 1 -pix_fmt gray -f rawvideo $f.raw; done"
    )
    #expect(decoded.exitCode == 0, "\(decoded)")
    let (before, after) = (try scratch.contents("in.raw"), try scratch.contents("out.raw"))
    let width = angle == 180 ? 64 : 48
    #expect(before.count == 64 * 48 && after.count == before.count)
    let changed = zip(before, after).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
    #expect(changed.count > 50)
    #expect(changed.allSatisfy { $0 % width < 16 && $0 / width < 12 }, "\(changed.suffix(3))")
  }

  @Test(
    arguments: [
      (
        "\(picture) -vf tinterlace=4,setfield=tff -c:v libx264 -flags +ilme+ildct", "mp4", "", 65,
        "interlaced"
      ),
      ("\(tone) -c:a aac", "mp4", "", 65, "there is no video in it"),
      ("\(picture) \(x264)", "mp4", "--codec vp8", 64, "--codec is vp8, which mp4 does not hold"),
      ("\(picture) \(x264)", "mp4", "--codec nothing", 64, "for which there is no encoder here"),
      (
        "\(picture) \(x264)", "mp4", "--codec h264_vaapi", 69,
        "takes no frames like these from memory"
      ),
      ("\(picture) \(x264)", "mp4", "--max-pixels 100", 65, "--max-pixels 3072 allows them"),
      (
        "\(picture) -c:v ffv1 -pix_fmt yuv422p16le", "mkv", "--codec h264", 65,
        "no encoder of h264 keeps"
      ),
      ("\(picture) -c:v ffv1", "mkv", "--crf 3", 64, "--crf is for encoders of constant quality"),
    ])
  func refusedByName(
    _ video: String, _ ending: String, _ words: String, _ code: Int, _ told: String
  ) throws {
    let scratch = try Scratch(ffmpeg: "\(video) in.\(ending)")
    let run = try blur(
      scratch, "in.\(ending) out.\(ending) --sigma 2 \(words)", exit: Int32(code))
    #expect(run.explains([told]), "\(run)")
    #expect(scratch.names == ["in.\(ending)"])
  }

  /// A name in the output's folder would stand for a whole video.
  private func brokenInABatch(_ scratch: Scratch) throws {
    let copied = try scratch.shell("mkdir films; cp in.mp4 short.mp4 films")
    #expect(copied.exitCode == 0)
    for option in ["", "--resume"] {
      let words = "films --recursive --out-dir done --sigma 2 \(option)"
      let run = try blur(scratch, words, exit: 65)
      #expect(run.errors.contains("damaged, so a batch writes nothing of it"), "\(run)")
      #expect(scratch.names.filter { $0.hasPrefix("done/") } == ["done/", "done/in.mp4"])
    }
  }

  @Test func brokenFiles() throws {
    let scratch = try Scratch(
      ffmpeg:
        "\(picture) \(tone) \(x264) -c:a aac -movflags +faststart in.mp4",
      "\(picture) \(x264) a.ts", "-f lavfi -i testsrc2=s=96x64:d=0.4 \(x264) b.ts")
    let cut = try scratch.shell(
      "cp in.mp4 short.mp4; dd if=/dev/zero of=short.mp4 bs=1 seek=6000 count=900 conv=notrunc; tail -c 3000 in.mp4 > tail.mp4; cat a.ts b.ts > ab.ts; : > empty.mp4"
    )
    #expect(cut.exitCode == 0)
    // What can be read of it goes out.
    let short = try blur(scratch, "short.mp4 out.mp4 --sigma 2", exit: 65)
    #expect(short.errors.contains("damaged; what could be read of it is in out.mp4"), "\(short)")
    #expect(try times(scratch, "out.mp4").count > 2)
    try brokenInABatch(scratch)
    for (name, code, told) in [
      ("tail.mp4", 65, "no video that can be read"), ("empty.mp4", 65, "no video that can be read"),
      ("ab.ts", 65, "change from 64×48 to 96×64 pixels at frame 11"),
      ("none.mp4", 66, "No such file"),
    ] {
      let run = try blur(scratch, "\(name) other.mp4 --sigma 2", exit: Int32(code))
      #expect(run.explains([name, told]), "\(run)")
    }
    let ending = try blur(scratch, "in.mp4 out.film --sigma 2", exit: 64)
    #expect(ending.explains(["out.film", "ending says no kind of video"]), "\(ending)")
    #expect(!scratch.names.contains("other.mp4") && !scratch.names.contains("out.film"))
  }

  @Test func aPartOfAVideo() throws {
    let scratch = try Scratch(
      ffmpeg:
        "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=440:d=1 \(x264) -g 10 -c:a aac in.mp4"
    )
    _ = try blur(scratch, "in.mp4 out.mp4 --filter none --crf 0 --speed ultrafast --time 0.4..0.8s")
    func digests(_ file: String) throws -> [Substring] {
      try frames(scratch, file).split(separator: "\n").filter { !$0.hasPrefix("#") }
        .compactMap { $0.split(separator: " ").last }
    }
    #expect(try digests("out.mp4") == Array(digests("in.mp4")[10..<20]))
    for (index, time) in try times(scratch, "out.mp4").enumerated() {
      #expect(abs((time.first ?? -1) - Double(index) * 0.04) < 1e-3, "\(index) \(time)")
    }
    let sound = try probe(scratch, "out.mp4", "-select_streams a -show_entries stream=duration")
    let seconds = Double(sound.dropFirst("duration=".count).filter { !$0.isWhitespace }) ?? 0
    #expect(abs(seconds - 0.4) < 0.06, "\(sound)")
  }

  /// However and whenever it is ended, whatever it does, there is no file that is not whole.
  @Test func endedAtAnyMoment() throws {
    let scratch = try Scratch(ffmpeg: "-f lavfi -i testsrc2=s=160x120:r=25:d=4 \(x264) in.mp4")
    for (signal, words) in [
      (SIGKILL, "video in.mp4 out.mp4 --sigma 8"),
      (SIGKILL, "redact in.mp4 out.mp4 --region 20,20,60,60"),
      (SIGKILL, "fill in.mp4 out.mp4 --size 96x160"),
      (SIGTERM, "video in.mp4 out.mp4 --sigma 8"), (SIGINT, "video in.mp4 out.mp4 --sigma 8"),
    ] {
      for part in 0..<3 {
        let wait = UInt32.random(in: 0..<70_000) + UInt32(part) * 70_000
        let all = "\(words) --backend fast --speed slow"
        let running = try RunningCommand(
          CommandRun.executable, all.split(separator: " ").map(String.init), in: scratch.path)
        usleep(wait)
        running.send(signal)
        let run = try running.end()
        guard scratch.names.contains("out.mp4") else {
          #expect(run.signal == signal, "\(words), \(signal) after \(wait) µs: \(run)")
          continue
        }
        let count = try times(scratch, "out.mp4").count
        #expect(
          run.exitCode == 0 && count == 100, "\(words), \(signal) after \(wait) µs: \(count) \(run)"
        )
        unlink(scratch / "out.mp4")
      }
      #expect(scratch.names.filter { !$0.hasPrefix(".frostglass-") } == ["in.mp4"])
      #expect(signal == SIGKILL || scratch.names == ["in.mp4"], "\(words), \(signal)")
      for name in scratch.names where name != "in.mp4" { unlink(scratch / name) }
    }
  }

  /// Without the program for videos the command says what to install.
  @Test func theProgramForVideosMayBeMissing() throws {
    let scratch = try Scratch()
    let run = try scratch.shell(
      "cp \"$frostglass\" alone; PATH=/nowhere ./alone video in.mp4 out.mp4 --sigma 2")
    #expect(
      run.exitCode == 69 && run.explains(["install the package", "frostglass-video"]), "\(run)")
  }

  /// A moment is an image, and several are one that moves.
  @Test(arguments: ["yuv420p", "gray10le", "gbrp", "yuv422p10le"])
  func imagesOfVideos(_ pixels: String) throws {
    let scratch = try Scratch(
      ffmpeg:
        "-f lavfi -i color=0x2060c0:s=64x48:r=10:d=0.5 -f lavfi -i color=0xe0c040:s=64x48:r=10:d=0.5 "
        + "-filter_complex concat=n=2 -c:v ffv1 -colorspace smpte170m -pix_fmt \(pixels) in.mkv")
    _ = try blur(scratch, "in.mkv first.png --sigma 2 --time 0.2")
    _ = try blur(scratch, "in.mkv last.png --sigma 2 --time 0.95s")
    _ = try blur(scratch, "in.mkv all.gif --sigma 2")
    _ = try blur(scratch, "in.mkv part.webp --sigma 2 --time 0.3..0.6")
    let late = try blur(scratch, "in.mkv no.png --sigma 2 --time 7", exit: 64)
    #expect(late.explains(["--time is 7.0 s", "not as long"]), "\(late)")
    let all = try blur(scratch, "in.mkv no.png --sigma 2", exit: 64)
    #expect(all.explains(["no.png", "PNG is one image", "--time T"]), "\(all)")
    let (first, last) = (
      try scratch.picture("first.png").image, try scratch.picture("last.png").image
    )
    func color(_ image: Image) -> [Int] {
      (0..<3).map { Int(image.bytes[(20 * 64 + 30) * 3 + $0]) }
    }
    let isGray = pixels.hasPrefix("gray")
    for (image, expected) in [(first, [0x20, 0x60, 0xC0]), (last, [0xE0, 0xC0, 0x40])] {
      #expect(image.size == Size(width: 64, height: 48))
      let found = color(image)
      let near = zip(found, expected).allSatisfy { abs($0 - $1) <= 3 }
      #expect(isGray ? found[0] == found[2] : near, "\(found)")
    }
    let moving = try probe(
      scratch, "all.gif", "-count_frames -show_entries stream=nb_read_frames,width,height")
    #expect(moving.contains("nb_read_frames=10") && moving.contains("width=64"), "\(moving)")
    #expect(Array(try scratch.contents("part.webp")[8..<12]) == Array("WEBP".utf8))
  }
}
