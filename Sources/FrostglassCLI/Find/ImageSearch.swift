internal import Frostglass
internal import FrostglassCore
internal import FrostglassFind
internal import FrostglassOptions
internal import FrostglassStills
internal import Glibc

/// A search for faces in image files.
struct ImageSearch: Sendable {
  let options: FindOptions
  private let pool: DetectorPool

  /// Reads the models.
  ///
  /// - Returns: `nil` where no search is asked for.
  init?(_ arguments: ParsedArguments, isAsked: Bool = false) throws(Failure) {
    guard let options = try FindOptions(arguments, isAsked: isAsked) else { return nil }
    self.options = options
    pool = try DetectorPool(for: options)
  }

  /// A search by processes that there are.
  init(_ options: FindOptions, _ pool: DetectorPool) { (self.options, self.pool) = (options, pool) }

  /// Searches an image, all frames of an animation.
  ///
  /// - Parameter decoding: as the image is read for what is done with it: places are those of that image.
  func record(of source: StillSource, _ decoding: DecodeOptions) async throws(Failure) -> FindRecord
  {
    try await Self.apart { () throws(Failure) in try self.search(source, decoding) }
  }

  /// Looks at an image, such as a frame of a film.
  func found(in image: Image, by looks: [Look]) async throws(Failure) -> [Found] {
    try await Self.apart { () throws(Failure) in try self.found(in: image, looks) }
  }

  /// The models that look.
  var models: [DetectorModel] { pool.models }

  /// Runs what takes long on a thread of its own, for which no thread of the task pool waits.
  private static func apart<Value: Sendable>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result = await withCheckedContinuation { waiter in
      let work = { @Sendable () -> Void in waiter.resume(returning: Result(catching: body)) }
      if !BackgroundThread.start(work) { work() }
    }
    return try result.get()
  }

  /// Searches an image that is about to be written.
  ///
  /// - Returns: the regions with what was found.
  /// - Throws: `Failure` with 65 where nothing is to be covered, unless that is allowed.
  func regions(
    of source: StillSource, _ decoding: DecodeOptions, beside given: RegionOptions
  ) async throws(Failure) -> RegionOptions {
    let record = try await record(of: source, decoding)
    guard !record.found.covered.isEmpty || options.allowsNone else {
      throw options.nothing(in: source.name, [record])
    }
    return given.adding(record)
  }

  /// Why `--dry-run` and a search exclude each other.
  static let noDryRun = Failure.usage(
    "--dry-run reads headers, and --find looks at pixels; `frostglass find` says what would be covered"
  )

  private func search(
    _ source: StillSource, _ decoding: DecodeOptions
  ) throws(Failure) -> FindRecord {
    let givesDataOnce =
      switch source {
      case .file(let path): PictureWalk.givesDataOnce(path)
      case .standardInput: true
      case .bytes: false
      }
    guard !givesDataOnce else {
      throw .usage(
        "\(source.name): --find looks at the image before it is read once more; give a file")
    }
    let (size, found) = try looked(at: source, decoding)
    return FindRecord(
      found: try options.divided(found, in: size), models: pool.models.map(\.record),
      effort: options.effort, score: options.score)
  }

  /// Decodes an image, and looks at it or at each of its frames.
  private func looked(
    at source: StillSource, _ decoding: DecodeOptions
  ) throws(Failure) -> (Size, [Found]) {
    let decoder = StillDecoder(decoding)
    let reader = try Self.decoded { () throws(DecodeError) in try decoder.reader(of: source) }
    let size = reader.header.size
    let looks = options.effort.looks(at: size, by: pool.models.map(\.detector))
    guard reader.header.frames > 1, decoding.frame == nil else {
      let largest = looks.map(\.size).max { $0.area < $1.area } ?? size
      let image = try Self.decoded { () throws(DecodeError) in
        try decoder.checkMemory(reader.imageMemory(scaledTo: largest), for: reader)
        return try reader.image(scaledTo: largest, .soft)
      }
      return (size, try found(in: image, looks))
    }
    let frames = try Self.decoded { () throws(DecodeError) in try decoder.allFrames(of: reader) }
    var all: [Found] = []
    for index in 0..<reader.header.frames {
      let image = try Self.decoded { () throws(DecodeError) in try frames.frame(index) }
      all += try found(in: image, looks)
    }
    // What is nearly where it was in another frame is within the margin.
    return (size, all.withoutOverlaps(over: 0.85))
  }

  private static func decoded<Value>(
    _ body: () throws(DecodeError) -> Value
  ) throws(Failure) -> Value {
    do throws(DecodeError) { return try body() } catch { throw error.failure }
  }

  /// Returns what detectors see in an image that is as large as the largest look, or larger.
  func found(in image: Image, _ looks: [Look]) throws(Failure) -> [Found] {
    var sizes: [Size: [UInt8]] = [:]
    var found: [Found] = []
    for look in looks {
      let rgb: [UInt8]
      if let known = sizes[look.size] {
        rgb = known
      } else {
        rgb = try Self.decoded { () throws(DecodeError) in try image.scaled(to: look.size, .soft) }
          .rgbBytes
        sizes[look.size] = rgb
      }
      let seen = try pool.found(
        by: look.detector, in: look.turned(rgb), look.seen, from: Look.leastScore)
      found += look.inWhole(seen)
    }
    return Look.merged(found)
  }
}

extension Image {
  /// Three bytes for each pixel, rows without gaps; what is transparent is over gray.
  var rgbBytes: [UInt8] {
    let bytes = eightBitColors
    guard bytes.format.layout.hasAlpha else { return bytes.packedBytes }
    let samples = bytes.packedBytes
    var rgb: [UInt8] = []
    rgb.reserveCapacity(size.area * 3)
    for pixel in stride(from: 0, to: samples.count, by: 4) {
      let alpha = Int(samples[pixel + 3])
      for channel in 0..<3 {
        rgb.append(UInt8((Int(samples[pixel + channel]) * alpha + 128 * (255 - alpha)) / 255))
      }
    }
    return rgb
  }
}

extension PictureWalk {
  /// True for a pipe and its like; false for files, folders, and for what is not there.
  fileprivate static func givesDataOnce(_ path: String) -> Bool {
    FileIdentity(file: path) == nil && access(path.systemPath, R_OK) == 0 && !isDirectory(path)
  }
}

extension BatchTask {
  /// Returns the same, to be made anew once its picture has been searched.
  ///
  /// - Parameter make: makes it for regions with what was found.
  func searched(
    by search: ImageSearch?, _ decoding: DecodeOptions, beside given: RegionOptions?,
    _ make: @escaping @Sendable (RegionOptions) -> BatchTask
  ) -> BatchTask {
    guard let search, let given else { return self }
    var task = self
    task.search = { [source] () async throws(Failure) in
      make(try await search.regions(of: source, decoding, beside: given))
    }
    return task
  }
}
