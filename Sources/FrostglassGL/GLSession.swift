internal import CGLES
internal import FrostglassCore
internal import FrostglassShaders

/// Everything a backend owns on the GPU. Lives and ends where its context is current.
final class GLSession {
  let device: GLDevice
  let runner: PlanRunner
  let programs: ProgramCache
  let stage: StageChoice
  let pictures: ResidentPictures
  /// Results that are on their way to memory.
  private var flights: [Int: HostResult] = [:]
  private var lastFlight = 0

  init(_ options: GLOptions) throws(DisplaySearch.Failure) {
    let runners = try StagedRunners(options)
    device = runners.device
    programs = runners.programs
    stage = runners.choice()
    runner = runners.runner(stage.stage)
    pictures = ResidentPictures(runner: runner, capabilities: runners.capabilities)
  }

  /// Whether the device works on one frame while another is brought or fetched.
  var overlapsFrames: Bool { runner.transfer.buffers != nil }

  /// Runs a plan and fetches the result.
  func run(
    _ plan: Plan, _ inputs: [Image], into memory: ResultMemory
  ) throws(GLFailure) -> Image {
    try runner.start(plan, inputs, into: memory).finish()
  }

  /// Has a plan run; `land` with the number that is returned fetches the result.
  func launch(
    _ plan: Plan, _ inputs: [Image], into memory: ResultMemory
  ) throws(GLFailure) -> Int {
    let sink = try runner.start(plan, inputs, into: memory)
    sink.submit()
    lastFlight += 1
    flights[lastFlight] = sink
    return lastFlight
  }

  /// Waits for a launched plan and fetches its result.
  func land(_ flight: Int) throws(GLFailure) -> Image {
    guard let sink = flights.removeValue(forKey: flight) else {
      throw .gl(during: "a frame that was lost with its context", code: GLenum(GL_CONTEXT_LOST))
    }
    return try sink.finish()
  }
}
