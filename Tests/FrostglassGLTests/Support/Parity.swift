import FrostglassCPU
import FrostglassCore
import FrostglassGL
import Testing

/// Expects a plan to give on the GPU what it gives in the reference, within `levels` of 255.
func expectParity(
  _ backend: GLBackend, _ plan: Plan, _ inputs: [Image], within levels: Double,
  _ comment: @autoclosure () -> Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) async throws {
  let expected = try await ReferenceBackend().execute(plan, inputs)
  let actual = try await backend.execute(plan, inputs)
  #expect(actual.format == expected.format && actual.alpha == expected.alpha)
  let comparison = try ImageComparison(expected, actual)
  #expect(comparison.maximum <= levels, comment(), sourceLocation: sourceLocation)
}

/// What float passes may differ by: a few roundings of 2⁻²⁴, in levels of 255.
let floatTolerance = 2e-4
/// What passes through integers of 16 bits may differ by: their steps of 1/256 level, blended.
let fixedTolerance = 2e-2
/// A sample between two steps of 8 bit may be rounded to either: one level, computed in float.
let oneLevel = 1.001
