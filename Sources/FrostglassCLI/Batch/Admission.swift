/// Who may run now: so many at once, within so many bytes of memory.
///
/// Callers come in order and wait for `admits`, so a large one is not overtaken forever.
package struct Admission: Sendable, Hashable {
  /// Places, 1 or more.
  package let places: Int
  /// Bytes that all together may take.
  package let budget: Int
  package private(set) var running = 0
  package private(set) var bytes = 0

  package init(places: Int, budget: Int) {
    self.places = max(places, 1)
    self.budget = budget
  }

  package var hasPlace: Bool { running < places }

  /// Whether one that takes `cost` bytes may start; one beyond the whole budget runs alone.
  package func admits(_ cost: Int) -> Bool {
    guard hasPlace else { return false }
    return running == 0 || cost <= budget - bytes
  }

  package mutating func start(_ cost: Int) {
    running += 1
    bytes += cost
  }

  package mutating func end(_ cost: Int) {
    running -= 1
    bytes -= cost
  }
}
