import FrostglassBackends
import Synchronization

/// A backend that counts, and holds its jobs until it is told to go on.
final class MadeUpBackend: Backend {
  let name = "gl"
  private let state = Mutex((ran: 0, isOpen: true, waiting: [CheckedContinuation<Void, Never>]()))

  var ran: Int { state.withLock { $0.ran } }

  /// Holds jobs from now on, or lets all go.
  func hold(_ holds: Bool) {
    let freed = state.withLock { state in
      state.isOpen = !holds
      defer { if !holds { state.waiting = [] } }
      return holds ? [] : state.waiting
    }
    for job in freed { job.resume() }
  }

  func execute(_ plan: Plan, _ inputs: [Image]) async throws(BackendError) -> Image {
    await withCheckedContinuation { job in
      let goesOn = state.withLock { state in
        state.ran += 1
        if !state.isOpen { state.waiting.append(job) }
        return state.isOpen
      }
      if goesOn { job.resume() }
    }
    return Image(zeros: plan.result.rect.size, format: plan.result.format)
  }
}
