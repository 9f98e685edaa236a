/// How long the device took for one of several equal pieces of work.
package struct GLTime: Sendable, Hashable {
  /// From the first call until the device rests, by this machine's clock.
  package var wall: Duration
  /// By the device's clock; `nil` where it has none that tells.
  package var device: Duration?

  package init(wall: Duration, device: Duration?) {
    self.wall = wall
    self.device = device
  }
}
