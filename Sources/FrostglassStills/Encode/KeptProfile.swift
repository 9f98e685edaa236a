internal import CVips
internal import FrostglassCore
internal import Synchronization

extension UsableProfile {
  /// Levels of gray whose light is looked up.
  private static let levels = 1024

  /// A profile for colors that shows equal red, green and blue as this one, which is for gray, shows gray.
  ///
  /// Formats that hold colors only, and images that were gray and are not any more, need one.
  var spreadForColors: [UInt8]? {
    let format = PixelFormat(.gray, .uint16)
    let grays = (0..<Self.levels).flatMap {
      ByteOrder.little.bytes(65535 * $0 / (Self.levels - 1), 2)
    }
    do {
      let picture = try VipsImageHandle(
        copying: grays, size: Size(width: Self.levels, height: 1), format: format)
      let shown = try converted(picture, depth: .uint16)
      let bytes = try shown.applying { fgk_bands($0, $1, 0, 1) }.pixels()
      let light = stride(from: 0, to: bytes.count, by: 2).map { place in
        let sample = Float(Int(bytes[place]) | Int(bytes[place + 1]) << 8) / 65535
        return Int((TransferCurve.decode(sample) * 65535).rounded())
      }
      return ColorEncoding.profile(light: light)
    } catch { return nil }
  }
}

extension StillMetadata {
  /// The profile, or for gray pixels that became colors one that shows equal samples the same; `nil` if it is
  /// for colors where the pixels are gray.
  func profile(for layout: PixelFormat.Layout) -> [UInt8]? {
    guard let iccProfile else { return nil }
    switch ICCTags(iccProfile).space {
    case "GRAY":
      return layout == .gray ? iccProfile : UsableProfile(iccProfile, .gray)?.spreadForColors
    case "RGB ": return layout == .gray ? nil : iccProfile
    default: return nil
    }
  }
}

extension StillSaver {
  /// The same image in sRGB, for formats that hold no profile. Floating point goes through 16 bits.
  func inSRGB(_ source: VipsImageHandle, _ pixels: PixelFormat) throws(VipsFailure)
    -> VipsImageHandle
  {
    let isGray = pixels.layout == .gray
    guard let bytes = metadata?.profile(for: pixels.layout),
      let profile = UsableProfile(bytes, isGray ? .gray : .rgb)
    else { return source }
    let isFloat = pixels.depth == .float32
    let whole =
      isFloat ? try source.applying { fgk_scaled($0, $1, 65535, VIPS_FORMAT_USHORT) } : source
    let deep = PixelFormat(pixels.layout, pixels.depth == .uint8 ? .uint8 : .uint16)
    let tagged = try whole.applying { fgk_tagged($0, $1, deep.interpretation) }
    let shown = try profile.converted(tagged, depth: deep.depth)
    let channels = Int32(pixels.layout.channels)
    let bands =
      shown.bands > channels ? try shown.applying { fgk_bands($0, $1, 0, channels) } : shown
    return isFloat
      ? try bands.applying { fgk_scaled($0, $1, 1.0 / 65535, VIPS_FORMAT_FLOAT) } : bands
  }
}

extension CodePoints {
  /// The code points of a kept profile that a format has a place for instead of the profile.
  init?(of profile: [UInt8], in format: StillFormat) {
    // libheif writes no such box into HEIC.
    guard format == .avif, let found = ICCTags(profile).codePoints else {
      return nil
    }
    (primaries, transfer) = (found.primaries, found.transfer)
  }

  /// Puts them into a file's `colr` box, where libheif says of images without a profile that primaries and
  /// transfer are unspecified; libvips has no way to tell it more.
  func add(to file: EncodedBytes) {
    let head = file.bytes(0..<min(file.count, 1 << 20))
    let unspecified = Array("colrnclx".utf8) + [0, 2, 0, 2]
    guard let place = head.indices.first(where: { head[$0...].starts(with: unspecified) }) else {
      return
    }
    let numbers = [primaries, transfer].flatMap { ByteOrder.big.bytes($0, 2) }
    file.replace(place + 8..<place + 12, with: numbers)
  }
}

/// Colors of a GIF that are to stay as they are where it is written again, and what became of them.
package final class KeptColors: Sendable, Hashable {
  /// The colors that may first appear on the canvas with each frame, as 0xRRGGBB.
  private let tables: [[UInt32]]
  private let lost = Atomic(false)

  /// - Parameters:
  ///   - tables: of each frame in the file, the colors that none before it has.
  ///   - first: the first frame that is written, counted from 0.
  ///   - count: frames that are written.
  package init(_ tables: [[UInt32]], first: Int, count: Int) {
    let before = tables.prefix(first + 1).flatMap { $0 }
    self.tables = [before] + tables.dropFirst(first + 1).prefix(count - 1)
  }

  /// True once a frame had more of them than fit into it, so that some were changed.
  package var areLost: Bool { lost.load(ordering: .relaxed) }

  /// Notes that some were changed.
  func lose() { lost.store(true, ordering: .relaxed) }

  /// Colors that are new with a frame, counted from 0.
  func new(with frame: Int) -> [UInt32] { frame < tables.count ? tables[frame] : [] }

  /// True for the same object.
  package static func == (one: KeptColors, other: KeptColors) -> Bool { one === other }

  /// Goes by identity.
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Counts the colors of frames as their rows pass.
package final class ColorCount: Sendable {
  private struct State {
    var rows = 0
    var colors = Set<UInt32>()
    var isExceeded = false
  }

  private let rowsPerFrame: Int
  private let state = Mutex(State())

  /// Colors that libvips writes as they are into a frame of a GIF; one more is for what stays.
  private static let most = 255

  /// A count for frames of so many rows.
  package init(rowsPerFrame: Int) { self.rowsPerFrame = rowsPerFrame }

  /// True once a frame had more colors than a GIF holds.
  package var isExceeded: Bool { state.withLock { $0.isExceeded } }

  /// Looks through the next row of 8-bit RGB or RGBA.
  package func look(at row: UnsafeRawPointer, pixels: Int, channels: Int) {
    state.withLock { state in
      if state.rows % rowsPerFrame == 0 { state.colors.removeAll(keepingCapacity: true) }
      state.rows += 1
      guard !state.isExceeded else { return }
      var last: UInt32?
      for x in 0..<pixels {
        let color = gifColor(row + x * channels, channels)
        if color != last { state.colors.insert(color) }
        last = color
      }
      state.isExceeded = state.colors.count > Self.most
    }
  }
}

/// The value for all transparent pixels.
let transparentGIFColor: UInt32 = 1 << 24

/// The color of a pixel of 8-bit RGB or RGBA as a GIF has it: opaque as 0xRRGGBB, or transparent.
func gifColor(_ pixel: UnsafeRawPointer, _ channels: Int) -> UInt32 {
  let samples = pixel.assumingMemoryBound(to: UInt8.self)
  if channels == 4, samples[3] < 128 { return transparentGIFColor }
  return UInt32(samples[0]) << 16 | UInt32(samples[1]) << 8 | UInt32(samples[2])
}
