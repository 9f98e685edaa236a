import FrostglassCore
import Testing

/// `frostglass video` with frames that do not wait.
@Suite struct LiveCommandTests {
  private let head = "YUV4MPEG2 W8 H4 F25:1 Ip A1:1 C420jpeg XYSCSS=OWN\n"

  private func video(_ frames: Int) -> [UInt8] {
    Array(head.utf8)
      + (0..<frames).flatMap { frame in
        Array("FRAME Xnumber=\(frame)\n".utf8) + (0..<48).map { UInt8($0 + 60 * frame) }
      }
  }

  @Test func aFrameThatThereIsTimeForIsWritten() throws {
    let scratch = try Scratch()
    try scratch.add("in", video(1))
    let run = try scratch.shell("\"$frostglass\" video - - --live --filter none < in > out")
    #expect(run.exitCode == 0, "\(run)")
    #expect(try scratch.contents("out") == video(1))
    #expect(run.errors.hasPrefix("frostglass video: 1 frame, "), "\(run)")
    #expect(run.errors.contains("0 of 1 dropped"), "\(run)")
  }

  /// Frames may be skipped if a pipe delivers all at once, but never the last one.
  @Test func everyFrameIsAccountedFor() throws {
    let scratch = try Scratch()
    try scratch.add("in", video(4))
    let run = try scratch.shell("cat in | \"$frostglass\" video - - --live --filter none > out")
    #expect(run.exitCode == 0, "\(run)")
    let (video, output) = (video(4), try scratch.contents("out"))
    let frame = (video.count - head.utf8.count) / 4
    let written = (output.count - head.utf8.count) / frame
    #expect((1...4).contains(written) && output.suffix(frame) == video.suffix(frame))
    #expect(run.errors.hasPrefix("frostglass video: \(written) frame"), "\(run)")
    #expect(run.errors.contains("\(4 - written) of 4 dropped, on "), "\(run)")
  }

  /// After the first signal, frames in flight are written, and so are the final messages.
  @Test func theFirstSignalEndsItInOrder() throws {
    let scratch = try Scratch()
    try scratch.add("film", video(1))
    let run = try scratch.shell(
      """
      mkfifo in out
      "$frostglass" video - - --live --filter none < in > out &
      exec 3> in 4< out
      cat film >&3
      head -c \(video(1).count) <&4 > got
      kill -TERM $!
      wait $!
      """)
    #expect(run.exitCode == 0, "\(run)")
    #expect(try scratch.contents("got") == video(1))
    #expect(run.errors.contains("0 of 1 dropped"), "\(run)")
  }

  /// Live frames are redacted, and the audit lists the frames that were written.
  @Test func liveFramesAreRedacted() throws {
    let scratch = try Scratch()
    try scratch.add("in", video(1))
    let run = try scratch.shell(
      "\"$frostglass\" redact - - --live --region 0,0,2,2 --grow 0 --fill solid --color white --audit a < in > out"
    )
    #expect(run.exitCode == 0 && run.errors.contains("0 of 1 dropped"), "\(run)")
    let output = try scratch.contents("out")
    let luma = output.dropFirst(output.count - 48).prefix(32)
    #expect(output.count == video(1).count && luma.first == 235 && luma.last == 31, "\(luma)")
    let audit = String(decoding: try scratch.contents("a"), as: UTF8.self)
    #expect(audit.split(separator: "\n").filter { $0.contains("\"frame\":") }.count == 1)
    let file = try scratch.shell("\"$frostglass\" redact in.mp4 out.mp4 --region 0,0,2,2 --live")
    #expect(file.exitCode == 64 && file.explains(["--live is for frames between pipes"]), "\(file)")
  }

  @Test func whereNoCameraIs() throws {
    let run = try Scratch().shell("\"$frostglass\" video /dev/video-none - --sigma 2")
    let words = ["/dev/video-none: there is no such device", "Video4Linux"]
    #expect(run.exitCode == 66 && run.explains(words), "\(run)")
  }

  @Test(
    arguments: [
      ("- - --sigma 1 --fps 25", "--fps is for cameras and for --live"),
      ("- - --sigma 1 --live --fps fast", "it must be such as 25"),
      ("- - --sigma 1 --camera-format yuyv", "--camera-format is for cameras"),
      ("- - --sigma 1 --live --camera-format yuyv", "--camera-format is for cameras"),
      ("in.mp4 out.mp4 --sigma 1 --live", "--live is for frames between pipes"),
      ("/dev/video-none out.mp4 --sigma 1", "or a camera to standard output"),
      ("/dev/video-none - --sigma 1 --pixel-format nv12", "a camera has --camera-format"),
      ("/dev/video-none - --sigma 1 --camera-format h264", "yuv420, nv12, yuyv, grey, mjpeg"),
      ("/dev/video-none - --sigma 1 --size 4x", "it must be WxH"),
    ])
  func wrongWordsAreNamed(_ words: String, _ told: String) throws {
    let run = try Scratch().shell("\"$frostglass\" video \(words) < /dev/null")
    #expect(run.exitCode == 64 && run.explains([told]), "\(run)")
  }
}
