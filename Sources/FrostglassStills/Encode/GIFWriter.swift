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
    _ picture: VipsPicture, _ pixels: PixelFormat, to spool: SpoolFile?
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
      config.attrFlags = UInt32(fg_gif_animated)
      // A file tells how often frames are shown again.
      if loop == 1 { config.attrFlags |= UInt32(fg_gif_once) }
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
          config.attrFlags |= UInt32(fg_gif_own_colors)
          config.pLocalPalette = table.baseAddress
          config.numLocalPaletteEntries = UInt16(palette.colors.count)
        }
        if let transparent, palette.transparent != nil {
          config.attrFlags |= UInt32(fg_gif_alpha)
          config.transIndex = transparent
        } else if isAnimated {
          // Both are left out where they are not possible.
          config.genFlags = UInt32(fg_gif_differences)
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
