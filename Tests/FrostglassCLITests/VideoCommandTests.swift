import Foundation
import FrostglassCore
import Frostglass
import Testing

/// `frostglass video`.
@Suite struct VideoCommandTests {
  /// Frames whose bytes differ from each other, as y4m.
  private func video(
    _ space: String, width: Int = 22, height: Int = 14, frames: Int = 3, tags: String = "",
    frameWords: String = ""
  ) throws -> [UInt8] {
    let head = "YUV4MPEG2 W\(width) H\(height) F30000:1001 Ip A1:1 C\(space)\(tags)\n"
    let size = Size(width: width, height: height)
    let layout = try #require(FrameLayout.y4m.first { $0.name == space })
    var bytes = Array(head.utf8)
    for frame in 0..<frames {
      bytes += Array("FRAME\(frameWords)\n".utf8) + pixels(layout, size, frame)
    }
    return bytes
  }

  /// Codes of a frame, in their bits.
  private func pixels(_ layout: FrameLayout, _ size: Size, _ frame: Int) -> [UInt8] {
    let isDeep = layout.planes(of: size)[0].format.depth == .uint16
    let mask =
      switch layout.content {
      case .planes(let format), .planesWithAlpha(let format), .luma(let format):
        1 << format.bits.rawValue - 1
      case .colors: 0xFFFF
      }
    let count = layout.byteCount(of: size) / (isDeep ? 2 : 1)
    return (0..<count).flatMap { index -> [UInt8] in
      let code = index * 7919 + index / 5 * 31 + frame * 4099
      guard isDeep else { return [UInt8(truncatingIfNeeded: code)] }
      let word = code & mask
      return [UInt8(word & 255), UInt8(word >> 8)]
    }
  }

  /// Returns the difference of a plane's first samples from the next but one.
  ///
  /// - Parameter isWide: true if samples have two bytes.
  private static func roughness(_ plane: ArraySlice<UInt8>, isWide: Bool = false) -> Int {
    func sample(_ index: Int) -> Int {
      guard isWide else { return Int(plane[plane.startIndex + index]) }
      let place = plane.startIndex + 2 * index
      return Int(plane[place]) | Int(plane[place + 1]) << 8
    }
    return (0..<200).reduce(0) { $0 + abs(sample($1) - sample($1 + 2)) }
  }

  private func run(
    _ video: [UInt8], _ options: String, as names: String = ""
  ) throws -> (run: CommandRun, output: [UInt8]) {
    let scratch = try Scratch()
    try scratch.add("in", video)
    let run = try scratch.shell("cat in | \"$frostglass\" video - - \(options) > out")
    return (run, try scratch.contents("out"))
  }

  @Test(arguments: FrameLayout.y4m.map(\.name))
  func whatChangesNothingChangesNoByte(_ space: String) throws {
    let video = try video(
      space, tags: " XYSCSS=OWN XCOLORRANGE=FULL Zmore", frameWords: " Ip XSOME=thing")
    let (run, output) = try run(video, "--filter none")
    #expect(run.exitCode == 0, "\(run)")
    #expect(output == video, "\(space)")
    #expect(run.errors.hasPrefix("frostglass video: 3 frames, "), "\(run)")
    #expect(run.errors.filter(\.isNewline).count == 1, "\(run)")
  }

  @Test(arguments: FrameLayout.raw.map(\.name)) func rawFramesToo(_ name: String) throws {
    let layout = try #require(FrameLayout.raw.first { $0.name == name })
    let size = Size(width: 9, height: 6)
    // Pixels without alpha have no colors to keep.
    var video = (0..<2).flatMap { pixels(layout, size, $0) }
    if name == "rgba" {
      for index in stride(from: 3, to: video.count, by: 4) { video[index] = 255 }
    }
    if name == "rgba64le" {
      for index in stride(from: 6, to: video.count, by: 8) {
        (video[index], video[index + 1]) = (255, 255)
      }
    }
    let (run, output) = try run(video, "--filter none --pixel-format \(name) --size 9x6")
    #expect(run.exitCode == 0, "\(run)")
    #expect(output.count == video.count)
    let isWide = name.hasSuffix("48le") || name.hasSuffix("64le")
    // Of colors of 16 bits, fixed point keeps 15.
    #expect(isWide || output == video, "\(name)")
  }

  /// Each frame is what the library makes of it.
  @Test(arguments: ["420mpeg2", "422p10", "mono"]) func framesAreBlurred(_ space: String) throws {
    let video = try video(space)
    let (run, output) = try run(video, "--sigma 6 --backend fast")
    #expect(run.exitCode == 0 && output.count == video.count, "\(run)")
    let layout = try #require(FrameLayout.y4m.first { $0.name == space })
    let size = Size(width: 22, height: 14)
    let bytes = layout.byteCount(of: size)
    let head = video.count - 3 * (bytes + 6)
    #expect(output.prefix(head + 6) == video.prefix(head + 6))
    // Neighbors differ by far less than before, in every frame.
    for frame in 0..<3 {
      let start = head + frame * (bytes + 6) + 6
      let isWide = space == "422p10"
      let (before, after) = (video[start..<start + bytes], output[start..<start + bytes])
      #expect(
        Self.roughness(after, isWide: isWide) * 5 < Self.roughness(before, isWide: isWide),
        "frame \(frame)")
    }
  }

  @Test func outsideOfARegionNoByteChanges() throws {
    let video = try video("420jpeg", width: 48, height: 32)
    let (run, output) = try run(video, "--sigma 4 --region 16,8,16,16")
    #expect(run.exitCode == 0, "\(run)")
    let head = video.count - 3 * (48 * 32 * 3 / 2 + 6)
    var changed = 0
    for frame in 0..<3 {
      let start = head + frame * (48 * 32 * 3 / 2 + 6) + 6
      for (index, place) in (start..<start + 48 * 32).enumerated()
      where output[place] != video[place] {
        changed += 1
        #expect((16..<32).contains(index % 48) && (8..<24).contains(index / 48))
      }
      for plane in 0..<2 {
        let first = start + 48 * 32 + plane * 24 * 16
        for (index, place) in (first..<first + 24 * 16).enumerated()
        where output[place] != video[place] {
          #expect((8..<16).contains(index % 24) && (4..<12).contains(index / 24))
        }
      }
    }
    #expect(changed > 3 * 16 * 16 / 2, "of the region's brightness most has changed")
  }

  @Test func theMatrixIsSaidWhereItMatters() throws {
    let video = try video("420mpeg2")
    let words = "colors are taken for bt601, as frames of 14 rows mostly are; --matrix"
    let guessed = try run(video, "--filter 'saturation(0)'")
    #expect(guessed.run.exitCode == 0 && guessed.run.errors.contains(words), "\(guessed.run)")
    let told = try run(video, "--filter 'saturation(0)' --matrix bt709")
    #expect(told.run.exitCode == 0 && !told.run.errors.contains("colors"), "\(told.run)")
    #expect(told.output != guessed.output)
    let blurred = try run(video, "--sigma 2")
    #expect(!blurred.run.errors.contains("colors"), "\(blurred.run)")
    // A redaction's color is put into planes that stay as they are elsewhere; a gray is the same in all.
    let scratch = try Scratch()
    try scratch.add("in", video)
    for (options, isSaid) in [
      ("--color red", true), ("--color red --matrix bt601", false), ("--color '#808080'", false),
      ("", false),
    ] {
      let run = try scratch.shell(
        "\"$frostglass\" redact - - --to y4m --region 4,4,6,6 --fill solid \(options) < in > out")
      #expect(run.exitCode == 0 && run.errors.contains(words) == isSaid, "\(options): \(run)")
    }
  }

  @Test func rawFramesBecomeY4M() throws {
    let layout = try #require(FrameLayout.raw.first { $0.name == "yuv420p" })
    let pixels = pixels(layout, Size(width: 8, height: 4), 0)
    let (run, output) = try run(
      pixels, "--filter none --pixel-format yuv420p --size 8x4 --rate 25 --to y4m")
    #expect(run.exitCode == 0, "\(run)")
    let head = "YUV4MPEG2 W8 H4 F25:1 Ip A0:0 C420mpeg2 XCOLORRANGE=LIMITED\nFRAME\n"
    #expect(output == Array(head.utf8) + pixels)
    let back = try self.run(output, "--filter none --to raw")
    #expect(back.run.exitCode == 0 && back.output == pixels, "\(back.run)")
  }

  /// Whole frames go out, words and 65 follow.
  @Test func aStreamThatEndsWithinAFrame() throws {
    let video = try video("420jpeg")
    let frame = 22 * 14 * 3 / 2 + 6
    for (cut, words) in [
      (10, "it ends within frame 3, which has 452 of 462 bytes"),
      (frame - 3, "it ends within frame 3, which has 0 of 462 bytes"),
    ] {
      let (run, output) = try run(Array(video.dropLast(cut)), "--filter none")
      #expect(run.exitCode == 65 && run.errors.contains(words), "\(run)")
      #expect(output == Array(video.dropLast(frame)))
    }
  }

  @Test func whatIsNoVideoIsRefused() throws {
    for (video, words) in [
      ("", "there is nothing in it"), ("YUV4MPEG2 W4 H4", "it ends within a line"),
      ("no video\n", "does not begin with YUV4MPEG2"),
      ("YUV4MPEG2 W900000 H900000 C420jpeg\n", "pixels are more than the allowed"),
      ("YUV4MPEG2 W4 H4 It\n", "interlaced"),
      ("YUV4MPEG2 " + String(repeating: "Z", count: 5000), "more than 4096 bytes"),
    ] {
      let (run, output) = try run(Array(video.utf8), "--sigma 1")
      #expect(run.exitCode == 65 && run.errors.contains(words), "\(run)")
      #expect(output.isEmpty && run.errors.filter(\.isNewline).count == 1, "\(run)")
    }
    let lost = try video("mono", frames: 1) + Array("FRAMEX".utf8)
    let (run, _) = try run(lost, "--sigma 1")
    #expect(run.exitCode == 65 && run.errors.contains("frame 2 does not begin with FRAME"))
  }

  @Test(
    arguments: [
      ("in.y4m - --sigma 1", "from file to file, and frames from standard input"),
      ("- - --sigma 1 --codec ffv1", "--codec is for videos from file to file"),
      ("in.mp4 out.mp4 --sigma 1 --size 4x4", "--size is for frames between pipes"),
      ("in.mp4 out.mp4 --sigma 1 --time 9..3", "two times such as 10..20"),
      ("in.mp4 out.mp4 --sigma 1 --speed quick", "ultrafast, superfast"),
      ("- - --sigma 1 --size 4x4", "--pixel-format NAME announces"),
      ("- - --sigma 1 --pixel-format yuv420p", "raw frames need --size"),
      ("- - --sigma 1 --pixel-format yuv42p --size 4x4", "did you mean yuv420p"),
      ("- - --sigma 1 --pixel-format gray --size 4x", "it must be WxH"),
      ("- - --sigma 1 --pixel-format gray --size 4x4 --to y4m", "needs --rate"),
      ("- - --sigma 1 --pixel-format nv12 --size 4x4 --to y4m --rate 25", "has no frames as nv12"),
      ("- - --sigma 1 --pixel-format gray --size 4x4 --rate fast", "it must be such as 25"),
      ("- - --sigma 1 --matrix bt1", "bt601, bt709, bt2020"), ("- -", "nothing to do"),
    ])
  func wrongWordsAreNamed(_ words: String, _ told: String) throws {
    let run = try Scratch().shell("\"$frostglass\" video \(words) < /dev/null")
    #expect(run.exitCode == 64 && run.explains([told]), "\(run)")
  }

  /// Alpha is blurred with the planes, or the frames are refused.
  @Test func alphaTakesPart() throws {
    let video = try video("444alpha")
    let blurred = try run(video, "--sigma 2")
    #expect(blurred.run.exitCode == 0, "\(blurred.run)")
    let plane = 22 * 14
    #expect(
      Self.roughness(blurred.output.suffix(plane)) * 2 < Self.roughness(video.suffix(plane)))
    let colored = try run(video, "--filter 'saturation(0)'")
    #expect(colored.run.exitCode == 65 && colored.run.errors.contains("alpha"), "\(colored.run)")
  }

  @Test func aClosedPipeEndsIt() throws {
    let scratch = try Scratch()
    try scratch.add("in", try video("420jpeg", width: 320, height: 200, frames: 30))
    let run = try scratch.shell(
      "{ \"$frostglass\" video - - --sigma 2 < in; echo $? > code; } | head -c 100 > out")
    #expect(run.exitCode == 0, "\(run)")
    #expect(try scratch.contents("out").count == 100)
    #expect(String(decoding: try scratch.contents("code"), as: UTF8.self) == "141\n")
  }

  @Test func fullOutputIsReported() throws {
    let scratch = try Scratch()
    try scratch.add("in", try video("420jpeg"))
    let run = try scratch.shell("\"$frostglass\" video - - --sigma 2 < in > /dev/full")
    #expect(run.exitCode == 73 && run.explains(["standard output", "No space left"]), "\(run)")
  }

  /// However many frames there are, memory is that of a few.
  @Test func memoryDoesNotGrow() throws {
    let scratch = try Scratch()
    func touched(_ frames: Int) throws -> Int {
      try scratch.add("film", try video("420jpeg", width: 320, height: 240, frames: frames))
      let run = try scratch.shell(
        "exec \"$frostglass\" video - - --sigma 5 --backend fast --threads 1 < film > /dev/null")
      #expect(run.exitCode == 0, "\(run)")
      return run.memoryTouched
    }
    let (few, many) = (try touched(5), try touched(55))
    // Fifty frames more are 5.8 MB.
    #expect(many < few + 2 << 20, "\(few) \(many)")
  }

  /// ffmpeg reads what comes out, and says the same of it as of what went in.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg"), "no ffmpeg"))
  func betweenTwoFFmpegs() throws {
    let scratch = try Scratch()
    for format in ["yuv420p", "yuv422p10le", "yuv444p", "gray"] {
      let run = try scratch.shell(
        """
        ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -pix_fmt \(format) \
          -f yuv4mpegpipe -strict -1 - | tee in.y4m | "$frostglass" video - - --filter none > out.y4m
        ffmpeg -v error -i in.y4m -f framemd5 - > in.md5
        ffmpeg -v error -i out.y4m -f framemd5 - > out.md5
        cmp in.md5 out.md5
        """)
      #expect(run.exitCode == 0, "\(format) \(run)")
    }
  }
}
