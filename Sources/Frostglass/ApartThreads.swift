internal import FrostglassCore

extension Pipeline {
  /// Runs a job on threads of its own, until it is done, its task is cancelled or its time is over.
  ///
  /// - Parameter body: learns of the end as of a cancelled task, in what it waits for; where it computes it is
  ///   to look at the cancellation now and then.
  /// - Throws: what `body` throws; `.cancelled` or `.deadlineExceeded` where that was why.
  func apart<Value: Sendable>(
    until deadline: ContinuousClock.Instant?,
    _ body: @escaping @Sendable (Cancellation) async throws(FrostglassError) -> Value
  ) async throws(FrostglassError) -> Value {
    let cancellation = Cancellation(deadline: deadline)
    return try await cancellation.whileTaskRuns(alarmedBy: threads) {
      () async throws(FrostglassError) in
      let task = Task(executorPreference: threads) { () async -> Result<Value, FrostglassError> in
        do throws(FrostglassError) { return .success(try await body(cancellation)) } catch {
          return .failure(error)
        }
      }
      cancellation.onCancel { task.cancel() }
      let result = await task.value
      if case .failure = result { try cancellation.checkJob() }
      return try result.get()
    }
  }
}

extension Cancellation {
  /// - Throws: `.cancelled` or `.deadlineExceeded` where the job should stop.
  func checkJob() throws(FrostglassError) {
    do throws(BackendError) { try check() } catch { throw FrostglassError(error) }
  }
}
