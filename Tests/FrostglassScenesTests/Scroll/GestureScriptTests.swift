import FrostglassScenes
import Testing

struct GestureScriptTests {
  private func error(_ steps: [GestureStep]) -> ScrollError? {
    do {
      _ = try GestureScript(steps)
      return nil
    } catch {
      return error
    }
  }

  @Test func stepsMayTouchAndInterruptWhatRunsOn() throws {
    let script = try GestureScript([
      .drag(start: 0, duration: 0.5, distance: 10),
      .drag(start: 0.5, duration: 0.5, distance: -10, curve: .easeOut),
      .tapToTop(start: 1), .tapToTop(start: 1.1), .scroll(start: 2, offset: 40, duration: 0),
      .scroll(start: 2, offset: 50, duration: 1),
    ])
    #expect(script.steps.map(\.start) == [0, 0.5, 1, 1.1, 2, 2])
    #expect(script.steps.map(\.end) == [0.5, 1, 1, 1.1, 2, 3])
    #expect(GestureScript.empty.steps.isEmpty)
  }

  /// 0.1 + 0.2 is more than 0.3 in binary, and so is an eighth of all sums of decimals.
  @Test func decimalTimesThatTouchDoTouch() throws {
    for start in 1...100 {
      for duration in 1...100 {
        let touching = Double(start + duration) / 100
        let script = try GestureScript([
          .drag(start: Double(start) / 100, duration: Double(duration) / 100, distance: 1),
          .tapToTop(start: touching),
        ])
        #expect(script.steps[0].end <= touching && script.steps[0].end > touching - 1e-12)
      }
    }
    #expect(throws: ScrollError.overlap(step: 2, start: 0.299_999, previousEnd: 0.3)) {
      try GestureScript([
        .drag(start: 0.1, duration: 0.2, distance: 1), .tapToTop(start: 0.299_999),
      ])
    }
  }

  /// The first finger lets go before the second one touches, at what is the same time in decimals.
  @Test func touchingFingersLetGoFirst() throws {
    var simulator = ScrollSimulator(
      geometry: try ScrollGeometry(viewportHeight: 500, contentHeight: 5000),
      script: try GestureScript([
        .drag(start: 0.1, duration: 0.2, distance: 50),
        .drag(start: 0.3, duration: 0.2, distance: 50, release: .withVelocity(0)),
      ]))
    let events = simulator.advance(to: 0.3).map(\.event)
    #expect(events.count { if case .didEndDragging = $0 { true } else { false } } == 1)
    #expect(events.last == .willBeginDragging)
    _ = simulator.advance(to: 1)
    #expect(simulator.state.offset == 100)
  }

  @Test func overlappingStepsAreNamed() {
    let drag = GestureStep.drag(start: 1, duration: 0.5, distance: 10)
    let found = error([drag, .tapToTop(start: 1.25)])
    #expect(found == .overlap(step: 2, start: 1.25, previousEnd: 1.5))
    #expect(
      found?.description == """
        step 2 starts at 1.25 s, before step 1 is over; it must start at 1.5 s or later
        """)
    #expect(
      error([.tapToTop(start: 3), drag]) == .overlap(step: 2, start: 1, previousEnd: 3))
    #expect(
      error([.scroll(start: 0, offset: 1, duration: 2), drag])
        == .overlap(step: 2, start: 1, previousEnd: 2))
  }

  @Test func badNumbersAreNamed() {
    #expect(
      error([.tapToTop(start: 0), .tapToTop(start: -1)])
        == .badStep(2, kind: "tap to top", name: "start", value: -1, accepted: "0 s or more"))
    #expect(
      error([.drag(start: 0, duration: 0, distance: 1)])?.description
        == "step 1 (drag): duration is 0.0; it must be above 0 s")
    #expect(error([.drag(start: .nan, duration: 1, distance: 1)]) != nil)
    #expect(error([.drag(start: 0, duration: 1, distance: .infinity)]) != nil)
    #expect(error([.drag(start: 0, duration: 1, distance: 1, release: .withVelocity(.nan))]) != nil)
    #expect(error([.scroll(start: 0, offset: .nan, duration: 1)]) != nil)
    #expect(error([.scroll(start: 0, offset: 0, duration: -1)]) != nil)
  }

  @Test func geometryAndPhysicsAreChecked() throws {
    #expect(
      throws: ScrollError.badValue(name: "viewport height", value: 0, accepted: "above 0")
    ) { try ScrollGeometry(viewportHeight: 0, contentHeight: 1) }
    #expect(throws: ScrollError.self) { try ScrollGeometry(viewportHeight: 1, contentHeight: -1) }
    #expect(throws: ScrollError.self) {
      try ScrollGeometry(viewportHeight: 1, contentHeight: 1, topInset: .nan)
    }
    #expect(throws: ScrollError.self) { try ScrollPhysics(rubberBand: 0) }
    #expect(throws: ScrollError.self) { try ScrollPhysics(springFrequency: 0) }
    #expect(throws: ScrollError.self) { try ScrollPhysics(scrollToTopDuration: -1) }
    #expect(try ScrollPhysics() == .standard)
    let geometry = try ScrollGeometry(
      viewportHeight: 500, contentHeight: 2000, topInset: 64, bottomInset: 49)
    #expect(geometry.restingOffsets == -64...1549)
    let short = try ScrollGeometry(viewportHeight: 500, contentHeight: 20, topInset: 64)
    #expect(short.restingOffsets == -64 ... -64)
  }
}
