internal import FrostglassCore

extension Resample {
  /// Combines the source rows of each target row, then the columns of that one row.
  func reference(_ source: SourceRows, into slot: Slot) -> WorkingImage {
    var picture = WorkingImage(slot)
    let channels = source.picture.channels
    let columns = slot.domain.columns
    let read = x.sourceRange(for: columns)
    let indices = source.indices(of: read)
    var gathered = [Float](repeating: 0, count: indices.count * channels)
    var combined = gathered
    picture.fillRows { row, target in
      let start = y.start(of: row)
      combined.withUnsafeMutableBufferPointer { combined in
        combined.update(repeating: 0)
        for (offset, tap) in y.phases[start.phase].taps.enumerated() {
          gathered.withUnsafeMutableBufferPointer { gathered in
            source.withRow(start.source + offset) { source.gather($0, indices, into: gathered) }
            for index in combined.indices { combined[index] += tap * gathered[index] }
          }
        }
        combineColumns(
          UnsafeBufferPointer(combined), columns, read.lowerBound, channels, into: target)
      }
    }
    return picture
  }

  private func combineColumns(
    _ row: UnsafeBufferPointer<Float>, _ columns: Range<Int>, _ low: Int, _ channels: Int,
    into target: UnsafeMutableBufferPointer<Float>
  ) {
    for (index, column) in columns.enumerated() {
      let start = x.start(of: column)
      let first = (start.source - low) * channels
      let taps = x.phases[start.phase].taps
      for channel in 0..<channels {
        var sum: Float = 0
        for offset in taps.indices {
          sum += taps[offset] * row[first + offset * channels + channel]
        }
        target[index * channels + channel] = sum
      }
    }
  }
}
