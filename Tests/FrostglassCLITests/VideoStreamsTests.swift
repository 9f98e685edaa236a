import FrostglassCore
import Testing

/// Streams next to the frames of videos: sound and its times, programs, and how two files are told apart.
@Suite(.enabled(if: Scratch.hasFFmpeg, "there is no ffmpeg")) struct VideoStreamsTests {
  private static let source =
    "-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -f lavfi -i sine=d=0.4:r=48000"
  private static let x264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p"

  private func first(_ scratch: Scratch, _ file: String, _ kind: String) throws -> Double {
    let run = try scratch.shell(
      "ffprobe -v error -select_streams \(kind) -show_entries packet=pts_time -of csv=p=0 \(file) | tr -d ',' | grep '[0-9]' | sort -n | head -1"
    )
    return try #require(Double(run.text.filter { !$0.isWhitespace }), "\(run)")
  }

  /// Opus begins before what is heard of it; however often a video is written anew, nothing moves.
  @Test(arguments: ["webm", "mkv"]) func opusStaysWhereItIs(_ ending: String) throws {
    let scratch = try Scratch(
      ffmpeg:
        "\(Self.source) -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus -output_ts_offset 0.3 p0.\(ending)"
    )
    let places = try ["v", "a"].map { try first(scratch, "p0.\(ending)", $0) }
    for pass in 1...3 {
      _ = try scratch.video(
        "video p\(pass - 1).\(ending) p\(pass).\(ending) --sigma 1 --speed ultrafast")
      let own = try ["v", "a"].map { try first(scratch, "p\(pass).\(ending)", $0) }
      #expect(zip(own, places).allSatisfy { abs($0 - $1) < 0.0015 }, "\(own) \(places)")
    }
  }

  /// The same video gives the same bytes, as there is nothing random in a file.
  @Test(arguments: ["mkv", "webm", "mp4", "mov", "flv"]) func theSameVideoTwice(_ ending: String)
    throws
  {
    let codec = ending == "webm" ? "-c:v libvpx-vp9 -c:a libopus" : "\(Self.x264) -c:a aac"
    let scratch = try Scratch(ffmpeg: "\(Self.source) \(codec) in.\(ending)")
    for name in ["one", "two"] {
      _ = try scratch.video(
        "redact in.\(ending) \(name).\(ending) --region 1,1,9,9 --speed ultrafast")
    }
    #expect(try scratch.contents("one.\(ending)") == scratch.contents("two.\(ending)"))
  }

  /// x264 reads memory that nothing was written to, and decides by it.
  @Test func whatMemoryHeldChangesNothing() throws {
    let scratch = try Scratch(
      ffmpeg: "-f lavfi -i testsrc2=s=176x144:r=25:d=0.6 \(Self.x264) in.mkv")
    for (name, filling) in [("one", "1"), ("two", "200")] {
      let run = try scratch.shell(
        "MALLOC_PERTURB_=\(filling) \"$frostglass\" redact in.mkv \(name).mkv --region 1,1,9,9 --backend fast"
      )
      #expect(run.exitCode == 0, "\(run)")
    }
    #expect(try scratch.contents("one.mkv") == scratch.contents("two.mkv"))
  }

  /// Programs of a transport stream stay apart; where a container has none, that is said.
  @Test func programsStayApart() throws {
    let scratch = try Scratch(
      ffmpeg:
        "\(Self.source) -f lavfi -i testsrc=s=96x64:r=25:d=0.4 -map 0:v -map 1:a -map 2:v -c:v mpeg2video "
        + "-c:a mp2 -program program_num=10:title=One:st=0:st=1 -program program_num=20:title=Two:st=2 in.ts"
    )
    func programs(_ file: String) throws -> String {
      try scratch.shell(
        "ffprobe -v error -show_entries program=program_id,nb_streams:program_tags=service_name -of compact=p=0 \(file) | grep program_id | sed 's/|stream.*//'"
      ).text
    }
    let before = try programs("in.ts")
    try #require(before.contains("program_id=20"), "\(before)")
    _ = try scratch.video("video in.ts out.ts --sigma 1")
    #expect(try programs("out.ts") == before)
    let run = try scratch.video("video in.ts out.mkv --sigma 1")
    #expect(run.errors.contains("its 2 programs become one, as matroska has none"), "\(run)")
    let redacted = try scratch.video("redact in.ts safe.ts --region 1,1,9,9")
    #expect(redacted.errors.contains("tag service_name is left out"), "\(redacted)")
  }

  /// Sound without compression goes into MXF.
  @Test func soundGoesIntoMXF() throws {
    let scratch = try Scratch(ffmpeg: "\(Self.source) -c:v mpeg2video -c:a pcm_s16le in.mxf")
    let run = try scratch.video("video in.mxf out.mxf --sigma 1")
    #expect(!run.errors.contains("left out"), "\(run)")
    let kinds = try scratch.shell(
      "ffprobe -v error -show_entries stream=codec_name -of csv=p=0 out.mxf")
    #expect(kinds.text.contains("pcm_s16le"), "\(kinds)")
  }

  /// Sound begins as long before the frames as it did, also where encoders count frames.
  @Test(arguments: ["mpeg2video", "mpeg1video"]) func soundStaysBesideFrames(_ codec: String) throws
  {
    let scratch = try Scratch(ffmpeg: "\(Self.source) -c:v \(codec) -c:a mp2 -f vob in.mpg")
    let places = try ["v", "a"].map { try first(scratch, "in.mpg", $0) }
    _ = try scratch.video("video in.mpg out.mpg --sigma 1")
    #expect(try ["v", "a"].map { try first(scratch, "out.mpg", $0) } == places)
    try #require(places[0] - places[1] > 0.005, "\(places)")
  }

  /// Sound that a container's readers do not know is left out by name.
  @Test(arguments: [
    ("libvorbis", "mkv", "ts", "vorbis"), ("flac", "mkv", "ts", "flac"),
    ("g722", "mkv", "mov", "adpcm_g722"), ("adpcm_ms", "avi", "mov", "adpcm_ms"),
    // AVI counts time by packets that are all as long.
    ("eac3", "mkv", "avi", "eac3"), ("libvorbis", "mkv", "avi", "vorbis"),
    ("wmav2", "asf", "nut", "wmav2"),
  ])
  func unreadableSoundIsLeftOut(
    _ encoder: String, _ from: String, _ to: String, _ codec: String
  ) throws {
    let rate = encoder == "g722" ? "-ar 16000" : ""
    let video = from == "asf" ? "-c:v mpeg4" : Self.x264
    let scratch = try Scratch(
      ffmpeg: "\(Self.source) \(video) -c:a \(encoder) \(rate) in.\(from)")
    let run = try scratch.video("video in.\(from) out.\(to) --sigma 1")
    #expect(run.errors.contains("stream 1 (audio, \(codec)"), "\(run)")
    #expect(run.errors.contains("does not hold it"), "\(run)")
  }

  /// Transport streams that are joined are not damaged where one ends.
  @Test func joinedVideosAreWhole() throws {
    let scratch = try Scratch(
      ffmpeg: "\(Self.source) -c:v libx264 -pix_fmt yuv420p -c:a mp2 a.ts",
      "\(Self.source) -vf negate -c:v libx264 -pix_fmt yuv420p -c:a mp2 b.ts")
    _ = try scratch.shell("cat a.ts b.ts > in.ts")
    let run = try scratch.video("redact in.ts out.ts --region 1,1,9,9")
    #expect(run.errors.contains("redact: 20 frames"), "\(run)")
  }

  /// Samples that are decoded of a file's sound, and when the last packet ends.
  private func heard(_ scratch: Scratch, _ file: String) throws -> (samples: Int, end: Double) {
    let bytes = try scratch.shell("ffmpeg -v error -i \(file) -map 0:a -f s16le - | wc -c").text
    let times = try scratch.shell(
      "ffprobe -v error -select_streams a -show_entries packet=pts_time,duration_time -of csv=p=0 \(file) | grep '[0-9]' | tail -1"
    ).text
    let last = times.split { ",\n".contains($0) }.prefix(2).compactMap { Double($0) }
    return (
      try #require(Int(bytes.filter(\.isNumber))) / 2, last.reduce(0, +)
    )
  }

  /// Sound has all its samples and is as long as before where containers say in other ways where it ends.
  @Test(arguments: [
    ("tta", "mkv", "mkv"), ("libspeex -ar 16000", "nut", "mov"), ("adpcm_ms", "avi", "avi"),
    ("g722 -ar 16000", "mkv", "avi"), ("libopus", "mkv", "ogv"), ("wmav2", "asf", "mkv"),
  ])
  func soundStaysAsLong(_ encoder: String, _ from: String, _ to: String) throws {
    let scratch = try Scratch(
      ffmpeg: "\(Self.source) -c:v mpeg4 -q:v 4 -c:a \(encoder) -ac 1 in.\(from)")
    let before = try heard(scratch, "in.\(from)")
    let run = try scratch.video("video in.\(from) out.\(to) --sigma 1")
    #expect(!run.errors.contains("left out"), "\(run)")
    let after = try heard(scratch, "out.\(to)")
    try #require(before.samples > 6000, "\(before)")
    // Ogg counts what Opus leaves out from the first packet on, in Matroska's milliseconds.
    #expect(abs(after.samples - before.samples) <= (to == "ogv" ? 48 : 0), "\(after) \(before)")
    if from != "nut" { #expect(abs(after.end - before.end) < 0.021, "\(after) \(before)") }
  }

  /// MP4 says by its last packet's length where Opus ends, not by samples that are left out.
  @Test func opusEndsInMP4WhereItDid() throws {
    let scratch = try Scratch(ffmpeg: "\(Self.source) \(Self.x264) -c:a libopus in.mkv")
    _ = try scratch.video("video in.mkv out.mp4 --sigma 1")
    let length = try scratch.shell(
      "ffprobe -v error -select_streams a -show_entries stream=duration -of csv=p=0 out.mp4")
    let seconds = try #require(Double(length.text.filter { !$0.isWhitespace }), "\(length)")
    #expect(abs(seconds - 0.4) < 0.003)
  }

  /// Packets of a transport stream as its file has them, without one of those of the sound.
  ///
  /// - Parameter last: which, counted from the end; those before it are sound's, too.
  private func lacking(_ file: [UInt8], last: Int) throws -> [UInt8] {
    let sound = stride(from: 0, to: file.count, by: 188).filter {
      file[$0 + 1] & 31 == 1 && file[$0 + 2] == 1
    }
    let place = try #require(sound.dropLast(last - 1).last)
    return Array(file[..<place] + file[(place + 188)...])
  }

  /// A loss just before another video begins is none of its joints.
  @Test(arguments: ["mp2", "aac", "ac3"], [1, 2]) func aLossAtAJointIsSaid(
    _ codec: String, _ last: Int
  ) throws {
    let scratch = try Scratch(
      ffmpeg: "\(Self.source) -c:v mpeg2video -c:a \(codec) a.ts",
      "\(Self.source) -vf negate -c:v mpeg2video -c:a \(codec) b.ts")
    let (a, b) = (try scratch.contents("a.ts"), try scratch.contents("b.ts"))
    try scratch.add("whole.ts", a + b)
    _ = try scratch.video("video whole.ts whole.mkv --sigma 1")
    try scratch.add("in.ts", lacking(a, last: last) + b)
    let run = try scratch.video("video in.ts out.mkv --sigma 1", exit: 65)
    #expect(run.errors.contains("damaged; what could be read of it is in out.mkv"), "\(run)")
    let redacted = try scratch.video("redact in.ts safe.mkv --region 1,1,9,9", exit: 65)
    #expect(!scratch.names.contains("safe.mkv"), "\(redacted)")
  }
}
