internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassStills

/// `frostglass tracks`: says what a file of tracks holds, or writes it in another form.
struct TracksCommand: Command {
  static let name = "tracks"
  static let summary = "Inspect or convert region tracks"
  static let operands = "INPUT [OUTPUT]"
  static let notes = """
    INPUT is a file, or for YOLO and KITTI a directory with a text file per frame. Without OUTPUT, prints
    how many tracks it has, in how many frames, and where they are lost. With OUTPUT, converts to the
    format of its extension or of --to, and warns about what that format cannot hold. For example:

      frostglass tracks gt.txt faces.json
      frostglass tracks annotations.xml labels --to yolo --size 1920x1080
      frostglass tracks faces.json others.json --without 7,12

    docs/use/tracks.md lists the formats.
    """
  static let options: [Option] =
    TrackOptions.reading.grouped(.reading)
    + [
      Option(
        "to", value: "NAME", "Format of OUTPUT (by its extension)",
        choices: TracksFormat.allCases.map(\.rawValue)
      ).grouped(.writing),
      Option("size", value: "WxH", "Frame size, if INPUT does not have it")
        .grouped(.reading),
      Option("rate", value: "N|N/M", "Frames per second, to convert frames to times")
        .grouped(.reading),
      Option(
        "without", value: "IDS", "Leave out tracks by id, such as 7,12",
        details: "All pieces of a track go with it."
      )
      .grouped(.writing),
      .overwrite, .json, .quiet,
    ]

  private let input: String
  private let output: (path: String, format: TracksFormat)?
  private let tracks: Tracks
  private let size: Size?
  private let rate: FrameRate?
  private let overwrite: Bool

  init(_ arguments: ParsedArguments) throws {
    guard (1...2).contains(arguments.operands.count) else {
      throw Failure.usage(
        "INPUT is needed, and OUTPUT if it is to be converted; see `frostglass tracks --help`")
    }
    input = arguments.operands[0]
    size = try arguments.frameSize()
    overwrite = arguments.has("overwrite")
    if let text = arguments.values["rate"] {
      guard let rate = FrameRate(text: text) else {
        throw Failure.usage("--rate is \(text); it must be such as 25, 29.97 or 30000/1001")
      }
      self.rate = rate
    } else {
      rate = nil
    }
    if arguments.operands.count == 2 {
      let path = arguments.operands[1]
      let named: TracksFormat? =
        arguments.has("to") ? try arguments.choice("to", default: .json) : TracksFormat(path: path)
      guard let format = named else {
        throw Failure.usage(
          "\(path): nothing tells the form to write; --to NAME does: "
            + TracksFormat.allCases.map(\.rawValue).joined(separator: ", "))
      }
      output = (path, format)
    } else {
      output = nil
      for option in ["to", "overwrite"] where arguments.has(option) {
        throw Failure.usage("--\(option) is for OUTPUT, which is not given")
      }
    }
    var tracks = try TrackOptions.tracks(input, arguments)
    if let text = arguments.values["without"] {
      let ids = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard !ids.contains("") else {
        throw Failure.usage(
          "--without is \(text); it must be ids with commas between, such as 7,12")
      }
      do throws(RegionsError) { try tracks.leaveOut(ids) } catch {
        throw Failure("\(input): \(error)", error.kind)
      }
    }
    self.tracks = tracks
  }

  func run() async throws -> Int32 {
    var losses: [String] = []
    if let output {
      let written: WrittenTracks
      do {
        written = try WrittenTracks(tracks, as: output.format, size: size, rate: rate)
      } catch { throw Failure("\(input): \(error)", error.kind) }
      losses = written.losses
      try save(written, output.path, isFolder: output.format.isFolder)
      for loss in losses {
        Console.note("frostglass tracks: \(output.format.rawValue) does not hold \(loss)")
      }
    }
    guard Console.speaksJSON else {
      if output == nil { Console.print(words) }
      return ExitCode.done
    }
    func text(_ number: Double?) -> String { number.map { shortest($0) } ?? "null" }
    Console.print(
      json: [
        ("input", input.jsonPath),
        ("output", output.map { $0.path.jsonPath } ?? "null"),
        ("clock", JSONText.string(tracks.clock.rawValue)), ("tracks", "\(tracks.tracks.count)"),
        ("keys", "\(keys)"), ("end", text(tracks.end.isFinite ? tracks.end : nil)),
        ("length", text(tracks.length)), ("width", size(\.width)), ("height", size(\.height)),
        ("gaps", "\(tracks.gaps.count)"),
        ("losses", JSONText.array(losses.map { JSONText.string($0) })),
      ], of: Self.name)
    return ExitCode.done
  }

  private func size(_ side: KeyPath<Size, Int>) -> String {
    (size ?? tracks.size).map { "\($0[keyPath: side])" } ?? "null"
  }

  private var keys: Int { tracks.tracks.reduce(0) { $0 + $1.keys.count } }

  /// Such as `3 tracks: 2 face, 1 plate`, and what is known of the video.
  private var words: String {
    let unit = tracks.clock == .frames ? "frame" : "second"
    func count(_ number: Double, _ unit: String) -> String {
      "\(shortest(number)) \(unit)\(number == 1 ? "" : "s")"
    }
    let labels = LabelCounts(tracks.tracks.map(\.label)).counts.map { "\($0.count) \($0.label)" }
    var lines = [
      count(Double(tracks.tracks.count), "track")
        + (labels.isEmpty ? "" : ": " + labels.joined(separator: ", ")),
      "\(count(Double(keys), "key")), up to \(count(tracks.end, unit))"
        + (tracks.length.map { " of \(shortest($0))" } ?? ""),
    ]
    if let size = size ?? tracks.size { lines.append("frames of \(size)") }
    for gap in tracks.gaps.prefix(10) {
      lines.append(
        "gap: \(gap.track.id.map { "track \($0)" } ?? "a region") from \(unit) \(shortest(gap.from)) to "
          + shortest(gap.to))
    }
    if tracks.gaps.count > 10 { lines.append("and \(tracks.gaps.count - 10) more gaps") }
    return lines.joined(separator: "\n")
  }

  private func save(
    _ written: WrittenTracks, _ path: String, isFolder: Bool
  ) throws {
    if isFolder, let failure = Folder.make(path) {
      throw Failure("\(failure.path): cannot be made (\(failure.reason))", .cannotCreate)
    }
    for file in written.files {
      let sink =
        path == "-"
        ? StillSink.standardOutput
        : .file(isFolder ? "\(path)/\(file.name)" : path, overwrite: overwrite)
      try sink.save(file.text)
    }
  }
}
