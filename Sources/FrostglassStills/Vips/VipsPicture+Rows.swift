internal import CVips
internal import FrostglassCore

extension VipsPicture {
  /// An image whose rows are made, from top to bottom and each once, when a saver asks for them.
  ///
  /// - Returns: the image, and what knows why it failed if it does.
  static func making(_ rows: StillRows) throws(VipsFailure) -> (VipsPicture, RowMaker) {
    let maker = RowMaker(rows)
    let made = fg_new_generated(
      Int32(rows.size.width), Int32(rows.size.height), Int32(rows.format.layout.channels),
      rows.format.bandFormat, makeRows, Unmanaged.passUnretained(maker).toOpaque())
    guard let made else { throw .take() }
    let picture = VipsPicture(owning: made)
    // One thread asks for rows, so they come in order.
    picture.limitToOneThread()
    return (picture, maker)
  }
}

/// Makes rows for libvips. It outlives the image that it makes them for.
final class RowMaker {
  private let rows: StillRows
  private var next = 0
  /// What went wrong.
  private(set) var failure: (any Error)?

  init(_ rows: StillRows) { self.rows = rows }

  /// Fills a region that is as wide as the image.
  fileprivate func fill(_ region: UnsafeMutablePointer<VipsRegion>) -> Bool {
    let area = region.pointee.valid
    guard failure == nil, area.left == 0, Int(area.width) == rows.size.width,
      Int(area.top) == next
    else { return false }
    do {
      for y in area.top..<area.top + area.height {
        try rows.next(UnsafeMutableRawPointer(fg_region_row(region, y)))
      }
      next += Int(area.height)
      return true
    } catch {
      failure = error
      return false
    }
  }
}

/// The function that libvips calls; the maker is its third argument.
private func makeRows(
  _ region: UnsafeMutablePointer<VipsRegion>?, _: UnsafeMutableRawPointer?,
  _ maker: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?,
  _: UnsafeMutablePointer<gboolean>?
) -> Int32 {
  guard let region, let maker else { return -1 }
  return Unmanaged<RowMaker>.fromOpaque(maker).takeUnretainedValue().fill(region) ? 0 : -1
}
