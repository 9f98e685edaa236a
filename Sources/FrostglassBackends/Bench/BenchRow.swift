/// What a blur of one σ costs: medians over rounds of blur and copy in turn.
package struct BenchRow: Sendable {
  /// The median time of a blur.
  package var blur: Duration
  /// The median time of a copy of the same frame.
  package var copy: Duration
  /// How many rounds were measured.
  package var runs: Int
  /// What the device took, where that is a GPU.
  package var device: DeviceRow?

  /// - Parameters:
  ///   - rounds: at least one.
  ///   - movedBytes: of a frame and its result.
  package init(_ rounds: [BenchRound], movedBytes: Int = 0) {
    let device = rounds.compactMap(\.device)
    self.device = device.isEmpty ? nil : DeviceRow(device, movedBytes: movedBytes)
    blur = Self.median(rounds.map(\.blur))
    copy = Self.median(rounds.map(\.copy))
    runs = rounds.count
  }

  /// How many copies the blur is worth.
  package var ratio: Double { blur / copy }

  /// The middle value; between the two middle ones where their number is even.
  package static func median(_ values: [Duration]) -> Duration {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
