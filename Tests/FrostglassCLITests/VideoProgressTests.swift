import Frostglass
import FrostglassCLI
import FrostglassVideo
import Synchronization
import Testing

/// Progress messages while a video is made.
@Suite struct VideoProgressTests {
  @Test func wordsTellThePassItsSpeedAndWhatIsLeft() {
    func words(_ progress: VideoProgress) -> String { progress.words(after: .seconds(2)) }
    #expect(
      words(VideoProgress(frames: 120, total: 480, bytes: 3000))
        == "120 frames, 60.0 a second, 25 %, 6 s left, 2.9 KiB")
    #expect(
      words(VideoProgress(frames: 120, total: 480, bytes: nil, pass: 1, of: 2))
        == "pass 1 of 2: 120 frames, 60.0 a second, 25 %, 6 s left")
    #expect(
      words(VideoProgress(frames: 1, total: nil, bytes: nil, pass: 2, of: 2))
        == "pass 2 of 2: 1 frame, 0.5 a second")
  }

  @Test func eachPassHasItsOwnTime() {
    let start = ContinuousClock.now
    let times = PassTimes(start)
    #expect(times.time(of: 1, at: start + .seconds(3)) == .seconds(3))
    #expect(times.time(of: 1, at: start + .seconds(5)) == .seconds(5))
    #expect(times.time(of: 2, at: start + .seconds(6)) == .seconds(1))
    #expect(times.time(of: 2, at: start + .seconds(9)) == .seconds(4))
  }

  @Test(
    .enabled(if: Scratch.hasFFmpeg, "there is no ffmpeg"), arguments: ["gif", "webp", "apng"])
  func imagesThatMoveTakeTwoPasses(_ format: String) async throws {
    let scratch = try Scratch(
      ffmpeg: "-f lavfi -i testsrc=s=64x48:r=10 -frames:v 7 -c:v libx264 -pix_fmt yuv420p in.mp4")
    let job = VideoJob(
      scratch / "in.mp4", to: scratch / "out.\(format)", Recipe([]), maxPixels: 1_000_000)
    let told = Mutex<[VideoProgress]>([])
    let report = try await AVVideos().run(job, on: Pipeline(BackendOptions(.fast))) { progress in
      told.withLock { $0.append(progress) }
    } note: { _ in
    }
    #expect(report.frames == 7)
    let expected = [1, 2].flatMap { pass in
      (1...7).map { VideoProgress(frames: $0, total: 7, bytes: nil, pass: pass, of: 2) }
    }
    #expect(told.withLock { $0 } == expected)
  }
}
