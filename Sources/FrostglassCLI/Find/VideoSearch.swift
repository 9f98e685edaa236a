internal import Frostglass
internal import FrostglassCore
internal import FrostglassFind
internal import FrostglassOptions
internal import FrostglassStills

/// A search for faces in videos.
struct VideoSearch: Sendable {
  let options: FindOptions
  private let images: ImageSearch
  private let start: Double
  private let maxPixels: Int

  /// Reads the models.
  ///
  /// - Returns: `nil` where no search is asked for.
  init?(_ arguments: ParsedArguments, isAsked: Bool = false) throws {
    guard let images = try ImageSearch(arguments, isAsked: isAsked) else { return nil }
    self.images = images
    options = images.options
    // A video has many frames in which something may be taken for a face: it takes a higher score than an image.
    start = arguments.has("find-score") ? options.score : TrackingRules().start
    maxPixels = try arguments.decoding().maxPixels
  }

  /// Returns the things found and the models that found them, as audits have them.
  func json(_ outcome: VideoFind.Outcome) -> String {
    let found = outcome.found
    let models = images.models.map(\.record).map { model in
      JSONText.object([
        ("name", model.name.jsonPath), ("sha256", JSONText.string(model.digest)),
      ])
    }
    let alone = found.leftAlone.map { thing in
      let box = [thing.box.left, thing.box.top, thing.box.width, thing.box.height]
      return JSONText.object([
        ("frame", "\(thing.frame)"),
        ("box", JSONText.array(box.map { shortest($0.rounded(places: 1)) })),
        ("score", "\(thing.score.rounded(places: 3))"),
      ])
    }
    return JSONText.object([
      ("effort", JSONText.string(options.effort.rawValue)), ("score", "\(start)"),
      ("count", "\(found.count)"),
      ("lowest", found.lowestStart.map { "\($0.rounded(places: 3))" } ?? "null"),
      ("measured", "\(found.places(.measured))"), ("between", "\(found.places(.between))"),
      ("held", "\(found.places(.held))"),
      (
        "leaveOff",
        JSONText.array(found.tracks.filter(\.leavesOff).map { JSONText.string($0.id) })
      ),
      ("models", JSONText.array(models)), ("leftAlone", JSONText.array(alone)),
    ])
  }

  /// Looks through a video, and says how far it is.
  ///
  /// - Parameters:
  ///   - version: the state that the file must be in; `nil` takes any.
  ///   - command: whose notes are said; `nil` where the video is read once more, and they are said then.
  /// - Throws: `Failure`; with 65 where nothing is found, unless that is allowed.
  func run(
    _ video: String, in version: FileVersion? = nil, by videos: any VideoFiles,
    on backend: BackendOptions, for command: String? = nil
  ) async throws(Failure) -> VideoFind.Outcome {
    var rules = TrackingRules()
    rules.start = start
    rules.keep = min(rules.keep, start)
    rules.repeated = min(rules.repeated, start)
    let find = VideoFind(
      video, in: version, maxPixels: maxPixels,
      effort: options.effort, rules: rules,
      allowsNone: options.allowsNone
    ) { [options] thing, size in
      var sure = thing
      sure.score = 1
      // Where it cannot be said, it is covered.
      return (try? options.divided([sure], in: size))?.covered.isEmpty != true
    }
    let begin = ContinuousClock.now
    let pace = Pace()
    do throws(VideoFileError) {
      return try await ProgressLine.during { line async throws(VideoFileError) in
        try await find.run(by: videos, on: Pipeline(backend), PooledDetector(images: images)) {
          told in
          let now = ContinuousClock.now
          if pace.isDue(now) { line.say(told.words(after: begin.duration(to: now))) }
        } note: {
          if let command { Console.note("frostglass \(command): \($0)") }
        }
      }
    } catch { throw error.failure }
  }

  /// Looks through the video of a job, which then reads the same file in the same state, or writes nothing.
  ///
  /// - Returns: what was found, and the tracks of it.
  /// - Throws: as the same for a video alone.
  func run(
    on job: inout VideoJob, by videos: any VideoFiles, on backend: BackendOptions, toRedact: Bool
  ) async throws(Failure) -> (VideoFind.Outcome, TrackOptions) {
    let file = FileVersion(job.input)
    let outcome = try await run(job.input, in: file, by: videos, on: backend)
    job.version = file
    job.accepting = { [input = job.input, accepts = job.accepting] report throws(VideoFileError) in
      guard file?.isCurrent == true else { throw .badFile(path: input, FileVersion.changed) }
      try accepts?(report)
    }
    let tracks = TrackOptions(
      found: outcome.tracks, in: job.input, record: json(outcome), toRedact: toRedact)
    return (outcome, tracks)
  }

  /// Why a search and other words exclude each other.
  ///
  /// - Parameter isOne: true for one video, from file to file.
  static func check(_ arguments: ParsedArguments, isOne: Bool) throws(Failure) {
    guard isOne else {
      throw .usage(
        "--find looks through one video, from file to file; of several videos and of pipes --tracks says where "
          + "faces are")
    }
    guard !arguments.has("tracks") else {
      throw .usage(
        "--find and --tracks exclude each other; `frostglass find` makes a file of tracks")
    }
  }

  /// Says what was found, last of all.
  ///
  /// - Parameter words: the last line of it.
  func say(_ found: FoundTracks, _ words: String, for command: String) {
    for words in found.lost.prefix(20) { Console.note("frostglass \(command): \(words)") }
    if found.lost.count > 20 {
      Console.note("frostglass \(command): and \(found.lost.count - 20) more tracks leave off")
    }
    Console.note("frostglass \(command): \(words)")
  }
}

/// The installed detectors, for frames of videos.
private struct PooledDetector: FrameDetector {
  let images: ImageSearch

  func find(in image: Image, by looks: Set<FrameLooks.Look>) async throws(VideoFileError) -> [Found]
  {
    let size = image.size
    let detectors = images.models.map(\.detector)
    let own: [(FrameLooks.Look, Look)] = [
      (.small, Look(.yunet, at: size, side: 640)),
      (.large, Look(.yunet, at: size, side: 1280, most: 96)),
      (.dark, Look(.centerface, at: size, side: 640)),
      (.darkLarge, Look(.centerface, at: size, side: 1920)),
    ]
    var wanted: [Look] = []
    for (kind, look) in own where looks.contains(kind) {
      var look = look
      // A model of the operator's own takes all looks.
      if !detectors.contains(look.detector), let only = detectors.first { look.detector = only }
      if !wanted.contains(look) { wanted.append(look) }
    }
    do throws(Failure) { return try await images.found(in: image, by: wanted) } catch {
      switch error.kind {
      case .unavailable: throw .unavailable(error.lines.joined(separator: "; "))
      default: throw .tracks(error.lines.joined(separator: "; "))
      }
    }
  }
}
