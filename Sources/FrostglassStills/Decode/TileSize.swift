internal import CVips
internal import FrostglassCore

/// The tiles of a TIFF picture, which libvips does not tell.
struct TileSize {
  let width: Int
  let height: Int

  /// Reads them from the first directory of a file, classic or big; `nil` where it has strips, or
  /// makes no sense.
  init?(_ file: UnsafeRawBufferPointer) {
    guard let order = ByteOrder(mark: Array(file.prefix(2))) else { return nil }
    func number(_ offset: Int, _ count: Int) -> Int? {
      guard offset >= 0, offset <= file.count - count else { return nil }
      return order.number(Array(file[offset..<offset + count]), at: 0, bytes: count)
    }
    // Bytes of the number of entries, of an entry, and of an offset.
    let isBig = number(2, 2) == 43
    let (head, entry, field) = isBig ? (8, 20, 8) : (2, 12, 4)
    guard let first = number(isBig ? 8 : 4, field), let count = number(first, head) else {
      return nil
    }
    var sides: [Int: Int] = [:]
    for index in 0..<min(count, 4096) {
      let place = first + head + index * entry
      guard let tag = number(place, 2), let type = number(place + 2, 2) else { break }
      guard tag == 322 || tag == 323 else { continue }
      // Shorts stand at the beginning of the field.
      sides[tag] = number(place + entry - field, type == 3 ? 2 : 4)
    }
    guard let width = sides[322], let height = sides[323], width >= 1, height >= 1 else {
      return nil
    }
    (self.width, self.height) = (width, height)
  }
}

extension TileSize {
  /// Whether libvips finds the tiles of a picture in a time that its pixels account for.
  ///
  /// It searches a list of those in two rows of tiles for each one: 30 seconds for 93,750 tiles,
  /// 31,250 in a row, that a file of 750 KB can claim. Square pictures of tiles of 16 are far below
  /// the limit, and tiles of 128 reach it nowhere.
  func isSearchable(_ size: Size) -> Bool {
    let columns = (size.width + width - 1) / width
    let rows = (size.height + height - 1) / height
    let searched = columns.multipliedReportingOverflow(by: columns * rows)
    return !searched.overflow && searched.partialValue <= max(16 * size.area, 100_000_000)
  }
}

extension VipsPicture {
  /// Tiles side by side from which on libvips' own way takes longer than a row of tiles at a time.
  private static let fewTiles = 256

  /// The same picture, read so that many tiles side by side take no longer than a few.
  func byTileRows(_ tile: TileSize) throws(VipsFailure) -> VipsPicture {
    guard size.width > Self.fewTiles * tile.width else { return self }
    return try applying { fg_by_tile_rows($0, $1, Int32(tile.width), Int32(tile.height)) }
  }
}
