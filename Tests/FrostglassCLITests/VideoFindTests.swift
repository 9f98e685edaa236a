import Frostglass
import FrostglassCLI
import FrostglassCore
import FrostglassFind
import FrostglassStills
import FrostglassVideo
import Testing

/// Findings in videos, by a detector that looks for the brightest block.
@Suite(.enabled(if: Scratch.hasFFmpeg, "there is no ffmpeg")) struct VideoFindTests {
  /// A bright square of 24 pixels that goes to the right over gray; gone in some frames.
  private static let video =
    "-f lavfi -i color=gray:s=192x96:r=25 -f lavfi -i color=white:s=24x24:r=25 -filter_complex "
    + "\"[0][1]overlay=x=20+2*n:y=30:shortest=1:enable='not(between(n,12,17))'\" -frames:v 30 "
    + "-c:v libx264 -qp 10 -pix_fmt yuv420p in.mp4"

  /// Finds what is brighter than its surroundings.
  private struct Brightest: FrameDetector {
    var score = 0.9

    func find(in image: Image, by looks: Set<FrameLooks.Look>) async throws(VideoFileError)
      -> [Found]
    {
      var box: FoundBox?
      for y in 0..<image.size.height {
        for x in 0..<image.size.width where image.bytes[y * image.bytesPerRow + 3 * x] > 200 {
          let own = FoundBox(
            left: Double(x), top: Double(y), right: Double(x + 1), bottom: Double(y + 1))
          box = FoundBox(
            left: min(box?.left ?? own.left, own.left), top: min(box?.top ?? own.top, own.top),
            right: max(box?.right ?? own.right, own.right),
            bottom: max(box?.bottom ?? own.bottom, own.bottom))
        }
      }
      guard let box else { return [] }
      return [
        Found(x: box.left, y: box.top, width: box.width, height: box.height, score: score)
      ]
    }
  }

  private func outcome(
    _ scratch: Scratch, score: Double = 0.9, allowsNone: Bool = false
  ) async throws -> VideoFind.Outcome {
    let find = VideoFind(
      scratch / "in.mp4", maxPixels: 1_000_000, effort: .normal, allowsNone: allowsNone)
    return try await find.run(
      by: AVVideos(), on: Pipeline(BackendOptions(.fast)), Brightest(score: score))
  }

  @Test func whatIsLostOnTheWayIsCovered() async throws {
    let scratch = try Scratch(ffmpeg: Self.video)
    let outcome = try await outcome(scratch)
    #expect(outcome.frames == 30 && outcome.size == Size(width: 192, height: 96))
    #expect(outcome.found.count == 1)
    #expect(outcome.found.places(.measured) == 24 && outcome.found.places(.between) == 6)
    let sampler = try TrackSampler(
      outcome.tracks, size: outcome.size, care: TrackSampler.SafetyMargins(onGap: .hold), frame: nil
    )
    for frame in 0..<30 {
      let left = Double(20 + 2 * frame)
      let found = sampler.found(at: Double(frame))
      #expect(
        found.contains { found in
          found.shapes.contains { shape in
            guard case .rectangle(let x, let y, let width, let height, _, _) = shape else {
              return false
            }
            return x.value <= left && x.value + width.value >= left + 24 && y.value <= 30
              && y.value + height.value >= 54
          }
        }, "frame \(frame), \(found)")
    }
    #expect(
      outcome.found.words(hasSheet: false)
        == "1 face, 24 sightings measured, 6 between, 0 held; lowest start 0.9; 0 left alone")
  }

  /// Writing reads the file that was searched, in its state, or nothing.
  @Test func anotherFileWithTheSameBytesIsRefused() async throws {
    let scratch = try Scratch(ffmpeg: Self.video)
    let path = scratch / "in.mp4"
    let version = try #require(FileVersion(path))
    let videos = AVVideos()
    let pipeline = Pipeline(BackendOptions(.fast))
    func frames(_ version: FileVersion?) async throws -> Int {
      var count = 0
      try await videos.view(
        path, in: version, maxPixels: 1_000_000, on: pipeline, wants: { _ in true },
        progress: { _ in }, note: { _ in }
      ) { _, _ throws(VideoFileError) in count += 1 }
      return count
    }
    let usual = try await frames(nil)
    #expect(try await frames(version) == usual && usual == 30)
    // The same bytes, in another file.
    let moved = try scratch.shell("cp in.mp4 other.mp4; mv in.mp4 one.mp4; ln -s other.mp4 in.mp4")
    #expect(moved.exitCode == 0, "\(moved)")
    #expect(try await frames(nil) == usual)
    await #expect {
      try await frames(version)
    } throws: {
      "\($0)".contains("replaced or changed")
    }
  }

  @Test func nothingFoundIsAnErrorUnlessThatIsAllowed() async throws {
    let scratch = try Scratch(ffmpeg: Self.video)
    let error = await #expect(throws: VideoFileError.self) {
      try await outcome(scratch, score: 0.41)
    }
    let words = error.map { "\($0)" } ?? ""
    #expect(words.contains("has 0.41, in frame 0") && words.contains("--allow-none"), "\(words)")
    let allowed = try await outcome(scratch, score: 0.41, allowsNone: true)
    #expect(allowed.tracks.tracks.isEmpty && allowed.tracks.length == 30)
    #expect(
      allowed.found.words(hasSheet: true)
        == "0 faces, 0 sightings measured, 0 between, 0 held; 1 left alone: see the sheet")
  }

  @Test func aVideoThatIsDamagedIsRefused() async throws {
    let scratch = try Scratch(ffmpeg: Self.video)
    try scratch.add("in.mp4", Array(scratch.contents("in.mp4").dropLast(600)))
    await #expect(throws: VideoFileError.self) { try await outcome(scratch) }
  }

  @Test func tracksThatWereFoundAreRedactedAsTheyAre() async throws {
    let scratch = try Scratch(ffmpeg: Self.video)
    let outcome = try await outcome(scratch)
    let json = try WrittenTracks(outcome.tracks, as: .json).files[0].text
    try scratch.add("faces.json", Array(json.utf8))
    _ = try scratch.video(
      "redact in.mp4 out.mp4 --tracks faces.json --spread-frames 0 --grow-motion 0 --grow 0 --fill solid "
        + "--color black --audit audit.json")
    let audit = String(decoding: try scratch.contents("audit.json"), as: UTF8.self)
    #expect(audit.contains(#""state":"measured""#) && audit.contains(#""state":"interpolated""#))
    // Nothing bright is left in the new video.
    let find = VideoFind(
      scratch / "out.mp4", maxPixels: 1_000_000, effort: .normal, allowsNone: true)
    let left = try await find.run(
      by: AVVideos(), on: Pipeline(BackendOptions(.fast)), Brightest())
    #expect(left.found.tracks.isEmpty && left.found.leftAlone.isEmpty)
    // A track that is left out stays as it was.
    #expect(try scratch.run("tracks", "faces.json", "none.json", "--without", "1").exitCode == 0)
    let kept = String(decoding: try scratch.contents("none.json"), as: UTF8.self)
    #expect(!kept.contains("bbox") && kept.contains("\"frames\": 30"))
    for (ids, code, words) in [("1,9", 65, "no track has the id 9"), ("1,,2", 64, "such as 7,12")] {
      let run = try scratch.run("tracks", "faces.json", "x.json", "--without", ids)
      #expect(run.exitCode == code && run.explains([words]), "\(run)")
    }
  }
}
