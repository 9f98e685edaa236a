import Frostglass
import FrostglassCore
import FrostglassFind
import Synchronization
import Testing

/// Frames of a video, looked at as they come.
@Suite struct VideoFinderTests {
  /// Finds one thing in every frame that it is to look at, and notes which.
  private final class Script: FrameDetector {
    let looks = Mutex<[(level: UInt8, looks: Set<FrameLooks.Look>)]>([])
    private let score: Double

    init(score: Double = 0.9) { self.score = score }

    func find(in image: Image, by looks: Set<FrameLooks.Look>) async throws(VideoFileError)
      -> [Found]
    {
      self.looks.withLock { $0.append((image.bytes[0], looks)) }
      return [Found(x: 10, y: 8, width: 12, height: 12, score: score)]
    }
  }

  /// Frames of one gray each.
  private func found(
    _ levels: [UInt8], _ effort: FindEffort, by script: Script,
    isWanted: @escaping @Sendable (Found) -> Bool = { _ in true }
  ) async throws -> FoundTracks {
    let size = Size(width: 64, height: 48)
    var finder = VideoFinder(
      size: size, looks: FrameLooks(effort), detector: script, isWanted: isWanted)
    for level in levels {
      try await finder.add(
        Image(
          size: size, format: .rgb8, bytes: [UInt8](repeating: level, count: size.area * 3)))
    }
    return try await finder.finish()
  }

  @Test func eachFrameIsLookedAtOnceAndInOrder() async throws {
    let script = Script()
    let levels = (0..<13).map { UInt8(100 + $0) }
    let tracks = try await found(levels, .normal, by: script)
    #expect(script.looks.withLock { $0.map(\.level) } == levels)
    #expect(tracks.count == 1 && tracks.places(.measured) == 13)
  }

  /// The first and the last frame of each shot are looked at, whatever their number.
  @Test func shotsAreLookedAtUpToTheirEdges() async throws {
    let script = Script()
    let levels = [UInt8](repeating: 20, count: 8) + [UInt8](repeating: 200, count: 8)
    let tracks = try await found(levels, .quick, by: script)
    // Frames 0, 5, 7 and 8, 10, 15.
    #expect(script.looks.withLock { $0.map(\.level) } == [20, 20, 20, 200, 200, 200])
    #expect(script.looks.withLock { $0[2].looks } == [.small, .dark])
    // What is on both sides of a cut is two things.
    #expect(tracks.count == 2 && tracks.places(.between) == 10)
  }

  @Test func unwantedThingsAreListedAndNotCovered() async throws {
    let script = Script()
    let tracks = try await found([90, 90, 90], .normal, by: script) { $0.x > 20 }
    #expect(tracks.tracks.isEmpty && tracks.leftAlone.map(\.score) == [0.9])
    let alone = try await found([90, 90], .normal, by: Script(score: 0.4))
    #expect(alone.tracks.isEmpty && alone.leftAlone.map(\.score) == [0.4])
  }

  @Test func effortsLookAtTheirFrames() {
    func looks(_ effort: FindEffort, _ frame: Int, _ isEdge: Bool = false)
      -> Set<FrameLooks.Look>
    { FrameLooks(effort).looks(at: frame, isEdge: isEdge) }
    #expect(looks(.quick, 0) == [.small, .dark] && looks(.quick, 5) == [.small])
    #expect(looks(.quick, 3).isEmpty && looks(.quick, 3, true) == [.small, .dark])
    #expect(looks(.normal, 5) == [.small, .large, .dark] && looks(.normal, 6) == [.small])
    #expect(looks(.thorough, 5) == [.small, .large, .darkLarge])
    #expect(looks(.thorough, 6) == [.small, .large])
  }
}
