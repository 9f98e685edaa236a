import FrostglassStills
import FrostglassServer
import Synchronization
import Testing

/// Too many are told so at once, and those that were let in are answered.
@Suite struct AdmitTests {
  @Test func placesAndBytesEnd() throws {
    let gate = Gate(jobs: 1, waiting: 1, bytes: 100)
    let first = try gate.enter()
    var second: Gate.Place? = try gate.enter()
    #expect(gate.isFull())
    #expect(throws: Problem.self) { try gate.enter() }
    second = nil
    #expect(second == nil && !gate.isFull())
    var room: Gate.Room? = Gate.Room(gate)
    #expect(room?.grow(by: 60) == true)
    #expect(room?.grow(by: 41) == false)
    #expect(room?.grow(by: 40) == true)
    #expect(gate.bytes == 100)
    room = nil
    #expect(room == nil && gate.bytes == 0)
    withExtendedLifetime(first) {}
  }

  /// A free worker is for who comes, and no more wait than may, of whatever kind.
  @Test func scenesHaveAPlaceOfTheirOwn() throws {
    let gate = Gate(jobs: 1, scenes: 1, waiting: 2, bytes: 100)
    var scenes = [try gate.enter(isScene: true)]
    #expect(gate.jobs == 1 && !gate.isFull() && !gate.isFull(isScene: true))
    for _ in 0..<2 { scenes.append(try gate.enter(isScene: true)) }
    #expect(gate.isFull(isScene: true))
    #expect(throws: Problem.self) { try gate.enter(isScene: true) }
    // The queue is full of scenes, and the worker for pictures is free.
    var picture: Gate.Place? = try gate.enter()
    #expect(gate.jobs == 4 && gate.isFull())
    #expect(throws: Problem.self) { try gate.enter() }
    scenes.removeLast()
    var waiting: Gate.Place? = try gate.enter()
    #expect(gate.isFull() && gate.isFull(isScene: true))
    picture = nil
    #expect(picture == nil && gate.jobs == 3 && !gate.isFull())
    waiting = nil
    scenes = []
    #expect(waiting == nil && scenes.isEmpty && gate.jobs == 0)
  }

  @Test func scenesAreLikeOtherWorkWhereTheyHaveNoPlaceOfTheirOwn() throws {
    let gate = Gate(jobs: 1, waiting: 0, bytes: 100)
    let scene = try gate.enter(isScene: true)
    #expect(gate.isFull() && gate.isFull(isScene: true))
    withExtendedLifetime(scene) {}
  }

  @Test func overloadIsAnsweredAndTheAcceptedFinish() async throws {
    let worker = WaitingWorker()
    let server = try TestServer(worker: worker, jobs: 2) { $0.queue = 3 }
    let picture = try Sample.file()
    // As many as there are places for.
    let accepted = Task {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<5 {
          group.addTask { try await server.post("/v1/blur?sigma=5", picture).status }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    #expect(await eventually { server.server.service.gate.jobs == 5 })
    let refused = try await withThrowingTaskGroup(of: RawClient.Reply.self) { group in
      for _ in 0..<50 { group.addTask { try await server.post("/v1/blur?sigma=5", picture) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(refused.allSatisfy { $0.status == 429 && $0["retry-after"] != nil })
    #expect(refused.allSatisfy { $0.problem == "overloaded" })
    // Nothing of theirs is kept.
    #expect(server.server.service.gate.bytes <= 5 * picture.count)
    worker.open()
    #expect(try await accepted.value == [200, 200, 200, 200, 200])
    #expect(await eventually { server.server.service.gate.jobs == 0 })
    #expect(await eventually { server.server.service.gate.bytes == 0 })
  }

  @Test func refusalsNeedNoBody() async throws {
    let worker = WaitingWorker()
    let server = try TestServer(worker: worker, jobs: 1) { $0.queue = 0 }
    let picture = try Sample.file()
    let first = Task { try await server.post("/v1/blur?sigma=5", picture).status }
    #expect(await eventually { worker.started == 1 })
    // Announced and never sent.
    let reply = try await server.ask(
      "POST /v1/blur?sigma=5 HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n")
    #expect(reply.status == 429)
    worker.open()
    #expect(try await first.value == 200)
  }

  /// More than are served at once are told so; what is answered in a few words is for everybody.
  @Test func connectionsEnd() async throws {
    let worker = WaitingWorker()
    let server = try TestServer(worker: worker, jobs: 2) { $0.connections.connections = 4 }
    let picture = try Sample.file()
    let served = Task {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<4 {
          group.addTask { try await server.post("/v1/blur?sigma=5", picture).status }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
    }
    #expect(await eventually { server.server.service.gate.jobs == 4 })
    for head in [
      "POST /v1/blur?sigma=5 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n",
      "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n",
    ] {
      let refused = try await server.ask(head)
      #expect(refused.status == 429 && refused["retry-after"] != nil, "\(head)")
      #expect(refused.text.contains("too many connections"), "\(refused.text)")
      #expect(refused["connection"] == "close")
    }
    let health = try await server.get("/health/live")
    #expect(health.status == 200 && health["connection"] == "close")
    worker.open()
    #expect(try await served.value == [200, 200, 200, 200])
    #expect(await eventually { server.server.requestCount == 0 })
    #expect(try await server.get("/openapi.json").status == 200, "places are free again")
  }
}
