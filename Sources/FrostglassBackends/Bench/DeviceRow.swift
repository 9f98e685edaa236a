package import FrostglassGL

/// Medians of what a GPU took.
package struct DeviceRow: Sendable, Hashable {
  package var blur: GLTime
  package var copy: GLTime
  package var streamed: Duration
  package var transfer: Duration
  /// Bytes of a frame and of its result, on their way to the device and back.
  package var movedBytes: Int

  /// - Parameter rounds: at least one.
  package init(_ rounds: [DeviceRound], movedBytes: Int) {
    blur = DeviceRow.median(rounds.map(\.blur))
    copy = DeviceRow.median(rounds.map(\.copy))
    streamed = BenchRow.median(rounds.map(\.streamed))
    transfer = BenchRow.median(rounds.map(\.transfer))
    self.movedBytes = movedBytes
  }

  /// How many copies on the device the blur is worth there.
  package var ratio: Double { blur.wall / copy.wall }

  private static func median(_ times: [GLTime]) -> GLTime {
    let device = times.compactMap(\.device)
    return GLTime(
      wall: BenchRow.median(times.map(\.wall)),
      device: device.isEmpty ? nil : BenchRow.median(device))
  }
}
