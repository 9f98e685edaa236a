import FrostglassStills
import FrostglassServer
import Glibc
import Testing

@Suite struct RunTests {
  @Test func whatTakesTooLongIsStopped() async throws {
    let worker = WaitingWorker()
    let server = try TestServer(worker: worker) { $0.limits.seconds = 1 }
    let reply = try await server.post("/v1/blur?sigma=5", try Sample.file())
    // The worker here has no limit of its own, and an answer that comes too late is still one.
    #expect(reply.status == 200)
    #expect(worker.cancelled == 1)
  }

  @Test func whatWaitsTooLongIsRefused() async throws {
    let worker = WaitingWorker()
    let server = try TestServer(worker: worker, jobs: 1) {
      $0.limits.seconds = 0.2
      $0.queue = 4
    }
    let gate = server.server.service.gate
    // A job that does not end, which nobody's deadline stops.
    let blocker = Task {
      try? await Run(NeverWorker(), gate).run(WorkOrder("blur", limits: WorkLimits(seconds: 100)))
    }
    #expect(await eventually { gate.running == 1 })
    let reply = try await server.post("/v1/blur?sigma=5", try Sample.file())
    #expect(reply.status == 503)
    #expect(reply.problem == "out-of-time")
    #expect(reply["retry-after"] != nil)
    #expect(worker.started == 0)
    blocker.cancel()
    _ = await blocker.value
  }

  @Test func aClientThatLeavesCancelsItsWork() async throws {
    let worker = WaitingWorker()
    let server = try TestServer(worker: worker)
    let picture = try Sample.file()
    try await onThread { [port = server.port] in
      let client = try RawClient(port: port)
      client.send(TestServer.request("/v1/blur?sigma=5", picture))
      // A client that leaves before is none that work was begun for.
      withExtendedLifetime(client) {
        for _ in 0..<24_000 where worker.started == 0 { usleep(5000) }
      }
    }
    #expect(await eventually { worker.cancelled == 1 })
    #expect(await eventually { server.server.service.gate.jobs == 0 })
    // The service goes on.
    #expect(try await server.get("/health/live").status == 200)
  }

  /// At work or in the queue: an operator who looks for slow work need not look at these.
  @Test func clientsThatLeaveAreNotLate() async throws {
    let gate = AdmissionQueue(jobs: 1, waiting: 8, bytes: 100)
    let run = Run(GivingUpWorker(), gate)
    let order = WorkOrder("blur", limits: WorkLimits(seconds: 600))
    let first = Task { try await run.run(order) }
    #expect(await eventually { gate.running == 1 })
    let second = Task { try await run.run(order) }
    #expect(await eventually { gate.jobs == 2 })
    for task in [second, first] {
      task.cancel()
      let problem = await #expect(throws: Problem.self) { _ = try await task.value }
      #expect(problem?.status == 499 && problem?.kind == "client-left")
    }
    #expect(gate.jobs == 0 && gate.running == 0)
  }

  /// Their clients are there, and are told.
  @Test func workThatTheServicesEndStopsIsNotTheClients() async throws {
    let gate = AdmissionQueue(jobs: 1, waiting: 8, bytes: 100)
    let run = Run(GivingUpWorker(), gate)
    let task = Task { try await run.run(WorkOrder("blur", limits: WorkLimits(seconds: 600))) }
    #expect(await eventually { gate.running == 1 })
    gate.isDraining = true
    task.cancel()
    #expect(try await task.value.status == 503)
  }

  /// Each waits for the only worker for scenes, and none for one of images.
  @Test func slowScenesKeepNoImageWaiting() async throws {
    let worker = DrawingWorker()
    let gate = AdmissionQueue(jobs: 2, scenes: worker.scenesAtOnce, waiting: 8, bytes: 100)
    let run = Run(worker, gate)
    let limits = WorkLimits(seconds: 600)
    let scenes = (0..<4).map { _ in
      Task { try await run.run(WorkOrder("scene", limits: limits)).status }
    }
    #expect(await eventually { gate.jobs == 4 && gate.running == 1 })
    for _ in 0..<3 { #expect(try await run.run(WorkOrder("blur", limits: limits)).status == 200) }
    #expect(gate.jobs == 4 && gate.running == 1)
    // Who leaves gives the place back, at work or not.
    for scene in scenes { scene.cancel() }
    for scene in scenes { _ = await scene.result }
    #expect(gate.jobs == 0 && gate.running == 0)
  }

  @Test func aSceneThatWaitsTooLongIsRefused() async throws {
    let worker = DrawingWorker()
    let gate = AdmissionQueue(jobs: 2, scenes: worker.scenesAtOnce, waiting: 8, bytes: 100)
    let run = Run(worker, gate)
    let slow = Task { try await run.run(WorkOrder("scene", limits: WorkLimits(seconds: 600))) }
    #expect(await eventually { gate.running == 1 })
    let problem = await #expect(throws: Problem.self) {
      _ = try await run.run(WorkOrder("scene", limits: WorkLimits(seconds: 0.2)))
    }
    #expect(problem?.status == 503 && problem?.kind == "out-of-time")
    #expect(problem?.headers.map(\.name) == ["Retry-After"])
    #expect(gate.jobs == 1)
    slow.cancel()
    _ = await slow.result
  }

  /// Waiting jobs have no grace period, because they have no work that could end after the limit.
  @Test func whatWaitsHasNoGrace() async throws {
    let gate = AdmissionQueue(jobs: 1, waiting: 8, bytes: 100)
    let run = Run(NeverWorker(), gate, grace: .seconds(1_000_000))
    let slow = Task { try await run.run(WorkOrder("blur", limits: WorkLimits(seconds: 600))) }
    #expect(await eventually { gate.running == 1 })
    let problem = await #expect(throws: Problem.self) {
      _ = try await run.run(WorkOrder("blur", limits: WorkLimits(seconds: 0.05)))
    }
    #expect(problem?.status == 503 && problem?.kind == "out-of-time")
    #expect(gate.jobs == 1)
    slow.cancel()
    _ = await slow.result
  }

  @Test func aRealJobIsStoppedInTime() async throws {
    let server = try TestServer { $0.limits.seconds = 0.1 }
    let reply = try await server.post(
      "/v1/blur?filter=bilateral(10)+bilateral(10)&format=avif",
      try Sample.photograph())
    #expect(reply.status == 503, "\(reply.text)")
    #expect(reply.problem == "out-of-time")
  }
}

/// Draws scenes until it is cancelled, and does all else at once.
private struct DrawingWorker: Worker {
  var scenesAtOnce: Int { 1 }

  func perform(_ order: WorkOrder) async -> WorkAnswer {
    if order.operation == "scene" { try? await Task.sleep(for: .seconds(1000)) }
    return WorkAnswer(status: 200, contentType: "image/png", body: [])
  }
}

/// Gives up when it is cancelled, as pools of children do.
private struct GivingUpWorker: Worker {
  func perform(_ order: WorkOrder) async -> WorkAnswer {
    try? await Task.sleep(for: .seconds(1000))
    return Problem(503, "given-up", "the work was given up").answer
  }
}

/// Ends only when it is cancelled.
private struct NeverWorker: Worker {
  func perform(_ order: WorkOrder) async -> WorkAnswer {
    try? await Task.sleep(for: .seconds(1000))
    return WorkAnswer(status: 200, contentType: "image/png", body: [])
  }
}
