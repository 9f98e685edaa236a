internal import Frostglass
internal import FrostglassStills

/// A place in a picture that has been written, as a contact sheet shows it: small, with some of what is
/// around.
struct ReviewTile {
  /// The largest picture of a tile.
  static let mostPixels = Size(width: 236, height: 172)
  /// What is shown around a place, as a part of its longer side, and in pixels at least.
  private static let margin = (part: 0.6, pixels: 24)

  let place: ReviewPlace
  /// What of the picture is shown.
  private let view: Rect
  /// Pixels of the small picture before it is enlarged.
  private let size: Size
  private var sums: [SIMD3<Float>]
  private var counts: [Float]

  /// - Parameter picture: the whole picture's.
  private init(_ place: ReviewPlace, in picture: Size) {
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
        try strip.withUnsafeMutableBytes { bytes -> Result<Void, DecodeError> in
          guard let start = bytes.baseAddress else { return .success(()) }
          do throws(DecodeError) {
            return .success(try reader.read(row..<row + 1, into: start))
          } catch { return .failure(error) }
        }.get()
        for index in tiles.indices where tiles[index].view.rows.contains(row) {
          tiles[index].add(strip, row)
        }
      }
      reader.leaveThread()
      return tiles
    } catch { throw .decode(error) }
  }

  private mutating func add(_ strip: Image, _ row: Int) {
    let y = (row - view.y) * size.height / view.height
    for column in view.columns {
      let place = y * size.width + (column - view.x) * size.width / view.width
      sums[place] += strip.color(column)
      counts[place] += 1
    }
  }

  /// How often each pixel is shown, so that small places can be seen.
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

/// A place in a written picture that is to be looked at.
struct ReviewPlace {
  /// The pixels that a region touches.
  var bounds: Rect
  /// What the picture is called.
  var picture: String
  /// What the region is, such as `2 of 5 · 0.98 · face`.
  var words: String
}

extension Image {
  /// The color of a pixel of the first row, on light gray where it is transparent.
  fileprivate func color(_ x: Int) -> SIMD3<Float> {
    let channels = format.layout.channels
    let hasAlpha = format.layout.hasAlpha
    func sample(_ channel: Int) -> Float {
      min(max(self.sample(x: x, y: 0, channel: channel), 0), 1)
    }
    let color =
      channels - (hasAlpha ? 1 : 0) < 3
      ? SIMD3(repeating: sample(0)) : SIMD3(sample(0), sample(1), sample(2))
    guard hasAlpha else { return color }
    let alpha = sample(channels - 1)
    return color * alpha + SIMD3(repeating: 0.85) * (1 - alpha)
  }
}
