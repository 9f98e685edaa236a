import FrostglassCore
import Testing

/// Several plans as one.
struct PlanJoinTests {
  private let input = Plan.Input(
    size: Size(width: 301, height: 203), format: .rgb8, alpha: .opaque, transfer: .encoded)

  private func plans(_ texts: String...) throws -> [Plan] {
    try texts.map { try FilterChain(text: $0).plan(for: input) }
  }

  @Test func whatIsCommonIsDoneOnce() throws {
    let plans = try plans("blur(20px)", "blur(20px) saturate(2)", "grayscale(1)")
    let joined = try Plan(joining: plans)
    try joined.validate(for: .none)
    #expect(joined.results == plans.map(\.result))
    // The second adds its color and its store, the third too: it shares the load.
    #expect(joined.steps.count == plans[0].steps.count + 2 + 2)
    let loads = joined.steps.count { if case .load = $0.pass { true } else { false } }
    #expect(loads == 1)
    #expect(joined.multiplyAddsPerPixel < plans.map(\.multiplyAddsPerPixel).reduce(0, +))
    #expect(joined.resultBytes == 3 * plans[0].resultBytes)
  }

  @Test func equalPlansAreDoneOnceAndStoredTwice() throws {
    let plan = try plans("blur(9px) saturate(1.8)")[0]
    let joined = try Plan(joining: [plan, plan])
    try joined.validate(for: .none)
    #expect(joined.steps.count == plan.steps.count + 1)
  }

  @Test func otherEdgesAreOtherSteps() throws {
    let clamped = try plans("blur(20px)")[0]
    let wrapped = try FilterChain(text: "blur(20px)").plan(
      for: input, options: PlanOptions(edge: .wrap))
    let joined = try Plan(joining: [clamped, wrapped])
    try joined.validate(for: .none)
    // The load alone is shared.
    #expect(joined.steps.count == clamped.steps.count + wrapped.steps.count - 1)
  }

  @Test func onePlanStaysAsItIs() throws {
    let plan = try plans("dark()")[0]
    #expect(try Plan(joining: [plan]) == plan)
  }

  @Test func eachResultKeepsItsError() throws {
    let plans = try plans("blur(20px)", "brightness(1)")
    let joined = try Plan(joining: plans)
    #expect(joined.results[1].certifiedError == plans[1].certifiedError)
    #expect(joined.certifiedError == plans[0].certifiedError)
    #expect(joined.description.contains("result 1  301×203"))
    #expect(joined.description.contains("error 1   certified under"))
    #expect(joined.description.contains("→ result 1 Store"))
  }

  @Test func partsHaveAllResults() throws {
    let joined = try Plan(joining: try plans("blur(3px)", "blur(3px) grain(0.1)", "brightness(1)"))
    let rect = Rect(x: 100, y: 50, width: 10, height: 10)
    let part = try joined.cropped(to: rect)
    try part.validate(for: .none)
    #expect(part.results.map(\.rect) == [rect, rect, rect])
  }

  @Test func otherImagesAreRefused() throws {
    let plan = try plans("blur(3px)")[0]
    var other = input
    other.size.width += 1
    let wider = try FilterChain(text: "blur(3px)").plan(for: other)
    #expect(throws: PlanError.malformed("plans of different inputs are joined")) {
      try Plan(joining: [plan, wider])
    }
    #expect(throws: PlanError.malformed("no plan to join")) { try Plan(joining: []) }
    let part = try plan.cropped(to: Rect(x: 0, y: 0, width: 9, height: 9))
    #expect(throws: PlanError.self) { try Plan(joining: [plan, part]) }
  }
}
