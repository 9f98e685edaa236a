import FrostglassCore
import Glibc
import Testing

/// Videos that end before they say they do.
@Suite(.enabled(if: Scratch.hasFFmpeg, "there is no ffmpeg")) struct VideoEndTests {
  private static let source = "-f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=2:r=48000"
  private static let h264 = "-c:v libx264 -preset ultrafast -g 10 -pix_fmt yuv420p -c:a aac"
  private static let vp9 = "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 10 -c:a libopus"
  /// Containers, and how videos are put into them.
  private static let videos = [
    "a.mp4": h264, "fast.mp4": h264 + " -movflags +faststart", "a.mov": h264,
    "fragments.mp4": h264 + " -movflags +frag_keyframe+empty_moov",
    "index.mp4": h264 + " -movflags +dash+global_sidx -frag_duration 500000",
    "a.mkv": h264, "live.mkv": h264 + " -live 1", "a.webm": vp9, "live.webm": vp9 + " -live 1",
    "a.avi": "-c:v mpeg4 -c:a mp2", "a.ts": h264, "a.m2ts": h264, "a.flv": h264,
    "a.ogv": "-c:v libtheora -c:a libvorbis", "a.mpg": "-c:v mpeg2video -c:a mp2",
    "a.mxf": "-c:v mpeg2video -c:a pcm_s16le", "a.wmv": "-c:v wmv2 -c:a wmav2",
  ]

  /// Whole videos are taken; of those that are cut off nothing is written, for `video`, `redact` and batches.
  @Test(arguments: videos.keys.sorted()) func nothingIsMadeOfAVideoThatIsCutOff(_ name: String)
    throws
  {
    let scratch = try Scratch(ffmpeg: "\(Self.source) \(try #require(Self.videos[name])) \(name)")
    _ = try scratch.video("video \(name) out.mkv --sigma 1 --codec ffv1")
    _ = try scratch.shell("rm out.mkv; mkdir out")
    let whole = try scratch.contents(name)
    for share in [3, 6, 9] {
      // Not between two packets of a transport stream, where it may as well have been ended.
      try scratch.add(name, Array(whole.prefix((whole.count * share / 10) | 1)))
      let before = scratch.names
      for words in [
        "video \(name) out.mkv --sigma 1", "redact \(name) out.mkv --region 1,1,9,9",
        "video \(name) --out-dir out --sigma 1",
      ] {
        let run = try scratch.video(words, exit: 65)
        #expect(run.errors.contains("it is cut off"), "\(words)\n\(run)")
      }
      #expect(scratch.names == before)
    }
  }

  /// Fragments that are missing as a whole are missed by what the head says of the length.
  @Test func aMissingFragmentIsMissed() throws {
    let scratch = try Scratch(
      ffmpeg: "\(Self.source) \(try #require(Self.videos["index.mp4"])) in.mp4")
    var bytes = try scratch.contents("in.mp4")
    // The last box is an index or a fragment's frames; boxes go until a fragment does.
    var places: [Int] = []
    var place = 0
    while place + 8 <= bytes.count {
      if bytes[place + 4..<place + 8].elementsEqual("moof".utf8) { places.append(place) }
      place += bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    try #require(places.count > 2)
    bytes.removeSubrange(places[places.count - 2]...)
    try scratch.add("in.mp4", bytes)
    let run = try scratch.video("video in.mp4 out.mp4 --sigma 1", exit: 65)
    #expect(run.errors.contains("its head says 2"), "\(run)")
    #expect(scratch.names == ["in.mp4"])
  }

  /// Tracks that end before the video are refused or said before a frame is done.
  @Test func tracksThatEndBeforeTheVideoAreSaid() throws {
    let scratch = try Scratch(ffmpeg: "\(Self.source) \(Self.h264) in.mp4")
    try scratch.add("t.csv", Array("time,x,y,width,height\n0,1,1,9,9\n0.4,5,1,9,9\n".utf8))
    let refused = try scratch.video("redact in.mp4 out.mp4 --tracks t.csv", exit: 65)
    #expect(
      refused.errors.contains("t.csv: it ends before 0.4 s, and the video goes on"), "\(refused)")
    #expect(scratch.names == ["in.mp4", "t.csv"])
    let said = try scratch.video("video in.mp4 out.mp4 --tracks t.csv --sigma 2 --speed ultrafast")
    let warning = said.errors.split(separator: "\n").filter {
      $0.contains("warning: t.csv: it ends before 0.4 s")
    }
    #expect(warning.count == 1, "\(said)")
    _ = try scratch.video(
      "redact in.mp4 out.mp4 --tracks t.csv --tracks-frames 50 --overwrite --speed ultrafast")
  }
}
