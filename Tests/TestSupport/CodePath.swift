package import FrostglassCore

/// The part of a plan that decides which code runs it: everything except the values of color changes. Of these only
/// 0, 1 and the presence of an opacity count.
///
/// Backends see plans and not filters. So presets of a look, whose plans differ in these values only, are one path.
/// Tests run it once in full, and only check the colors of the others.
package struct CodePath: Sendable, Hashable {
  private let plan: Plan

  package init(_ plan: Plan) {
    let steps = plan.steps.map { step in
      var step = step
      switch step.pass {
      case .colorMatrix(let matrix):
        step.pass = .colorMatrix(
          ColorMatrix(
            red: Self.used(matrix.red), green: Self.used(matrix.green),
            blue: Self.used(matrix.blue), clamps: matrix.clamps,
            opacity: matrix.opacity == 1 ? 1 : 0.5))
      case .lumaCurve(let curve):
        step.pass = .lumaCurve(
          LumaCurve(
            rows: [curve.red, curve.green, curve.blue].map { SIMD3<Double>(Self.used($0)) },
            luma: SIMD3<Double>(Self.used(curve.luma)), curve: SIMD4<Double>(Self.used(curve.curve))
          ))
      default: break
      }
      return step
    }
    // How exact the result is follows from the rest.
    let results = plan.results.map { result in
      Plan.Result(
        rect: result.rect, format: result.format, alpha: result.alpha, transfer: result.transfer)
    }
    self.plan = Plan(inputs: plan.inputs, slots: plan.slots, steps: steps, results: results)
  }

  private static func used<Numbers: SIMD>(_ numbers: Numbers) -> Numbers
  where Numbers.Scalar == Float {
    numbers.replacing(with: 0.5, where: (numbers .!= 0) .& (numbers .!= 1))
  }
}

extension Catalog {
  /// The filters with their defaults, those of one path once.
  package static let codePaths: [any Filter] = {
    var known: Set<CodePath> = []
    let input = Plan.Input(
      size: Size(width: 240, height: 200), format: .rgba8, alpha: .straight, transfer: .encoded)
    return filters.filter { filter in
      guard let plan = try? FilterChain(filter).plan(for: input) else { return true }
      return known.insert(CodePath(plan)).inserted
    }
  }()
}
