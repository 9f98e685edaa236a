import FrostglassFind
import Testing

/// Cuts, by which tracks end.
@Suite struct CutFinderTests {
  /// The frames with which shots begin, in videos of planes of one brightness each.
  private func shots(_ levels: [UInt8]) -> [Int] {
    var (cuts, shots) = (CutFinder(), [Int]())
    func plane(_ level: UInt8) -> LumaPlane {
      LumaPlane(width: 64, height: 2, samples: [UInt8](repeating: level, count: 128))
    }
    for (frame, level) in levels.enumerated() {
      cuts.add(plane(level))
      let due = frame - CutFinder.delay
      if due >= 0, cuts.beginsShot(due) { shots.append(due) }
    }
    for due in max(levels.count - CutFinder.delay, 0)..<levels.count where cuts.beginsShot(due) {
      shots.append(due)
    }
    return shots
  }

  @Test func aJumpIsACut() {
    #expect(shots([10, 10, 11, 10, 90, 91, 90, 90]) == [0, 4])
    #expect(shots([10, 90]) == [0, 1])
    #expect(shots([10, 10, 10, 10]) == [0])
  }

  @Test func whatChangesAllTheTimeIsNone() {
    #expect(shots([10, 40, 70, 100, 130, 160]) == [0])
    // A flash.
    #expect(shots([10, 10, 10, 200, 10, 10, 10]) == [0])
  }

  @Test func aReversedVideoHasTheSameCuts() {
    let levels: [UInt8] = [10, 12, 50, 52, 50, 51, 120, 118, 119, 90, 60, 30, 31, 30]
    let there = shots(levels).filter { $0 > 0 }
    let back = shots(levels.reversed()).filter { $0 > 0 }.map { levels.count - $0 }
    #expect(there == [2, 6] && back.reversed() == there)
  }
}
