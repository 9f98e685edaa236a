import FrostglassCore
import FrostglassStills
import Testing

/// `frostglass video in.mp4 out.png` and `out.gif`: images of videos.
@Suite(.enabled(if: Scratch.hasFFmpeg, "there is no ffmpeg")) struct VideoImagesTests {
  private let video = "-f lavfi -i testsrc2=s=64x48:r=10:d=0.3"

  /// An image is as wide as the video is shown, as no viewer of images stretches them.
  @Test(
    arguments: [
      ("2/1", 0, Size(width: 128, height: 48)), ("1/2", 0, Size(width: 64, height: 96)),
      ("2/1", 90, Size(width: 48, height: 128)),
    ])
  func pixelsAreSquare(_ aspect: String, _ angle: Int, _ size: Size) throws {
    let scratch = try Scratch(
      ffmpeg:
        "\(video) -vf setsar=\(aspect) -c:v libx264 -pix_fmt yuv420p coded.mp4",
      "-i coded.mp4 -c copy -metadata:s:v:0 rotate=\(angle) in.mp4")
    _ = try scratch.video("video in.mp4 still.png --filter none --time 0.1")
    _ = try scratch.video("video in.mp4 moving.gif --filter none")
    #expect(try scratch.picture("still.png").image.size == size)
    #expect(try scratch.picture("moving.gif").image.size == size)
    let few = try scratch.video(
      "video in.mp4 few.png --filter none --time 0.1 --max-pixels 4000", exit: 65)
    #expect(few.errors.contains("shown as \(size) are more than the allowed 4000"), "\(few)")
    #expect(!scratch.names.contains("few.png"))
  }

  /// Options of video encoders are refused for images.
  @Test(arguments: ["--codec h264", "--crf 20", "--speed fast"])
  func optionsOfEncodersAreRefused(_ option: String) throws {
    let scratch = try Scratch(ffmpeg: "\(video) -c:v ffv1 in.mkv")
    let run = try scratch.video("video in.mkv out.gif --sigma 2 \(option)", exit: 64)
    #expect(run.explains(["--codec, --crf and --speed", "out.gif is an image"]), "\(run)")
    #expect(scratch.names == ["in.mkv"])
  }

  /// Colors for a display of high dynamic range are not brought to those of an image, which is said.
  @Test(arguments: [("smpte2084", true), ("arib-std-b67", true), ("bt709", false)])
  func highDynamicRangeIsNotBroughtDown(_ transfer: String, _ isTold: Bool) throws {
    let scratch = try Scratch(
      ffmpeg:
        "\(video) -pix_fmt yuv420p10le -color_primaries bt2020 -color_trc \(transfer) -colorspace bt2020nc "
        + "-c:v ffv1 in.mkv")
    let run = try scratch.video("video in.mkv out.png --sigma 2 --time 0.1")
    #expect(run.errors.contains("high dynamic range (\(transfer))") == isTold, "\(run)")
  }
}
