internal import CVips
internal import FrostglassCore

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
