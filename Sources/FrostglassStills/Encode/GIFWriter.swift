internal import CVips
internal import FrostglassCore

/// Writes a GIF whose frames keep the colors that they had in another one, by libcgif.
///
/// The saver of libvips 8.14, which writes all other GIF files, has 255 colors of its own choice.
struct GIFWriter {
  let colors: KeptColors
  let animation: StillMetadata.Animation?

  /// Writes the whole file, into memory or an open file.
  ///
  /// - Parameters:
  ///   - picture: the frames, one below the other.
  ///   - pixels: 8-bit RGB or RGBA.
  func write(
    _ picture: VipsImageHandle, _ pixels: PixelFormat, to spool: SpoolFile?
  ) throws(VipsFailure) -> EncodedBytes {
    let frames = animation?.frames ?? 1
    let size = Size(width: picture.size.width, height: picture.size.height / frames)
    let rows = VipsRows(of: picture)
    let channels = pixels.layout.channels
    var kept = Set<UInt32>()
    var output = EncodedOutput(spool: spool)
    var writer: CGIFFile?
    for index in 0..<frames {
      kept.formUnion(colors.new(with: index))
      var bytes = [UInt8](repeating: 0, count: size.area * channels)
      try bytes.withUnsafeMutableBufferPointer { bytes throws(VipsFailure) in
        guard let start = bytes.baseAddress else { return }
        let first = index * size.height
        try rows.read(first..<first + size.height, into: start)
      }
      let samples = bytes.withUnsafeBytes { bytes -> [UInt32] in
        guard let start = bytes.baseAddress else { return [] }
        return (0..<size.area).map { gifColor(start + $0 * channels, channels) }
      }
      let palette = GIFPalette(samples, width: size.width, keeping: kept)
      if palette.losesKept { colors.lose() }
      let file: CGIFFile
      if let writer { file = writer } else { file = try CGIFFile(size, palette, animation) }
      writer = file
      try file.add(palette, delay: animation?.delays[index] ?? 0)
      output.bytes += file.takeBytes()
      try output.flush()
    }
    try writer?.close()
    output.bytes += writer?.takeBytes() ?? []
    return try output.finish()
  }
}

/// A GIF that libcgif is writing.
private final class CGIFFile {
  private let made = Bytes()
  private var handle: OpaquePointer?
  private let isAnimated: Bool
  /// Numbers of the colors that all frames can use.
  private let shared: [UInt32: UInt8]
  private let sharedTransparent: UInt8?

  private final class Bytes {
    var bytes: [UInt8] = []
  }

  /// - Parameter first: the first frame's colors, which others use where they have no more.
  init(
    _ size: Size, _ first: GIFPalette, _ animation: StillMetadata.Animation?
  ) throws(VipsFailure) {
    isAnimated = animation != nil
    shared = Dictionary(
      first.colors.enumerated().filter { first.transparent.map { Int($0) } != $0.offset }
        .map { ($0.element, UInt8($0.offset)) }, uniquingKeysWith: { one, _ in one })
    sharedTransparent = first.transparent
    let loop = animation?.loop ?? 1
    var table = first.table
    let made = Unmanaged.passUnretained(self.made).toOpaque()
    handle = table.withUnsafeMutableBufferPointer { table in
      var config = CGIF_Config()
      config.pGlobalPalette = table.baseAddress
      config.numGlobalPaletteEntries = UInt16(first.colors.count)
      // A still with transparent pixels needs what only an animation has.
      config.attrFlags = UInt32(fgk_gif_animated)
      // A file tells how often frames are shown again.
      if loop == 1 { config.attrFlags |= UInt32(fgk_gif_once) }
      config.numLoops = UInt16(clamping: loop > 1 ? loop - 1 : 0)
      (config.width, config.height) = (UInt16(size.width), UInt16(size.height))
      config.pContext = made
      config.pWriteFn = { context, data, count in
        guard let context, let data else { return -1 }
        Unmanaged<Bytes>.fromOpaque(context).takeUnretainedValue().bytes
          .append(contentsOf: UnsafeBufferPointer(start: data, count: count))
        return 0
      }
      return cgif_newgif(&config)
    }
    guard handle != nil else { throw VipsFailure(log: "libcgif cannot begin a file") }
  }

  deinit { if let handle { cgif_close(handle) } }

  /// Bytes that are new since they were taken last.
  func takeBytes() -> [UInt8] {
    defer { made.bytes = [] }
    return made.bytes
  }

  /// Writes a frame, or keeps it until the next one.
  ///
  /// - Parameter delay: milliseconds.
  func add(_ palette: GIFPalette, delay: Int) throws(VipsFailure) {
    var (indices, transparent, usesShared) = (palette.indices, palette.transparent, false)
    if let numbers = sharedNumbers(palette) {
      for index in indices.indices { indices[index] = numbers[Int(indices[index])] }
      (transparent, usesShared) = (sharedTransparent, true)
    }
    var table = palette.table
    let result = table.withUnsafeMutableBufferPointer { table in
      indices.withUnsafeMutableBufferPointer { indices in
        var config = CGIF_FrameConfig()
        config.pImageData = indices.baseAddress
        config.delay = UInt16(clamping: (delay + 5) / 10)
        if !usesShared {
          config.attrFlags |= UInt32(fgk_gif_own_colors)
          config.pLocalPalette = table.baseAddress
          config.numLocalPaletteEntries = UInt16(palette.colors.count)
        }
        if let transparent, palette.transparent != nil {
          config.attrFlags |= UInt32(fgk_gif_alpha)
          config.transIndex = transparent
        } else if isAnimated {
          // Both are left out where they are not possible.
          config.genFlags = UInt32(fgk_gif_differences)
        }
        return cgif_addframe(handle, &config)
      }
    }
    guard result == 0 else { throw VipsFailure(log: "libcgif cannot write a frame (\(result))") }
  }

  /// The shared number of each color; `nil` where a color has none.
  private func sharedNumbers(_ palette: GIFPalette) -> [UInt8]? {
    var numbers: [UInt8] = []
    for (index, color) in palette.colors.enumerated() {
      let isTransparent = palette.transparent.map { Int($0) } == index
      guard let number = isTransparent ? sharedTransparent : shared[color] else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  func close() throws(VipsFailure) {
    let result = cgif_close(handle)
    handle = nil
    guard result == 0 else { throw VipsFailure(log: "libcgif cannot end a file (\(result))") }
  }
}

extension GIFPalette {
  /// Red, green and blue of each color.
  fileprivate var table: [UInt8] {
    colors.flatMap { [UInt8($0 >> 16 & 0xFF), UInt8($0 >> 8 & 0xFF), UInt8($0 & 0xFF)] }
  }
}

/// At most 256 colors for a frame, and the pixels as their numbers.
///
/// Colors that are to be kept have theirs as long as there is room, those of most pixels first. Others share what
/// is left: their range is cut again and again where it is widest. Only such pixels are dithered, among each
/// other, so that all others stay as they are.
struct GIFPalette {
  /// As 0xRRGGBB; transparent pixels have one of them.
  private(set) var colors: [UInt32] = []
  /// The color of each pixel.
  private(set) var indices: [UInt8] = []
  /// The number of what is transparent; `nil` where nothing is.
  private(set) var transparent: UInt8?
  /// True where colors that were to be kept had no room.
  private(set) var losesKept = false

  private static let most = 256

  /// Chooses colors.
  ///
  /// - Parameters:
  ///   - pixels: colors as GIF have them, from the left and the top.
  ///   - width: of a row.
  ///   - kept: the colors to keep, where they occur in the pixels. The others are not written to the file, as they
  ///     may come from what was hidden.
  init(_ pixels: [UInt32], width: Int, keeping kept: Set<UInt32>) {
    var counts: [UInt32: Int] = [:]
    var (last, run) = (pixels.first ?? 0, 0)
    for color in pixels {
      if color == last {
        run += 1
        continue
      }
      counts[last, default: 0] += run
      (last, run) = (color, 1)
    }
    if run > 0 { counts[last, default: 0] += run }
    let hasTransparent = counts.removeValue(forKey: transparentGIFColor) != nil
    let room = Self.most - (hasTransparent ? 1 : 0)
    if counts.count <= room {
      colors = counts.keys.sorted()
    } else {
      let staying = counts.filter { kept.contains($0.key) }
        .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      losesKept = staying.count > room
      colors = staying.prefix(room).map(\.key)
      let known = Set(colors)
      let others = counts.filter { !known.contains($0.key) }
      colors += Self.chosen(others, most: room - colors.count).filter { !known.contains($0) }
    }
    if hasTransparent {
      transparent = UInt8(colors.count)
      colors.append(0)
    }
    assign(pixels, width)
  }

  /// Means of parts of a set of colors, which are cut in two at the mean of the channel that differs most.
  private static func chosen(_ counts: [UInt32: Int], most: Int) -> [UInt32] {
    guard most > 0, !counts.isEmpty else { return [] }
    var parts = [Part(counts.map { ($0.key, Double($0.value)) }.sorted { $0.0 < $1.0 })]
    while parts.count < most {
      guard
        let worst = parts.indices.max(by: { parts[$0].spread < parts[$1].spread }),
        let (one, other) = parts[worst].halves
      else { break }
      parts[worst] = one
      parts.append(other)
    }
    return Array(Set(parts.map(\.mean))).sorted()
  }

  /// Some colors with their numbers of pixels.
  private struct Part {
    let colors: [(UInt32, Double)]
    /// The mean of each channel.
    private let means: [Double]
    private let spreads: [Double]

    init(_ colors: [(UInt32, Double)]) {
      self.colors = colors
      let weight = colors.reduce(0) { $0 + $1.1 }
      let means = (0..<3).map { channel in
        colors.reduce(0) { $0 + $1.0.channel(channel) * $1.1 } / weight
      }
      self.means = means
      spreads = (0..<3).map { channel in
        colors.reduce(0) { sum, color in
          let distance = color.0.channel(channel) - means[channel]
          return sum + distance * distance * color.1
        }
      }
    }

    /// The sum of squared distances from the mean, along the channel where it is largest.
    var spread: Double { spreads.max() ?? 0 }

    var mean: UInt32 {
      means.reduce(0) { $0 << 8 | UInt32(min(max($1.rounded(), 0), 255)) }
    }

    /// Both sides of the mean; `nil` for a single color.
    var halves: (Part, Part)? {
      guard spread > 0, let channel = spreads.firstIndex(of: spread) else { return nil }
      let below = colors.filter { $0.0.channel(channel) < means[channel] }
      let above = colors.filter { $0.0.channel(channel) >= means[channel] }
      return below.isEmpty || above.isEmpty ? nil : (Part(below), Part(above))
    }
  }

  /// Gives each pixel its color's number; others than those that are there are dithered as by Floyd and Steinberg.
  private mutating func assign(_ pixels: [UInt32], _ width: Int) {
    var numbers: [UInt32: UInt8] = [:]
    for (index, color) in colors.enumerated() where transparent.map({ Int($0) }) != index {
      numbers[color] = UInt8(index)
    }
    if let transparent { numbers[transparentGIFColor] = transparent }
    indices = [UInt8](repeating: 0, count: pixels.count)
    // Of the row at work and the one below, with a pixel more on both sides.
    var errors = [Double](repeating: 0, count: 3 * (width + 2))
    var below = errors
    var isClear = true
    for (place, color) in pixels.enumerated() {
      let x = place % width
      if x == 0, place > 0, !isClear {
        swap(&errors, &below)
        for index in below.indices { below[index] = 0 }
      }
      if let number = numbers[color] {
        indices[place] = number
        continue
      }
      isClear = false
      let wanted = (0..<3).map {
        min(max(color.channel($0) + errors[3 * (x + 1) + $0], 0), 255)
      }
      let nearest = nearest(wanted[0], wanted[1], wanted[2])
      indices[place] = nearest
      for channel in 0..<3 {
        let error = (wanted[channel] - colors[Int(nearest)].channel(channel)) / 16
        errors[3 * (x + 2) + channel] += 7 * error
        below[3 * x + channel] += 3 * error
        below[3 * (x + 1) + channel] += 5 * error
        below[3 * (x + 2) + channel] += error
      }
    }
  }

  private func nearest(_ red: Double, _ green: Double, _ blue: Double) -> UInt8 {
    var (best, least) = (UInt8(0), Double.infinity)
    for (index, color) in colors.enumerated() where transparent.map({ Int($0) }) != index {
      let (r, g, b) = (
        color.channel(0) - red, color.channel(1) - green, color.channel(2) - blue
      )
      let distance = r * r + g * g + b * b
      if distance < least { (best, least) = (UInt8(index), distance) }
    }
    return best
  }
}

extension UInt32 {
  /// Red, green or blue of 0xRRGGBB: 0, 1 or 2.
  fileprivate func channel(_ index: Int) -> Double {
    Double(self >> UInt32(16 - 8 * index) & 0xFF)
  }
}
