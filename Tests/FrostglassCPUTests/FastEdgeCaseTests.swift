import FrostglassCPU
import FrostglassCore
import Testing

/// Cases that small images and the catalog's filters do not reach.
struct FastEdgeCaseTests {
  /// The second strip begins at row 639, the last phase of growing by 4: the row above has weight 0,
  /// is not there, and was read before the first byte of the strip's memory.
  @Test(arguments: [(6000, 1278), (8000, 2046)])
  func stripsBeginAtAnyPhase(width: Int, height: Int) async throws {
    let image = Image(
      zeros: Size(width: width, height: height), format: .rgba8, alpha: .premultiplied)
    let plan = try FilterChain([.gaussian(sigma: 5)]).plan(for: Plan.Input(image))
    let result = try await FastBackend(threads: 2).execute(plan, [image])
    #expect(result.bytes.allSatisfy { $0 == 0 })
  }

  /// `bytes` can be set by anyone.
  @Test func shortResultsAreReplaced() async throws {
    let image = Image(zeros: Size(width: 4, height: 4), format: .rgb8)
    let plan = try FilterChain([.gaussian(sigma: 3)]).plan(for: Plan.Input(image))
    var result = Image(zeros: Size(width: 4, height: 4), format: .rgb8, alpha: .opaque)
    result.bytes.removeLast(40)
    try await FastBackend(threads: 1).execute(plan, [image], into: &result)
    #expect(result.bytes.count == 48)
  }

  /// A matrix that does not limit its colors may leave 0…1 for the next one to bring back.
  @Test func unlimitedColorsStay() async throws {
    let image = try Image(
      size: Size(width: 2, height: 1), format: .rgb8, bytes: [230, 230, 230, 20, 20, 20])
    let plan = try FilterChain(ThereAndBack()).plan(for: Plan.Input(image))
    let result = try await FastBackend(threads: 1).execute(plan, [image])
    #expect(result.bytes == image.bytes)
  }

  /// Composing on a background rounds once more, which the certified error has to say.
  @Test(arguments: [0.02, 0.1, 0.3])
  func composingKeepsItsBound(gray: Double) async throws {
    let side = 200
    var state: UInt32 = 1
    let samples = (0..<4 * side * side).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt16(state >> 16)
    }
    let image = try Image(
      size: Size(width: side, height: side), format: PixelFormat(.rgba, .uint16),
      bytes: samples.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
    let plan = try FilterChain([]).plan(for: Plan.Input(image))
      .storing(as: PixelFormat(.rgb, .uint16), on: Color(red: gray, green: gray, blue: gray))
    let result = try await FastBackend(threads: 1).execute(plan, [image])
    var worst = 0.0
    for pixel in 0..<side * side {
      let alpha = Double(samples[4 * pixel + 3]) / 65535
      for channel in 0..<3 {
        let color = Double(samples[4 * pixel + channel]) / 65535
        let place = 6 * pixel + 2 * channel
        let got = Double(Int(result.bytes[place]) | Int(result.bytes[place + 1]) << 8) / 65535
        worst = max(worst, abs(got - color * alpha - gray * (1 - alpha)) * 255)
      }
    }
    #expect(worst <= plan.certifiedError.total + 0.5 / 257)
  }
}

private struct ThereAndBack: Filter {
  static let definition = FilterDefinition<ThereAndBack>("there-and-back", "For this test.", [])

  func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let up = planner.colorMatrix(source, Self.shift(0.5))
    return planner.colorMatrix(up, Self.shift(-0.5))
  }

  private static func shift(_ by: Float) -> ColorMatrix {
    ColorMatrix(
      red: [1, 0, 0, by], green: [0, 1, 0, by], blue: [0, 0, 1, by], clamps: false)
  }
}
