import FrostglassServer
import FrostglassStills
import Glibc
import TestSupport
import Testing

/// `frostglass serve` as it is built, with the workers that it has.
@Suite struct BuiltServiceTests {
  @Test func optionsReachTheWorkers() async throws {
    let request = TestServer.request("/v1/blur?sigma=2", try Sample.file())
    let service = try await BuiltService.start([
      "--spare-workers", "0", "--worker-requests", "2", "--worker-memory", "1G",
    ])
    for _ in 0..<9 { #expect(try await service.ask(request).status == 200) }
    #expect(service.children.count <= 2)
    // Those of readiness come on top.
    var (text, served) = ("", 0)
    for _ in 0..<1200 where served < 3 {
      text = try await service.get("/metrics").text
      let line = text.split(separator: "\n").first {
        $0.hasPrefix("frostglass_worker_ends_total{reason=\"served\"}")
      }
      served = line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }
    #expect(served >= 3, "\(text)")
    #expect(try await service.end() == 0, "\(service.said)")
  }

  /// A spare one stands by unless told otherwise.
  @Test func aKilledWorkerIsReplaced() async throws {
    let request = TestServer.request("/v1/blur?sigma=2", try Sample.file())
    let service = try await BuiltService.start()
    func workers(_ text: String) async throws -> Bool {
      for _ in 0..<1200 {
        if try await service.get("/metrics").text.contains(text) { return true }
        try await Task.sleep(for: .milliseconds(50))
      }
      return false
    }
    #expect(try await workers("frostglass_worker_starts_total 3\n"))
    #expect(service.children.count == 3)
    for worker in service.children.prefix(1) { kill(worker, SIGKILL) }
    #expect(try await workers("frostglass_worker_ends_total{reason=\"crashed\"} 1\n"))
    #expect(try await service.ask(request).status == 200)
    #expect(try await workers("frostglass_worker_starts_total 4\n"))
    #expect(service.children.count == 3)
    #expect(try await service.end() == 0, "\(service.said)")
  }

  /// In the middle of work, and nothing has a chance to clean up.
  @Test func aServiceThatIsKilledLeavesNoChildAndNoFile() async throws {
    let picture = try Sample.photograph()
    let service = try await BuiltService.start()
    let first = TestServer.request("/v1/blur?sigma=2&format=avif", picture)
    #expect(try await service.ask(first).status == 200)
    let clients = try await onThread {
      try (0..<4).map { _ in
        let client = try RawClient(port: service.port)
        client.send(
          TestServer.request("/v1/blur?filter=bilateral(10)+bilateral(10)&format=avif", picture))
        return client
      }
    }
    var busy = false
    for _ in 0..<1200 where !busy {
      let text = try await service.get("/metrics").text
      busy = [1, 2].contains { text.contains("frostglass_workers{state=\"busy\"} \($0)\n") }
      if !busy { try await Task.sleep(for: .milliseconds(50)) }
    }
    #expect(busy)
    let children = service.children
    #expect(children.count >= 2)
    #expect(try await service.end(SIGKILL) & 0x7F == SIGKILL)
    // Nobody may be there to wait for them, so what is left of them counts as gone.
    #expect(await eventually { children.allSatisfy(ProcessState.isGone) })
    #expect(Files.names(in: service.folder.path) == ["said", "tmp"])
    #expect(Files.names(in: service.folder.path + "/tmp").isEmpty)
    withExtendedLifetime(clients) {}
  }
}
