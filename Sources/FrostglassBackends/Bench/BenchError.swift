/// Why nothing could be measured.
package enum BenchError: Error {
  /// The chain cannot be applied to the frame.
  case plan(PlanError)
  /// The backend is missing or failed.
  case execute(BackendError)
}
