import Foundation
import FrostglassCore
import FrostglassStills
import Testing

/// Scenes with videos in them.
@Suite struct SceneVideoTests {
  /// Gray frames of 8 by 4, 10 a second: 0, 40, 80 and so on of 255.
  private func video(_ frames: Int) -> [UInt8] {
    var video = Array("YUV4MPEG2 W8 H4 F10:1 Ip A1:1 C420jpeg XCOLORRANGE=FULL\n".utf8)
    for frame in 0..<frames {
      video += Array("FRAME\n".utf8)
      video += [UInt8](repeating: UInt8(40 * frame), count: 32)
      video += [UInt8](repeating: 128, count: 16)
    }
    return video
  }

  private func scene(_ content: String, _ layers: String = "") -> [UInt8] {
    Array(
      """
      {"canvas": {"width": 8, "height": 4, "background": "black"}, "duration": 0.8, \(content)
       "layers": [\(layers)]}
      """.utf8)
  }

  /// A red bar lies over each frame, whose last one stays.
  @Test(arguments: [
    "\"content\": {\"images\": [\"film.y4m\"]},",
    "\"content\": {\"height\": 4, \"items\": [{\"image\": \"film.y4m\", \"frame\": [0, 0, 8, 4]}]},",
    "",
  ])
  func aVideoRunsBelowABar(_ content: String) throws {
    let scratch = try Scratch()
    try scratch.add("film.y4m", video(5))
    try check(scratch, content)
  }

  /// Any video, by the program that reads videos; from standard input too, which it gets from the command.
  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg"), "there is no ffmpeg"))
  func aVideoOfAnyKindRunsBelowABar() throws {
    let scratch = try Scratch()
    try scratch.add("film.y4m", video(5))
    let made = try scratch.shell(
      "ffmpeg -v error -nostdin -i film.y4m -c:v ffv1 film.mkv && head -c 300 film.mkv > cut.mkv")
    #expect(made.exitCode == 0, "\(made)")
    try check(scratch, "", of: "film.mkv")
    let piped = try scratch.shell(
      "cat scene.json | \"$frostglass\" scene - -o piped.png --time 0.3 && cmp piped.png still.png")
    #expect(piped.exitCode == 0, "\(piped)")
    for (name, code, told) in [
      ("cut.mkv", 65, "it is cut off"), ("none.mp4", 66, "there is no such file"),
    ] {
      try scratch.add("bad.json", scene("\"content\": {\"images\": [\"\(name)\"]},"))
      let run = try scratch.run("scene", "bad.json", "-o", "bad.png", "--time", "0")
      #expect(run.exitCode == Int32(code) && run.explains(["bad.json:1:", name, told]), "\(run)")
    }
  }

  private func check(_ scratch: Scratch, _ content: String, of file: String = "film.y4m") throws {
    let bar = "{\"fill\": \"red\", \"frame\": [0, 0, 8, 1]}"
    let own = content.isEmpty ? "{\"image\": \"\(file)\", \"frame\": [0, 0, 8, 4]}, " : ""
    try scratch.add("scene.json", scene(content, own + bar))
    let run = try scratch.shell(
      "mkdir out && \"$frostglass\" scene scene.json -o out/%d.png --fps 10")
    #expect(run.exitCode == 0, "\(run)")
    for (index, gray) in [0, 40, 80, 120, 160, 160, 160, 160].enumerated() {
      let image = try scratch.picture("out/\(index + 1).png").image
      let channels = image.format.layout.channels
      #expect(image.bytes[0] == 255, "\(index)")
      for channel in 0..<min(channels, 3) {
        let code = Int(image.bytes[2 * image.bytesPerRow + 3 * channels + channel])
        #expect(abs(code - gray) <= 1, "\(index)")
      }
    }
    // A moment is the same, whatever was looked at before.
    let still = try scratch.run("scene", "scene.json", "-o", "still.png", "--time", "0.3")
    #expect(still.exitCode == 0, "\(still)")
    let alone = try scratch.picture("still.png").image
    #expect(alone.bytes == (try scratch.picture("out/4.png").image.bytes))
  }

  @Test func aVideoIsAsWideAsTheCanvas() throws {
    let scratch = try Scratch()
    try scratch.add("film.y4m", video(1))
    let scene = """
      {"canvas": {"width": 16, "height": 20, "background": "white"},
       "content": {"images": ["film.y4m"], "background": "white"}}
      """
    try scratch.add("scene.json", Array(scene.utf8))
    let run = try scratch.run("scene", "scene.json", "-o", "out.png")
    #expect(run.exitCode == 0, "\(run)")
    let image = try scratch.picture("out.png").image
    let rows = (0..<20).map { image.bytes[$0 * image.bytesPerRow] }
    #expect(rows == [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 255, count: 12))
  }

  @Test func whatIsNoVideoIsNamedWithItsLine() throws {
    let scratch = try Scratch()
    try scratch.add("scene.json", scene("\"content\": {\"images\": [\"film.y4m\"]},"))
    func words(_ video: [UInt8]?) throws -> String {
      if let video { try scratch.add("film.y4m", video) }
      let run = try scratch.run("scene", "scene.json", "-o", "out.y4m", "--overwrite")
      #expect(run.exitCode == (video == nil ? 66 : 65), "\(run)")
      return run.errors
    }
    let missing = try words(nil)
    #expect(missing.contains("scene.json:1:") && missing.contains("film.y4m"), "\(missing)")
    #expect(try words(Array("no video\n".utf8)).contains("does not begin with YUV4MPEG2"))
    #expect(try words(video(0)).contains("there is no frame in it"))
    #expect(try words(Array(video(3).dropLast(5))).contains("it ends within frame 3"))
  }
}
