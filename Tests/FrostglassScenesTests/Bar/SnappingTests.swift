import FrostglassScenes
import Testing

struct SnappingTests {
  @Test func rangesAreHalfOpenAndTheLastIsClosed() throws {
    let snapping = try Snapping([
      SnapRange(from: 0.5, to: 1, target: 1), SnapRange(from: 0, to: 0.5, target: 0),
    ])
    #expect(snapping.target(for: 0) == 0)
    #expect(snapping.target(for: 0.5.nextDown) == 0)
    #expect(snapping.target(for: 0.5) == 1)
    #expect(snapping.target(for: 1) == 1)
    #expect(snapping.target(for: -0.1) == nil)
    #expect(Snapping.none.target(for: 0.5) == nil)
  }

  /// Whole percent would leave a gap above .99 here.
  @Test func fractionsLeaveNoGaps() throws {
    let turn = 40.0 / 85
    let snapping = try Snapping([
      SnapRange(from: 0, to: turn, target: 0), SnapRange(from: turn, to: 1, target: 1),
    ])
    for step in 0...1000 {
      let progress = Double(step) / 1000
      #expect(snapping.target(for: progress) == (progress < turn ? 0 : 1))
    }
  }

  @Test func gapsStay() throws {
    let snapping = try Snapping([
      SnapRange(from: 0, to: 0.2, target: 0), SnapRange(from: 0.8, to: 0.9, target: 1),
    ])
    #expect(snapping.target(for: 0.2) == nil && snapping.target(for: 0.5) == nil)
    #expect(snapping.target(for: 0.9) == 1 && snapping.target(for: 0.95) == nil)
  }

  @Test func overlapsAndBadNumbersAreErrors() throws {
    let first = try SnapRange(from: 0, to: 0.5, target: 0)
    let second = try SnapRange(from: 0.4, to: 1, target: 1)
    #expect(throws: SnapError.overlap(first, second)) { try Snapping([second, first]) }
    #expect(
      SnapError.overlap(first, second).description == """
        the snap ranges 0.0…0.5 and 0.4…1.0 overlap; the second must start at 0.5 or later
        """)
    #expect(throws: SnapError.outside(name: "end", value: 1.5)) {
      try SnapRange(from: 0, to: 1.5, target: 0)
    }
    #expect(throws: SnapError.self) { try SnapRange(from: .nan, to: 1, target: 0) }
    #expect(throws: SnapError.empty(start: 0.5, end: 0.5)) {
      try SnapRange(from: 0.5, to: 0.5, target: 0)
    }
    #expect(throws: SnapError.badDuration(-1)) { try Snapping([first], duration: -1) }
  }
}
