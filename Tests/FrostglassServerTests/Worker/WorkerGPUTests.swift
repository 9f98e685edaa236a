import Frostglass
import FrostglassCore
import FrostglassServer
import FrostglassStills
import TestSupport
import Testing

/// Workers that compute on a GPU, which here the CPU plays.
@Suite struct WorkerGPUTests {
  private let picture: [UInt8]

  init() throws {
    picture = try StillEncoder().encode(Photographs.load("coffee.jpg"), as: .png)
  }

  private func blur(_ sigma: String, on pool: CheckedPool) async -> WorkAnswer {
    await pool.pool.perform(
      WorkOrder(
        "blur", fields: [Field("sigma", sigma), Field("format", "png")],
        limits: WorkLimits(seconds: 600), parts: ["picture": picture]))
  }

  /// The result is the CPU's but for rounding. Its programs are compiled inside the sandbox.
  @Test func aDriverWorksBehindTheWalls() async throws {
    let pool = try CheckedPool { $0.gpu = WorkerGPU() }
    let here = InProcessWorker(Pipeline(backend: .fast))
    for sigma in ["5", "21"] {
      let answer = await blur(sigma, on: pool)
      #expect(answer.status == 200, "\(answer.text.prefix(500)) \(pool.events)")
      #expect(answer.fields.contains(Field("X-Frostglass-Backend", "gl")), "\(answer.fields)")
      let order = WorkOrder(
        "blur", fields: [Field("sigma", sigma), Field("format", "png")],
        limits: WorkLimits(seconds: 600), parts: ["picture": picture])
      let expected = try StillDecoder().decode(.bytes(await here.perform(order).body)).image
      let actual = try StillDecoder().decode(.bytes(answer.body)).image
      try #require(actual.size == expected.size && actual.format == expected.format)
      let most = zip(actual.bytes, expected.bytes).map { abs(Int($0) - Int($1)) }.max()
      #expect(most ?? 255 <= 2)
    }
    #expect(pool.pool.gpuBytes ?? 0 > 0)
    #expect(pool.ends.isEmpty, "\(pool.events)")
  }

  /// The sandbox of a GPU worker allows making code in memory, and nothing else.
  @Test func itMayMakeCodeAndNothingElse() async throws {
    let pool = try CheckedPool { $0.gpu = WorkerGPU() }
    let report = await pool.perform("test-attack").text.split(separator: "\n")
    #expect(report.count >= 20)
    for line in report where line != "memory made code: done" {
      #expect(line.hasSuffix(": refused"), "\(line)")
    }
    for call in ["execve", "ptrace", "socket"] {
      #expect(await pool.perform("test-deadly", [call]).status == 500)
    }
    #expect(await pool.process() != nil)
  }

  /// With two workers and one device, both take it.
  @Test func workersShareTheDevicesThatThereAre() async throws {
    let pool = try CheckedPool(2) { $0.gpu = WorkerGPU(devices: "all") }
    #expect(await pool.until { pool.pool.ready == 2 }, "\(pool.events)")
    async let one = blur("3", on: pool)
    async let other = blur("4", on: pool)
    let statuses = await [one.status, other.status]
    #expect(statuses == [200, 200], "\(pool.events)")
  }

  @Test func aGPUThatIsNotThereIsNamed() async throws {
    let pool = try CheckedPool { $0.gpu = WorkerGPU(devices: "no such device") }
    #expect(await pool.until { !pool.events.isEmpty })
    #expect(pool.events.first?.description.contains("no such device") == true, "\(pool.events)")
    #expect(pool.pool.ready == 0)
  }
}
