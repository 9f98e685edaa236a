import Frostglass
import FrostglassBackends
import FrostglassCPU
import Synchronization
import TestSupport

/// Jobs that say when they begin, and end when they are told to.
final class GatedJobs: Sendable {
  private let state = Mutex(State())

  private struct State {
    var begun: [Int] = []
    var open: Set<Int> = []
    var gates: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  /// Those that have begun, in order.
  var begun: [Int] { state.withLock { $0.begun } }

  func run(_ name: Int) async {
    await withCheckedContinuation { gate in
      let isOpen = state.withLock { state in
        state.begun.append(name)
        if state.open.contains(name) { return true }
        state.gates[name] = gate
        return false
      }
      if isOpen { gate.resume() }
    }
  }

  /// Lets one end, also before it begins.
  func end(_ name: Int) {
    let gate = state.withLock { state in
      state.open.insert(name)
      return state.gates.removeValue(forKey: name)
    }
    gate?.resume()
  }
}

/// A backend whose jobs are named by their pictures' first bytes.
struct GatedBackend: ImageBackend {
  let name = "gated"
  let jobs: GatedJobs
  var framesInFlight = 1

  func image(
    of plan: Plan, _ inputs: [Image], recovered: (Recovery) -> Void
  ) async throws(BackendError) -> Image {
    await jobs.run(Int(inputs[0].bytes[0]))
    return try await ReferenceBackend().execute(plan, inputs)
  }
}

/// How a job ended.
enum Ending: Equatable {
  case done
  case cancelled
  case deadlineExceeded
  case failed(String)
}

func ending<Value: Sendable>(of task: Task<Value, any Error>) async -> Ending {
  switch await task.result {
  case .success: .done
  case .failure(FrostglassError.cancelled): .cancelled
  case .failure(FrostglassError.deadlineExceeded): .deadlineExceeded
  case .failure(let error): .failed("\(error)")
  }
}

/// Waits for what must come.
func until(_ holds: () -> Bool) async {
  while !holds() { await Task.yield() }
}
