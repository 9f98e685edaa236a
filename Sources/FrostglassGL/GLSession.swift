internal import FrostglassCore
internal import FrostglassShaders

/// Everything a backend owns on the GPU. Lives and ends where its context is current.
final class GLSession {
  let device: GLDevice
  let runner: PlanRunner
  let programs: ProgramCache
  let stage: StageChoice

  init(_ options: GLOptions) throws(DisplaySearch.Failure) {
    let runners = try StagedRunners(options)
    device = runners.device
    programs = runners.programs
    stage = runners.choice()
    runner = runners.runner(stage.stage)
  }
}
