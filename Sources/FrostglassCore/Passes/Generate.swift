/// Makes a picture from numbers alone.
///
/// Its samples are computed in one place, by `row`, in double precision, and every backend takes
/// them from there: so they are the same everywhere to the last bit.
public struct Generate: Sendable, Hashable {
  /// What is made.
  public enum Content: Sendable, Hashable {
    /// A gray picture: how much of each pixel a mask covers.
    case coverage(Coverage)
  }

  public var content: Content

  package init(_ content: Content) {
    self.content = content
  }

  /// Channels of the picture.
  var layout: Layout {
    switch content {
    case .coverage: .gray
    }
  }

  /// Computes some columns of a row, channel after channel.
  package func row(
    _ y: Int, _ columns: Range<Int>, into target: UnsafeMutableBufferPointer<Float>
  ) {
    switch content {
    case .coverage(let coverage): coverage.row(y, columns, into: target)
    }
  }
}

extension Generate: PassKind {
  package var sourceCount: Int { 0 }
  package var multiplyAdds: Int { 8 }
  package var summary: String {
    switch content {
    case .coverage(let coverage): "coverage of \(coverage)"
    }
  }
}
