/// The offsets of the last moments, for a mean velocity.
struct OffsetTrack: Hashable {
  private struct Sample: Hashable {
    var time: Double
    var offset: Double
  }

  /// The time that the mean is taken over, in seconds.
  static let window = 0.08
  /// Samples that come closer together replace each other, so their number is limited.
  private static let spacing = window / 32

  private var samples: [Sample] = []

  mutating func add(_ offset: Double, at time: Double) {
    let sample = Sample(time: time, offset: offset)
    if samples.count > 1, time - samples[samples.count - 2].time < OffsetTrack.spacing {
      samples[samples.count - 1] = sample
    } else {
      samples.append(sample)
    }
    while samples.count > 1, samples[1].time <= time - OffsetTrack.window { samples.removeFirst() }
  }

  /// The mean velocity, in points per second. Before the first sample nothing moved.
  var velocity: Double {
    guard let last = samples.last else { return 0 }
    return (last.offset - offset(at: last.time - OffsetTrack.window)) / OffsetTrack.window
  }

  private func offset(at time: Double) -> Double {
    guard let first = samples.first, let next = samples.dropFirst().first, first.time < time,
      next.time > first.time
    else { return samples.first?.offset ?? 0 }
    let share = (time - first.time) / (next.time - first.time)
    return first.offset.toward(next.offset, by: share)
  }
}
