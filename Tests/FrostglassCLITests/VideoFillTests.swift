import FrostglassCore
import Testing

/// `frostglass fill in.mp4 out.mp4`: videos on canvases of another shape.
@Suite(.enabled(if: Scratch.hasFFmpeg, "there is no ffmpeg")) struct VideoFillTests {
  private func probe(_ scratch: Scratch, _ file: String, _ words: String) throws -> String {
    try scratch.shell("ffprobe -v error \(words) -of compact=p=0 '\(file)'").text
  }

  /// Brightness of the first frame, row by row.
  private func luma(_ scratch: Scratch, _ file: String) throws -> [UInt8] {
    let run = try scratch.shell(
      "ffmpeg -v error -y -nostdin -noautorotate -i \(file) -frames:v 1 -vf extractplanes=y -f rawvideo luma"
    )
    try #require(run.exitCode == 0, "\(run)")
    return try scratch.contents("luma")
  }

  /// Times and sound stay, the frame is where it belongs, and what is beside it is darker.
  @Test func aWideVideoBecomesUpright() throws {
    let scratch = try Scratch(
      ffmpeg:
        "-f lavfi -i testsrc2=s=96x54:r=25:d=0.4 -f lavfi -i sine=440:d=0.4 -c:v libx264 -qp 0 -pix_fmt yuv420p "
        + "-c:a aac -metadata title=Night in.mp4")
    let run = try scratch.video("fill in.mp4 out.mp4 --size 54x96 --crf 0")
    #expect(run.errors.hasPrefix("frostglass fill: 10 frames, "), "\(run)")
    #expect(
      try probe(scratch, "out.mp4", "-select_streams v -show_entries stream=width,height,nb_frames")
        == "width=54|height=96|nb_frames=10\n")
    for words in [
      "-select_streams v -show_entries packet=pts_time,duration_time",
      "-select_streams a -show_entries packet=size,data_hash -show_data_hash md5",
      "-show_entries format_tags=title",
    ] {
      let (before, after) = (
        try probe(scratch, "in.mp4", words), try probe(scratch, "out.mp4", words)
      )
      #expect(
        before.split(separator: "\n").sorted() == after.split(separator: "\n").sorted(), "\(words)")
    }
    // Of which colors frames of another size would be taken for is said.
    #expect(
      try probe(scratch, "out.mp4", "-select_streams v -show_entries stream=color_space")
        == "color_space=smpte170m\n")
    // Scaled as ffmpeg scales it, nearly, between row 33 and 63.
    let scaled = try scratch.shell(
      "ffmpeg -v error -nostdin -i in.mp4 -vf scale=54:30:flags=lanczos -c:v libx264 -qp 0 small.mp4"
    )
    #expect(scaled.exitCode == 0)
    let (canvas, small) = (try luma(scratch, "out.mp4"), try luma(scratch, "small.mp4"))
    var sum = 0
    for place in 54 * 2..<54 * 28 {
      sum += abs(Int(canvas[33 * 54 + place]) - Int(small[place]))
    }
    #expect(Double(sum) / Double(54 * 26) < 4, "\(Double(sum) / Double(54 * 26))")
    // A blurred copy has no such steps.
    func steps(_ rows: Range<Int>) -> Int {
      rows.map { y in
        (1..<54).map { abs(Int(canvas[y * 54 + $0]) - Int(canvas[y * 54 + $0 - 1])) }.max() ?? 0
      }.max() ?? 0
    }
    #expect(steps(36..<60) > 60 && steps(0..<30) < 30, "\(steps(36..<60)) \(steps(0..<30))")
  }

  /// Rotated videos, those whose pixels are not square, gray ones and colors go onto the canvas as they are
  /// shown.
  @Test(
    arguments: [
      ("-pix_fmt yuv420p", "-metadata:s:v:0 rotate=90", "54x96", "width=54|height=96"),
      ("-pix_fmt yuv422p10le -vf setsar=2/1", "", "96x96", "width=96|height=96"),
      ("-pix_fmt gray", "", "60x60", "width=60|height=60"),
      ("-c:v libx264rgb -pix_fmt rgb24", "", "60x60", "width=60|height=60"),
    ])
  func framesAreUprightAndSquare(
    _ pixels: String, _ change: String, _ size: String, _ told: String
  ) throws {
    let scratch = try Scratch(
      ffmpeg:
        "-f lavfi -i color=white:s=96x54:r=25:d=0.2 -c:v libx264 \(pixels) -color_range tv plain.mp4",
      "-i plain.mp4 -c copy \(change) in.mp4")
    _ = try scratch.video("fill in.mp4 out.mkv --size \(size) --dim 1 --codec ffv1")
    #expect(
      try probe(
        scratch, "out.mkv",
        "-show_entries stream=width,height,sample_aspect_ratio:stream_side_data=rotation"
      ).hasPrefix(told + "|sample_aspect_ratio=1:1"))
    let run = try scratch.shell(
      "ffmpeg -v error -nostdin -noautorotate -i out.mkv -frames:v 1 -pix_fmt gray -f rawvideo luma"
    )
    #expect(run.exitCode == 0, "\(run)")
    let luma = try scratch.contents("luma")
    let width = change.isEmpty ? Int(Double(luma.count).squareRoot().rounded()) : 54
    let height = luma.count / width
    let columns = (0..<width).filter { luma[height / 2 * width + $0] > 128 }.count
    let rows = (0..<height).filter { luma[$0 * width + width / 2] > 128 }.count
    // Upright 54×96 fills its canvas; 192×54 comes to 96×27, 96×54 to 60×34.
    let shown = change.isEmpty ? pixels.contains("sar") ? (96, 27) : (60, 34) : (54, 96)
    #expect(abs(columns - shown.0) <= 1 && abs(rows - shown.1) <= 1, "\(columns)×\(rows)")
  }

  @Test(
    arguments: [
      ("in.mp4 out.png --size 54x96", 64, "in.mp4 is a video and out.png an image"),
      ("- out.mp4 --size 54x96", 64, "videos go from file to file"),
      ("in.mp4 out.mp4 --size 54x96 --strip", 64, "--strip is for images"),
      ("in.mp4 out.mp4 --size 54x96 --memory 1K", 64, "--memory is for images"),
      ("in.mp4 --out-dir out --size 54x96 --shard 1/2", 64, "--shard is for images"),
      ("in.mp4 --out-dir out --size 54x96 --report r", 64, "--report is for images"),
      ("in.mp4 out.mp4", 64, "give one of --size WxH and --aspect W:H"),
      ("in.mp4 out.mp4 --size 54x96 --margin 40", 64, "margin"),
      ("in.mp4 out.mp4 --size 900x900 --max-pixels 9999", 65, "9999"),
      ("alpha.mkv out.mkv --size 54x96", 65, "which a canvas does not take"),
      ("in.mp4 out.mp4 --size 55x97 --codec h264", 65, "no encoder takes frames of 55×97 (libx264"),
      ("in.mp4 out.mp4 --size 70000x2", 65, "70000×2"),
    ])
  func refusedByName(_ words: String, _ code: Int, _ told: String) throws {
    let source = "-f lavfi -i testsrc2=s=96x54:r=25:d=0.2"
    let scratch = try Scratch(
      ffmpeg:
        "\(source) -c:v libx264 -pix_fmt yuv420p in.mp4",
      "\(source) -vf format=yuva444p,lut=c3=100 -c:v ffv1 alpha.mkv")
    let run = try scratch.video("fill \(words)", exit: Int32(code))
    #expect(run.explains([told]), "\(run)")
    #expect(scratch.names == ["alpha.mkv", "in.mp4"])
  }

  /// A shape without a size gives sides that all samplings have.
  @Test func shapesComeToWholeSamples() throws {
    let scratch = try Scratch(
      ffmpeg:
        "-f lavfi -i testsrc2=s=98x54:r=25:d=0.1 -c:v libx264 -pix_fmt yuv420p in.mp4")
    _ = try scratch.video("fill in.mp4 out.mp4 --aspect 9:16 --radius 10% --shadow 0.5 --margin 4%")
    #expect(
      try probe(scratch, "out.mp4", "-show_entries stream=width,height") == "width=98|height=174\n")
  }
}
