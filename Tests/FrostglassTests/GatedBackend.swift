import Frostglass
import FrostglassBackends
import FrostglassCPU
import FrostglassCore
import TestSupport

/// A backend whose jobs are named by their images' first bytes.
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

/// The outcome of a job.
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
