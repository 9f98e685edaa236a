import Foundation
import FrostglassCore
import FrostglassStills
import Testing

/// `frostglass find` and `redact --find` of videos, by the detectors that are installed.
@Suite(
  .enabled(if: FindModels.areThere && Scratch.hasFFmpeg, "\(FindModels.advice), or no ffmpeg"))
struct VideoFindCommandTests {
  /// A pan over the photograph, in which the face goes to the left; its left edge is at 158 in the first frame and
  /// 2 pixels farther left in each.
  private static let pan =
    "-loop 1 -i \(FindModels.face) -vf \"crop=320:256:x='20+2*n':y=20\" -frames:v 24 -r 25 -c:v libx264 "
    + "-crf 18 -pix_fmt yuv420p in.mp4"
  private static let empty =
    "-f lavfi -i color=gray:s=320x256:r=25 -frames:v 6 -c:v libx264 -pix_fmt yuv420p empty.mp4"

  private struct Document: Decodable {
    struct Track: Decodable {
      struct Key: Decodable {
        var frame: Int
        var bbox: [Double]?
        var score: Double?
        var state: String?
      }
      var id: String
      var label: String
      var keys: [Key]
    }
    var frames: Int
    var size: [Int]
    var tracks: [Track]
  }

  @Test func aFaceIsFollowedThroughAVideo() throws {
    let scratch = try Scratch(ffmpeg: Self.pan)
    let run = try scratch.run(
      "find", "in.mp4", "faces.json", "--find-effort", "quick", "--review", "seen.png")
    #expect(run.exitCode == 0, "\(run)")
    #expect(
      run.errors.hasSuffix("see the sheet\n") && run.errors.contains("frostglass find: 1 face, "),
      "\(run)")
    let found = try JSONDecoder().decode(
      Document.self, from: Data(scratch.contents("faces.json")))
    #expect(found.frames == 24 && found.size == [320, 256])
    #expect(found.tracks.map(\.id) == ["1"] && found.tracks[0].label == "face")
    for frame in 0..<24 {
      let key = try #require(found.tracks[0].keys.first { $0.frame == frame })
      let box = try #require(key.bbox)
      // Where stills have it, without their margin.
      let left = 178.0 - 20 - 2 * Double(frame)
      #expect(box[0] <= left + 4 && box[0] + box[2] >= left + 87, "frame \(frame): \(box)")
      #expect(box[1] <= 47 && box[1] + box[3] >= 152, "frame \(frame): \(box)")
      #expect((key.score == nil) == (key.state != nil))
    }
    let sheet = try scratch.picture("seen.png")
    #expect(sheet.image.size.width > 300)
  }

  @Test func aVideoIsRedactedWhereFacesAreFound() throws {
    let scratch = try Scratch(ffmpeg: Self.pan)
    _ = try scratch.video(
      "redact in.mp4 safe.mp4 --find faces --find-effort quick --audit a.json --fill solid")
    let audit = String(decoding: try scratch.contents("a.json"), as: UTF8.self)
    #expect(audit.contains(#""found": {"effort":"quick","score":0.65,"count":1"#), "\(audit)")
    #expect(audit.contains("centerface.onnx") && audit.contains(#""state":"measured""#))
    // Nobody is found in what was written.
    let again = try scratch.run("find", "safe.mp4", "again.json", "--find-effort", "quick")
    #expect(again.exitCode == 65, "\(again)")
    #expect(!scratch.names.contains("again.json"))
  }

  @Test func aVideoThatChangesMeanwhileIsNotWritten() throws {
    let scratch = try Scratch(ffmpeg: Self.pan)
    let program = try scratch.commandThatFinds(after: "cp in.mp4 new.mp4; mv -f new.mp4 in.mp4")
    let run = try CommandRun(
      program,
      [
        "redact", "in.mp4", "x.mp4", "--find", "faces", "--find-effort", "quick", "--audit",
        "a.json",
      ], in: scratch.path, environment: ["FROSTGLASS_MODELS": FindModels.folder])
    #expect(
      run.exitCode == 65 && run.explains(["in.mp4", "changed", "nothing is written"]), "\(run)")
    #expect(!scratch.names.contains("x.mp4") && !scratch.names.contains("a.json"))
  }

  /// The sheet and the audit show what was left alone on purpose.
  @Test func whatAnAreaLeavesAloneIsListed() throws {
    let scratch = try Scratch(ffmpeg: Self.pan)
    let run = try scratch.run(
      "redact", "in.mp4", "x.mp4", "--find", "faces", "--find-effort", "quick", "--find-not-in",
      "0,0,320,256", "--allow-none", "--audit", "a.json", "--backend", "fast")
    #expect(run.exitCode == 0 && run.errors.contains("0 faces,"), "\(run)")
    let audit = String(decoding: try scratch.contents("a.json"), as: UTF8.self)
    #expect(audit.contains("\"leftAlone\": [{") || audit.contains("\"leftAlone\":[{"), "\(audit)")
  }

  /// Every page of the sheet has its place before the video is written.
  @Test func aSheetThatCannotBeWrittenStopsTheVideo() throws {
    let scratch = try Scratch(ffmpeg: Self.pan)
    try scratch.add("s.png", [1])
    let run = try scratch.run(
      "redact", "in.mp4", "x.mp4", "--find", "faces", "--find-effort", "quick", "--review", "s.png")
    #expect(run.exitCode == 73 && run.explains(["s.png", "exists already"]), "\(run)")
    #expect(!scratch.names.contains("x.mp4"))
  }

  @Test func aVideoIsBlurredWhereFacesAreFound() throws {
    let scratch = try Scratch(ffmpeg: Self.pan)
    let run = try scratch.run(
      "video", "in.mp4", "x.mp4", "--sigma", "40", "--find", "faces", "--find-effort", "quick")
    #expect(run.exitCode == 0 && run.errors.contains("frostglass video: 1 face, "), "\(run)")
    let again = try scratch.run("find", "x.mp4", "again.json", "--find-effort", "quick")
    #expect(again.exitCode == 65, "\(again)")
    for (words, reason) in [
      (["--sigma", "0"], "leaves details visible"),
      (["--sigma", "9", "--frames", "1..5"], "--find counts"),
      (["--sigma", "9", "--tracks", "t.csv"], "exclude each other"),
    ] {
      let refused = try scratch.run(["video", "in.mp4", "y.mp4", "--find", "faces"] + words)
      #expect(refused.exitCode == 64 && refused.explains([reason]), "\(refused)")
    }
    let none = try Scratch(ffmpeg: Self.empty)
    let nothing = try none.run("video", "empty.mp4", "x.mp4", "--sigma", "9", "--find", "faces")
    #expect(nothing.exitCode == 65 && nothing.explains(["nothing was found"]), "\(nothing)")
    #expect(!none.names.contains("x.mp4"))
  }

  @Test func aVideoWithoutFacesIsNotWrittenUnlessThatIsAllowed() throws {
    let scratch = try Scratch(ffmpeg: Self.empty)
    let run = try scratch.run("redact", "empty.mp4", "out.mp4", "--find", "faces")
    #expect(run.exitCode == 65 && run.explains(["nothing was found", "--allow-none"]), "\(run)")
    #expect(!scratch.names.contains("out.mp4"))
    let allowed = try scratch.run(
      "redact", "empty.mp4", "out.mp4", "--find", "faces", "--allow-none", "--backend", "fast")
    #expect(allowed.exitCode == 0 && scratch.names.contains("out.mp4"), "\(allowed)")
  }

  @Test(arguments: [
    (["find", "a.mp4", "b.mp4"], "give one video"),
    (["find", "a.mp4", "out.xyz"], "ends with .json or .csv"),
    (["find", "a.mp4", "out.json", "--frame", "2"], "--frame is for images"),
    (["redact", "-", "-", "--find", "faces", "--to", "y4m"], "one video, from file to file"),
    (["redact", "a.mp4", "b.mp4", "--find", "faces", "--tracks", "t.csv"], "exclude each other"),
    (["redact", "a.mp4", "b.mp4", "--find", "faces", "--find-score", "2"], "--find-score"),
  ])
  func whatIsNotTakenIsSaid(_ words: [String], _ reason: String) throws {
    let scratch = try Scratch()
    try scratch.add("t.csv", Array("frame,x,y,w,h\n0,1,1,5,5\n".utf8))
    let run = try scratch.run(words)
    #expect(run.exitCode == 64 && run.explains([reason]), "\(run)")
  }
}
