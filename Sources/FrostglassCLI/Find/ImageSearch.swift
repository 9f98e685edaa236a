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
  /// - Parameters:
  ///   - decoding: as the image is read for what is done with it: places are those of that image.
  ///   - output: what is written; where that is a still, only its frame of an animation is searched. `nil` takes all.
  func record(
    of source: StillSource, _ decoding: DecodeOptions, for output: Job.Output? = nil
  ) async throws(Failure) -> FindRecord {
    try await Self.apart { () throws(Failure) in try self.search(source, decoding, output) }
  }

  /// Looks at an image, such as a frame of a video.
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
    of job: Job, beside given: RegionOptions
  ) async throws(Failure) -> RegionOptions {
    let source = job.source
    let record = try await record(of: source, job.decoding, for: job.outputs[0])
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
    _ source: StillSource, _ decoding: DecodeOptions, _ output: Job.Output?
  ) throws(Failure) -> FindRecord {
    let givesDataOnce =
      switch source {
      case .file(let path): ImageWalk.givesDataOnce(path)
      case .standardInput: true
      case .bytes: false
      }
    guard !givesDataOnce else {
      throw .usage(
        "\(source.name): --find looks at the image before it is read once more; give a file")
    }
    let decoder = StillDecoder(decoding)
    let reader = try Self.decoded { () throws(DecodeError) in try decoder.reader(of: source) }
    // The path leads to a pipe by now, which is read once.
    if case .file = source, reader.version == nil {
      throw Failure("\(source.name): \(FileVersion.changed)", .badData)
    }
    let (size, found) = try looked(at: reader, by: decoder, output)
    return FindRecord(
      found: try options.divided(found, in: size), models: pool.models.map(\.record),
      effort: options.effort, score: options.score, file: reader.version)
  }

  /// Decodes an image, and looks at it or at each of its frames.
  private func looked(
    at reader: StillReader, by decoder: StillDecoder, _ output: Job.Output?
  ) throws(Failure) -> (Size, [Found]) {
    let size = reader.header.size
    let looks = options.effort.looks(at: size, by: pool.models.map(\.detector))
    let hasAlpha = reader.header.pixelFormat.layout.hasAlpha
    // Next to an image with alpha are its channels in 8 bits, and its colors alone; for each look there is
    // the image in its size, and its bytes.
    let further =
      (hasAlpha ? 7 * size.area : 0)
      + Set(looks.map(\.size)).reduce(0) {
        $0 + (reader.header.pixelFormat.bytesPerPixel + 3) * $1.area
      }
    let written = output.flatMap { try? $0.sink.format($0.format, input: reader.header.format) }
    guard reader.header.frames > 1, decoder.options.frame == nil, written?.canAnimate != false
    else {
      // Scaling weighs colors by alpha, so it would lose those of nearly transparent pixels.
      let largest =
        hasAlpha ? size : looks.map(\.size).max { $0.area < $1.area } ?? size
      let image = try Self.decoded { () throws(DecodeError) in
        try decoder.checkMemory(reader.imageMemory(scaledTo: largest) + further, for: reader)
        return try reader.image(scaledTo: largest, .soft)
      }
      return (size, try found(in: image, looks))
    }
    let frames = try Self.decoded { () throws(DecodeError) in
      let frames = try decoder.allFrames(of: reader)
      try decoder.checkMemory(frames.imageMemory + further, for: frames)
      return frames
    }
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

  /// Returns what detectors see in an image that is as large as the largest look, or larger: over gray, and where it
  /// is partly transparent, too, in its colors as if all of it were opaque.
  func found(in image: Image, _ looks: [Look]) throws(Failure) -> [Found] {
    var found = try seen(in: image, looks)
    if let opaque = image.opaque { found += try seen(in: opaque, looks) }
    return Look.merged(found)
  }

  private func seen(in image: Image, _ looks: [Look]) throws(Failure) -> [Found] {
    var sizes: [Size: [UInt8]] = [:]
    for look in looks where sizes[look.size] == nil {
      sizes[look.size] = try Self.decoded { () throws(DecodeError) in
        try image.scaled(to: look.size, .soft)
      }.rgbBytes
    }
    let detectors = pool.models.map(\.detector).filter { own in
      looks.contains { $0.detector == own }
    }
    // Each detector has a process of its own, so that two cores look at once.
    let answers = Monitor([Detector: Result<[Found], Failure>]())
    for detector in detectors {
      let own = looks.filter { $0.detector == detector }
      let work = { @Sendable [sizes] () -> Void in
        let answer = Result { () throws(Failure) in try self.seen(own, sizes) }
        answers.change { $0[detector] = answer }
      }
      if detector == detectors.last || !BackgroundThread.start(work) { work() }
    }
    let all = answers.wait(until: { $0.count == detectors.count }, then: { $0 })
    var found: [Found] = []
    for detector in detectors {
      if let answer = all[detector] { found += try answer.get() }
    }
    return found
  }

  /// Has looks taken one after another.
  ///
  /// - Parameter sizes: the image at the size of each.
  private func seen(_ looks: [Look], _ sizes: [Size: [UInt8]]) throws(Failure) -> [Found] {
    var found: [Found] = []
    for look in looks {
      let seen = try pool.found(
        by: look.detector, in: look.turned(sizes[look.size] ?? []), look.seen,
        from: Look.leastScore)
      found += look.inWhole(seen)
    }
    return found
  }
}

extension Image {
  /// The colors alone, which a nearly transparent pixel has, too; `nil` where nothing is transparent.
  fileprivate var opaque: Image? {
    guard format.layout.hasAlpha else { return nil }
    let bytes = eightBitColors
    let samples = bytes.packedBytes
    guard stride(from: 3, to: samples.count, by: 4).contains(where: { samples[$0] < 255 }) else {
      return nil
    }
    var colors: [UInt8] = []
    colors.reserveCapacity(size.area * 3)
    for pixel in stride(from: 0, to: samples.count, by: 4) {
      for channel in 0..<3 { colors.append(samples[pixel + channel]) }
    }
    return try? Image(size: size, format: .rgb8, alpha: .straight, bytes: colors)
  }

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

extension ImageWalk {
  /// True for a pipe and its like; false for files, folders, and for what is not there.
  fileprivate static func givesDataOnce(_ path: String) -> Bool {
    FileIdentity(file: path) == nil && access(path.systemPath, R_OK) == 0 && !isDirectory(path)
  }
}

extension BatchTask {
  /// Returns the same, to be made anew once its image has been searched.
  ///
  /// - Parameter make: makes it for regions with what was found.
  func searched(
    by search: ImageSearch?, for job: Job, beside given: RegionOptions?,
    _ make: @escaping @Sendable (RegionOptions) -> BatchTask
  ) -> BatchTask {
    guard let search, let given else { return self }
    var task = self
    task.search = { () async throws(Failure) in
      make(try await search.regions(of: job, beside: given))
    }
    return task
  }
}
