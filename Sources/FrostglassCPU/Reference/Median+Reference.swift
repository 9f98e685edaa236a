internal import FrostglassCore

extension Median {
  /// The window's sample of the given rank, each channel on its own.
  func reference(_ source: SourceRows, into slot: Slot) -> WorkingPicture {
    var picture = WorkingPicture(slot)
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
    func column(_ x: Int) -> some Sequence<Float> {
      (0..<side).lazy.map { rows[$0 * length + x * channels + channel] }
    }
    var window = SortedSamples(capacity: side * side)
    for x in 0..<side { for sample in column(x) { window.insert(sample) } }
    for x in 0..<length / channels - 2 * radius {
      if x > 0 {
        for sample in column(x - 1) { window.remove(sample) }
        for sample in column(x + 2 * radius) { window.insert(sample) }
      }
      target[x * channels + channel] = window[rank]
    }
  }
}

/// Samples in ascending order; -0 is below 0, and what is no number is at the ends.
private struct SortedSamples {
  /// Whole numbers in the order of the samples: a float's bits, those of negative ones turned over.
  private var keys: [Int32] = []

  init(capacity: Int) { keys.reserveCapacity(capacity) }

  subscript(rank: Int) -> Float { Float(bitPattern: UInt32(bitPattern: Self.turned(keys[rank]))) }

  mutating func insert(_ sample: Float) {
    let key = Self.key(sample)
    keys.insert(key, at: place(of: key))
  }

  mutating func remove(_ sample: Float) { keys.remove(at: place(of: Self.key(sample))) }

  private static func key(_ sample: Float) -> Int32 {
    turned(Int32(bitPattern: sample.bitPattern))
  }

  /// Undoes itself.
  private static func turned(_ bits: Int32) -> Int32 { bits ^ ((bits &>> 31) & 0x7FFF_FFFF) }

  /// Index of the first key that is not less.
  private func place(of key: Int32) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
