/// Where an item is along one axis.
struct LayoutSpan: Hashable {
  var center: Double
  var length: Double

  init(center: Double, length: Double) {
    self.center = center
    self.length = length
  }

  /// From two values, the first with the smaller role.
  init(
    _ first: (role: LayoutLine.Role, value: Double),
    _ second: (role: LayoutLine.Role, value: Double)
  ) {
    let extent = max(0, second.value)
    switch (first.role, second.role) {
    case (.start, .end):
      self.init(
        center: (first.value + second.value) / 2, length: max(0, second.value - first.value))
    case (.start, .middle):
      self.init(center: second.value, length: max(0, 2 * (second.value - first.value)))
    case (.end, .middle):
      self.init(center: second.value, length: max(0, 2 * (first.value - second.value)))
    case (.start, _):
      self.init(center: first.value + extent / 2, length: extent)
    case (.end, _):
      self.init(center: first.value - extent / 2, length: extent)
    default:
      self.init(center: first.value, length: extent)
    }
  }

  func value(of role: LayoutLine.Role) -> Double {
    switch role {
    case .start: center - length / 2
    case .end: center + length / 2
    case .middle: center
    case .extent: length
    }
  }
}
