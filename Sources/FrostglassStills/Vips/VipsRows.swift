internal import CVips
package import FrostglassCore

/// Reads a libvips image row by row, in the thread that asks.
///
/// libvips ties what it computes with to a thread, so all reading is done by one, unless that lets go
/// of it; what was used goes with the last row, or with this object.
final class VipsRows {
  private let picture: VipsPicture
  private var region: UnsafeMutablePointer<VipsRegion>?
  private var rowsRead = 0

  init(of picture: VipsPicture) { self.picture = picture }

  deinit { close() }

  /// Computes rows that follow the last ones read, into memory without gaps.
  func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer) throws(VipsFailure) {
    precondition(rows.lowerBound == rowsRead, "rows are read in order")
    if region == nil { region = picture.withPointer { vips_region_new($0) } }
    guard let region, fg_read_rows(region, Int32(rows.lowerBound), Int32(rows.count), target) == 0
    else {
      close()
      throw .take()
    }
    rowsRead = rows.upperBound
    if rowsRead == picture.size.height { close() }
  }

  /// Lets another thread read what follows. What the decoder has in store stays there.
  func leaveThread() { close() }

  private func close() {
    if let region { g_object_unref(region) }
    region = nil
  }
}

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

/// A picture that is made row by row while it is encoded.
package struct StillRows {
  package let size: Size
  package let format: PixelFormat
  /// Writes the next row, opaque or with straight alpha, in encoded transfer. Called once per row,
  /// from the top, by another thread than the one that encodes.
  package let next: (UnsafeMutableRawPointer) throws -> Void
  /// Called when all is encoded and written beside its place, before it can be seen there: throws
  /// where it is not to be.
  package let finish: () throws -> Void

  /// Bytes of all rows.
  var byteCount: Int { size.area * format.bytesPerPixel }

  package init(
    size: Size, format: PixelFormat, next: @escaping (UnsafeMutableRawPointer) throws -> Void,
    finish: @escaping () throws -> Void = {}
  ) {
    self.size = size
    self.format = format
    self.next = next
    self.finish = finish
  }
}
