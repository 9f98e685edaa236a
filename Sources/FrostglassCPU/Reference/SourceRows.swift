internal import FrostglassCore

/// A source picture as a step sees it: rows in absolute coordinates, going on beyond its edges.
struct SourceRows {
  let picture: WorkingPicture
  let source: Source

  /// Calls `body` with a row's samples, or with `nil` where the row is transparent.
  func withRow(_ y: Int, _ body: (UnsafeBufferPointer<Float>?) -> Void) {
    guard let resolved = source.y.map({ $0.mode.resolve(y, in: $0.range) }) ?? y else {
      return body(nil)
    }
    let start = picture.rowStart(resolved)
    picture.samples.withUnsafeBufferPointer { all in
      body(UnsafeBufferPointer(rebasing: all[start..<start + picture.rowLength]))
    }
  }

  /// Where each of `columns` is in a row, as pixel index; -1 where it is transparent.
  func indices(of columns: Range<Int>) -> [Int] {
    columns.map { x in
      guard let resolved = source.x.map({ $0.mode.resolve(x, in: $0.range) }) ?? x else {
        return -1
      }
      return resolved - picture.domain.x
    }
  }

  /// Copies the pixels at `indices` of a row one after another.
  func gather(
    _ row: UnsafeBufferPointer<Float>?, _ indices: [Int],
    into gathered: UnsafeMutableBufferPointer<Float>
  ) {
    let channels = picture.channels
    for (position, index) in indices.enumerated() {
      for channel in 0..<channels {
        let value: Float = if index >= 0, let row { row[index * channels + channel] } else { 0 }
        gathered[position * channels + channel] = value
      }
    }
  }
}
