import Frostglass
import FrostglassConfinement
import FrostglassServer
import FrostglassStills
import TestSupport
import Testing

/// A sandboxed worker computes the same bytes as this process.
@Suite struct WorkerFormatTests {
  private let pool: CheckedPool
  private let here = InProcessWorker(Pipeline(backend: .fast))
  /// Nothing here is about time.
  private static let limits = WorkLimits(seconds: 600)

  init() throws { pool = try CheckedPool() }

  /// A photograph in a format.
  private func picture(_ format: StillFormat) throws -> [UInt8] {
    let photograph = try Photographs.load("coffee.jpg")
    let pixels = format.pixelFormat(preserving: photograph.format)
    return try StillEncoder().encode(
      pixels == photograph.format ? photograph : Image(zeros: photograph.size, format: pixels),
      as: format)
  }

  /// Checks that a worker has no threads of libdispatch. In the sandbox, waiting for one of them ends the process.
  private func expectNoThreadsOfLibdispatch(in processes: [Int32]) {
    for process in processes {
      let folder = "/proc/\(process)/task"
      let names = Files.names(in: folder).compactMap { Files.text(of: "\(folder)/\($0)/comm") }
      #expect(!names.isEmpty && !names.contains { $0.contains("qos") }, "\(names)")
    }
  }

  /// Does an order in both.
  private func compare(_ order: WorkOrder) async throws {
    var order = order
    order.limits = Self.limits
    let expected = await here.perform(order)
    let answer = await pool.pool.perform(order)
    #expect(
      expected.status == 200, "\(order.operation) \(order.fields): \(expected.text.prefix(500))")
    #expect(answer.status == expected.status, "\(order.fields): \(answer.text.prefix(500))")
    #expect(answer.contentType == expected.contentType)
    #expect(answer.body == expected.body, "\(order.operation) \(order.fields)")
    #expect(pool.ends.isEmpty, "\(pool.events)")
    expectNoThreadsOfLibdispatch(in: pool.pool.processes)
  }

  @Test(arguments: StillFormat.allCases)
  func everyFormatIsRead(_ format: StillFormat) async throws {
    let parts = ["picture": try picture(format)]
    for operation in ["blur", "placeholder", "plan"] {
      let fields = operation == "placeholder" ? [] : [Field("sigma", "4")]
      try await compare(WorkOrder(operation, fields: fields, parts: parts))
    }
  }

  @Test(arguments: StillFormat.allCases)
  func everyFormatIsWritten(_ format: StillFormat) async throws {
    try await compare(
      WorkOrder(
        "blur", fields: [Field("sigma", "6"), Field("format", format.rawValue)],
        parts: ["picture": try picture(.jpeg)]))
  }

  @Test func everyOperationWorks() async throws {
    let parts = ["picture": try picture(.jpeg)]
    let orders = [
      WorkOrder("redact", fields: [Field("region", "10%,10%,40%,40%")], parts: parts),
      WorkOrder(
        "redact", fields: [Field("region", "ellipse(50,50,100,90)"), Field("audit", "part")],
        parts: parts),
      WorkOrder("fill", fields: [Field("size", "300x500")], parts: parts),
      WorkOrder("fill", fields: [Field("size", "900x500"), Field("format", "webp")], parts: parts),
      WorkOrder(
        "blur", fields: [Field("filter", "glass(width=70%, height=22%, radius=11%)")], parts: parts),
      WorkOrder("blur", fields: [Field("style", "dark"), Field("format", "avif")], parts: parts),
      WorkOrder(
        "blur", fields: [Field("sigma", "5")],
        parts: ["picture": try picture(.png), "mask": try picture(.jpeg)]),
    ]
    for order in orders { try await compare(order) }
  }

  /// Texts are set in fonts, in any size, which the child for scenes may open.
  @Test(.enabled(if: Sandbox.ofKernel.landlock > 0, "without Landlock scenes have no fonts"))
  func scenesHaveTheirFonts() async throws {
    let text = try #require(Files.text(of: "\(Files.root)/Examples/scenes/status-bar.json"))
    var parts = ["scene": Array(text.utf8)]
    for name in Photographs.names {
      parts["../../Tests/Fixtures/Photographs/\(name)"] = try picture(.jpeg)
    }
    let workers = try Workers(WorkerPool.Options(checking: 1))
    defer { workers.end() }
    for second in ["1", "5", "6.8"] {
      let order = WorkOrder(
        "scene", fields: [Field("time", second)], limits: Self.limits, parts: parts)
      let (expected, answer) = (await here.perform(order), await workers.perform(order))
      #expect(expected.status == 200, "\(expected.text.prefix(500))")
      #expect(answer.status == 200, "\(answer.text.prefix(500))")
      #expect(answer.body == expected.body, "second \(second)")
    }
    #expect(workers.started == 2, "one for pictures, one for scenes")
    expectNoThreadsOfLibdispatch(in: workers.processes)
  }

  /// Refusals have the same words.
  @Test func refusalsAreTheSame() async throws {
    let picture = try picture(.png)
    let orders = [
      WorkOrder("blur", fields: [Field("sigma", "-1")], parts: ["picture": picture]),
      WorkOrder("blur", parts: ["picture": Array("no picture at all".utf8)]),
      WorkOrder("blur", parts: ["picture": Array(picture.prefix(picture.count / 2))]),
      WorkOrder("blur", limits: WorkLimits(maxPixels: 10), parts: ["picture": picture]),
      WorkOrder("nothing"),
    ]
    for order in orders {
      let (expected, answer) = (await here.perform(order), await pool.pool.perform(order))
      #expect(expected.status >= 400 && answer.status == expected.status)
      #expect(answer.text == expected.text)
    }
    #expect(pool.ends.isEmpty, "\(pool.events)")
  }
}
