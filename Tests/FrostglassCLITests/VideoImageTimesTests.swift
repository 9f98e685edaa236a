import FrostglassCore
import FrostglassStills
import Testing

/// Frame durations and loop counts of animations that are made from videos.
@Suite(.enabled(if: Scratch.hasFFmpeg, "there is no ffmpeg")) struct VideoImageTimesTests {
  /// The start of each of a video's frames, in milliseconds. The last frame is shown for 100.
  private static let variable = [0, 37, 148, 333, 592, 925, 1332]

  /// A video of gray frames, each brighter than the one before, which begin at some milliseconds.
  private static func video(_ starts: [Int]) -> String {
    let times = starts.enumerated().map { "eq(N,\($0))*\($1)" }.joined(separator: "+")
    return "-f lavfi -i nullsrc=s=64x48:r=10 -frames:v \(starts.count) -vf "
      + "\"geq=lum='16+30*N':cb=128:cr=128,settb=1/1000,setpts='\(times)'\" "
      + "-fps_mode passthrough -enc_time_base 1/1000 -c:v ffv1 -pix_fmt yuv420p in.mkv"
  }

  /// A video of a second or two at a steady rate, of frames that differ from those beside them.
  private static func video(rate: String, frames: Int) -> String {
    "-f lavfi -i nullsrc=s=64x48:r=\(rate) -frames:v \(frames) "
      + "-vf \"geq=lum='16+mod(37*N,200)':cb=128:cr=128\" -c:v libx264 -preset ultrafast "
      + "-pix_fmt yuv420p in.mp4"
  }

  /// The images of a file: how they follow each other, and which frames of `video` they are.
  private func pictures(
    _ scratch: Scratch, _ name: String
  ) throws -> (animation: StillMetadata.Animation, frames: [Int]) {
    let decoder = StillDecoder()
    let reader = try decoder.allFrames(of: decoder.reader(of: .file(scratch / name)))
    let animation = try #require(reader.metadata.animation)
    let frames = try (0..<reader.header.frames).map { index in
      let level = try reader.frame(index).sample(x: 30, y: 20, channel: 1)
      return Int((level * 219 / 30).rounded())
    }
    return (animation, frames)
  }

  /// Every frame is there once, and as long as in the video, however frames are coded.
  @Test(arguments: ["in.mkv", "in.mp4"], ["out.gif", "out.webp", "out.apng"])
  func framesAreShownAsLong(_ input: String, _ output: String) throws {
    let scratch = try Scratch(
      ffmpeg: Self.video(Self.variable),
      "-i in.mkv -fps_mode passthrough -enc_time_base 1/1000 -c:v libx264 -bf 2 "
        + "-pix_fmt yuv420p -video_track_timescale 90000 in.mp4")
    let run = try scratch.video("video \(input) \(output) --filter none")
    let expected =
      output == "out.gif"
      ? [40, 110, 180, 260, 340, 400, 100] : [37, 111, 185, 259, 333, 407, 100]
    let (animation, frames) = try pictures(scratch, output)
    #expect(animation == StillMetadata.Animation(delays: expected, loop: 0))
    #expect(frames == Array(0..<7))
    #expect(!run.errors.contains("left out"), "\(run)")
  }

  @Test(
    arguments: [
      ("--time 0.1..0.7", [2, 3, 4], [185, 259, 108]),
      ("--frames 2..5", [2, 3, 4], [185, 259, 333]),
    ])
  func partsAreShownAsLong(_ part: String, _ frames: [Int], _ delays: [Int]) throws {
    let scratch = try Scratch(ffmpeg: Self.video(Self.variable))
    _ = try scratch.video("video in.mkv out.webp --filter none \(part)")
    let found = try pictures(scratch, "out.webp")
    #expect(found.frames == frames && found.animation.delays == delays, "\(found)")
  }

  @Test func oneFrameIsAStill() throws {
    let scratch = try Scratch(ffmpeg: Self.video(Self.variable))
    _ = try scratch.video("video in.mkv out.webp --filter none --time 1..")
    #expect(try StillDecoder().header(of: .file(scratch / "out.webp")).frames == 1)
    let level = try scratch.picture("out.webp").image.sample(x: 30, y: 20, channel: 1)
    #expect((level * 219 / 30).rounded() == 6)
  }

  /// Each frame begins at the step that is nearest to when it does in the video.
  @Test func whatIsRoundedDoesNotAddUp() throws {
    let scratch = try Scratch(ffmpeg: Self.video(rate: "30000/1001", frames: 60))
    _ = try scratch.video("video in.mp4 out.gif --filter none")
    let delays = try pictures(scratch, "out.gif").animation.delays
    #expect(delays.count == 60)
    var begin = 0
    for (index, delay) in delays.enumerated() {
      let video: Double = Double(index) * 1001 / 30
      #expect(abs(Double(begin) - video) <= 5, "\(index) \(delays)")
      begin += delay
    }
    #expect(begin == 2000)
  }

  /// Browsers show what is too short for longer, and what moves evenly stays even.
  @Test func everyOtherFrameOfWhatIsTooFast() throws {
    let scratch = try Scratch(ffmpeg: Self.video(rate: "60", frames: 60))
    let run = try scratch.video("video in.mp4 out.gif --filter none")
    #expect(run.errors.contains("30 frames are left out"), "\(run)")
    #expect(run.errors.contains("shown for less than 20 ms"), "\(run)")
    let slow = try pictures(scratch, "out.gif").animation.delays
    #expect(slow == (0..<30).map { [30, 40, 30][$0 % 3] })
    let all = try scratch.video("video in.mp4 out.webp --filter none")
    #expect(!all.errors.contains("left out"), "\(all)")
    let fast = try pictures(scratch, "out.webp").animation.delays
    #expect(fast.count == 60 && fast.reduce(0, +) == 1000, "\(fast)")
  }

  /// One frame that is too short makes the next one late; those that are over by then are left out.
  @Test(
    arguments: [
      ([0, 100, 110, 200, 300], "out.gif", [0, 1, 2, 3, 4], [100, 20, 80, 100, 100]),
      ([0, 100, 110, 200, 300], "out.webp", [0, 1, 2, 3, 4], [100, 11, 89, 100, 100]),
      ([0, 200, 206, 212, 220, 300], "out.gif", [0, 1, 4, 5], [200, 20, 80, 100]),
      ([0, 200, 206, 212, 220, 300], "out.apng", [0, 1, 2, 4, 5], [200, 11, 11, 78, 100]),
    ])
  func shortFramesAreShown(
    _ starts: [Int], _ output: String, _ frames: [Int], _ delays: [Int]
  ) throws {
    let scratch = try Scratch(ffmpeg: Self.video(starts))
    let run = try scratch.video("video in.mkv \(output) --filter none")
    let found = try pictures(scratch, output)
    #expect(found.frames == frames && found.animation.delays == delays, "\(found)")
    let left = starts.count - frames.count
    #expect(run.errors.contains("left out") == (left > 0), "\(run)")
    #expect(left != 1 || run.errors.contains("1 frame is left out"), "\(run)")
  }

  /// A GIF and an animated PNG say up to 655 seconds.
  @Test(arguments: ["out.gif", "out.webp", "out.apng"])
  func whatIsShownForVeryLong(_ output: String) throws {
    let scratch = try Scratch(ffmpeg: Self.video([0, 700_000]))
    _ = try scratch.video("video in.mkv \(output) --filter none")
    let found = try pictures(scratch, output)
    #expect(found.animation.delays.reduce(0, +) == 700_100, "\(found)")
    #expect(found.animation.delays.last == 100 && found.frames.last == 1, "\(found)")
  }

  /// A finite loop count is kept, and so are the durations of frames.
  @Test(arguments: ["in.gif", "in.png"], ["out.gif", "out.webp", "out.apng"])
  func loopsAreKept(_ input: String, _ output: String) throws {
    let scratch = try Scratch()
    try scratch.add(input, AnimationCommandTests.video(input == "in.gif" ? .gif : .apng))
    _ = try scratch.video("video \(input) \(output) --sigma 1")
    let animation = try pictures(scratch, output).animation
    #expect(animation == StillMetadata.Animation(delays: [40, 50, 60, 70, 80], loop: 2))
  }

  /// A GIF that does not say how often it plays does so once.
  @Test(arguments: [("-1", 1), ("0", 0), ("3", 4)])
  func loopsOfGIFs(_ said: String, _ plays: Int) throws {
    let scratch = try Scratch(ffmpeg: Self.video(Self.variable), "-i in.mkv -loop \(said) in.gif")
    _ = try scratch.video("video in.gif out.webp --filter none")
    #expect(try pictures(scratch, "out.webp").animation.loop == plays)
  }

  /// libavcodec has no decoder for it, and this program has.
  @Test func anAnimatedWebPIsForBlur() throws {
    let scratch = try Scratch()
    try scratch.add("in.webp", AnimationCommandTests.video(.webp))
    let run = try scratch.video("video in.webp out.gif --sigma 1", exit: 65)
    #expect(run.explains(["in.webp", "no WebP that moves", "`frostglass blur` takes"]), "\(run)")
    #expect(scratch.names == ["in.webp"])
  }

  @Test func pipesAreNotReadTwice() throws {
    let scratch = try Scratch(ffmpeg: Self.video(Self.variable))
    let run = try scratch.shell(
      "cat in.mkv | \"$frostglass\" video /dev/stdin out.gif --sigma 1 --backend fast")
    #expect(run.exitCode == 65 && run.explains(["/dev/stdin", "is read twice"]), "\(run)")
    #expect(scratch.names == ["in.mkv"])
  }
}
