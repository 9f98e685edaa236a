package import Frostglass
package import FrostglassCore
internal import FrostglassStills
internal import Glibc

/// The options that say where something is in each frame of a video.
package struct TrackOptions: Sendable {
  /// Options for reading files of tracks.
  package static let reading: [Option] = [
    Option(
      "tracks-format", value: "NAME", "Format of FILE (by its contents)",
      choices: TracksFormat.allCases.map(\.rawValue)),
    Option(
      "tracks-base", value: "0|1", "Number of the first frame in FILE",
      details: "Needed where FILE does not say it."),
    Option("tracks-of", value: "NAME|ID", "Use the video with this name or id"),
    Option(
      "tracks-columns", value: "C", "Extra columns of YOLO boxes: score, id or score-id",
      choices: TracksReading.Columns.allCases.map(\.rawValue)),
    Option(
      "longest-step", value: "N",
      "Longest gap to interpolate, in frames or seconds (1)",
      details: "Between keyframes of a file of keyframes, gaps of any length are interpolated."),
    Option(
      "cues-at", value: "SHAPE",
      "Region of subtitles (WebVTT or SubRip)",
      details: "Written as for --region."),
  ]

  /// Options for tracks and the care taken with them.
  package static let table: [Option] =
    [
      Option(
        "tracks", value: "FILE",
        "Limit a video to tracked regions of a file",
        details:
          "CSV, JSON, MOT, COCO, CVAT, YOLO, KITTI or WebVTT; boxes for each frame or keyframe.")
    ] + reading + [
      Option(
        "on-gap", value: "G",
        "Between lost and found: cover, hold or error (cover)",
        details:
          "cover: everything between the two places; hold: both places; error: refuse the file.",
        choices: TrackSampler.OnGap.allCases.map(\.rawValue)),
      Option(
        "spread-frames", value: "N",
        "Extend cover N frames before and after (0; redact 2)"),
      Option(
        "grow-motion", value: "N", "Grow by the motion of N frames (0; redact 1)"),
      Option(
        "tracks-frames", value: "N",
        "Number of frames of the video that FILE is for",
        details: "Needed where FILE does not say it, or says another number."),
    ]

  /// The file, or folder.
  package let path: String
  /// The tracks of the file.
  package let tracks: Tracks
  /// The record of the search that found them, as JSON; `nil` of a file.
  package let found: String?
  /// The margins and the rule for gaps.
  package let care: TrackSampler.SafetyMargins
  /// The number of tracks left out by label and score.
  package let leftOut: RegionFilter.LeftOut
  /// Warnings about the file for the user, whatever the video.
  package let remarks: [String]
  private let frames: Int?
  private let isRedaction: Bool

  /// Reads them, and the file.
  ///
  /// - Parameter own: the file of one of several videos, instead of that of `--tracks`.
  /// - Returns: `nil` without `--tracks`.
  package init?(
    _ arguments: ParsedArguments, toRedact isRedaction: Bool, own: String? = nil
  ) throws(Failure) {
    guard let path = own ?? arguments.values["tracks"] else {
      for option in Self.table where arguments.has(option.name) {
        throw .usage("--\(option.name) needs --tracks FILE")
      }
      return nil
    }
    guard arguments.repeated["tracks"]?.count == 1 else {
      throw .usage("--tracks is given twice; `frostglass tracks` makes one file of one video")
    }
    self.path = path
    found = nil
    self.isRedaction = isRedaction
    care = TrackSampler.SafetyMargins(
      onGap: try arguments.choice("on-gap", default: .cover),
      spread: try arguments.integer("spread-frames", in: 0...100) ?? (isRedaction ? 2 : 0),
      motion: try arguments.number("grow-motion", in: 0...100) ?? (isRedaction ? 1 : 0))
    frames = try arguments.integer("tracks-frames", in: 1...1_000_000_000)
    let filter = try RegionOptions.filter(arguments)
    var tracks = try Self.tracks(path, arguments)
    do {
      let taken = try tracks.take(filter, path: path)
      leftOut = taken.leftOut
      remarks = taken.missing.map { "warning: no track has the label \($0)" }
    } catch { throw error.failure }
    self.tracks = tracks
  }

  /// Takes tracks that were found in a video just now. They come with all margins, so nothing is added.
  ///
  /// - Parameters:
  ///   - video: the video's path.
  ///   - record: the record of the search, as JSON for audits.
  package init(found tracks: Tracks, in video: String, record: String, toRedact isRedaction: Bool) {
    path = video
    found = record
    self.tracks = tracks
    self.isRedaction = isRedaction
    care = TrackSampler.SafetyMargins(onGap: .hold)
    (leftOut, remarks, frames) = (RegionFilter.LeftOut(), [], nil)
  }

  /// Returns the tracks of several videos, each of which has its own file in the folder that `--tracks` names.
  ///
  /// - Parameter videos: the videos' names below the folder of videos, and their paths.
  /// - Returns: the options by the path of the video; videos without a file are left out.
  package static func each(
    of videos: [(name: String, path: String)], _ arguments: ParsedArguments,
    toRedact isRedaction: Bool
  ) throws(Failure) -> [String: TrackOptions] {
    guard let folder = arguments.values["tracks"] else {
      _ = try TrackOptions(arguments, toRedact: isRedaction)
      return [:]
    }
    var all: [String: TrackOptions] = [:]
    for video in videos {
      guard let own = try file(of: video.name, in: folder) else { continue }
      all[video.path] = try TrackOptions(arguments, toRedact: isRedaction, own: own)
    }
    return all
  }

  /// Returns the file, or folder, of one of several videos: the entry of a folder with its name and another extension.
  ///
  /// - Parameter name: the name of the video, below the folder of videos.
  /// - Returns: `nil` where there is none.
  /// - Throws: `Failure` where there are several, and where the folder is none.
  private static func file(of name: String, in folder: String) throws(Failure) -> String? {
    guard Folder.isThere(folder) else {
      throw .usage(
        "--tracks is \(folder); of several videos it must be a folder with a file for each, of its name"
      )
    }
    let slash = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
    let dot = name[slash...].lastIndex(of: ".") ?? name.endIndex
    let stem = "\(folder)\(folder.hasSuffix("/") ? "" : "/")\(name[..<dot])"
    let found = ["", ".csv", ".tsv", ".json", ".xml", ".vtt", ".srt", ".txt"].map { stem + $0 }
      .filter { access($0.systemPath, F_OK) == 0 }
    guard found.count < 2 else {
      throw .usage("\(found[0]) and \(found[1]) could both be of \(name)")
    }
    return found.first
  }

  /// Reads a file of tracks as the options say.
  package static func tracks(_ path: String, _ arguments: ParsedArguments) throws(Failure) -> Tracks
  {
    var reading = TracksReading()
    if arguments.has("tracks-format") {
      reading.format = try arguments.choice("tracks-format", default: TracksFormat.csv)
    }
    reading.base = try arguments.integer("tracks-base", in: 0...1)
    reading.video = arguments.values["tracks-of"]
    if arguments.has("tracks-columns") {
      reading.columns = try arguments.choice("tracks-columns", default: TracksReading.Columns.id)
    }
    reading.longestStep = try arguments.number("longest-step", in: 0.001...1e9)
    reading.takesOutlines = arguments.has("outlines")
    if let text = arguments.values["cues-at"] {
      do { reading.cuesAt = try MaskShape.list(text: text) } catch {
        throw .usage("--cues-at: \(error)")
      }
    }
    return try mapped(\RegionsError.failure, Tracks(path: path, reading))
  }

  /// Returns the mask of each frame of a video.
  ///
  /// - Parameters:
  ///   - base: the settings that all masks share.
  ///   - rate: the video's frame rate, where it is known.
  /// - Throws: `VideoError.tracks` for tracks that do not fit.
  package func masks(
    beside base: Mask, size: Size, scale: Double, rate: FrameRate?
  ) throws(VideoError) -> TrackMasks {
    try TrackMasks(
      tracks, from: path, beside: base, size: size, scale: scale, care: care, isStrict: isRedaction,
      frames: frames, rate: rate)
  }
}
