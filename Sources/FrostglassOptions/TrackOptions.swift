package import Frostglass

/// The options that say where something is in each frame of a film.
package struct TrackOptions: Sendable {
  /// How files of tracks are read.
  package static let reading: [Option] = [
    Option(
      "tracks-format", value: "NAME", "How FILE lists them, where its structure does not tell",
      choices: TracksFormat.allCases.map(\.rawValue)),
    Option("tracks-base", value: "0|1", "The number of FILE's first frame, where it does not tell"),
    Option("tracks-of", value: "NAME|ID", "Of several films in FILE the one that is called so"),
    Option(
      "tracks-columns", value: "C", "Behind YOLO's boxes: score, id or score-id",
      choices: TracksReading.Columns.allCases.map(\.rawValue)),
    Option(
      "longest-step", value: "N",
      "Frames or seconds between keys over which a region goes straight (1, or any for key frames)"),
  ]

  /// Where, and how carefully.
  package static let table: [Option] =
    [
      Option(
        "tracks", value: "FILE",
        "Of a film only there, frame by frame: CSV, JSON, MOT, COCO, CVAT, YOLO, KITTI, WebVTT")
    ] + reading + [
      Option(
        "on-gap", value: "G",
        "Where something is lost and found again: cover all between, hold both places, error (cover)",
        choices: TrackSampler.OnGap.allCases.map(\.rawValue)),
      Option(
        "spread-frames", value: "N",
        "Cover also what is covered N frames before and after (0; 2 to redact)"),
      Option(
        "grow-motion", value: "N", "Grow by as far as a region moves in N frames (0; 1 to redact)"),
      Option(
        "tracks-frames", value: "N",
        "Frames of the film, where FILE does not tell or tells otherwise"),
    ]

  /// The file, or folder.
  package let path: String
  /// What it says.
  package let tracks: Tracks
  /// How carefully it is taken.
  package let care: TrackSampler.Care
  private let frames: Int?
  private let isRedaction: Bool

  /// Reads them, and the file.
  ///
  /// - Returns: `nil` without `--tracks`.
  package init?(_ arguments: ParsedArguments, toRedact isRedaction: Bool) throws(Failure) {
    guard let path = arguments.values["tracks"] else {
      for option in Self.table where arguments.has(option.name) {
        throw .usage("--\(option.name) needs --tracks FILE")
      }
      return nil
    }
    guard arguments.repeated["tracks"]?.count == 1 else {
      throw .usage("--tracks is given twice; `frostglass tracks` makes one file of one film")
    }
    self.path = path
    self.isRedaction = isRedaction
    care = TrackSampler.Care(
      onGap: try arguments.choice("on-gap", default: .cover),
      spread: try arguments.integer("spread-frames", in: 0...100) ?? (isRedaction ? 2 : 0),
      motion: try arguments.number("grow-motion", in: 0...100) ?? (isRedaction ? 1 : 0))
    frames = try arguments.integer("tracks-frames", in: 1...1_000_000_000)
    tracks = try Self.tracks(path, arguments)
  }

  /// Reads a file of tracks as the options say.
  package static func tracks(_ path: String, _ arguments: ParsedArguments) throws(Failure) -> Tracks
  {
    var reading = TracksReading()
    if arguments.has("tracks-format") {
      reading.format = try arguments.choice("tracks-format", default: TracksFormat.csv)
    }
    reading.base = try arguments.integer("tracks-base", in: 0...1)
    reading.film = arguments.values["tracks-of"]
    if arguments.has("tracks-columns") {
      reading.columns = try arguments.choice("tracks-columns", default: TracksReading.Columns.id)
    }
    reading.longestStep = try arguments.number("longest-step", in: 0.001...1e9)
    do throws(RegionsError) { return try Tracks(path: path, reading) } catch {
      throw Failure("\(error)", error.kind)
    }
  }

  /// What is covered in each frame of a film.
  ///
  /// - Parameters:
  ///   - base: what the masks have in common.
  ///   - rate: of the film, where it is known.
  /// - Throws: `VideoError.tracks` for tracks that do not fit.
  package func masks(
    beside base: Mask, size: Size, scale: Double, rate: FrameRate?
  ) throws(VideoError) -> TrackMasks {
    try TrackMasks(
      tracks, from: path, beside: base, size: size, scale: scale, care: care, isStrict: isRedaction,
      frames: frames, rate: rate)
  }
}

/// What a redaction of a film did, with a row for each frame.
///
/// The same redaction of the same film gives the same bytes.
package struct FilmAudit {
  private let method: RedactionMethod
  private let mask: RegionOptions
  private let tracks: TrackOptions?
  private let size: Size
  private let scale: Double

  package init(
    _ method: RedactionMethod, _ mask: RegionOptions, _ tracks: TrackOptions?, size: Size,
    scale: Double
  ) {
    (self.method, self.mask, self.tracks) = (method, mask, tracks)
    (self.size, self.scale) = (size, scale)
  }

  /// JSON, a member or frame per line.
  ///
  /// - Parameters:
  ///   - moments: of all frames that were written.
  ///   - masks: of which they were made, where they differ.
  package func text(
    _ moments: some Sequence<FrameMoment>, _ masks: TrackMasks?
  ) throws(VideoError) -> String {
    let shared = mask.mask
    var members = [
      ("tool", JSONText.string("frostglass \(Version.current)")),
      ("width", "\(size.width)"), ("height", "\(size.height)"),
      ("fill", JSONText.string(method.fill.rawValue)),
      ("reversible", method.redaction == nil ? "true" : "false"),
      ("filters", JSONText.string(method.chain.text)),
      ("grow", JSONText.string("\(shared.grow)")),
      ("feather", JSONText.string("\(shared.feather)")),
      ("inverted", shared.isInverted ? "true" : "false"),
      (
        "inEveryFrame",
        JSONText.array(mask.regions.map { JSONText.string($0.shape.text ?? "\($0.shape)") })
      ),
    ]
    if let tracks {
      members.append(
        (
          "tracks",
          JSONText.object([
            ("name", JSONText.string(tracks.path)),
            ("sha256", FileDigest.sha256(of: tracks.path).map { JSONText.string($0) } ?? "null"),
            ("onGap", JSONText.string(tracks.care.onGap.rawValue)),
            ("spreadFrames", "\(tracks.care.spread)"), ("growMotion", "\(tracks.care.motion)"),
          ])
        ))
    }
    var rows: [String] = []
    for moment in moments { rows.append("    " + (try row(moment, masks))) }
    members.append(("frames", rows.isEmpty ? "[]" : "[\n\(rows.joined(separator: ",\n"))\n  ]"))
    let lines = members.map { "  \(JSONText.string($0.0)): \($0.1)" }
    return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
  }

  private func row(_ moment: FrameMoment, _ masks: TrackMasks?) throws(VideoError) -> String {
    var regions: [String] = []
    if let masks {
      let all = masks.sampler.tracks.tracks
      for found in try masks.found(at: moment) {
        let (track, shapes) = (all[found.track], found.shapes.map { $0.text ?? "\($0)" })
        regions.append(
          JSONText.object([
            ("track", track.id.map { JSONText.string($0) } ?? "null"),
            ("label", track.label.map { JSONText.string($0) } ?? "null"),
            ("state", JSONText.string(found.state.rawValue)),
            ("shape", JSONText.string(shapes.joined(separator: "; "))),
          ]))
      }
    }
    return JSONText.object([
      ("frame", "\(moment.index)"),
      ("time", moment.seconds.map { "\(($0 * 1e6).rounded() / 1e6)" } ?? "null"),
      ("regions", JSONText.array(regions)),
    ])
  }
}
