internal import CVips
internal import FrostglassCore

/// A directory of a TIFF file, classic or big: numbers that libvips does not tell.
struct TIFFDirectory {
  private struct Entry {
    var type: Int
    var count: Int
    /// The position of its values.
    var place: Int
  }

  /// Entries that are looked at.
  private static let mostEntries = 4096
  /// Bytes of an entry that is no image.
  private static let mostBytes = 16 << 20
  /// Bytes of a value by its type: bytes, texts, shorts, longs, fractions, anything, places,
  /// and longs and places of 64 bits.
  private static let widths = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 13: 4, 16: 8, 18: 8]

  private let file: UnsafeRawBufferPointer
  private let order: ByteOrder
  private var entries: [Int: Entry] = [:]
  /// The position in the file.
  let place: Int
  /// The position of the next directory; 0 for none.
  let next: Int

  /// Finds it; `nil` where the file makes no sense.
  ///
  /// - Parameters:
  ///   - file: all of it, valid for as long as this is used.
  ///   - place: its position; `nil` for the first one.
  init?(_ file: UnsafeRawBufferPointer, at place: Int? = nil) {
    guard let order = ByteOrder(mark: Array(file.prefix(2))) else { return nil }
    func number(at place: Int, _ count: Int) -> Int? { order.number(file, at: place, bytes: count) }
    (self.file, self.order) = (file, order)
    // Bytes of the number of entries, of an entry, and of an offset.
    let isBig = number(at: 2, 2) == 43
    let (head, length, field) = isBig ? (8, 20, 8) : (2, 12, 4)
    guard let first = place ?? number(at: isBig ? 8 : 4, field), first <= file.count,
      let count = number(at: first, head), count < 1 << 32
    else { return nil }
    self.place = first
    next = number(at: first + head + count * length, field) ?? 0
    for index in 0..<min(max(count, 0), Self.mostEntries) {
      let place = first + head + index * length
      guard let tag = number(at: place, 2), let type = number(at: place + 2, 2),
        let count = number(at: place + 4, field)
      else { break }
      guard let width = Self.widths[type], count >= 1, count <= file.count else { continue }
      // What does not fit the field stands elsewhere.
      let own = place + length - field
      let values = width * count <= field ? own : number(at: own, field)
      guard let values else { continue }
      // Of entries with one tag libtiff takes the first.
      if entries[tag] == nil { entries[tag] = Entry(type: type, count: count, place: values) }
    }
  }

  /// The first value of an entry; `nil` where there is none.
  func number(_ tag: Int) -> Int? {
    guard let entry = entries[tag], let width = Self.widths[entry.type] else { return nil }
    return number(at: entry.place, width)
  }

  /// The first 64 values of an entry.
  func numbers(_ tag: Int) -> [Int] {
    guard let entry = entries[tag], let width = Self.widths[entry.type] else { return [] }
    return (0..<min(entry.count, 64)).compactMap { number(at: entry.place + $0 * width, width) }
  }

  /// All values of an entry together, which are numbers of bytes in the file; `nil` where there are none,
  /// or not all.
  func sum(_ tag: Int) -> Int? {
    guard let entry = entries[tag], let width = Self.widths[entry.type] else { return nil }
    var sum = 0
    for index in 0..<entry.count {
      guard let value = number(at: entry.place + index * width, width) else { return nil }
      sum += max(0, min(value, file.count))
    }
    return sum
  }

  /// The bytes of an entry as they stand in the file; `nil` where there are none, or too many for
  /// what is no image.
  func bytes(_ tag: Int) -> [UInt8]? {
    guard let entry = entries[tag], let width = Self.widths[entry.type],
      entry.count * width <= Self.mostBytes, entry.place >= 0,
      entry.place <= file.count - entry.count * width
    else { return nil }
    return Array(file[entry.place..<entry.place + entry.count * width])
  }

  /// The first value of an entry of fractions.
  func fraction(_ tag: Int) -> Double? {
    guard let entry = entries[tag], entry.type == 5, let above = number(at: entry.place, 4),
      let below = number(at: entry.place + 4, 4), below > 0
    else { return nil }
    return Double(above) / Double(below)
  }

  private func number(at place: Int, _ count: Int) -> Int? {
    order.number(file, at: place, bytes: count)
  }
}

extension TIFFDirectory {
  /// True if libvips misreads brightness and color differences as red, green and blue, or refuses the image because
  /// the differences have a lower resolution: YCbCr that is not coded as JPEG.
  var isPlainYCbCr: Bool {
    number(262) == 6 && ![6, 7].contains(number(259) ?? 1) && number(277) == 3
      && number(258) == 8
  }
}

/// The tiles of a TIFF image.
struct TileSize {
  let width: Int
  let height: Int

  /// Reads them; `nil` where the image has strips, or makes no sense.
  init?(_ directory: TIFFDirectory) {
    let sides = 1...Int(VIPS_MAX_COORD)
    guard let width = directory.number(322), let height = directory.number(323),
      sides.contains(width), sides.contains(height)
    else { return nil }
    (self.width, self.height) = (width, height)
  }

  /// Returns true if libvips finds the tiles of an image in a time in proportion to its pixels.
  ///
  /// For each tile it searches a list of the tiles in two rows: 30 seconds for 93,750 tiles, 31,250 in a row, that
  /// a file of 750 KB can claim. Square images with tiles of 16 are far below the limit, and tiles of 128 never
  /// reach it.
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

  /// Returns the same image, read so that many tiles side by side take no longer than a few.
  func byTileRows(_ tile: TileSize) throws(VipsFailure) -> VipsPicture {
    guard size.width > Self.fewTiles * tile.width else { return self }
    return try applying { fg_by_tile_rows($0, $1, Int32(tile.width), Int32(tile.height)) }
  }
}
