internal import Frostglass

/// What has been said in a batch: pictures to which the same happens say so once.
package struct BatchNews: Sendable {
  private var warnings: Set<String> = []
  private var choices: Set<[String]> = []
  private var recoveries: [Recovery] = []

  package init() {}

  /// What to say of the choice of a backend; `nil` where it was said.
  ///
  /// Expected times differ from picture to picture: other numbers make no other reason.
  package mutating func choice(_ backend: String, _ reason: String) -> String? {
    let kind = reason.filter { !$0.isNumber && $0 != "." }
    let isNew = choices.insert([backend, kind]).inserted
    return isNew ? "backend   \(backend) (\(reason))" : nil
  }

  /// A warning that was not given yet.
  package mutating func warning(_ warning: String?) -> String? {
    guard let warning, warnings.insert(warning).inserted else { return nil }
    return warning
  }

  /// Failures that were made good, of kinds that were not told yet.
  mutating func recoveries(_ told: [Recovery]) -> [Recovery] {
    let new = told.newTo(recoveries)
    recoveries += new
    return new
  }
}
