internal import FrostglassCore

extension Convolve {
  /// `out[i] = t0 in[i] + Σ tk (in[i - k] + in[i + k])`, outermost pair first.
  func reference(_ source: SourceRows, into slot: Slot) -> WorkingImage {
    switch axis {
    case .x: alongRows(source, slot)
    case .y: alongColumns(source, slot)
    }
  }

  private func alongRows(_ source: SourceRows, _ slot: Slot) -> WorkingImage {
    let taps = taps
    var picture = WorkingImage(slot)
    let channels = source.picture.channels
    let indices = source.indices(of: slot.domain.columns.expanded(by: radius))
    let length = picture.rowLength
    var gathered = [Float](repeating: 0, count: indices.count * channels)
    picture.fillRows { y, row in
      gathered.withUnsafeMutableBufferPointer { gathered in
        source.withRow(y) { source.gather($0, indices, into: gathered) }
        for (distance, tap) in taps.enumerated().reversed() {
          let left = (radius - distance) * channels
          let right = (radius + distance) * channels
          for index in 0..<length {
            let pair =
              distance == 0
              ? gathered[left + index] : gathered[left + index] + gathered[right + index]
            row[index] += tap * pair
          }
        }
      }
    }
    return picture
  }

  private func alongColumns(_ source: SourceRows, _ slot: Slot) -> WorkingImage {
    let taps = taps
    var picture = WorkingImage(slot)
    let length = picture.rowLength
    let offset = (slot.domain.x - source.picture.domain.x) * source.picture.channels
    picture.fillRows { y, row in
      for (distance, tap) in taps.enumerated().reversed() {
        source.withRow(y - distance) { above in
          source.withRow(y + distance) { below in
            for index in 0..<length {
              let upper = above.map { $0[offset + index] } ?? 0
              let lower = distance == 0 ? 0 : below.map { $0[offset + index] } ?? 0
              row[index] += tap * (upper + lower)
            }
          }
        }
      }
    }
    return picture
  }
}
