package import FrostglassCore
internal import FrostglassStills
internal import Glibc

/// A format of tracks in a file or folder; docs/use/tracks.md describes each and names its source.
package enum TracksFormat: String, Sendable, Hashable, CaseIterable {
  /// A table with a column `frame` or `time`.
  case csv
  /// JSON with `tracks`, which holds everything that can be said.
  case json
  /// Lines of MOTChallenge.
  case mot
  /// JSON with `videos`: YouTube-VIS, CocoVID, TAO.
  case cocoVideo = "coco-video"
  /// XML of CVAT for video.
  case cvat
  /// A folder with a text for each frame, as YOLO has them.
  case yolo
  /// A folder with a text for each frame, as KITTI has them and DeepStream writes them.
  case kitti
  /// Cues with `#xywh=`, and subtitles, of SubRip as well.
  case webvtt

  /// True if it is a folder with a file for each frame.
  package var isFolder: Bool { self == .yolo || self == .kitti }

  /// Returns the usual format of a file's name; `nil` where the name does not tell.
  package init?(path: String) {
    switch path.split(separator: ".").last?.lowercased() {
    case "csv", "tsv": self = .csv
    case "json": self = .json
    case "xml": self = .cvat
    case "vtt": self = .webvtt
    default: return nil
    }
  }
}

/// The options for reading a file of tracks: facts that the file does not say.
package struct TracksReading: Sendable, Hashable {
  /// The columns after the box in lines of YOLO.
  package enum Columns: String, Sendable, Hashable, CaseIterable {
    /// The detector's confidence.
    case score
    /// The number of a track.
    case id
    /// Both.
    case scoreAndID = "score-id"
  }

  /// `nil` is what its structure tells.
  package var format: TracksFormat?
  /// The number of the first frame, 0 or 1; `nil` is what the format says.
  package var base: Int?
  /// The name of the video to take, where the file has several.
  package var video: String?
  /// The columns after the boxes in lines of YOLO.
  package var columns: Columns?
  /// The longest step, instead of the format's; see `Tracks.longestStep`.
  package var longestStep: Double?
  /// True if the masks of COCO are taken instead of boxes.
  package var takesOutlines = false
  /// The area of cues that give no position, such as subtitles; `nil` refuses them.
  package var cuesAt: [MaskShape]?

  package init() {}
}

extension Tracks {
  /// Reads a file, or a folder with one for each frame.
  ///
  /// - Throws: `RegionsError`; what is wrong in a file with line and column, and what could be meant in
  ///   two ways with the option that settles it.
  package init(path: String, _ reading: TracksReading = TracksReading()) throws(RegionsError) {
    if Folder.isThere(path) {
      guard reading.format?.isFolder ?? true else {
        throw .unfit(
          path: path,
          reason: "it is a folder, which --tracks-format \(reading.format?.rawValue ?? "") is not")
      }
      guard reading.cuesAt == nil else {
        throw .unfit(path: path, reason: "it is a folder, and --cues-at is for subtitles")
      }
      self = try FrameFolder(path, reading).tracks()
    } else {
      if let format = reading.format, format.isFolder {
        throw .unfit(
          path: path,
          reason: "--tracks-format \(format.rawValue) is a folder with a file for each frame")
      }
      let text = try RegionsFile.contents(path)
      do { self = try Tracks(text: text, reading) } catch {
        throw error.inFile(path)
      }
    }
    if let step = reading.longestStep { longestStep = step }
    guard tracks.contains(where: { $0.keys.contains { $0.shape != nil } }) else {
      throw .unfit(path: path, reason: "there are no regions in it")
    }
  }

  /// Reads the text of a file.
  ///
  /// - Throws: `RegionsError` without a path.
  package init(
    text: String, _ reading: TracksReading = TracksReading()
  ) throws(RegionsError) {
    let text = text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
    let format: TracksFormat
    if let said = reading.format { format = said } else { format = try Self.format(of: text) }
    if let base = reading.base, ![.mot, .cocoVideo].contains(format) {
      throw .unfit(
        path: "",
        reason: "--tracks-base is \(base), and \(format.rawValue) says itself how it counts")
    }
    if reading.video != nil, format != .cocoVideo {
      throw .unfit(path: "", reason: "--tracks-of is for several videos, and it has one")
    }
    if reading.columns != nil {
      throw .unfit(path: "", reason: "--tracks-columns is for folders of YOLO's")
    }
    if reading.cuesAt != nil, format != .webvtt {
      throw .unfit(
        path: "", reason: "--cues-at is for subtitles, and \(format.rawValue) says where things are"
      )
    }
    switch format {
    case .csv: self = try Tracks(csv: text)
    case .mot: self = try Tracks(mot: text, base: reading.base ?? 1)
    case .json: self = try Tracks(json: JSONValue(tracks: text))
    case .cocoVideo: self = try Tracks(coco: JSONValue(tracks: text), reading)
    case .cvat: self = try Tracks(cvat: text)
    case .webvtt: self = try Tracks(webvtt: text, cuesAt: reading.cuesAt)
    case .yolo, .kitti:
      throw .unfit(path: "", reason: "\(format.rawValue) is a folder with a file for each frame")
    }
  }

  /// The format that a text's structure tells.
  private static func format(of text: String) throws(RegionsError) -> TracksFormat {
    let start = text.drop { $0.isWhitespace }
    if start.hasPrefix("WEBVTT") || Tracks.isSubRip(text) { return .webvtt }
    if start.hasPrefix("<") { return .cvat }
    if start.hasPrefix("{") || start.hasPrefix("[") {
      let document = try JSONValue(tracks: text)
      if document.member("videos") != nil { return .cocoVideo }
      if document.member("tracks") != nil { return .json }
      throw .malformed(
        path: "", place: document.place,
        reason:
          "it has neither tracks nor, as COCO for video, videos; regions of an image are for "
          + "--regions")
    }
    let line = start.prefix { !$0.isNewline }
    let words = line.split(omittingEmptySubsequences: false) { ",;\t".contains($0) }
    let numbers = words.filter { word in
      Double(word.drop { $0.isWhitespace }.prefix { !$0.isWhitespace }) != nil
    }
    if numbers.count < words.count { return .csv }
    guard (6...10).contains(words.count) else {
      throw .malformed(
        path: "", place: TextPosition(line: 1, column: 1),
        reason:
          "\(line.prefix(60)) is no line of MOT, and tables need a first line with names, such "
          + "as frame,x,y,width,height,id,label; --tracks-format says what else it is")
    }
    return .mot
  }
}

extension JSONValue {
  /// Reads a document; what is wrong is a fault of the file.
  fileprivate init(tracks text: String) throws(RegionsError) {
    do { try self.init(text: text) } catch {
      throw .malformed(path: "", place: error.place, reason: error.reason)
    }
  }
}
