import FrostglassCore
import FrostglassGL
import TestSupport
import Testing

/// A driver's own messages reach the log if debugging is on.
@Suite struct MessageTests {
  @Test func aRefusedTextureIsHeardOf() async throws {
    let heard = Heard()
    var options = GLOptions(stage: .fragment, debug: true)
    options.faults = GLFaults(longestSide: 10)
    let backend = try await GLBackend.start(options) { heard.add($0) }
    let image = Image.noise(20, 20)
    let plan = try FilterChain([.gaussian(sigma: 3)]).plan(for: Plan.Input(image))
    _ = try? await backend.execute(plan, [image])
    if backend.device.capabilities.extensions.contains("GL_KHR_debug") {
      #expect(heard.messages.contains { $0.kind == .error }, "\(heard.messages)")
      #expect(heard.messages.allSatisfy { !$0.text.isEmpty })
    }
  }

  /// Each setup runs a third of the filters, so that each filter runs in several; every pass of every setup is
  /// tried where results are compared.
  @Test func aSoundPlanIsNoErrorToTheDriver() async throws {
    for (place, setup) in Setup.allCases.enumerated() {
      let heard = Heard()
      var options = setup.options
      options.debug = true
      let backend = try await GLBackend.start(options) { heard.add($0) }
      for (index, filter) in Catalog.codePaths.enumerated() where (index + place) % 3 == 0 {
        let image = Image.noise(40, 31)
        let plan = try FilterChain(filter).plan(for: Plan.Input(image))
        _ = try await backend.execute(plan, [image])
      }
      #expect(!heard.messages.contains { $0.kind == .error }, "\(heard.messages)")
    }
  }
}
