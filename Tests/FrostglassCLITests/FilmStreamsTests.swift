import FrostglassCore
import Testing

/// What goes beside the frames of films: sound and its times, programs, and what tells two files apart.
@Suite(.enabled(if: Scratch.hasFFmpeg, "there is no ffmpeg")) struct FilmStreamsTests {
  private static let source =
    "-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -f lavfi -i sine=d=0.4:r=48000"
  private static let x264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p"

  private func first(_ scratch: Scratch, _ file: String, _ kind: String) throws -> Double {
    let run = try scratch.shell(
      "ffprobe -v error -select_streams \(kind) -show_entries packet=pts_time -of csv=p=0 \(file) | tr -d ',' | grep . | sort -n | head -1"
    )
    return try #require(Double(run.text.filter { !$0.isWhitespace }), "\(run)")
  }

  /// Opus begins before what is heard of it; however often a film is written anew, nothing moves.
  @Test(arguments: ["webm", "mkv"]) func opusStaysWhereItIs(_ ending: String) throws {
    let scratch = try Scratch(
      ffmpeg:
        "\(Self.source) -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus -output_ts_offset 0.3 p0.\(ending)"
    )
    let places = try ["v", "a"].map { try first(scratch, "p0.\(ending)", $0) }
    for pass in 1...3 {
      _ = try scratch.film(
        "video p\(pass - 1).\(ending) p\(pass).\(ending) --sigma 1 --speed ultrafast")
      let own = try ["v", "a"].map { try first(scratch, "p\(pass).\(ending)", $0) }
      #expect(zip(own, places).allSatisfy { abs($0 - $1) < 0.0015 }, "\(own) \(places)")
    }
  }

  /// The same film gives the same bytes, as there is nothing random in a file.
  @Test(arguments: ["mkv", "webm", "mp4", "mov"]) func theSameFilmTwice(_ ending: String) throws {
    let codec = ending == "webm" ? "-c:v libvpx-vp9 -c:a libopus" : "\(Self.x264) -c:a aac"
    let scratch = try Scratch(ffmpeg: "\(Self.source) \(codec) in.\(ending)")
    for name in ["one", "two"] {
      _ = try scratch.film(
        "redact in.\(ending) \(name).\(ending) --region 1,1,9,9 --speed ultrafast")
    }
    #expect(try scratch.contents("one.\(ending)") == scratch.contents("two.\(ending)"))
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
    _ = try scratch.film("video in.ts out.ts --sigma 1")
    #expect(try programs("out.ts") == before)
    let run = try scratch.film("video in.ts out.mkv --sigma 1")
    #expect(run.errors.contains("its 2 programs become one, as matroska has none"), "\(run)")
  }

  /// Sound without compression goes into MXF.
  @Test func soundGoesIntoMXF() throws {
    let scratch = try Scratch(ffmpeg: "\(Self.source) -c:v mpeg2video -c:a pcm_s16le in.mxf")
    let run = try scratch.film("video in.mxf out.mxf --sigma 1")
    #expect(!run.errors.contains("left out"), "\(run)")
    let kinds = try scratch.shell(
      "ffprobe -v error -show_entries stream=codec_name -of csv=p=0 out.mxf")
    #expect(kinds.text.contains("pcm_s16le"), "\(kinds)")
  }
}
