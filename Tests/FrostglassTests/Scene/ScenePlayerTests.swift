import Frostglass
import FrostglassBackends
import FrostglassScenes
import FrostglassStills
import Testing

/// Scenes frame by frame.
@Suite struct ScenePlayerTests {
  private let scratch = OutputScratch()

  /// The total size of a scene's images is limited before one is made.
  @Test func tooManyPixelsOfImagesAreRefused() async throws {
    let scene = """
      {"canvas": {"width": 40, "height": 40}, "layers": [
        {"gradient": ["red", "blue"], "frame": [0, 0, 40, 30]},
        {"symbol": "lock", "frame": [0, 0, 30, 40]}]}
      """
    let file = try SceneFile(text: scene, pictures: [:])
    for (limit, isEnough) in [(2400, true), (2399, false)] {
      let job = SceneJob(
        file: file, moments: .time(0), sink: .memory(EncodedFile()), format: .png,
        decoding: DecodeOptions(maxPixels: limit))
      let result = await Task { try await Pipeline(backend: .fast).render(job) }.result
      if isEnough {
        #expect(throws: Never.self) { try result.get() }
      } else {
        let error = #expect(throws: FrostglassError.self) { try result.get() }
        #expect(error.map { "\($0)".contains("all images of a scene together") } == true)
      }
    }
  }

  /// A time that is NaN, infinite or negative changes nothing, also if the scene has a video.
  @Test(arguments: [Double.nan, .infinity, -.infinity, -1])
  func whatIsNoTimePassesNone(_ time: Double) async throws {
    var video = Array("YUV4MPEG2 W2 H2 F10:1 Cmono\n".utf8)
    for level in [40, 120, 200] as [UInt8] {
      video += Array("FRAME\n".utf8) + [level, level, level, level]
    }
    let scene = """
      {"canvas": {"width": 4, "height": 4}, "duration": 1, "layers": [{"image": "film.y4m"}]}
      """
    try StillSink.file(scratch / "film.y4m", overwrite: false).write(video)
    try StillSink.file(scratch / "scene.json", overwrite: false).write(Array(scene.utf8))
    var player = try await ScenePlayer(
      try SceneFile(scratch / "scene.json"), on: BackendSelector(.fast))
    let second = try await player.frame(at: 0.15)
    let same = try await player.frame(at: time)
    #expect(same.image.bytes == second.image.bytes)
    let third = try await player.frame(at: 0.25)
    // Codes of 120 and 200, of which 16…235 is all.
    let shown = [second, third].map { Int($0.image.bytes[0]) }
    #expect(abs(shown[1] - shown[0] - 93) <= 1, "\(shown)")
  }
}
