internal import CVips
internal import FrostglassCore

/// Whether a file can have as many pixels as its header claims, for formats whose decoders make up
/// what is missing.
///
/// libjpeg and libnsgif fill the rest of a picture with gray or nothing where its data end early and
/// in order, and libvips takes that for a whole picture: a few hundred bytes that claim 400 million
/// pixels cost as much as a photograph of that size. Other decoders stop where the data end.
enum ClaimedSize {
  /// The most pixels that a byte of any honest file of a format stands for; `nil` where nothing has
  /// to be checked.
  ///
  /// JPEG: each block of 64 pixels has a DC difference, of one bit at least with Huffman codes.
  /// GIF: a code of 12 bits, the longest, stands for at most 4096 pixels.
  static func mostPixelsPerByte(_ format: StillFormat) -> Int? {
    switch format {
    case .jpeg: 64 * 8
    case .gif: 4096 * 8 / 12 + 1
    case .png, .webp, .avif, .heic, .tiff: nil
    }
  }

  /// How many pixels the pictures in a file claim to have that must have bits of their own.
  ///
  /// - Parameter file: all of it.
  /// - Returns: `nil` for what is no such file, and for JPEG with arithmetic codes, which take less
  ///   than a bit for what is likely.
  static func pixels(_ format: StillFormat, in file: [UInt8]) -> Int? {
    switch format {
    case .jpeg: jpeg(file)?.area
    case .gif: gif(file)
    case .png, .webp, .avif, .heic, .tiff: nil
    }
  }

  /// Walks the segments up to the one that starts a frame.
  private static func jpeg(_ file: [UInt8]) -> Size? {
    var place = 2
    while place + 9 <= file.count {
      guard file[place] == 0xFF else { return nil }
      let marker = file[place + 1]
      // Bytes to fill up, and markers without a segment.
      guard marker != 0xFF else {
        place += 1
        continue
      }
      guard !(0xD0...0xD8).contains(marker), marker != 0x01 else {
        place += 2
        continue
      }
      if (0xC0...0xC2).contains(marker) {
        return Size(
          width: ByteOrder.big.number(file, at: place + 7, bytes: 2) ?? 0,
          height: ByteOrder.big.number(file, at: place + 5, bytes: 2) ?? 0)
      }
      let isOtherFrame = (0xC3...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
      guard !isOtherFrame, marker != 0xDA, marker != 0xD9,
        let length = ByteOrder.big.number(file, at: place + 2, bytes: 2)
      else { return nil }
      place += 2 + length
    }
    return nil
  }

  /// Walks the blocks and adds up the images.
  private static func gif(_ file: [UInt8]) -> Int? {
    guard file.count > 13 else { return nil }
    var pixels = 0
    var place = 13 + colors(file[10])
    while place + 9 < file.count, file[place] == 0x2C || file[place] == 0x21 {
      if file[place] == 0x2C {
        let width = ByteOrder.little.number(file, at: place + 5, bytes: 2) ?? 0
        let height = ByteOrder.little.number(file, at: place + 7, bytes: 2) ?? 0
        pixels += width * height
        place += 11 + colors(file[place + 9])
      } else {
        place += 2
      }
      // Sub-blocks, to the empty one.
      while place < file.count, file[place] != 0 { place += 1 + Int(file[place]) }
      place += 1
    }
    return pixels
  }

  /// Bytes of the color table that such flags announce.
  private static func colors(_ flags: UInt8) -> Int {
    flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
  }
}

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
