internal import Frostglass

extension Console {
  /// Says what failed and was made good.
  static func tell(_ recoveries: [Recovery], of command: String) {
    for recovery in recoveries.newTo([]) { error("frostglass \(command): \(recovery)") }
  }
}
