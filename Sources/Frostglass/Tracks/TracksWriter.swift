package import FrostglassCore
internal import FrostglassStills

/// The facts that a format of tracks cannot hold, each once.
struct TrackLosses: Sendable, Hashable {
  private(set) var words: [String] = []

  mutating func add(_ loss: String) {
    if !words.contains(loss) { words.append(loss) }
  }

  mutating func addGaps(of tracks: Tracks) {
    guard !tracks.gaps.isEmpty else { return }
    add(
      "gaps: where something was lost it goes straight from before to after, unless --longest-step "
        + "says how far")
  }

  mutating func addShapes() {
    add("shapes: ellipses, polygons and round corners become the boxes around them")
  }
}

/// Tracks in another form, with what that form cannot hold.
package struct WrittenTracks: Sendable, Hashable {
  /// Texts by their names; a form that is one file has one without a name.
  package private(set) var files: [(name: String, text: String)] = []
  /// The facts that the format cannot hold, in words.
  package var losses: [String] { lost.words }

  package static func == (one: WrittenTracks, other: WrittenTracks) -> Bool {
    one.losses == other.losses && one.files.map(\.name) == other.files.map(\.name)
      && one.files.map(\.text) == other.files.map(\.text)
  }

  package func hash(into hasher: inout Hasher) {
    for file in files {
      hasher.combine(file.name)
      hasher.combine(file.text)
    }
  }

  private var lost = TrackLosses()
  private let tracks: Tracks
  private let size: Size?

  /// Writes tracks.
  ///
  /// - Parameters:
  ///   - size: of the video, where the tracks do not say it.
  ///   - rate: of the video, where the forms count differently.
  /// - Throws: `RegionsError.unfit` where size or rate is needed and missing.
  package init(
    _ given: Tracks, as format: TracksFormat, size: Size? = nil, rate: FrameRate? = nil
  ) throws(RegionsError) {
    self.size = size ?? given.size
    switch format {
    case .csv, .json: tracks = given
    case .webvtt:
      tracks = try given.inSeconds(rate)
      try Self.checkCues(of: tracks, rate)
    case .mot, .cocoVideo, .cvat, .yolo, .kitti:
      tracks = try given.inFrames(rate)
      try Self.checkLength(of: tracks, as: format)
      if given.clock == .seconds { lost.add("times become the nearest frames") }
    }
    switch format {
    case .csv: files = [("", csv())]
    case .json: files = [("", json())]
    case .mot: files = [("", try mot())]
    case .cocoVideo: files = [("", try coco())]
    case .cvat: files = [("", try tracks.cvat(size: self.size, &lost))]
    case .webvtt: files = [("", try tracks.webvtt(size: self.size, rate, &lost))]
    case .yolo, .kitti: files = try folder(format)
    }
    if format != .json, tracks.tracks.contains(where: { $0.keys.contains { $0.state != nil } }) {
      lost.add("which regions were followed and not seen")
    }
  }

  /// Forms with a line for each frame hold so many; a key far off makes lines for all frames before it.
  private static let mostLines = 10_000_000.0

  private static func checkLength(
    of tracks: Tracks, as format: TracksFormat
  ) throws(RegionsError) {
    guard format != .cvat else { return }
    let length = max(tracks.length ?? 0, tracks.end)
    try checkLines(length * Double(max(tracks.tracks.count, 1)), of: format)
  }

  /// The same of cues: what moves has one for each frame.
  private static func checkCues(of tracks: Tracks, _ rate: FrameRate?) throws(RegionsError) {
    guard let rate else { return }
    let perSecond = Double(rate.frames) / Double(rate.seconds)
    var seconds = 0.0
    for track in tracks.tracks {
      for (key, next) in zip(track.keys, track.keys.dropFirst())
      where key.until == nil && key.shape != nil && next.shape != nil && next.shape != key.shape {
        seconds += next.at - key.at
      }
    }
    try checkLines(seconds * perSecond, of: .webvtt)
  }

  private static func checkLines(_ lines: Double, of format: TracksFormat) throws(RegionsError) {
    guard lines > mostLines else { return }
    throw .unfit(
      path: "",
      reason:
        "\(format.rawValue) has a line for each frame, which would be \(shortest(lines)) here; at "
        + "most \(shortest(mostLines)) are written")
  }

  // MARK: - Our own forms

  private mutating func csv() -> String {
    let keys = tracks.tracks.flatMap(\.keys)
    let areBoxes = keys.allSatisfy { key in
      guard case .rectangle(let x, let y, let width, let height, let radius, _)? = key.shape else {
        return key.shape == nil
      }
      return radius.value == 0 && [x, y, width, height].allSatisfy { $0.unit == .pixels }
    }
    let hasScore = keys.contains { $0.score != nil }
    let hasUntil = keys.contains { $0.until != nil }
    let hasGone = keys.contains { $0.shape == nil }
    let clock = tracks.clock == .frames ? "frame" : "time"
    var text =
      ([clock] + (areBoxes ? ["x", "y", "width", "height"] : ["shape"]) + ["id", "label"]
      + (hasScore ? ["score"] : []) + (hasUntil ? ["until"] : []) + (hasGone ? ["outside"] : []))
      .joined(separator: ",") + "\n"
    for track in tracks.tracks {
      for key in track.keys {
        var fields = [shortest(key.at)]
        if areBoxes {
          let box = key.shape?.box
          fields += [box?.x, box?.y, box?.width, box?.height].map { $0.map(shortest) ?? "" }
        } else {
          fields.append(key.shape?.text.map(Self.quoted) ?? "")
        }
        fields += [track.id ?? "", track.label ?? ""].map(Self.quoted)
        if hasScore { fields.append(key.score.map(shortest) ?? "") }
        if hasUntil { fields.append(key.until.map { $0.isFinite ? shortest($0) : "end" } ?? "") }
        if hasGone { fields.append(key.shape == nil ? "1" : "") }
        text += fields.joined(separator: ",") + "\n"
      }
    }
    if tracks.length != nil || tracks.size != nil {
      lost.add("how long and how large the video is")
    }
    lost.addGaps(of: tracks)
    return text
  }

  private static func quoted(_ text: String) -> String {
    text.contains { ",;\t\"".contains($0) } ? text.csvQuoted : text
  }

  private func json() -> String {
    let clock = tracks.clock == .frames ? "frame" : "time"
    var members: [(String, String)] = [("clock", JSONText.string(tracks.clock.rawValue))]
    if let length = tracks.length { members.append((tracks.clock.rawValue, shortest(length))) }
    if let size { members.append(("size", "[\(size.width),\(size.height)]")) }
    if let step = tracks.longestStep { members.append(("longestStep", shortest(step))) }
    let rows = tracks.tracks.map { track in
      let keys = track.keys.map { key -> String in
        var members = [(clock, shortest(key.at))]
        if let until = key.until {
          members.append(("until", until.isFinite ? shortest(until) : "\"end\""))
        }
        members += key.shape.map(Self.members) ?? [("outside", "true")]
        if let score = key.score { members.append(("score", shortest(score))) }
        if let state = key.state { members.append(("state", JSONText.string(state.rawValue))) }
        return "      " + JSONText.object(members)
      }
      let head =
        (track.id.map { "\"id\":\(JSONText.string($0))," } ?? "")
        + (track.label.map { "\"label\":\(JSONText.string($0))," } ?? "")
      return "    {\(head)\"keys\":[\n\(keys.joined(separator: ",\n"))\n    ]}"
    }
    let lines =
      members.map { "  \(JSONText.string($0.0)): \($0.1)" }
      + ["  \"tracks\": [\n\(rows.joined(separator: ",\n"))\n  ]"]
    return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
  }

  /// A shape as files of regions have it.
  private static func members(_ shape: MaskShape) -> [(String, String)] {
    func text(_ length: Length) -> String {
      length.unit == .pixels ? shortest(length.value) : JSONText.string("\(length)")
    }
    func list(_ lengths: [Length]) -> String { JSONText.array(lengths.map(text)) }
    switch shape {
    case .rectangle(let x, let y, let width, let height, let radius, _):
      return [("bbox", list([x, y, width, height]))]
        + (radius.value == 0 ? [] : [("radius", text(radius))])
    case .ellipse(let x, let y, let width, let height):
      return [("ellipse", list([x, y, width, height]))]
    case .polygon(let corners):
      return [("polygon", JSONText.array(corners.map { list([$0.x, $0.y]) }))]
    case .gradient, .picture: return []
    }
  }

  // MARK: - Forms with a box for each frame

  /// A box of a frame.
  private struct Box {
    var frame: Int
    var track: Int
    var left, top, width, height: Double
    var score: Double?
  }

  /// Returns the boxes in each frame. Gaps have none, as nothing was found there.
  private mutating func boxes() throws(RegionsError) -> [Box] {
    let size = try tracks.pixels(of: size)
    let sampler = try TrackSampler(
      tracks, size: size, care: TrackSampler.SafetyMargins(onGap: .hold), frame: nil)
    var boxes: [Box] = []
    for (index, track) in sampler.tracks.tracks.enumerated() {
      if track.keys.contains(where: { $0.until == .infinity }), tracks.length == nil {
        lost.add(
          "that \(track.words) stays to the end of the video, of which the length is not known")
      }
      if track.keys.contains(where: { $0.shape == nil }) {
        lost.add("that things are gone on purpose: it will be taken for a gap")
      }
      let last = track.keys[track.keys.count - 1]
      let end = last.until.map { $0.isFinite ? $0 : tracks.length ?? last.at + 1 } ?? last.at + 1
      var key = 0
      var hasFilled = false
      for frame in Int(track.keys[0].at)..<max(Int(end), Int(track.keys[0].at) + 1) {
        while key + 1 < track.keys.count, track.keys[key + 1].at <= Double(frame) { key += 1 }
        let isGap =
          key + 1 < track.keys.count && track.keys[key].until == nil
          && track.keys[key].at < Double(frame)
          && tracks.longestStep.map { track.keys[key + 1].at - track.keys[key].at > $0 } ?? false
        guard !isGap, let shape = MaskShape.around(sampler.place(track.keys, Double(frame)).shapes),
          let box = shape.box
        else { continue }
        let isMeasured = track.keys[key].at == Double(frame)
        if !isMeasured { hasFilled = true }
        if track.keys[key].shape?.isPlainBox != true {
          lost.addShapes()
        }
        // Measured values are written as read; interpolated ones are rounded.
        func told(_ length: Double) -> Double {
          isMeasured ? length : (length * 1000).rounded() / 1000
        }
        boxes.append(
          Box(
            frame: frame, track: index, left: told(box.x), top: told(box.y),
            width: told(box.width), height: told(box.height), score: track.keys[key].score))
      }
      if hasFilled { lost.add("which frames were measured: those between are written like them") }
    }
    return boxes.sorted { ($0.frame, $0.track) < ($1.frame, $1.track) }
  }

  /// A whole number for each track: its own where all have one.
  private mutating func numbers() -> [Int] {
    let own = tracks.tracks.map { $0.id.flatMap { Int($0) } }
    let given = zip(tracks.tracks, own).filter { track, _ in track.id != nil }.map { $0.1 ?? -1 }
    guard given.allSatisfy({ $0 >= 0 }), Set(given).count == given.count else {
      lost.add("ids: they become whole numbers")
      return tracks.tracks.indices.map { tracks.tracks[$0].id == nil ? -1 : $0 + 1 }
    }
    return own.map { $0 ?? -1 }
  }

  private mutating func mot() throws(RegionsError) -> String {
    let numbers = numbers()
    if tracks.tracks.contains(where: { $0.label != nil }) { lost.add("labels") }
    if tracks.length != nil || size != nil { lost.add("how long and how large the video is") }
    return try boxes().map { box in
      let places = [box.left + 1, box.top + 1, box.width, box.height].map(shortest)
      return "\(box.frame + 1),\(numbers[box.track]),\(places.joined(separator: ",")),"
        + "\(box.score.map(shortest) ?? "-1"),-1,-1,-1\n"
    }.joined()
  }

  private mutating func coco() throws(RegionsError) -> String {
    guard let size else { throw Tracks.noSize }
    let boxes = try boxes()
    let length = max(Int(tracks.length ?? 0), (boxes.last?.frame ?? 0) + 1)
    if tracks.length == nil {
      lost.add("that the length of the video is not known: it ends with the tracks")
    }
    let (labels, places) = labels()
    var lists = [[String]](
      repeating: [String](repeating: "null", count: length), count: tracks.tracks.count)
    for box in boxes {
      lists[box.track][box.frame] = JSONText.array(
        [box.left, box.top, box.width, box.height].map(shortest))
    }
    if tracks.tracks.contains(where: { $0.keys.contains { $0.score != nil } }) {
      lost.add("scores")
    }
    if tracks.tracks.contains(where: { $0.id == nil }) { lost.add("that some regions have no id") }
    let annotations = lists.enumerated().map { index, list in
      let label = places[tracks.tracks[index].label ?? "region"] ?? 0
      return "    "
        + JSONText.object([
          ("id", "\(index + 1)"), ("video_id", "1"), ("category_id", "\(label + 1)"),
          ("bboxes", JSONText.array(list)),
        ])
    }
    if tracks.tracks.contains(where: { $0.id != nil }) {
      lost.add("ids: they become whole numbers")
    }
    let categories = labels.enumerated().map { index, label in
      JSONText.object([("id", "\(index + 1)"), ("name", JSONText.string(label))])
    }
    return "{\n  \"videos\": [{\"id\":1,\"width\":\(size.width),\"height\":\(size.height),"
      + "\"length\":\(length)}],\n  \"categories\": \(JSONText.array(categories)),\n"
      + "  \"annotations\": [\n\(annotations.joined(separator: ",\n"))\n  ]\n}\n"
  }

  /// Returns the labels of regions, each once, and the index of each label.
  private func labels() -> (all: [String], places: [String: Int]) {
    var (labels, places): ([String], [String: Int]) = ([], [:])
    for label in tracks.tracks.map({ $0.label ?? "region" }) where places[label] == nil {
      places[label] = labels.count
      labels.append(label)
    }
    return (labels, places)
  }

  private mutating func folder(
    _ format: TracksFormat
  ) throws(RegionsError) -> [(name: String, text: String)] {
    if format == .yolo, size == nil { throw Tracks.noSize }
    let boxes = try boxes()
    let numbers = numbers()
    let (labels, places) = labels()
    let hasIDs = tracks.tracks.contains { $0.id != nil }
    let hasScores = boxes.allSatisfy { $0.score != nil }
    if format == .yolo, hasIDs || hasScores {
      let columns = hasIDs ? (hasScores ? "score-id" : "id") : "score"
      lost.add("what stands behind boxes: it is read with --tracks-columns \(columns)")
    }
    let hasSomeScores = boxes.contains { $0.score != nil }
    if format == .yolo, !hasScores, hasSomeScores { lost.add("scores, which some lack") }
    if tracks.length != nil || size != nil { lost.add("how long and how large the video is") }
    var texts: [Int: String] = [:]
    for box in boxes {
      let label = tracks.tracks[box.track].label ?? "region"
      var words: [String]
      if format == .yolo, let size {
        let (wide, high) = (Double(size.width), Double(size.height))
        words = ["\(places[label] ?? 0)"]
        words += [
          (box.left + box.width / 2) / wide, (box.top + box.height / 2) / high, box.width / wide,
          box.height / high,
        ].map(shortest)
        if hasScores { words.append(box.score.map(shortest) ?? "") }
        if hasIDs { words.append("\(numbers[box.track])") }
      } else {
        words = [label.filter { !$0.isWhitespace }]
        if hasIDs {
          words.append(numbers[box.track] < 0 ? "\(UInt64.max)" : "\(numbers[box.track])")
        }
        words += ["0.0", "0", "0.0"]
        words += [box.left, box.top, box.left + box.width, box.top + box.height].map(shortest)
        words += [String](repeating: "0.0", count: 7)
        // -1 means no score; 0 would be the lowest.
        if hasIDs || hasSomeScores { words.append(box.score.map(shortest) ?? "-1") }
      }
      texts[box.frame, default: ""] += words.joined(separator: " ") + "\n"
    }
    // Always write the first frame: it shows that frames count from 0.
    texts[0, default: ""] += ""
    var files = texts.keys.sorted().map { frame -> (name: String, text: String) in
      let digits = "\(frame)"
      let zeros = String(repeating: "0", count: max(0, 6 - digits.count))
      return ("\(zeros)\(digits).txt", texts[frame] ?? "")
    }
    if format == .yolo {
      files.append(("classes.txt", labels.map { $0 + "\n" }.joined()))
    }
    return files
  }
}

extension Tracks {
  static var noSize: RegionsError {
    .unfit(path: "", reason: "nothing tells how large the video's frames are; --size WxH says it")
  }

  /// The video's size, where lengths are shares of it; any, where they are not.
  func pixels(of size: Size?) throws(RegionsError) -> Size {
    let needsSize = tracks.contains { track in
      track.keys.contains { $0.shape?.needsSize ?? false }
    }
    guard let size = size ?? (needsSize ? nil : Size(width: 1, height: 1)) else {
      throw Self.noSize
    }
    return size
  }
}

extension MaskShape {
  /// True if it is a rectangle with square corners.
  var isPlainBox: Bool {
    guard case .rectangle(_, _, _, _, let radius, _) = self else { return false }
    return radius.value == 0
  }
}
