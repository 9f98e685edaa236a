import Foundation
import Testing

/// Codecs of new videos: the video's own where its container holds it, else one that keeps the samples.
@Suite(.enabled(if: Scratch.hasFFmpeg, "there is no ffmpeg")) struct VideoCodecsTests {
  private static let source = "-f lavfi -i testsrc2=s=96x64:r=25:d=0.2"
  private static let videos = [
    "vp8.webm": "-c:v libvpx -pix_fmt yuv420p", "vp9.webm": "-c:v libvpx-vp9 -pix_fmt yuv420p",
    "av1.mkv": "-c:v libsvtav1 -pix_fmt yuv420p", "alpha.apng": "-f apng -pix_fmt rgba",
    "mpeg4.avi": "-c:v mpeg4", "mpeg2.mpg": "-f vob -c:v mpeg2video", "in.gif": "",
    "columns.mkv": "-c:v ffv1 -pix_fmt yuv422p", "mpeg1.mpg": "-c:v mpeg1video",
  ]

  private func scratch(_ name: String) throws -> Scratch {
    try Scratch(ffmpeg: "\(Self.source) \(try #require(Self.videos[name])) \(name)")
  }

  /// Codec, pixel format and number of frames of a video, as ffprobe decodes it.
  private func read(_ scratch: Scratch, _ name: String) throws -> String {
    let run = try scratch.shell(
      "ffprobe -v error -count_frames -select_streams v:0 -of csv=p=0 "
        + "-show_entries stream=codec_name,pix_fmt,nb_read_frames \(name)")
    return run.text.split(separator: "\n").first.map { String($0.split(separator: " ")[0]) } ?? ""
  }

  /// A container that does not hold the video's codec gets another, also where libavformat only finds that out while it
  /// writes, or writes what nothing reads.
  @Test(arguments: [
    ("vp8.webm", "out.mov", "h264,yuv420p,5"), ("vp9.webm", "out.mov", "h264,yuv420p,5"),
    ("vp8.webm", "out.mp4", "h264,yuv420p,5"), ("av1.mkv", "out.mov", "h264,yuv420p,5"),
    ("alpha.apng", "out.mkv", "ffv1,bgra,5"), ("mpeg4.avi", "out.flv", "h264,yuv420p,5"),
    ("mpeg2.mpg", "out.mpg", "mpeg2video,yuv420p,5"),
    ("mpeg1.mpg", "out.mpg", "mpeg1video,yuv420p,5"),
    ("vp8.webm", "out.mpg", "mpeg2video,yuv420p,5"),
    ("columns.mkv", "out.mpg", "mpeg2video,yuv422p,5"),
    ("columns.mkv", "out.vob", "mpeg2video,yuv422p,5"),
    ("mpeg2.mpg", "out.ts", "mpeg2video,yuv420p,5"),
  ])
  func containersGetCodecsThatTheyHold(_ input: String, _ output: String, _ right: String) throws {
    let scratch = try scratch(input)
    _ = try scratch.video("video \(input) \(output) --sigma 1")
    let found = try read(scratch, output)
    #expect(found.hasPrefix(right), "\(found)")
  }

  /// Advice never names the ending that was given.
  @Test(arguments: [
    (
      "in.gif", "out.mpg",
      "its frames are bgra, for which there is no encoder whose videos mpeg holds; give an ending such as .mkv"
    ),
    (
      "mpeg2.mpg", "out.rm",
      "rm does not hold what rv10 makes of such frames; give an ending such as .mkv"
    ),
    (
      "mpeg2.mpg", "out.mkv --size 55x97 --codec h264",
      "give another --codec or size, or an ending such as .mov"
    ),
  ])
  func adviceIsAnotherEnding(_ input: String, _ output: String, _ words: String) throws {
    let scratch = try scratch(input)
    let command = output.contains("--size") ? "fill" : "video --sigma 1"
    let run = try scratch.video("\(command) \(input) \(output)", exit: 65)
    #expect(run.errors.contains(words), "\(run)")
  }

  /// SVT-AV1 waits for ever when it is closed early.
  @Test func failuresWithAV1End() throws {
    let scratch = try Scratch(
      ffmpeg: "-f lavfi -i testsrc2=s=96x64:r=25:d=0.4 -c:v libx264 -pix_fmt yuv420p a.ts",
      "-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v libx264 -pix_fmt yuv420p b.ts")
    let run = try scratch.shell(
      "cat a.ts b.ts > in.ts; timeout 60 \"$frostglass\" video in.ts out.mkv --codec av1 --sigma 1 --backend fast"
    )
    #expect(run.exitCode == 65 && run.errors.contains("its frames change from 96×64"), "\(run)")
  }

  /// Decoders of GIF and APNG give alpha to all frames; opaque ones go where there is none.
  @Test(
    arguments: ["in.gif", "alpha.apng"],
    ["video --sigma 1", "redact --region 8,8,16,16", "fill --size 64x64"])
  func opaqueFramesNeedNoAlpha(_ input: String, _ command: String) throws {
    let scratch = try scratch(input)
    for (output, right) in [("out.mp4", "h264,gbrp,5"), ("out.webm", "vp9,gbrp,5")] {
      _ = try scratch.video("\(command) \(input) \(output)")
      let found = try read(scratch, output)
      #expect(found.hasPrefix(right), "\(found)")
    }
  }

  /// A later frame that is not opaque ends it.
  @Test func alphaThatComesLateIsNotLost() throws {
    let scratch = try Scratch(
      ffmpeg:
        "-f lavfi -i \"color=red:s=32x32:r=25:d=0.2,format=rgba,geq=r=200:g=90:b=30:a='if(lt(N,3),255,100)'\" "
        + "-f apng in.apng")
    let run = try scratch.video("video in.apng out.mp4 --sigma 1", exit: 65)
    #expect(
      run.errors.contains(
        "its frames are opaque before frame 4, whose alpha would be lost in out.mp4"), "\(run)")
    #expect(!scratch.names.contains("out.mp4"))
    _ = try scratch.video("video in.apng out.mov --sigma 1")
    #expect(try read(scratch, "out.mov").hasPrefix("qtrle,argb,5"))
  }

  /// The shape of pixels is the container's, as for players; where the new video holds another one, that is said.
  @Test func shapesOfPixelsStayOrAreNamed() throws {
    let scratch = try Scratch(
      ffmpeg: "-f lavfi -i testsrc2=s=176x144:r=25:d=0.2 -vf setsar=9/8 -c:v h263 in.3gp")
    func shape(_ file: String) throws -> String {
      try scratch.shell(
        "ffprobe -v error -show_entries stream=sample_aspect_ratio -of csv=p=0 \(file)"
      ).text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
    for output in ["out.3gp", "out.mkv", "out.mp4"] {
      let run = try scratch.video("video in.3gp \(output) --sigma 1")
      #expect(try shape(output) == "9:8", "\(output)")
      #expect(!run.errors.contains("players"), "\(run)")
    }
    let run = try scratch.video("video in.3gp out.mpg --sigma 1")
    #expect(
      run.errors.contains("its pixels are 9:8, width to height, and players take them for 12:11"),
      "\(run)")
  }
}
