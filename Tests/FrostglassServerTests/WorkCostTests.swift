import Foundation
import Frostglass
import FrostglassServer
import FrostglassStills
import Synchronization
import Testing

/// Work that cannot be done in its share of time is refused before it starts, and heavy work is deferred.
@Suite struct WorkCostTests {
  private let worker = InProcessWorker(Pipeline(backend: .fast))

  /// Returns the service's default limits on two cores with two workers.
  private func limits(_ change: (inout WorkLimits) -> Void = { _ in }) -> WorkLimits {
    var limits = WorkLimits(seconds: 600)
    limits.maxWork = 10
    change(&limits)
    return limits
  }

  private func answer(
    _ operation: String, _ fields: [(String, String)], _ limits: WorkLimits,
    width: Int = 1000, height: Int = 1000
  ) async throws -> WorkAnswer {
    await worker.perform(
      WorkOrder(
        operation, fields: fields.map { Field($0.0, $0.1) }, limits: limits,
        parts: ["picture": try Sample.file(.jpeg, width: width, height: height)]))
  }

  private static let dear = [String](repeating: "bilateral(10px)", count: 24).joined(separator: " ")

  @Test(
    arguments: [
      ("blur", [("filter", dear)], "filters"),
      ("redact", [("region", "0,0,2,2"), ("effort", "9"), ("format", "avif")], "AVIF"),
      ("fill", [("size", "3000x6000"), ("format", "heic")], "HEIC"),
    ])
  func tooMuchWorkIsRefusedWithWhatWouldFit(
    _ operation: String, _ fields: [(String, String)], _ dearest: String
  ) async throws {
    let refused = try await answer(operation, fields, limits { $0.maxWork = 4 })
    let text = String(decoding: refused.body, as: UTF8.self)
    #expect(refused.status == 422 && text.contains("too-much-work"), "\(text)")
    #expect(text.contains("more than the 4.0"), "\(text)")
    let reasons = text.drop { $0 != "(" }
    #expect(reasons.dropFirst().prefix { $0 != "," }.contains(dearest), "\(text)")
    #expect(!refused.fields.contains { $0.name == "Retry-After" })
    // A smaller image is let in, as it says; nobody waits here until it is done.
    let fitting = try #require(
      text.split(separator: " a result of ").last?.split(separator: " ").first.flatMap {
        Double($0)
      })
    #expect(fitting > 0 && fitting < (operation == "fill" ? 18 : 1), "\(text)")
  }

  /// Pixels that are scaled and then cropped count, however small the result is.
  @Test func whatIsCutOffCounts() async throws {
    let cover = [
      ("width", "4000"), ("height", "1"), ("fit", "cover"), ("enlarge", "true"), ("format", "bmp"),
    ]
    let taken = try await answer("blur", [("sigma", "1")] + cover, limits { $0.maxWork = 0.1 })
    let text = String(decoding: taken.body, as: UTF8.self)
    #expect(taken.status == 422 && text.contains("too-much-work"), "\(text)")
    let redacted = try await answer(
      "redact", [("region", "0,0,2,2")] + cover, limits { $0.maxWork = 0.1 })
    #expect(redacted.status == 422)
  }

  /// Typical requests stay far from the limit.
  @Test func usualWorkIsTaken() async throws {
    for fields in [
      [("sigma", "20")], [("style", "dark")], [("filter", "lens(8px)"), ("format", "heic")],
    ] {
      let taken = try await answer("blur", fields, limits { $0.lightWork = 2 })
      #expect(taken.status == 200 && taken.putOff == nil, "\(fields)")
    }
  }

  @Test func heavyWorkIsPutOffAndNotBegun() async throws {
    let put = try await answer(
      "blur", [("filter", Self.dear)], limits { ($0.maxWork, $0.lightWork) = (60, 0.5) })
    let seconds = try #require(put.putOff)
    #expect(put.status == 503 && seconds > 10 && seconds < 60)
    // It says so from a child as well.
    let again = try JSONDecoder().decode(WorkAnswer.self, from: try JSONEncoder().encode(put))
    #expect(again.putOff == seconds)
  }

  /// Reading a long text is heavy as well, and no reason to wait for longer than a request may take.
  @Test func aLongTextIsPutOff() async throws {
    var order = WorkOrder("redact", limits: limits { $0.lightWork = 0.5 })
    order.parts = [
      "picture": try Sample.file(),
      "regions": Array(String(repeating: "1,2,3,4\n", count: 200_000).utf8),
    ]
    let put = await worker.perform(order)
    #expect(put.status == 503 && put.putOff ?? 0 > 0.5)
    order.limits.lightWork = nil
    order.limits.seconds = 0
    let late = await worker.perform(order)
    let text = String(decoding: late.body, as: UTF8.self)
    #expect(late.status == 503 && text.contains("out-of-time"), "\(text)")
  }

  /// Heavy work waits anew, in a queue that leaves a worker to others, and is then done.
  @Test func heavyWorkWaitsForItsTurn() async throws {
    let worker = SortingWorker()
    let gate = AdmissionQueue(jobs: 2, waiting: 64, bytes: 100)
    let run = Run(worker, gate)
    var limits = WorkLimits(seconds: 600)
    limits.lightWork = 0.5
    func order(_ name: String) -> WorkOrder {
      WorkOrder("blur", fields: [Field("name", name)], limits: limits)
    }
    let heavy = (0..<4).map { index in
      Task { [order = order("heavy \(index)")] in try await run.run(order, for: "a") }
    }
    // All have shown what they are, and one is done at a time.
    #expect(await eventually { worker.asked.count == 5 && gate.running == 1 && gate.jobs == 4 })
    for index in 0..<9 {
      #expect(try await run.run(order("light \(index)"), for: "a").status == 200)
    }
    #expect(gate.running == 1 && gate.jobs == 4)
    worker.open()
    for task in heavy { #expect(try await task.value.status == 200) }
    #expect(worker.asked.count { $0.hasPrefix("heavy") } == 8)
  }

  /// Only what others have kept from its turn may come again.
  @Test func workThatIsTooLongIsNotAskedForAgain() async throws {
    let reply = await worker.perform(
      WorkOrder(
        "blur", fields: [Field("sigma", "9")], limits: WorkLimits(seconds: 0),
        parts: ["picture": try Sample.file()]))
    #expect(reply.status == 503)
    #expect(!reply.fields.contains { $0.name == "Retry-After" })
  }

  @Test func filtersAndFormatsAreTheOperators() async throws {
    let three = [("filter", "invert() invert() invert()")]
    let many = try await answer("blur", three, limits { $0.maxFilters = 2 })
    #expect(many.status == 422)
    #expect(String(decoding: many.body, as: UTF8.self).contains("3 filters are more than the 2"))
    #expect(try await answer("blur", three, limits { $0.maxFilters = 3 }).status == 200)
    let blurs = limits { $0.filters = ["gaussian", "blur"] }
    #expect(try await answer("blur", [("sigma", "2")], blurs).status == 200)
    #expect(try await answer("plan", [("filter", "blur(2px)")], blurs).status == 200)
    #expect(try await answer("blur", [("style", "dark")], blurs).status == 422)
    let no = limits { $0.refusedFilters = ["invert"] }
    #expect(try await answer("plan", three, no).status == 422)
    #expect(try await answer("redact", [("region", "0,0,2,2")], blurs).status == 200)
  }

  /// Also a text that would have to be read to be counted.
  @Test func regionsHaveAnEnd() async throws {
    func regions(_ count: Int, _ space: Int) async throws -> WorkAnswer {
      let rows = String(repeating: "1,1,2,2\n", count: count) + String(repeating: " ", count: space)
      return await worker.perform(
        WorkOrder(
          "redact", limits: limits { $0.maxRegions = 3 },
          parts: ["picture": try Sample.file(), "regions": Array(rows.utf8)]))
    }
    #expect(try await regions(3, 0).status == 200)
    for (count, space) in [(4, 0), (3, 70_000)] {
      let refused = try await regions(count, space)
      let text = String(decoding: refused.body, as: UTF8.self)
      #expect(refused.status == 422 && text.contains("3"), "\(text)")
    }
  }

  @Test func otherFormatsAreNeitherAskedForNorNegotiated() async throws {
    let server = try TestServer { $0.limits.formats = ["jpg", "webp"] }
    let picture = try Sample.file(.png)
    let refused = try await server.post("/v1/blur?sigma=2&format=heif", picture)
    #expect(
      refused.status == 422 && refused.text.contains("there are jpg, webp"), "\(refused.text)")
    #expect(try await server.post("/v1/blur?sigma=2", picture)["content-type"] == "image/jpeg")
    let accept = ["Accept: image/avif, image/webp;q=0.1"]
    #expect(
      try await server.post("/v1/blur?sigma=2", picture, accept)["content-type"] == "image/webp")
    let none = try await server.post("/v1/blur?sigma=2", picture, ["Accept: image/avif"])
    #expect(
      none.status == 406
        && none.text.hasSuffix(
          "image/webp, image/jpeg\",\"requestId\":\"\(none["x-request-id"] ?? "")\"}"),
      "\(none.text)")
  }
}

/// Puts off what is called heavy the first time, and works on it until it is told to stop.
private final class SortingWorker: Worker {
  private let state = Mutex((asked: [String](), isOpen: false))

  var asked: [String] { state.withLock { $0.asked } }

  func open() { state.withLock { $0.isOpen = true } }

  func perform(_ order: WorkOrder) async -> WorkAnswer {
    let name = order.fields.first?.value ?? ""
    state.withLock { $0.asked.append(name) }
    if name.hasPrefix("heavy") {
      if order.limits.lightWork != nil {
        var problem = Problem(503, "put-off", "later")
        problem.putOff = 3
        return problem.answer
      }
      while !Task.isCancelled, !state.withLock({ $0.isOpen }) {
        try? await Task.sleep(for: .milliseconds(5))
      }
    }
    return WorkAnswer(status: 200, contentType: "image/png", body: [])
  }
}
