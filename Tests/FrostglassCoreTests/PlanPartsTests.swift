import FrostglassCore
import Testing

/// Steps that stand for several, and what they are taken apart into.
struct PlanPartsTests {
  private static let input = Plan.Input(
    size: Size(width: 301, height: 203), format: .rgba8, alpha: .straight, transfer: .encoded)

  private static func plan(_ text: String, _ edge: EdgeMode = .mirror) throws -> Plan {
    try FilterChain(text: text).plan(for: input, options: PlanOptions(edge: edge))
  }

  private static func boxes(of plan: Plan) -> [BoxPower] {
    plan.steps.compactMap { step in
      guard case .convolve(let convolve) = step.pass, case .box(let box) = convolve.kernel,
        convolve.axis == .x
      else { return nil }
      return box
    }
  }

  /// Means of runs are planned as such, not as numbers that look like them.
  @Test func boxesStayBoxes() throws {
    #expect(try Self.boxes(of: Self.plan("box(20, 3)")) == [BoxPower(width: 41, order: 3)])
    let even = try Self.plan("triple-box(10.5px)")
    #expect(Self.boxes(of: even) == [BoxPower(width: 20, order: 2), BoxPower(width: 21)])
    #expect(even.description.contains("Convolve y, box of 20, 2 times"))
  }

  /// The weights of boxes in a row are the ways to count a sample.
  @Test func boxesHaveTheirWeights() {
    let weights = [(1, 1, [1.0]), (3, 1, [1, 1]), (4, 2, [4, 3, 2, 1]), (3, 3, [7, 6, 3, 1])]
    for (width, order, ways) in weights {
      let box = BoxPower(width: width, order: order)
      let taps = Convolve(axis: .x, kernel: .box(box)).taps
      #expect(taps == ways.map { Float($0 / box.total) }, "\(box)")
      #expect(taps.count == box.radius + 1)
    }
  }

  /// Without a backend that makes several at once there is one after the other; two of an even width have no
  /// middle each.
  @Test func boxesAreTakenApart() throws {
    let ten = try Self.plan("box(4, 10)")
    #expect(Self.boxes(of: ten.inParts()) == [BoxPower](repeating: BoxPower(width: 9), count: 10))
    let three = ten.inParts { pass in
      if case .convolve(let convolve) = pass { convolve.radius <= 12 } else { false }
    }
    #expect(Self.boxes(of: three).map(\.order) == [3, 3, 3, 1])
    #expect(ten.inParts { _ in true } == ten)
    let even = try Self.plan("triple-box(10.5px)")
    #expect(even.inParts() == even)
  }

  /// Certified errors and costs are those of the parts, whichever parts a backend makes.
  @Test(arguments: ["box(4, 10)", "lens(12px)", "lens(40px, highlights=0)"])
  func accountsAreOfTheParts(text: String) throws {
    let plan = try Self.plan(text)
    let parts = plan.inParts()
    #expect(parts.steps.count > plan.steps.count)
    #expect(plan.memory == parts.memory)
    #expect(plan.multiplyAddsPerPixel == parts.multiplyAddsPerPixel)
    #expect(plan.reach == parts.reach)
    #expect(throws: Never.self) { try plan.validate(for: PlanLimits(bytes: parts.memory)) }
    #expect(throws: PlanError.self) { try plan.validate(for: PlanLimits(bytes: parts.memory - 1)) }
  }

  /// Parts read what is there, whatever lies beyond the image and whichever part of it is made.
  @Test(
    arguments: ["box(7, 4)", "box(120, 3)", "triple-box(9px, odd)", "lens(12px)", "lens(40px)"],
    EdgeMode.allCases)
  func partsAreWellFormed(text: String, edge: EdgeMode) throws {
    let plan = try Self.plan(text, edge)
    for rect in [
      plan.result.rect, Rect(x: 0, y: 190, width: 9, height: 13),
      Rect(x: 120, y: 80, width: 70, height: 20),
    ] {
      let part = try plan.cropped(to: rect).inParts()
      #expect(throws: Never.self) { try part.validate(for: .none) }
      #expect(part.inParts() == part)
    }
  }

  /// Runs and the rest are all taps of a shape, each once.
  @Test(arguments: ["lens(6px)", "lens(12px)", "lens(14px, polygon, 5, 13deg)"])
  func aShapesPartsAreAllOfIt(text: String) throws {
    for step in try Self.plan(text).steps {
      guard case .stencil(let shape) = step.pass else { continue }
      let parts = try #require(shape.parts)
      let full = try #require(shape.taps[0].map(\.count).max())
      var counts: [SIMD2<Int>: Int] = [:]
      for start in parts.runs.taps[0] {
        for tap in parts.run.taps[0] {
          counts[SIMD2(start.dx + tap.dx, start.dy + tap.dy), default: 0] += full
        }
      }
      for tap in parts.rest.taps[0] { counts[SIMD2(tap.dx, tap.dy), default: 0] += tap.count }
      let expected = shape.taps[0].map { (SIMD2($0.dx, $0.dy), $0.count) }
      #expect(counts == Dictionary(uniqueKeysWithValues: expected))
      #expect(
        parts.restShare * Double(try #require(shape.unit)) == Double(try #require(parts.rest.unit)))
    }
  }

  /// A mirror stays one, however taps are counted.
  @Test func shapesAreSeenInMirrors() throws {
    let tap = Stencil.WholeTap(dx: 2, dy: 1, count: 3)
    #expect(KawaseDesign.halving.mirrored == (true, true))
    #expect(Stencil([tap]).mirrored == (false, false))
    let pair = Stencil([tap, Stencil.WholeTap(dx: -2, dy: 1, count: 3)])
    #expect(pair.mirrored == (true, false))
  }

  /// Lines and small shapes are no shapes that pay in parts.
  @Test func othersStay() throws {
    for text in ["motion(60px, 0deg)", "lens(2px)", "kawase(10)", "gpuimage-motion(3)"] {
      let plan = try Self.plan(text)
      #expect(plan.inParts() == plan, "\(text)")
    }
  }
}
