/// Makes an image from numbers alone.
///
/// Its samples are computed in one place, by `row`, in double precision, and every backend takes
/// them from there: so they are the same everywhere to the last bit.
package struct Generate: Sendable, Hashable {
  /// The content of the image.
  package enum Content: Sendable, Hashable {
    /// A gray image: how much of each pixel a mask covers.
    case coverage(Coverage)
    /// Three channels: where glass makes each pixel read from.
    case lens(GlassLens)
    /// A gray image: how much light lies on the rim of glass.
    case rim(GlassRim)
  }

  package var content: Content

  package init(_ content: Content) {
    self.content = content
  }

  /// Channels of the image.
  var layout: PixelFormat.Layout {
    switch content {
    case .coverage, .rim: .gray
    case .lens: .rgb
    }
  }

  /// Computes some columns of a row, channel after channel.
  package func row(
    _ y: Int, _ columns: Range<Int>, into target: UnsafeMutableBufferPointer<Float>
  ) {
    switch content {
    case .coverage(let coverage): coverage.row(y, columns, into: target)
    case .lens(let lens): lens.row(y, columns, into: target)
    case .rim(let rim): rim.row(y, columns, into: target)
    }
  }

  /// Returns a function that computes rows of a part; it computes only once what rows have in common.
  package func rows(
    of part: Rect
  ) -> @Sendable (Int, Range<Int>, UnsafeMutableBufferPointer<Float>) -> Void {
    guard case .coverage(let coverage) = content, let near = coverage.shapesByRow(in: part) else {
      return { row($0, $1, into: $2) }
    }
    return { coverage.row($0, $1, near, into: $2) }
  }
}

extension Generate: PassKind {
  package var sourceCount: Int { 0 }
  package var multiplyAdds: Int { 8 }
  package var summary: String {
    switch content {
    case .coverage(let coverage): "coverage of \(coverage)"
    case .lens(let lens): "lens of \(lens.outline), depth \(decimal(lens.depth, places: 1))"
    case .rim(let rim):
      "light on the rim of \(rim.outline), up to \(decimal(rim.brightness, places: 2))"
    }
  }
}
