package import Frostglass
package import FrostglassCore
package import FrostglassFind
internal import FrostglassOptions
package import FrostglassStills

/// Finds things to hide in a video, before anything is written.
package struct VideoFind: Sendable {
  /// The things found, and the video they were found in.
  package struct Outcome: Sendable {
    /// The things to cover, and those left alone.
    package var found: FoundTracks
    /// The same as `--tracks` reads it.
    package var tracks: Tracks
    /// Frames of the video.
    package var frames: Int
    /// The size of upright frames.
    package var size: Size
  }

  private let video: String
  private let version: FileVersion?
  private let maxPixels: Int
  private let looks: FrameLooks
  private let rules: TrackingRules
  private let allowsNone: Bool
  private let isWanted: @Sendable (Found, Size) -> Bool

  /// Prepares to look through a video.
  ///
  /// - Parameters:
  ///   - video: the file's path.
  ///   - version: the state that it must be in; `nil` takes any.
  ///   - effort: which frames are looked at.
  ///   - rules: the scores that count.
  ///   - allowsNone: whether a video in which nothing is found is no error.
  ///   - isWanted: whether something found in a frame of a size may be covered.
  package init(
    _ video: String, in version: FileVersion? = nil, maxPixels: Int, effort: FindEffort,
    rules: TrackingRules = TrackingRules(), allowsNone: Bool = false,
    isWanted: @escaping @Sendable (Found, Size) -> Bool = { _, _ in true }
  ) {
    (self.video, self.version) = (video, version)
    (self.maxPixels, looks) = (maxPixels, FrameLooks(effort))
    (self.rules, self.allowsNone, self.isWanted) = (rules, allowsNone, isWanted)
  }

  /// Looks through the video.
  ///
  /// - Parameters:
  ///   - progress: told after each frame.
  ///   - note: told what a person should know.
  /// - Throws: `VideoFileError`; `.tracks` where nothing is found and that is not allowed.
  package func run(
    by videos: any VideoFiles, on pipeline: Pipeline, _ detector: any FrameDetector,
    progress: (VideoProgress) -> Void = { _ in }, note: (String) -> Void = { _ in }
  ) async throws(VideoFileError) -> Outcome {
    var finder: VideoFinder?
    var size = Size(width: 0, height: 0)
    try await videos.view(
      video, in: version, maxPixels: maxPixels, on: pipeline, wants: { _ in true },
      progress: progress, note: note
    ) { _, image throws(VideoFileError) in
      if finder == nil {
        size = image.size
        finder = VideoFinder(size: size, looks: looks, detector: detector, rules: rules) {
          [isWanted, size] in isWanted($0, size)
        }
      }
      guard image.size == size else {
        throw .unsupported(path: video, "its frames change from \(size) to \(image.size)")
      }
      try await finder?.add(image)
    }
    guard var finder else { throw .badFile(path: video, "no frame of its video can be decoded") }
    let found = try await finder.finish()
    guard !found.tracks.isEmpty || allowsNone else { throw .tracks(nothing(found)) }
    return Outcome(
      found: found, tracks: Tracks(found, size: size, frames: finder.frames),
      frames: finder.frames, size: size)
  }

  /// Says that nothing is to be covered.
  private func nothing(_ found: FoundTracks) -> String {
    let best = found.leftAlone.first.map { thing in
      "; the most certain of \(found.leftAlone.count) things left alone has \(thing.score.rounded(places: 2)), in frame "
        + "\(thing.frame)"
    }
    return "\(video): nothing was found with a score of \(rules.start), and nothing is written"
      + (best ?? "")
      + "; a lower --find-score covers more, and --allow-none goes on all the same"
  }
}

extension FoundTracks {
  /// The last line that a command says of a video, such as `14 faces, 3120 sightings measured, 410 between, 96 held;
  /// lowest start 0.66; 7 left alone: see the sheet`.
  ///
  /// - Parameters:
  ///   - hasSheet: whether there is a sheet to see.
  ///   - hint: words for what shows them elsewhere.
  package func words(hasSheet: Bool, elsewhere hint: String = "--review shows them") -> String {
    let labels = Set(tracks.map(\.label) + leftAlone.map(\.label))
    let thing = labels.count == 1 ? labels.first ?? "thing" : "thing"
    var words = "\(count) \(thing)\(count == 1 ? "" : "s")"
    let measured = places(.measured)
    words += ", \(measured) sighting\(measured == 1 ? "" : "s") measured"
    words += ", \(places(.between)) between, \(places(.held)) held"
    if let lowestStart { words += "; lowest start \(lowestStart.rounded(places: 2))" }
    words += "; \(leftAlone.count) left alone"
    return words + (hasSheet ? ": see the sheet" : leftAlone.isEmpty ? "" : "; \(hint)")
  }

  /// The sentences about tracks that leave off inside the image.
  package var lost: [String] {
    tracks.filter(\.leavesOff).map { track in
      let last = track.places[track.places.count - 1].frame
      return "track \(track.id) leaves off inside the image: it is covered up to frame \(last)"
    }
  }
}

/// `frostglass find video.mp4 tracks.json`: says where faces are in each frame of a video.
struct VideoFindRequest {
  private let video: String
  private let output: StillSink
  private let format: TracksFormat
  private let search: VideoSearch
  private let review: Review?
  private let maxPixels: Int
  private let arguments: ParsedArguments

  /// - Returns: `nil` where no video is given.
  init?(_ arguments: ParsedArguments) throws {
    let names = arguments.operands
    guard let video = names.first(where: VideoName.isVideo) else { return nil }
    guard names.count <= 2, names[0] == video, names.count == 1 || !VideoName.isVideo(names[1])
    else {
      throw Failure.usage(
        "\(video) is a video; give one video, and a name such as faces.json for its tracks")
    }
    for option in ["frame", "memory", "recursive"] where arguments.has(option) {
      throw Failure.usage("--\(option) is for images, and \(video) is a video")
    }
    let path = names.count == 2 && names[1] != "-" ? names[1] : nil
    let named = path.flatMap { FoundFile.Form(path: $0) }
    guard path == nil || named != nil || arguments.has("to") else {
      throw Failure.usage(
        "\(names[1]): nothing tells the form to write; give a name that ends with .json or .csv, or --to"
      )
    }
    let form: FoundFile.Form =
      arguments.has("to") ? try arguments.choice("to", default: .json) : named ?? .json
    format =
      switch form {
      case .json: .json
      case .coco: .cocoVideo
      case .csv: .csv
      }
    if let path {
      try arguments.checkOutputs([path])
      output = .file(path, overwrite: arguments.has("overwrite"))
    } else {
      guard !arguments.has("json") else {
        throw Failure.usage("--json and - as output exclude each other: both are standard output")
      }
      output = .standardOutput
    }
    guard let search = try VideoSearch(arguments, isAsked: true) else {
      throw Failure("nothing is searched for", .software)
    }
    (self.video, self.search, self.arguments) = (video, search, arguments)
    review = try Review(arguments, scale: 1)
    maxPixels = try arguments.decoding().maxPixels
  }

  func run() async throws -> Int32 {
    guard let videos = CommandLineTool.videos else { throw VideoProgram.start() }
    try output.preflight()
    try review?.check(1, beside: arguments.namedFiles(but: "review"))
    let backend = BackendOptions(.fast)
    let outcome = try await search.run(video, by: videos, on: backend, for: FindCommand.name)
    let sheet = VideoReview(outcome)
    try review?.check(sheet.count, beside: arguments.namedFiles(but: "review"))
    let written: WrittenTracks
    do throws(RegionsError) { written = try WrittenTracks(outcome.tracks, as: format) } catch {
      throw Failure("\(video): \(error)", error.kind)
    }
    for file in written.files { try output.save(file.text) }
    for loss in written.losses {
      Console.note("frostglass find: \(format.rawValue) does not hold \(loss)")
    }
    if let review {
      try await sheet.write(
        of: video, maxPixels: maxPixels, by: videos, on: Pipeline(backend), to: review)
    }
    search.say(
      outcome.found, outcome.found.words(hasSheet: review != nil), for: FindCommand.name)
    if Console.speaksJSON {
      Console.print(
        json: [
          ("input", video.jsonPath), ("frames", "\(outcome.frames)"),
          ("found", search.json(outcome)),
        ], of: FindCommand.name)
    }
    return ExitCode.done
  }
}
