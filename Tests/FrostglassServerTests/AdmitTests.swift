import FrostglassStills
import FrostglassServer
import Synchronization
import Testing

/// Too many are told so at once, and those that were let in are answered.
@Suite struct AdmitTests {
  @Test func bytesEnd() throws {
    let gate = AdmissionQueue(jobs: 1, waiting: 1, bytes: 100)
    var room: AdmissionQueue.Room? = AdmissionQueue.Room(gate)
    #expect(room?.grow(by: 60) == true)
    #expect(room?.grow(by: 41) == false)
    #expect(room?.grow(by: 40) == true)
    #expect(gate.bytes == 100)
    room = nil
    #expect(room == nil && gate.bytes == 0)
  }

  @Test func placesEnd() async throws {
    let line = Line(AdmissionQueue(jobs: 1, waiting: 1, bytes: 100))
    await line.join("first")
    await line.join("second")
    #expect(line.gate.isFull())
    await #expect(throws: Problem.self) { try await line.gate.enter() }
    line.leave("first")
    #expect(await eventually { line.inside == ["first", "second"] })
    #expect(!line.gate.isFull() && line.gate.jobs == 1)
  }

  /// A free worker is for who comes, and no more wait than may, of whatever kind.
  @Test func scenesHaveAPlaceOfTheirOwn() async throws {
    let line = Line(AdmissionQueue(jobs: 1, scenes: 1, waiting: 2, bytes: 100))
    let gate = line.gate
    await line.join("scene", .scene)
    #expect(gate.jobs == 1 && !gate.isFull() && !gate.isFull(.scene))
    for name in ["scene 2", "scene 3"] { await line.join(name, .scene) }
    #expect(gate.isFull(.scene))
    await #expect(throws: Problem.self) { try await gate.enter(.scene) }
    // The queue is full of scenes, and the worker for images is free.
    await line.join("picture")
    #expect(gate.jobs == 4 && gate.running == 2 && gate.isFull())
    await #expect(throws: Problem.self) { try await gate.enter() }
    line.leave("scene")
    #expect(await eventually { line.inside == ["scene", "picture", "scene 2"] })
    await line.join("picture 2")
    #expect(gate.isFull() && gate.isFull(.scene))
    line.leave("picture")
    #expect(await eventually { line.inside.last == "picture 2" })
    #expect(gate.jobs == 3 && !gate.isFull())
  }

  @Test func scenesAreLikeOtherWorkWhereTheyHaveNoPlaceOfTheirOwn() async throws {
    let gate = AdmissionQueue(jobs: 1, waiting: 0, bytes: 100)
    let scene = try await gate.enter(.scene)
    #expect(gate.isFull() && gate.isFull(.scene))
    withExtendedLifetime(scene) {}
  }

  /// The next place is for whoever has least work under way, however many wait of another client.
  @Test func aClientWithLessComesFirst() async throws {
    let line = Line(AdmissionQueue(jobs: 2, waiting: 64, bytes: 100))
    for index in 0..<6 { await line.join("greedy \(index)", of: "greedy", work: 1) }
    for index in 0..<2 { await line.join("modest \(index)", of: "modest", work: 1) }
    line.leave("greedy 0")
    #expect(await eventually { line.inside.last == "modest 0" })
    // Each has one now, and greedy's last turn was longer ago.
    line.leave("greedy 1")
    #expect(await eventually { line.inside.last == "greedy 2" })
    line.leave("greedy 2")
    #expect(await eventually { line.inside.last == "greedy 3" })
    line.leave("modest 0")
    #expect(await eventually { line.inside.last == "modest 1" })
    line.leave("greedy 3")
    line.leave("modest 1")
    #expect(await eventually { line.inside.suffix(2) == ["greedy 4", "greedy 5"] })
  }

  /// A client that sends one after another waits for one order of another's, not for all of them.
  @Test func clientsTakeTurnsAtOnePlace() async throws {
    let line = Line(AdmissionQueue(jobs: 1, waiting: 64, bytes: 100))
    for index in 0..<4 { await line.join("greedy \(index)", of: "greedy") }
    for index in 0..<3 {
      await line.join("modest \(index)", of: "modest")
      line.leave(line.inside.last ?? "")
      #expect(await eventually { line.inside.last == "modest \(index)" })
      line.leave("modest \(index)")
      #expect(await eventually { line.inside.last == "greedy \(index + 1)" })
    }
  }

  /// Heavy work of any clients leaves one worker to light work.
  @Test func heavyWorkLeavesAWorkerFree() async throws {
    let line = Line(AdmissionQueue(jobs: 2, waiting: 64, bytes: 100))
    for index in 0..<3 { await line.join("heavy \(index)", .heavy, of: "client \(index)") }
    #expect(line.inside == ["heavy 0"])
    await line.join("light")
    #expect(line.inside == ["heavy 0", "light"])
    line.leave("light")
    #expect(line.inside == ["heavy 0", "light"])
    line.leave("heavy 0")
    #expect(await eventually { line.inside.last == "heavy 1" })
    // The only worker there is does all kinds of work.
    let alone = Line(AdmissionQueue(jobs: 1, waiting: 64, bytes: 100))
    await alone.join("heavy", .heavy)
    #expect(alone.inside == ["heavy"])
  }

  /// In a full queue, the client with the most jobs makes room.
  @Test func theGreediestMakesRoom() async throws {
    let line = Line(AdmissionQueue(jobs: 1, waiting: 4, bytes: 100))
    for index in 0..<5 { await line.join("greedy \(index)", of: "greedy") }
    #expect(line.gate.isFull(for: "greedy") && !line.gate.isFull(for: "modest"))
    await line.join("modest 0", of: "modest")
    #expect(await eventually { line.refused == ["greedy 4"] })
    #expect(!line.gate.isFull(for: "modest") && !line.gate.isFull(for: "third"))
    await line.join("modest 1", of: "modest")
    #expect(await eventually { line.refused == ["greedy 4", "greedy 3"] })
    // Two each: a third of theirs would be more than another has.
    #expect(line.gate.isFull(for: "modest") && line.gate.isFull(for: "greedy"))
    await #expect(throws: Problem.self) { try await line.gate.enter(for: "modest") }
    #expect(line.gate.jobs == 5)
  }

  /// A client at its limit of places waits, and blocks no other client.
  @Test func aClientHasNoMoreThanItsPlaces() async throws {
    let line = Line(AdmissionQueue(jobs: 3, perClient: 2, waiting: 4, bytes: 100))
    for index in 0..<3 { await line.join("greedy \(index)", of: "greedy") }
    #expect(line.inside == ["greedy 0", "greedy 1"])
    await line.join("modest", of: "modest")
    #expect(line.inside == ["greedy 0", "greedy 1", "modest"])
    line.leave("modest")
    #expect(line.gate.running == 2 && line.gate.jobs == 3)
    line.leave("greedy 0")
    #expect(await eventually { line.inside.last == "greedy 2" })
  }

  @Test func waitingEndsAtItsTime() async throws {
    let gate = AdmissionQueue(jobs: 1, waiting: 4, bytes: 100)
    let place = try await gate.enter()
    await #expect(throws: Problem.self) { try await gate.enter(until: .now) }
    #expect(gate.jobs == 1)
    withExtendedLifetime(place) {}
  }

  /// A client that leaves is forgotten, with or without a place.
  @Test func whoLeavesTheQueueKeepsNothing() async throws {
    let gate = AdmissionQueue(jobs: 1, waiting: 4, bytes: 100)
    var place = try await gate.enter(for: "a")
    let waiting = Task { try await gate.enter(for: "b") }
    #expect(await eventually { gate.jobs == 2 })
    waiting.cancel()
    #expect(try await waiting.value == nil)
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await gate.enter(for: "c")
    }
    #expect(try await cancelled.value == nil)
    #expect(gate.jobs == 1)
    place = nil
    #expect(place == nil && gate.jobs == 0)
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
    let server = try TestServer(worker: worker, jobs: 2) {
      ($0.connections.connections, $0.connections.perClient) = (4, 4)
    }
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

/// Orders that wait at a gate, and stay inside until they are told to leave.
private final class Line: Sendable {
  let gate: AdmissionQueue
  private let state = Mutex(State())

  private struct State {
    var inside: [String] = []
    var refused: [String] = []
    var places: [String: AdmissionQueue.QueueSlot] = [:]
  }

  init(_ gate: AdmissionQueue) { self.gate = gate }

  deinit { state.withLock { $0.places = [:] } }

  /// Those that were let in, in that order.
  var inside: [String] { state.withLock { $0.inside } }
  /// Those that were sent away, in that order.
  var refused: [String] { state.withLock { $0.refused } }

  /// Returns once the order is inside, or in the queue.
  func join(
    _ name: String, _ kind: AdmissionQueue.Kind = .light, of client: String = "", work: Double = 0
  ) async {
    let waiting = gate.jobs
    let sentAway = refused.count
    Task { [weak self, gate] in
      do {
        let place = try await gate.enter(kind, for: client, work: work)
        self?.state.withLock { state in
          state.places[name] = place
          state.inside.append(name)
        }
      } catch {
        self?.state.withLock { $0.refused.append(name) }
      }
    }
    let isThere = await eventually { [self] in
      (gate.jobs > waiting || refused.count > sentAway)
        && gate.running == state.withLock { $0.places.count }
    }
    #expect(isThere)
  }

  func leave(_ name: String) {
    // Its end asks the gate, and that those who wait here.
    let place = state.withLock { $0.places.removeValue(forKey: name) }
    withExtendedLifetime(place) {}
  }
}
