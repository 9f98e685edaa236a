import Frostglass
import FrostglassCore
import FrostglassStills
import Glibc

/// Takes an image file all the way: header, metadata, rows, whole, through the pipeline, and into
/// another format.
struct ImageTrial {
  static let limits = DecodeOptions(maxPixels: 1 << 16, maxMemory: 64 << 20)
  private static let chains: [FilterChain] = [
    [.gaussian(sigma: 1.5)], [.saturation(1.8)], [.gaussian(sigma: 40), .invert(1)],
    [.saturation(0.2)],
  ]
  private static let outputs: [StillFormat] = [.png, .jpeg, .webp, .gif, .tiff]

  let folder: String
  private let pipeline = Pipeline(backend: .fast, threads: 1)
  private let decoder = StillDecoder(limits)

  /// - Throws: `FuzzFinding` if a rule is broken.
  func run(_ bytes: [UInt8]) async throws(FuzzFinding) -> FuzzVerdict {
    let source = StillSource.bytes(bytes)
    let rows: [UInt8]
    let reader: StillReader
    // What no decoder writes shows as another byte each time.
    ClearedMemory.enable()
    ClearedMemory.fill(with: 0x55)
    defer { ClearedMemory.fill(with: nil) }
    do throws(DecodeError) {
      reader = try decoder.reader(of: source)
      try check(reader.header)
      rows = try self.rows(of: reader)
    } catch .codecUnavailable(let reason) {
      throw FuzzFinding("libvips: \(reason)")
    } catch { return .refused }
    let digest = bytes.reduce(UInt64(14_695_981_039_346_656_037)) {
      ($0 ^ UInt64($1)) &* 1_099_511_628_211
    }
    let choice = Int(digest >> 40)
    if choice % 2 == 0 { try compare(rows, source) }
    if choice % 3 == 0 { try await blur(source, reader, choice / 3) }
    return .accepted
  }

  private func check(_ header: StillHeader) throws(DecodeError) {
    let isSound = header.size.width >= 1 && header.size.height >= 1 && header.frames >= 1
    precondition(isSound && header.size.area <= Self.limits.maxPixels, "\(header)")
  }

  private func rows(of reader: StillReader) throws(DecodeError) -> [UInt8] {
    let rowBytes = reader.header.size.width * reader.header.pixelFormat.bytesPerPixel
    let height = reader.header.size.height
    var bytes = [UInt8](repeating: 0, count: rowBytes * height)
    try bytes.withUnsafeMutableBytes { buffer -> Result<Void, DecodeError> in
      guard let start = buffer.baseAddress else { return .success(()) }
      do throws(DecodeError) {
        for first in stride(from: 0, to: height, by: 7) {
          try reader.read(first..<min(first + 7, height), into: start + first * rowBytes)
        }
        return .success(())
      } catch { return .failure(error) }
    }.get()
    return bytes
  }

  /// Whole, an image is what its rows are.
  private func compare(_ rows: [UInt8], _ source: StillSource) throws(FuzzFinding) {
    ClearedMemory.fill(with: 0xAA)
    guard let still = try? decoder.decode(source) else {
      throw FuzzFinding("its rows are read, the whole picture is not")
    }
    guard still.image.bytes == rows else {
      throw FuzzFinding("its rows are others than those of the whole picture")
    }
  }

  /// Blurs a valid image and writes it in some format.
  private func blur(
    _ source: StillSource, _ reader: StillReader, _ choice: Int
  ) async throws(FuzzFinding) {
    let output = Self.outputs[choice % Self.outputs.count]
    let path = "\(folder)/out.\(output.fileExtension)"
    let job = Job(
      source: source, recipe: Recipe(Self.chains[choice / 5 % Self.chains.count]),
      sink: .file(path, overwrite: true), decoding: Self.limits,
      encoding: EncodeOptions(strip: choice % 7 == 0, effort: 0))
    do throws(FrostglassError) {
      let report = try await pipeline.run(job)
      let wide = DecodeOptions(maxPixels: 1 << 24)
      guard let header = try? StillDecoder(wide).header(of: .file(path)) else {
        throw FrostglassError.encode(.unwritable(path: path, reason: "what was written is damaged"))
      }
      guard header.size == report.plan.result.rect.size else {
        throw FrostglassError.encode(.unwritable(path: path, reason: "it has another size"))
      }
    } catch {
      switch error {
      // Frames that were not read before.
      case .decode where reader.header.frames > 1: return
      case .decode(.tooMuchMemory), .encode(.tooLarge): return
      // A profile that GIF has no place for.
      case .encode(.unsupportedImage(.gif, "a color profile", _)): return
      default: throw FuzzFinding("its rows are read, and then: \(error)")
      }
    }
  }
}

/// Takes a block of metadata through files: what is written reads as the same.
struct BlockTrial {
  let kind: FuzzKind
  private static let picture = Image(zeros: Size(width: 4, height: 3), format: .rgb8)

  /// - Throws: `FuzzFinding` if a rule is broken.
  func run(_ bytes: [UInt8]) throws(FuzzFinding) -> FuzzVerdict {
    var metadata = StillMetadata()
    switch kind {
    case .exif: metadata.exif = bytes
    case .iptc: metadata.iptc = bytes
    default: metadata.xmp = bytes
    }
    let first = try through(metadata, .jpeg)
    let second = try through(first, .jpeg)
    guard first == second else { throw FuzzFinding("read, written and read again, it is another") }
    // Others take longer, and share all that is ours.
    if bytes.count % 4 == 0 { _ = try through(metadata, .tiff) }
    if bytes.count % 16 == 1 { _ = try through(metadata, .png) }
    if bytes.count % 16 == 3 { _ = try through(metadata, .webp) }
    let isThere =
      switch kind {
      case .exif: first.exif != nil
      case .iptc: first.iptc != nil
      default: first.xmp != nil
      }
    return isThere ? .accepted : .refused
  }

  private func through(
    _ metadata: StillMetadata, _ format: StillFormat
  ) throws(FuzzFinding) -> StillMetadata {
    do {
      let file = try StillEncoder(EncodeOptions(effort: 0)).encode(
        Self.picture, metadata: metadata, as: format)
      let still = try StillDecoder().decode(.bytes(file))
      guard still.image.size == Self.picture.size else {
        throw FuzzFinding("the picture was turned with \(format)")
      }
      return still.metadata
    } catch let finding as FuzzFinding {
      throw finding
      // More than a segment holds.
    } catch EncodeError.cannotEncode where bytesOf(metadata) > 60_000 {
      return StillMetadata()
    } catch { throw FuzzFinding("\(format): \(error)") }
  }

  private func bytesOf(_ metadata: StillMetadata) -> Int {
    max(metadata.exif?.count ?? 0, metadata.iptc?.count ?? 0, metadata.xmp?.count ?? 0)
  }
}
