import Frostglass
import Testing

/// Scenes frame by frame.
@Suite struct ScenePlayerTests {
  private let scratch = OutputScratch()

  /// What is no number passes no time, also where a film is in the scene, which is read by it.
  @Test(arguments: [Double.nan, .infinity, -.infinity, -1])
  func whatIsNoTimePassesNone(_ time: Double) async throws {
    var film = Array("YUV4MPEG2 W2 H2 F10:1 Cmono\n".utf8)
    for level in [40, 120, 200] as [UInt8] {
      film += Array("FRAME\n".utf8) + [level, level, level, level]
    }
    let scene = """
      {"canvas": {"width": 4, "height": 4}, "duration": 1, "layers": [{"image": "film.y4m"}]}
      """
    try StillSink.file(scratch / "film.y4m", overwrite: false).write(film)
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
