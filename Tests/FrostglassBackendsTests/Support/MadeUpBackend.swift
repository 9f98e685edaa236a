import FrostglassBackends
import Synchronization
import TestSupport

/// A backend that counts, holds its jobs until it is told to go on, and fails when told to.
final class MadeUpBackend: ImageBackend {
  let name = "gl"
  private let state = Mutex((ran: 0, isOpen: true, waiting: [CheckedContinuation<Void, Never>]()))

  private let failure = Mutex<BackendError?>(nil)

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

  /// Fails from now on, or works again.
  func fail(_ error: BackendError?) {
    failure.withLock { $0 = error }
  }

  func image(
    of plan: Plan, _ inputs: [Image], recovered: (Recovery) -> Void
  ) async throws(BackendError) -> Image {
    await withCheckedContinuation { job in
      let goesOn = state.withLock { state in
        state.ran += 1
        if !state.isOpen { state.waiting.append(job) }
        return state.isOpen
      }
      if goesOn { job.resume() }
    }
    if let error = failure.withLock({ $0 }) { throw error }
    return Image(zeros: plan.result.rect.size, format: plan.result.format)
  }
}
