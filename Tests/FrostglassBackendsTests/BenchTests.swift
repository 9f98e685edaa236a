import FrostglassBench
import FrostglassBackends
import FrostglassCPU
import Testing

/// The foundations of measurements. No test checks how fast anything is.
@Suite struct BenchTests {
  private static let size = Size(width: 600, height: 500)

  @Test(arguments: PixelFormat.all) func framesAreRepeatableAndTextured(_ format: PixelFormat) {
    let frame = Image.textured(Self.size, format)
    #expect(frame.bytes == Image.textured(Self.size, format).bytes)
    #expect(frame.format == format)
    for channel in 0..<format.layout.channels {
      let values = Set(
        (0..<Self.size.width).map { frame.sample(x: $0, y: 240, channel: channel) })
      #expect(values.count > 50, "channel \(channel)")
    }
  }

  @Test func alphaIsFullEmptyAndBetween() {
    let frame = Image.textured(Self.size, .rgba8, alpha: .premultiplied)
    var alphas: Set<UInt8> = []
    for pixel in stride(from: 0, to: frame.bytes.count, by: 4) {
      let alpha = frame.bytes[pixel + 3]
      alphas.insert(alpha)
      #expect(frame.bytes[pixel..<pixel + 3].allSatisfy { $0 <= alpha })
    }
    #expect(alphas.contains(0) && alphas.contains(255) && alphas.count > 50)
  }

  @Test(arguments: [1, 2, 3, 64]) func theYardstickCopiesEverything(_ threads: Int) async {
    for height in [1, 2, 37] {
      let frame = Image.textured(Size(width: 23, height: height), .rgb8)
      let copy = FrameCopy(of: frame, threads: threads)
      #expect(copy.run() > .zero)
      #expect(copy.bytes == frame.bytes)
    }
  }

  @Test func mediansLieInTheMiddle() {
    let milliseconds = [9, 1, 5].map { Duration.milliseconds($0) }
    #expect(BenchRow.median(milliseconds) == .milliseconds(5))
    #expect(BenchRow.median(milliseconds + [.milliseconds(7)]) == .milliseconds(6))
    let share = ProcessorShare(clock: 3e9, additionsPerCycle: 4)
    let row = BenchRow([BenchRound(blur: .milliseconds(6), copy: .milliseconds(2), share: share)])
    #expect(row.ratio == 3 && row.runs == 1 && row.share == share)
  }

  @Test func whatIsMeasuredIsTheBlur() async throws {
    let frame = Image.textured(Size(width: 64, height: 48), .rgba8)
    var bench = try await FrameBench(frame, on: .reference, threads: 8)
    #expect(bench.backend == "reference" && bench.threads == 1)
    let row = try await bench.measure(sigma: 6, .rounds(4))
    #expect(row.runs == 4 && row.blur > .zero)
    let chain: FilterChain = [.gaussian(sigma: 6)]
    let plan = try chain.plan(for: Plan.Input(frame))
    let expected = try await ReferenceBackend().execute(plan, [frame])
    #expect(bench.result.bytes == expected.bytes)
    #expect(try await bench.measure(sigma: 0, .automatic).runs >= 9)
  }

  @Test func sigmasOutOfRangeAreRefused() async throws {
    let frame = Image.textured(Size(width: 8, height: 8), .gray8)
    var bench = try await FrameBench(frame, on: .fast)
    await #expect(throws: PlanError.self) { _ = try await bench.round(sigma: 1001) }
  }
}
