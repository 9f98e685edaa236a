internal import CVips
internal import FrostglassCore

/// The images of a TIFF file, and which of them is the one that the others are copies or pages beside.
///
/// That is the first page which is neither marked as a smaller copy nor as a mask. Where all pages are, as
/// in cameras' files, it is the largest image in their subdirectories that is not.
struct TIFFPages {
  /// The directory of the image.
  let main: TIFFDirectory
  /// The page that contains `main`, or `main` itself.
  private let parent: TIFFDirectory
  /// The page, counted from 0.
  private let page: Int
  /// The index of its subdirectory, counted from 0; -1 for the page itself.
  private let subdirectory: Int
  /// Pages that are smaller copies or masks.
  private let copies: Int
  /// The layout for reading it with libtiff; `nil` if libvips reads it.
  private let layout: FGTIFFLayout?

  /// Pages that are looked at.
  private static let mostPages = 512

  /// True if libtiff decodes it, whole.
  var isByLibtiff: Bool { layout != nil }

  /// True if libtiff continues after damaged data: those of faxes, of JPEG, and PackBits.
  var mayWarn: Bool { [2, 3, 4, 7, 32773].contains(main.number(259) ?? 1) }

  /// Finds them; `nil` where the file makes no sense.
  ///
  /// - Parameter file: all of it, valid for as long as this is used.
  init?(_ file: UnsafeRawBufferPointer) {
    guard let first = TIFFDirectory(file) else { return nil }
    var (found, copies, places): (Int?, Int, [Int]) = (nil, 0, [])
    var (page, subdirectory, parent, main) = (0, -1, first, first)
    var next: TIFFDirectory? = first
    while let directory = next, places.count < Self.mostPages {
      if directory.isCopy {
        copies += 1
      } else if found == nil {
        (found, parent, main) = (places.count, directory, directory)
      }
      places.append(directory.place)
      next =
        directory.next == 0 || places.contains(directory.next)
        ? nil : TIFFDirectory(file, at: directory.next)
    }
    if let found {
      page = found
    } else if let inside = Self.inside(file, places) {
      (page, subdirectory, parent, main) = inside
    } else {
      copies -= 1
    }
    (self.page, self.subdirectory, self.parent, self.main) = (page, subdirectory, parent, main)
    self.copies = copies
    layout = FGTIFFLayout(main)
  }

  /// The largest image in subdirectories that is no copy.
  private static func inside(
    _ file: UnsafeRawBufferPointer, _ places: [Int]
  ) -> (Int, Int, TIFFDirectory, TIFFDirectory)? {
    var found: (page: Int, subdirectory: Int, TIFFDirectory, TIFFDirectory)?
    var most = 0
    for (page, place) in places.prefix(64).enumerated() {
      guard let parent = TIFFDirectory(file, at: place) else { continue }
      for (index, place) in parent.numbers(330).enumerated() {
        guard let inside = TIFFDirectory(file, at: place), !inside.isCopy else { continue }
        let (area, overflow) = (inside.number(256) ?? 0)
          .multipliedReportingOverflow(by: inside.number(257) ?? 0)
        guard !overflow, area > most else { continue }
        (found, most) = ((page, index, parent, inside), area)
      }
    }
    return found
  }

  /// Returns the number of other pages, given the number in the file. Copies and masks are not counted.
  func others(of pages: Int) -> Int { max(pages - copies - (subdirectory < 0 ? 1 : 0), 0) }

  /// The orientation of stored rows and columns, 1…8 as in EXIF; `nil` if it is not given.
  var orientation: Int? {
    (main.number(274) ?? parent.number(274)).flatMap { (1...8).contains($0) ? $0 : nil }
  }

  /// The positions of the image's tags. A subdirectory's tags are also in the page around it.
  var tags: [Int] { subdirectory < 0 ? [main.place] : [main.place, parent.place] }

  /// XMP that is in the page around the image.
  var xmp: [UInt8]? { subdirectory < 0 ? nil : parent.bytes(700) }

  /// Refuses what is intact and of a sort that is not read.
  func demandKnown(name: String) throws(DecodeError) {
    if let found = main.unknownSort { throw .unsupportedKind(name: name, found: found) }
  }

  /// The image, by libtiff where libvips would get it wrong or not at all.
  ///
  /// - Parameter bytes: the file that this was read from.
  func picture(
    from bytes: ByteSource
  ) throws(VipsFailure) -> VipsImageHandle {
    guard let layout else {
      return try bytes.loadTIFF(page: page, subdirectory: subdirectory)
    }
    let sides = 1..<UInt32(VIPS_MAX_COORD)
    guard sides.contains(layout.width), sides.contains(layout.height),
      (1...64).contains(layout.samples)
    else {
      throw VipsFailure(log: "its size makes no sense")
    }
    let picture = try bytes.loadByLibtiff(layout)
    for (tag, name) in [
      (700, "xmp-data"), (33723, "iptc-data"), (34675, "icc-profile-data"),
    ] {
      if let data = main.bytes(tag) { picture.setBlob(name, data) }
    }
    guard let x = main.fraction(282), let y = main.fraction(283), x > 0, y > 0 else {
      return picture
    }
    // Per inch unless it says centimeters; 1 is no unit.
    let unit: Double? = [2: 25.4, 3: 10][main.number(296) ?? 2]
    guard let unit else { return picture }
    return try picture.applying { fgk_retag($0, $1, picture.interpretation, x / unit, y / unit) }
  }
}

extension TIFFDirectory {
  /// True if it is marked as a smaller copy of another image, or as a mask.
  fileprivate var isCopy: Bool {
    if let kind = number(254) { return kind & 5 != 0 }
    return number(255) == 2
  }

  private var samples: Int { number(277) ?? 1 }
  private var bits: Int { number(258) ?? 1 }
  /// 1 unsigned, 2 signed, 3 floating point.
  private var sampleFormat: Int { number(339) ?? 1 }
  /// 2 if each sample has its own strips or tiles.
  private var isPlanar: Bool { number(284) == 2 && samples > 1 }
  private var isTiled: Bool { number(322) != nil }

  /// The meaning of the colors; as libtiff guesses if it is not given.
  private var photometric: Int {
    number(262) ?? (samples - numbers(338).count >= 3 ? 2 : 1)
  }

  /// True if libvips reads neither the samples nor the way in which they are stored.
  fileprivate var needsSamples: Bool {
    let isOdd =
      sampleFormat == 3
      ? bits != 32 && bits != 64
      : ![1, 2, 4, 8, 16, 32, 64].contains(bits) || bits < 8 && photometric == 2
    return isOdd || isPlanar && isTiled || number(262) == nil
  }

  /// The layout of samples that libtiff gives, which are of a kind that is read.
  fileprivate func layout() -> FGTIFFLayout? {
    FGTIFFLayout(
      width: UInt32(clamping: number(256) ?? 0), height: UInt32(clamping: number(257) ?? 0),
      place: UInt64(place), samples: UInt32(clamping: samples), bits: UInt32(clamping: bits),
      interpretation: interpretation, format: bandFormat, is_rgba: isPlainYCbCr ? 1 : 0,
      is_planar: isPlanar ? 1 : 0, is_inverted: photometric == 0 ? 1 : 0)
  }

  private var bandFormat: VipsBandFormat {
    if isPlainYCbCr { return VIPS_FORMAT_UCHAR }
    return sampleFormat == 3
      ? VIPS_FORMAT_FLOAT : bits <= 8 ? VIPS_FORMAT_UCHAR : VIPS_FORMAT_USHORT
  }

  private var interpretation: VipsInterpretation {
    if isPlainYCbCr { return VIPS_INTERPRETATION_sRGB }
    let isDeep = bandFormat == VIPS_FORMAT_USHORT
    switch photometric {
    case 5: return VIPS_INTERPRETATION_CMYK
    case 2 where sampleFormat == 3: return VIPS_INTERPRETATION_scRGB
    case 2: return isDeep ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB
    default: return isDeep ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W
    }
  }

  /// A sort of image that is not read, in words; `nil` for those that are, and for what makes no sense.
  fileprivate var unknownSort: String? {
    if let found = number(262), found == 32803 || found == 34892 {
      return "a TIFF with raw samples of a camera's sensor, such as a DNG"
    }
    if let code = number(259), fgk_tiff_has_codec(UInt16(clamping: code)) == 0 {
      return
        "a TIFF with the compression \(code)\(Self.compressions[code].map { " (\($0))" } ?? "")"
    }
    if number(259) == 7, bits > 8 { return "a TIFF with JPEG compression of \(bits)-bit samples" }
    guard needsSamples, !isPlainYCbCr else { return nil }
    if sampleFormat == 3, bits != 16, bits != 32 {
      return "a TIFF with \(bits)-bit floating-point samples"
    }
    guard sampleFormat == 3 || bits <= 16 else { return "a TIFF with \(bits)-bit samples" }
    guard sampleFormat != 2, sampleFormat < 5 else {
      return "a TIFF with samples that are no unsigned numbers"
    }
    guard [0, 1, 2, 5].contains(photometric) else {
      let name = Self.colors[photometric] ?? "colors of the kind \(photometric)"
      return
        "a TIFF with \(name) \(isPlanar && isTiled ? "in tiles of single samples" : "in \(bits) bits")"
    }
    return nil
  }

  private static let compressions = [
    6: "old-style JPEG", 34661: "JBIG", 34712: "JPEG 2000", 34887: "LERC", 34925: "LZMA",
    50000: "Zstandard",
    50001: "WebP", 50002: "JPEG XL", 52546: "JPEG XL",
  ]
  private static let colors = [3: "a palette", 4: "a mask", 6: "YCbCr", 8: "CIELab", 9: "ICCLab"]
}

extension FGTIFFLayout {
  /// Reads it; `nil` where libvips reads the image.
  fileprivate init?(_ directory: TIFFDirectory) {
    guard directory.isPlainYCbCr || directory.needsSamples, let layout = directory.layout() else {
      return nil
    }
    self = layout
  }
}

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

extension VipsImageHandle {
  /// Tiles side by side from which on libvips' own way takes longer than a row of tiles at a time.
  private static let fewTiles = 256

  /// Returns the same image, read so that many tiles side by side take no longer than a few.
  func byTileRows(_ tile: TileSize) throws(VipsFailure) -> VipsImageHandle {
    guard size.width > Self.fewTiles * tile.width else { return self }
    return try applying { fgk_by_tile_rows($0, $1, Int32(tile.width), Int32(tile.height)) }
  }
}
