internal import FrostglassCore

/// Counts what a driver is asked, and says when it is to fail. Outlives the contexts of a backend.
final class FaultInjector {
  let faults: GLFaults
  /// How often the driver was asked.
  private(set) var asked: [GLFaults.Point: Int] = [:]
  /// How often it was made to fail.
  private(set) var struck: [GLFaults.Point: Int] = [:]

  /// `nil` where nothing is to fail.
  init?(_ faults: GLFaults) {
    guard !faults.isEmpty else { return nil }
    self.faults = faults
  }

  /// Counts once more; whether this one fails.
  func strikes(_ point: GLFaults.Point, orIf isToFail: Bool = false) -> Bool {
    let count = asked[point, default: 0] + 1
    asked[point] = count
    let fails = isToFail || faults.failing[point, default: []].contains { $0.contains(count) }
    if fails { struck[point, default: 0] += 1 }
    return fails
  }
}
