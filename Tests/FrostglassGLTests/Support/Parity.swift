import FrostglassCPU
import FrostglassCore
import FrostglassGL
import TestSupport
import Testing

/// Expects a plan to give on the GPU what it gives in the reference, within `levels` of 255.
func expectParity(
  _ backend: GLBackend, _ plan: Plan, _ inputs: [Image], within levels: Double,
  _ comment: @autoclosure () -> Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let expected = try await reference(plan, inputs)
  let actual = try await backend.execute(plan, inputs)
  #expect(actual.format == expected.format && actual.alpha == expected.alpha)
  let comparison = try ImageComparison(expected, actual)
  #expect(comparison.maximum <= levels, comment(), sourceLocation: sourceLocation)
}

/// Returns the reference's result of a plan, computed once for all setups that are compared with it.
private func reference(_ plan: Plan, _ inputs: [Image]) async throws -> Image {
  try await references.value(Run(plan: plan, inputs: inputs.map(\.bytes))) {
    try await ReferenceBackend().execute(plan, inputs)
  }
}

private struct Run: Hashable {
  var plan: Plan
  var inputs: [[UInt8]]
}

private let references = SharedResults<Run, Image>(most: 1000)

/// The tolerance of float passes: a few roundings of 2⁻²⁴, in levels of 255.
let floatTolerance = 2e-4
/// The tolerance of passes through 16-bit integers: their steps of 1/256 level, blended.
let fixedTolerance = 2e-2
/// A sample between two steps of 8 bit may be rounded to either: one level, computed in float.
let oneLevel = 1.001
