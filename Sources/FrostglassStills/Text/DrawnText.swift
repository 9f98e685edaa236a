internal import CVips
internal import FrostglassCore

/// Coverage that Pango drew, with its place in the layout.
struct DrawnText {
  /// Of the ink.
  let size: Size
  let samples: [UInt8]
  /// The first column, counted from the layout's left edge.
  let left: Int
  /// The first row, counted from the layout's top.
  let top: Int

  /// Draws markup.
  ///
  /// - Throws: where it cannot be drawn, and where there is no ink. libvips says which of these it is in
  ///   words that are not to be relied on while it does other work.
  init(
    _ markup: String, _ style: TextStyle, wrapWidth: Int? = nil, _ alignment: TextAlignment = .left
  ) throws(VipsFailure) {
    let made = fg_text(
      markup, style.pangoFont, Int32(wrapWidth ?? 0), alignment.vipsAlign, Int32(style.lineSpacing))
    guard let made else { throw .take() }
    let picture = VipsPicture(owning: made)
    size = picture.size
    (left, top) = picture.withPointer {
      (Int(vips_image_get_xoffset($0)), Int(vips_image_get_yoffset($0)))
    }
    samples = try picture.pixels()
  }

  /// The columns of the layout where the picture is.
  var columns: Range<Int> { left..<left + size.width }

  /// The columns of the layout with ink; `nil` where there is none.
  var inkColumns: Range<Int>? {
    var found: Range<Int>?
    for y in 0..<size.height {
      let row = samples[y * size.width..<(y + 1) * size.width]
      guard let first = row.firstIndex(where: { $0 > 0 }),
        let last = row.lastIndex(where: { $0 > 0 })
      else { continue }
      let (start, end) = (first - row.startIndex + left, last - row.startIndex + left + 1)
      found = min(found?.lowerBound ?? start, start)..<max(found?.upperBound ?? end, end)
    }
    return found
  }

  /// The row below the last one with ink in some columns, both of the layout.
  func bottom(in columns: Range<Int>) -> Int? {
    let looked = columns.clamped(to: self.columns)
    let last = (0..<size.height).last { y in
      looked.contains { samples[y * size.width + $0 - left] > 0 }
    }
    return last.map { top + $0 + 1 }
  }
}
