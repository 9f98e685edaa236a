internal import CVips
internal import FrostglassCore
internal import Glibc

/// A source whose header has been read: recognized, allowed, and not yet decoded.
struct OpenStill {
  let name: String
  let format: StillFormat
  /// One frame, or all below each other.
  private(set) var picture: VipsPicture
  let shape: PixelShape
  /// Frames in the file.
  let frames: Int
  /// Frames, pages or pictures in the file that cannot be read, beside those that can.
  let unreadFrames: Int
  /// Frames in `picture`.
  private(set) var loadedFrames = 1
  let bytes: ByteSource
  /// Whether libtiff decodes it, whole.
  let isByLibtiff: Bool
  private let loader: StillLoader
  /// Where its pixels stand in it as they are.
  private let rowFile: RowFile?
  /// Of an animated PNG, and the still that it is to other readers.
  private let animation: AnimatedPNG?
  private let still: VipsPicture

  /// The upright size of a frame.
  var size: Size {
    let stored = picture.size
    return isTransposed
      ? Size(width: stored.height, height: stored.width)
      : Size(width: stored.width, height: stored.height / loadedFrames)
  }

  /// Whether width and height change places. Frames below each other are never turned.
  var isTransposed: Bool { picture.orientation >= 5 && loadedFrames == 1 }

  /// - Parameter frame: which one to open, counted from 1; `nil` for the first.
  init(_ source: StillSource, frame: Int? = nil) throws(DecodeError) {
    if let failure = VipsRuntime.failure { throw .codecUnavailable(reason: failure.reason) }
    let name = source.name
    bytes = try ByteSource(source)
    loader = try bytes.loader(name: name)
    if loader == .heifload, bytes.withContents({ ItemReferences($0).areSound }) == false {
      throw .damaged(name: name, reason: "its picture is made of itself, or too often of others")
    }
    rowFile = loader == .rows ? try Self.rows(of: bytes, name: name) : nil
    do throws(VipsFailure) {
      if let rowFile {
        picture = try rowFile.picture(from: bytes)
      } else {
        picture = try Self.load(bytes, loader)
      }
    } catch {
      // An intact TIFF of doubles: libvips 8.14 reads samples of up to 32 bits.
      throw error.reason == "samples out of range"
        ? .unsupportedPixels(name: name, found: "wider than 32 bits")
        : .damaged(name: name, reason: error.reason)
    }
    animation = loader == .pngload ? try Self.animation(of: bytes, name: name) : nil
    still = picture
    if let animation {
      picture = try Self.frames(animation, still, bytes, from: 0, count: 1, name: name)
    }
    guard let shape = PixelShape(picture) else {
      throw .unsupportedPixels(name: name, found: PixelShape.words(for: picture.bandFormat))
    }
    self.name = name
    self.shape = shape
    format = animation == nil ? loader.format(of: picture, bytes) : .apng
    // Of other formats pages are no frames.
    let pages = picture.number("n-pages") ?? 1
    frames = format.canAnimate ? pages : 1
    unreadFrames =
      format == .png
      ? max(bytes.firstBytes(AnimatedPNG.mostBefore).map { AnimatedPNG.announced($0) - 1 } ?? 0, 0)
      : max(pages - frames, 0)
    isByLibtiff =
      format == .tiff
      && bytes.withContents { TIFFDirectory($0).map { $0.isPlainYCbCr } } == true
    if format == .tiff, !isByLibtiff,
      let tile = bytes.withContents({ TIFFDirectory($0).flatMap { TileSize($0) } })
    {
      guard tile.isSearchable(picture.size) else {
        throw .damaged(
          name: name,
          reason: "too many tiles of \(tile.width)×\(tile.height) side by side in "
            + "\(picture.size) pixels")
      }
      do throws(VipsFailure) { picture = try picture.byTileRows(tile) } catch {
        throw .damaged(name: name, reason: error.reason)
      }
    }
    guard let frame, frame != 1 else { return }
    guard (1...frames).contains(frame) else {
      throw .noSuchFrame(name: name, frame: frame, count: frames)
    }
    picture = try loadFrames(from: frame - 1, count: 1)
  }

  private static func load(
    _ bytes: ByteSource, _ loader: StillLoader
  ) throws(VipsFailure) -> VipsPicture {
    guard loader == .tiffload else { return try bytes.load(loader.strictness) }
    let found = bytes.withContents { file -> Result<VipsPicture, VipsFailure>? in
      guard let directory = TIFFDirectory(file), directory.isPlainYCbCr else { return nil }
      do throws(VipsFailure) { return .success(try directory.picture(from: bytes)) } catch {
        return .failure(error)
      }
    }
    guard let found else { return try bytes.load(loader.strictness) }
    return try found.get()
  }

  private static func rows(of bytes: ByteSource, name: String) throws(DecodeError) -> RowFile {
    let format = bytes.signature ?? .bmp
    let found = bytes.withContents { file -> Result<RowFile, RowFile.Refusal>? in
      do throws(RowFile.Refusal) { return .success(try RowFile(format, file)) } catch {
        return .failure(error)
      }
    }
    switch found {
    case .success(let file): return file
    case .failure(.kind(let found)): throw .unsupportedKind(name: name, found: found)
    case .failure(.damaged(let reason)): throw .damaged(name: name, reason: reason)
    case nil: throw .damaged(name: name, reason: "it cannot be read to its end")
    }
  }

  /// Refuses a file that is too small for what its header claims.
  ///
  /// - Throws: `DecodeError.damaged`.
  func checkClaimedSize() throws(DecodeError) {
    let size = Size(width: picture.size.width, height: picture.size.height / loadedFrames)
    guard !isSmall(size.area * frames), let length = bytes.length,
      !isPossible(size, length)
    else { return }
    throw .damaged(
      name: name, reason: "its header claims \(size) pixels, which \(length) bytes cannot hold")
  }

  /// Whether so many pixels cost little, or the format is none that can claim more than it has.
  ///
  /// A pipe is read to its end for a look. PNG files are read row by row from it otherwise.
  private func isSmall(_ pixels: Int) -> Bool {
    switch format {
    case .jpeg, .gif, .tiff: pixels <= 1 << 22
    case .png, .apng: pixels <= 1 << 25
    // What files of rows claim was looked at with their header.
    case .webp, .avif, .heic, .jxl, .bmp, .ppm, .pfm: true
    }
  }

  private func isPossible(_ size: Size, _ length: Int) -> Bool {
    guard let most = ClaimedSize.mostPixelsPerByte(format) else {
      return bytes.withContents { ClaimedSize.isPossible(format, $0) } ?? true
    }
    guard size.area * frames / most > length, let file = bytes.firstBytes(length),
      let pixels = ClaimedSize.pixels(format, in: file)
    else { return true }
    return pixels / most <= length
  }

  /// What stands in the file beside what libvips reads.
  var texts: FileTexts? {
    if let rowFile { return FileTexts(comments: rowFile.comments) }
    // Of a TIFF all is there anyway: libvips looks here and there in it.
    return bytes.withMetadata(wholly: format == .tiff || format == .jxl) { FileTexts(format, $0) }
  }

  /// The same file with all its frames.
  func withAllFrames() throws(DecodeError) -> OpenStill {
    var all = self
    all.picture = try loadFrames(from: 0, count: nil)
    all.loadedFrames = frames
    guard let height = all.picture.number("page-height"),
      height * frames == all.picture.size.height
    else { throw .damaged(name: name, reason: "its frames differ in size") }
    return all
  }

  private static func animation(
    of bytes: ByteSource, name: String
  ) throws(DecodeError) -> AnimatedPNG? {
    guard AnimatedPNG.announced(bytes.firstBytes(AnimatedPNG.mostBefore) ?? []) > 0 else {
      return nil
    }
    let found = bytes.withContents { file -> Result<AnimatedPNG, AnimatedPNG.Refusal>? in
      do throws(AnimatedPNG.Refusal) { return .success(try AnimatedPNG(file)) } catch {
        return .failure(error)
      }
    }
    switch found {
    case .success(let animation): return animation
    case .failure(.nonsense), nil: return nil
    case .failure(.damaged(let reason)): throw .damaged(name: name, reason: reason)
    }
  }

  private static func frames(
    _ animation: AnimatedPNG, _ still: VipsPicture, _ bytes: ByteSource, from first: Int,
    count: Int?, name: String
  ) throws(DecodeError) -> VipsPicture {
    do throws(VipsFailure) {
      return try animation.picture(
        still, from: bytes, first: first, count: count ?? animation.frames.count - first)
    } catch { throw .damaged(name: name, reason: error.reason) }
  }

  private func loadFrames(from first: Int, count: Int?) throws(DecodeError) -> VipsPicture {
    if let animation {
      return try Self.frames(
        animation, still, bytes, from: first, count: count, name: name)
    }
    do throws(VipsFailure) {
      return try bytes.loadFrames(loader.strictness, from: first, count: count)
    } catch { throw .damaged(name: name, reason: error.reason) }
  }

  /// The same picture, as stored, with sides at least twice as long as those of `size`, or its own
  /// where it has no smaller ones; for scaling down, which then has less to do.
  func shrunk(for size: Size) throws(VipsFailure) -> VipsPicture {
    guard format == .jpeg else { return picture }
    let stored = picture.size
    let shrink = [8, 4, 2].first {
      stored.width >= 2 * $0 * size.width && stored.height >= 2 * $0 * size.height
    }
    guard let shrink else { return picture }
    return try bytes.loadJPEG(loader.strictness, shrink: shrink)
  }
}

/// What kind of samples a file has, and the pixel format they become.
struct PixelShape {
  enum Space { case gray, rgb, cmyk, lab }

  let space: Space
  let hasAlpha: Bool
  let depth: PixelFormat.Depth

  /// The format after decoding: gray with alpha becomes RGBA, CMYK and Lab become RGB.
  var decoded: PixelFormat {
    PixelFormat(hasAlpha ? .rgba : space == .gray ? .gray : .rgb, depth)
  }

  /// Reads it from a header; `nil` where the samples have no known full scale.
  init?(_ picture: VipsPicture) {
    let bands = picture.bands
    switch picture.interpretation {
    case VIPS_INTERPRETATION_LAB, VIPS_INTERPRETATION_LABQ:
      space = .lab
      hasAlpha = picture.interpretation == VIPS_INTERPRETATION_LAB && bands > 3
      depth = .uint8
      return
    case VIPS_INTERPRETATION_LABS:
      space = .lab
      hasAlpha = bands > 3
      depth = .uint16
      return
    case VIPS_INTERPRETATION_CMYK:
      space = .cmyk
      hasAlpha = bands > 4
    default:
      space = bands < 3 ? .gray : .rgb
      hasAlpha = bands == 2 || bands > 3
    }
    switch picture.bandFormat {
    case VIPS_FORMAT_UCHAR: depth = .uint8
    case VIPS_FORMAT_USHORT: depth = .uint16
    case VIPS_FORMAT_FLOAT where space != .cmyk: depth = .float32
    default: return nil
    }
  }

  /// Names a sample format the way a message does.
  static func words(for format: VipsBandFormat) -> String {
    switch format {
    case VIPS_FORMAT_CHAR: "signed 8 bits"
    case VIPS_FORMAT_SHORT: "signed 16 bits"
    case VIPS_FORMAT_INT: "signed 32 bits"
    case VIPS_FORMAT_UINT: "unsigned 32 bits"
    case VIPS_FORMAT_DOUBLE: "floating point of double precision"
    case VIPS_FORMAT_COMPLEX, VIPS_FORMAT_DPCOMPLEX: "complex numbers"
    default: "floating-point CMYK"
    }
  }
}

extension OpenStill {
  /// Rows that libvips keeps between a decoder and who reads.
  private static let rowsInStore = 650

  /// Bytes that the decoder and libvips keep.
  var memory: Int {
    let stored = picture.size
    let row = stored.width * shape.storedBytesPerPixel(bands: picture.bands)
    let pixels = stored.area / loadedFrames
    return min(stored.height, Self.rowsInStore) * row + pixels * codecBytesPerPixel
      + (keepsFile ? bytes.length ?? 0 : 0)
  }

  /// What the codec keeps of a frame.
  private var codecBytesPerPixel: Int {
    switch format {
    case .jpeg:
      // Coefficients of 16 bits; of colors a quarter where they are halved both ways.
      picture.number("jpeg-multiscan") ?? 0 == 0
        ? 0 : picture.text("jpeg-chroma-subsample") == "4:2:0" ? 3 : 2 * picture.bands
    case .png:
      picture.number("interlaced") ?? 0 == 0 ? 0 : shape.storedBytesPerPixel(bands: picture.bands)
    // The canvas, what was on it before, and a frame.
    case .apng: 3 * shape.storedBytesPerPixel(bands: 4)
    // Planes or coded pixels, and the picture they become.
    case .webp: 8
    case .avif, .heic: shape.depth == .uint8 ? 12 : 18
    case .gif: 5
    // Samples as floating point, and the picture they become.
    case .jxl: shape.depth == .uint8 ? 40 : 48
    case .bmp, .ppm, .pfm: 0
    // libtiff gives four samples of whatever has three.
    case .tiff: isByLibtiff ? 4 : 0
    }
  }

  /// Whether the encoded file is in memory while it is decoded.
  private var keepsFile: Bool {
    switch format {
    case .apng, .webp, .gif, .avif, .heic, .jxl: true
    case .jpeg, .png, .tiff, .bmp, .ppm, .pfm: false
    }
  }
}

extension PixelShape {
  /// Bytes of a pixel as it comes from the decoder.
  fileprivate func storedBytesPerPixel(bands: Int) -> Int { bands * depth.bytes }
}
