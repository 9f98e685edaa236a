internal import FrostglassCPU

/// An animation's frames on a backend that takes whole pictures: some at a time, so that one is
/// uploaded while another is computed.
struct WholeFrames {
  /// Frames that are decoded and whose results are not in place yet: upload, passes and read-back
  /// of three keep a GPU busy.
  static let atOnce = 3

  var plan: Plan
  var reader: StillReader
  var frames: Int
  var selection: BackendSelector.Selection
  var pipeline: Pipeline

  private struct Outcome: Sendable {
    var index: Int
    var result: Result<Execution, FrostglassError>
  }

  /// Runs the plan on all frames, and stops at the first that fails.
  ///
  /// - Parameter done: told of each frame's execution, in order.
  func run(_ done: (Execution) -> Void) async throws(FrostglassError) {
    // The reference takes one core, however many frames there are.
    let most = selection.backend is ReferenceBackend ? 1 : WholeFrames.atOnce
    let outcome = await withTaskGroup(
      of: Outcome.self, returning: Result<Void, FrostglassError>.self
    ) { group in
      var (begun, ended) = (0, 0)
      var early: [Int: Execution] = [:]
      while ended < frames {
        while begun < min(ended + most, frames) {
          do throws(FrostglassError) { try begin(begun, in: &group) } catch {
            return .failure(error)
          }
          begun += 1
        }
        guard let outcome = await group.next() else { break }
        switch outcome.result {
        case .success(let execution): early[outcome.index] = execution
        case .failure(let error): return .failure(error)
        }
        while let execution = early.removeValue(forKey: ended) {
          done(execution)
          ended += 1
        }
      }
      return .success(())
    }
    try outcome.get()
  }

  private func begin(
    _ index: Int, in group: inout TaskGroup<Outcome>
  ) throws(FrostglassError) {
    let frame: Image
    do throws(DecodeError) { frame = try reader.frame(index) } catch { throw .decode(error) }
    // Not `self`: the reader stays with this task.
    group.addTask { [plan, selection, pipeline] in
      Outcome(index: index, result: await pipeline.result(of: plan, frame, on: selection))
    }
  }
}

extension Pipeline {
  fileprivate func result(
    of plan: Plan, _ image: Image, on selection: BackendSelector.Selection
  ) async -> Result<Execution, FrostglassError> {
    do throws(FrostglassError) {
      return .success(try await execute(plan, image, on: selection))
    } catch { return .failure(error) }
  }
}
