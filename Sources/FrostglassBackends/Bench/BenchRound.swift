/// One blur and one copy of the same frame, timed one after the other.
package struct BenchRound: Sendable {
  package var blur: Duration
  package var copy: Duration
  /// What the device took, where that is a GPU.
  package var device: DeviceRound?

  package init(blur: Duration, copy: Duration, device: DeviceRound? = nil) {
    self.blur = blur
    self.copy = copy
    self.device = device
  }
}
