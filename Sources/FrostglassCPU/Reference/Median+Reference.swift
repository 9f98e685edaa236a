internal import FrostglassCore

extension Median {
  /// The window's sample of the given rank, each channel on its own.
  func reference(_ source: SourceRows, into slot: Slot) -> WorkingImage {
    var picture = WorkingImage(slot)
    let channels = picture.channels
    let side = side
    let columns = slot.domain.columns.expanded(by: radius)
    let indices = source.indices(of: columns)
    let length = columns.count * channels
    var rows = [Float](repeating: 0, count: length * side)
    picture.fillRows { y, target in
      rows.withUnsafeMutableBufferPointer { rows in
        for place in 0..<side {
          let row = UnsafeMutableBufferPointer(
            rebasing: rows[place * length..<(place + 1) * length])
          source.withRow(y + place - radius) { source.gather($0, indices, into: row) }
        }
        for channel in 0..<channels {
          pick(UnsafeBufferPointer(rows), length, channel, channels, into: target)
        }
      }
    }
    return picture
  }

  /// One channel of a row: the window moves on by a column that leaves and one that enters.
  private func pick(
    _ rows: UnsafeBufferPointer<Float>, _ length: Int, _ channel: Int, _ channels: Int,
    into target: UnsafeMutableBufferPointer<Float>
  ) {
    func sample(_ x: Int, _ place: Int) -> Float {
      rows[place * length + x * channels + channel]
    }
    var window = SortedSamples(
      (0..<side).flatMap { x in (0..<side).map { sample(x, $0) } })
    for x in 0..<length / channels - 2 * radius {
      if x > 0 {
        for place in 0..<side {
          window.replace(sample(x - 1, place), with: sample(x + 2 * radius, place))
        }
      }
      target[x * channels + channel] = window[rank]
    }
  }
}

/// Samples in ascending order; -0 is below 0, and what is no number is at the ends.
private struct SortedSamples {
  /// Whole numbers in the order of the samples: a float's bits, those of negative ones turned over.
  private var keys: [Int32]

  init(_ samples: [Float]) { keys = samples.map(Self.key).sorted() }

  subscript(rank: Int) -> Float { Float(bitPattern: UInt32(bitPattern: Self.turned(keys[rank]))) }

  /// Takes out one sample that is there, and puts in another.
  mutating func replace(_ old: Float, with new: Float) {
    let (old, new) = (Self.key(old), Self.key(new))
    guard old != new else { return }
    keys.withUnsafeMutableBufferPointer { keys in
      let (from, to) = (Self.place(of: old, in: keys), Self.place(of: new, in: keys))
      guard let start = keys.baseAddress else { return }
      if from < to {
        (start + from).update(from: start + from + 1, count: to - from - 1)
        keys[to - 1] = new
      } else {
        (start + to + 1).update(from: start + to, count: from - to)
        keys[to] = new
      }
    }
  }

  private static func key(_ sample: Float) -> Int32 {
    turned(Int32(bitPattern: sample.bitPattern))
  }

  /// Undoes itself.
  private static func turned(_ bits: Int32) -> Int32 { bits ^ ((bits &>> 31) & 0x7FFF_FFFF) }

  /// Index of the first key that is not less.
  private static func place(of key: Int32, in keys: UnsafeMutableBufferPointer<Int32>) -> Int {
    var (first, count) = (0, keys.count)
    while count > 0 {
      let half = count / 2
      let isLess = keys[first + half] < key
      first = isLess ? first + half + 1 : first
      count = isLess ? count - half - 1 : half
    }
    return first
  }
}
