/// A plan that was run.
struct Execution {
  var image: Image
  /// The name of the backend that computed it.
  var backend: String
  /// What failed on the way, each kind once.
  var recoveries: [Recovery]
}

extension Report {
  /// Takes over how a frame was computed.
  mutating func add(_ execution: Execution) {
    backend = execution.backend
    recoveries += execution.recoveries.newTo(recoveries)
  }
}

extension [Recovery] {
  /// Those whose remedy is not among others'; the first of each kind.
  package func newTo(_ others: [Recovery]) -> [Recovery] {
    var known = Set(others.map(\.remedy))
    return filter { known.insert($0.remedy).inserted }
  }
}
