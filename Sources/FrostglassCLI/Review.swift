internal import Frostglass
internal import FrostglassCore
internal import FrostglassFind
internal import FrostglassOptions
internal import FrostglassStills

/// A contact sheet of all covered places, in pages: what a person looks through before anything is
/// published.
///
/// Places are read from the files that were written, a page's at a time.
struct Review {
  static let option = Option(
    "review", value: "FILE", "Write a contact sheet of all covered places",
    details: "As PNG, JPEG or WebP."
  ).grouped(.writing)
  private static let columns = 5
  private static let rows = 6
  private static let gap = 16
  /// Room for two lines below a tile.
  private static let captionHeight = 40
  private static let headingHeight = 48

  private let path: String
  private let overwrite: Bool
  /// True if the run continues the work of an earlier one.
  private let resumes: Bool
  private let format: StillFormat
  private let scale: Double

  /// - Parameter scale: pixels per point, as the regions were covered.
  /// - Returns: `nil` where no sheet is asked for.
  init?(_ arguments: ParsedArguments, scale: Double) throws {
    guard let path = try arguments.sideFile("review") else { return nil }
    guard !arguments.operands.dropFirst().contains("-") else {
      throw Failure.usage("--review looks at the files that are written; - is none")
    }
    format = try StillFormat.toWrite(path: path)
    guard [.png, .jpeg, .webp].contains(format) else {
      throw Failure.usage("--review is \(path); it must end in .png, .jpg or .webp")
    }
    self.path = path
    overwrite = arguments.has("overwrite")
    resumes = arguments.has("resume")
    self.scale = scale
  }

  /// Finds what can be found of trouble before any work is done.
  ///
  /// - Parameters:
  ///   - places: that there are at most.
  ///   - files: other files that are read or written; no page may replace them.
  func check(_ places: Int, beside files: [String]) throws {
    for page in 1...Self.pages(places) {
      let place = FilePlace(name(page))
      for file in files where place.isNamed(like: file) && FilePlace(file) == place {
        throw Failure.usage(
          "--review \(path) would have a page \(name(page)), which is a file of this command; take another "
            + "name")
      }
      do { try sink(page).preflight() } catch {
        guard resumes, case .exists(let path) = error else { throw error.failure }
        throw Failure(
          "\(path): this file exists already, and --review shows what this run makes; give another "
            + "name, as --resume replaces nothing", .cannotCreate)
      }
    }
  }

  /// Pages for so many places; one where there are none.
  private static func pages(_ places: Int) -> Int {
    max((places + perPage - 1) / perPage, 1)
  }

  private static let perPage = columns * rows

  /// A written image with what was covered in it.
  struct ImageEntry {
    var input: String
    var file: String
    var size: Size
    var frames: Int
    /// The regions; `nil` where nothing is covered yet, and `search` says what would be.
    var regions: RegionOptions?
    /// The search that found regions, and what it left alone.
    var search: FindRecord?

    /// - Returns: `nil` for what is no file.
    init?(_ row: ImageRow, _ regions: RegionOptions) {
      guard let file = row.output, let size = row.size else { return nil }
      (input, self.file, self.size, frames) = (row.input, file, size, row.frames)
      self.regions = regions
      search = regions.search
    }

    /// An image that was only looked at.
    init(_ entry: FoundFile.Entry) {
      (input, file, size, frames) = (entry.path, entry.path, entry.record.found.size, 1)
      search = entry.record
    }
  }

  /// Writes the sheet.
  func write(_ pictures: [ImageEntry]) throws {
    let covered = pictures.map { (file: $0.file, places: places(in: $0)) }
    let alone = placesLeftAlone(in: pictures)
    let found = covered + alone
    let coveredCount = covered.reduce(0) { $0 + $1.places.count }
    let count = coveredCount + alone.count
    let title =
      "\(coveredCount) covered place\(coveredCount == 1 ? "" : "s")"
      + (alone.isEmpty ? "" : ", then \(alone.count) seen and not covered,")
      + " in \(pictures.count) image\(pictures.count == 1 ? "" : "s")"
    let pages = Self.pages(count)
    var page: [DrawnTile] = []
    var number = 1
    for (file, places) in found {
      var rest = places[...]
      while !rest.isEmpty {
        let next = rest.prefix(Self.perPage - page.count)
        rest = rest.dropFirst(next.count)
        page += try ReviewTile.tiles(Array(next), of: file).map(DrawnTile.init)
        if page.count == Self.perPage {
          try write(page, title, number, of: pages)
          (page, number) = ([], number + 1)
        }
      }
    }
    if !page.isEmpty || count == 0 { try write(page, title, number, of: pages) }
    say(pages)
  }

  /// Writes tiles, with a title above each page of them.
  func write(_ tiles: [DrawnTile], _ title: String) throws {
    let pages = Self.pages(tiles.count)
    for page in 0..<pages {
      let own = tiles.dropFirst(page * Self.perPage).prefix(Self.perPage)
      try write(Array(own), title, page + 1, of: pages)
    }
    say(pages)
  }

  private func say(_ pages: Int) {
    Console.note("review \(name(1))" + (pages > 1 ? " to \(name(pages))" : ""))
  }

  private func places(in picture: ImageEntry) -> [ReviewPlace] {
    let frame = picture.frames > 1 ? " · frame 1 of \(picture.frames)" : ""
    guard let regions = picture.regions else {
      let found = picture.search?.found.covered ?? []
      return found.enumerated().compactMap { index, face in
        place(of: face, in: picture, "\(index + 1) of \(found.count)")
      }
    }
    let mask = regions.mask
    guard !mask.isInverted else {
      return [
        ReviewPlace(
          bounds: Rect(picture.size), picture: picture.input, words: "all but the regions" + frame)
      ]
    }
    let labels = regions.labels
    let scores = regions.regions.map(\.score)
    var places: [ReviewPlace] = []
    for (index, shape) in mask.shapes.enumerated() {
      // What lies outside was allowed to.
      guard let bounds = try? shape.bounds(in: picture.size, scale: scale) else { continue }
      let score = scores.indices.contains(index) ? scores[index] : nil
      // A label may be too long to be shown wholly.
      let words = [
        "\(index + 1) of \(mask.shapes.count)", score.map { "\($0.rounded(places: 3))" },
        labels.indices.contains(index) ? labels[index] : nil,
      ]
      places.append(
        ReviewPlace(
          bounds: bounds, picture: picture.input,
          words: words.compactMap { $0 }.joined(separator: " · ") + frame))
    }
    return places
  }

  /// The things that were seen and are not covered, the most certain of all images first.
  private func placesLeftAlone(in pictures: [ImageEntry]) -> [(file: String, places: [ReviewPlace])]
  {
    let all = pictures.flatMap { picture in
      (picture.search?.found.leftAlone ?? []).map { (picture: picture, face: $0) }
    }
    return all.sorted { $0.face.score > $1.face.score }.compactMap { picture, face in
      place(of: face, in: picture, "not covered").map { (picture.file, [$0]) }
    }
  }

  private func place(of face: Found, in picture: ImageEntry, _ words: String) -> ReviewPlace? {
    let region = face.region
    guard let bounds = try? region.shape.bounds(in: picture.size) else { return nil }
    return ReviewPlace(
      bounds: bounds, picture: picture.input,
      words: "\(words) · \(face.score.rounded(places: 3)) · \(face.label)")
  }

  /// Returns a hint on seeing what was left alone.
  static func hint(_ isWritten: Bool) -> String {
    isWritten ? "see the sheet" : "--review shows them"
  }

  private func write(
    _ tiles: [DrawnTile], _ title: String, _ number: Int, of pages: Int
  ) throws {
    let (gap, tile) = (Self.gap, ReviewTile.mostPixels)
    let columns = min(max(tiles.count, 2), Self.columns)
    let rows = (tiles.count + columns - 1) / columns
    let step = Size(width: tile.width + gap, height: tile.height + Self.captionHeight + gap)
    var canvas = ReviewCanvas(
      Size(width: gap + columns * step.width, height: Self.headingHeight + rows * step.height + gap)
    )
    do {
      try canvas.write(
        "\(title), page \(number) of \(pages)", x: gap, y: gap, size: 17,
        width: columns * step.width - gap)
      for (index, tile) in tiles.enumerated() {
        let x = gap + index % columns * step.width
        let y = Self.headingHeight + index / columns * step.height
        canvas.draw(
          tile.bytes, tile.size, x: x + (ReviewTile.mostPixels.width - tile.size.width) / 2,
          y: y + (ReviewTile.mostPixels.height - tile.size.height) / 2)
        let below = y + ReviewTile.mostPixels.height + 4
        let width = ReviewTile.mostPixels.width
        // The end of a path tells images apart.
        try canvas.write(tile.place.picture, x: x, y: below, size: 13, width: width, keepsEnd: true)
        try canvas.write(tile.place.words, x: x, y: below + 18, size: 13, width: width)
      }
    } catch { throw Failure("--review: \(error)", .unavailable) }
    let image = canvas.image
    try StillEncoder().encode(image, as: format, to: sink(number))
  }

  /// The first page is called as asked, further ones with their number.
  func name(_ page: Int) -> String {
    guard page > 1, let dot = path.lastIndex(of: ".") else { return path }
    return "\(path[..<dot])-\(page)\(path[dot...])"
  }

  private func sink(_ page: Int) -> StillSink { .file(name(page), overwrite: overwrite) }
}

/// A page that is drawn on.
private struct ReviewCanvas {
  private let size: Size
  private var bytes: [UInt8]
  private static let paper: UInt8 = 0xF4

  init(_ size: Size) {
    self.size = size
    bytes = Array(repeating: Self.paper, count: size.area * 3)
  }

  var image: Image {
    var image = Image(zeros: size, format: .rgb8)
    image.bytes = bytes
    return image
  }

  /// Puts red, green and blue of an image there.
  mutating func draw(_ image: [UInt8], _ extent: Size, x: Int, y: Int) {
    for row in 0..<extent.height {
      let (from, to) = (row * extent.width * 3, ((y + row) * size.width + x) * 3)
      bytes.replaceSubrange(
        to..<to + extent.width * 3, with: image[from..<from + extent.width * 3])
    }
  }

  /// Writes a line, without its begin or end where that is too long.
  mutating func write(
    _ text: String, x: Int, y: Int, size height: Double, width: Int, keepsEnd: Bool = false
  ) throws(TextError) {
    var line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
    var picture = try TextImage(line, TextStyle(size: height))
    var kept = line.count
    while picture.width > width, kept > 4 {
      kept = min(kept - 1, max(kept * width / picture.width, 4))
      line = keepsEnd ? "…\(text.suffix(kept))" : "\(text.prefix(kept))…"
      picture = try TextImage(line, TextStyle(size: height))
    }
    let (ink, coverage) = (picture.image, picture.image.bytes)
    for row in 0..<ink.size.height {
      for column in 0..<ink.size.width {
        let (toX, toY) = (x + picture.left + column, y + picture.top + row)
        guard (0..<self.size.width).contains(toX), (0..<self.size.height).contains(toY) else {
          continue
        }
        let part = Int(coverage[row * ink.bytesPerRow + column])
        let place = (toY * self.size.width + toX) * 3
        for channel in 0..<3 {
          let paper = Int(bytes[place + channel])
          bytes[place + channel] = UInt8((paper * (255 - part) + 0x20 * part) / 255)
        }
      }
    }
  }
}

/// A place in an image that has been written, as a contact sheet shows it: small, with some of what is
/// around.
struct ReviewTile {
  /// The largest image of a tile.
  static let mostPixels = Size(width: 236, height: 172)
  /// The margin shown around a place: a part of its longer side, and the least in pixels.
  private static let margin = (part: 0.6, pixels: 24)

  let place: ReviewPlace
  /// The part of the image that is shown.
  private let view: Rect
  /// Pixels of the small image before it is enlarged.
  private let size: Size
  private var sums: [SIMD3<Float>]
  private var counts: [Float]

  /// - Parameter picture: the whole image's.
  init(_ place: ReviewPlace, in picture: Size) {
    self.place = place
    let bounds = place.bounds
    let around = max(
      Int(Self.margin.part * Double(max(bounds.width, bounds.height))), Self.margin.pixels)
    view = Rect(
      columns: bounds.columns.expanded(by: around), rows: bounds.rows.expanded(by: around)
    ).limited(to: Rect(picture))
    let scale = max(
      Double(view.width) / Double(Self.mostPixels.width),
      Double(view.height) / Double(Self.mostPixels.height), 1)
    size = Size(
      width: max(Int(Double(view.width) / scale), 1),
      height: max(Int(Double(view.height) / scale), 1))
    sums = Array(repeating: .zero, count: size.area)
    counts = Array(repeating: 0, count: size.area)
  }

  /// Reads places of one file, from its rows as they come: only the tiles are kept.
  ///
  /// - Parameter places: few, as all of their tiles are in memory.
  static func tiles(_ places: [ReviewPlace], of file: String) throws(FrostglassError)
    -> [ReviewTile]
  {
    let options = DecodeOptions(maxPixels: .max, maxMemory: .max, frame: 1)
    do throws(DecodeError) {
      let reader = try StillDecoder(options).reader(of: .file(file))
      let picture = reader.header.size
      var tiles = places.map { ReviewTile($0, in: picture) }
      let end = tiles.map(\.view.rows.upperBound).max() ?? 0
      var strip = Image(
        zeros: Size(width: picture.width, height: 1), format: reader.header.pixelFormat)
      for row in 0..<end {
        try strip.withUnsafeMutableBytes { bytes throws(DecodeError) in
          if let start = bytes.baseAddress { try reader.read(row..<row + 1, into: start) }
        }
        for index in tiles.indices where tiles[index].view.rows.contains(row) {
          tiles[index].add(strip, row)
        }
      }
      reader.leaveThread()
      return tiles
    } catch { throw .decode(error) }
  }

  /// Takes a whole image's part.
  mutating func add(_ picture: Image) {
    for row in view.rows { add(picture, row, at: row) }
  }

  /// - Parameters:
  ///   - strip: rows of the image.
  ///   - index: the row's number in the strip.
  private mutating func add(_ strip: Image, _ row: Int, at index: Int = 0) {
    let y = (row - view.y) * size.height / view.height
    for column in view.columns {
      let place = y * size.width + (column - view.x) * size.width / view.width
      sums[place] += strip.color(column, index)
      counts[place] += 1
    }
  }

  /// The magnification, from 1 to 8, that makes small places visible.
  private var factor: Int {
    max(min(Self.mostPixels.width / size.width, Self.mostPixels.height / size.height, 8), 1)
  }

  /// The tile's pixels, with a line around the place.
  var picture: (size: Size, colors: [SIMD3<Float>]) {
    let shown = Size(width: size.width * factor, height: size.height * factor)
    var colors: [SIMD3<Float>] = []
    for y in 0..<shown.height {
      for x in 0..<shown.width {
        let place = y / factor * size.width + x / factor
        colors.append(sums[place] / max(counts[place], 1))
      }
    }
    func scaled(_ value: Int, _ length: Int, _ of: Int) -> Int {
      min(max(value * length / of, 0), length - 1)
    }
    let bounds = place.bounds
    let left = scaled(bounds.x - view.x, shown.width, view.width)
    let right = scaled(bounds.x + bounds.width - view.x, shown.width, view.width)
    let top = scaled(bounds.y - view.y, shown.height, view.height)
    let bottom = scaled(bounds.y + bounds.height - view.y, shown.height, view.height)
    // Light over dark, so that it shows on both.
    for x in left...right {
      let color: SIMD3<Float> = x / 4 % 2 == 0 ? .one : .zero
      for y in [top, bottom] { colors[y * shown.width + x] = color }
    }
    for y in top...bottom {
      let color: SIMD3<Float> = y / 4 % 2 == 0 ? .one : .zero
      for x in [left, right] { colors[y * shown.width + x] = color }
    }
    return (shown, colors)
  }
}

/// A tile as it is drawn, with a line around its place.
struct DrawnTile {
  let place: ReviewPlace
  let size: Size
  /// Red, green and blue.
  let bytes: [UInt8]

  init(_ tile: ReviewTile) {
    let picture = tile.picture
    (place, size) = (tile.place, picture.size)
    bytes = picture.colors.flatMap { color in
      (0..<3).map { UInt8((color[$0] * 255).rounded()) }
    }
  }
}

/// A place in a written image that is to be looked at.
struct ReviewPlace {
  /// The pixels that a region touches.
  var bounds: Rect
  /// The image's name.
  var picture: String
  /// The description of the region, such as `2 of 5 · 0.98 · face`.
  var words: String
}

extension Image {
  /// The color of a pixel, on light gray where it is transparent.
  fileprivate func color(_ x: Int, _ y: Int) -> SIMD3<Float> {
    let channels = format.layout.channels
    let hasAlpha = format.layout.hasAlpha
    func sample(_ channel: Int) -> Float {
      min(max(self.sample(x: x, y: y, channel: channel), 0), 1)
    }
    let color =
      channels - (hasAlpha ? 1 : 0) < 3
      ? SIMD3(repeating: sample(0)) : SIMD3(sample(0), sample(1), sample(2))
    guard hasAlpha else { return color }
    let alpha = sample(channels - 1)
    return color * alpha + SIMD3(repeating: 0.85) * (1 - alpha)
  }
}
