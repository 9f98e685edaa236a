/// Coverage of each pixel, from a picture; one sample per pixel of the picture that is masked.
public struct MaskPicture: Sendable, Hashable {
  public let size: Size
  /// Row after row; 65535 is wholly covered.
  public let samples: [UInt16]

  package init(size: Size, samples: [UInt16]) {
    self.size = size
    self.samples = samples
  }

  // Equal pictures have equal sizes; that tells most others apart without reading them all.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(size)
    hasher.combine(samples.first)
    hasher.combine(samples.last)
  }

  func add(to target: UnsafeMutableBufferPointer<Float>, _ y: Int, _ columns: Range<Int>) {
    let start = y * size.width + columns.lowerBound
    samples.withUnsafeBufferPointer { samples in
      for index in target.indices {
        target[index] = max(target[index], Float(samples[start + index]) / 65535)
      }
    }
  }

  func part(above value: Double) -> Rect? {
    part { Double($0) / 65535 > value }
  }

  func part(below value: Double) -> Rect? {
    part { Double($0) / 65535 < value }
  }

  private func part(where holds: (UInt16) -> Bool) -> Rect? {
    var columns = 0..<0
    var rows: Range<Int>?
    for y in 0..<size.height {
      let row = samples[y * size.width..<(y + 1) * size.width]
      guard let first = row.firstIndex(where: holds), let last = row.lastIndex(where: holds)
      else { continue }
      let found = first - row.startIndex..<last - row.startIndex + 1
      columns = rows == nil ? found : columns.union(found)
      rows = (rows?.lowerBound ?? y)..<y + 1
    }
    return rows.map { Rect(columns: columns, rows: $0) }
  }
}
