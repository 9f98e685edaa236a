internal import FrostglassStills

/// Tracks in another form, with what that form cannot hold.
package struct WrittenTracks: Sendable, Hashable {
  /// Texts by their names; a form that is one file has one without a name.
  package private(set) var files: [(name: String, text: String)] = []
  /// What the form cannot hold, in words.
  package private(set) var losses: [String] = []

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

  private let tracks: Tracks
  private let size: Size?

  /// Writes tracks.
  ///
  /// - Parameters:
  ///   - size: of the film, where the tracks do not say it.
  ///   - rate: of the film, where the forms count differently.
  /// - Throws: `RegionsError.unfit` where size or rate is needed and missing.
  package init(
    _ given: Tracks, as format: TracksFormat, size: Size? = nil, rate: FrameRate? = nil
  ) throws(RegionsError) {
    self.size = size ?? given.size
    var told: [String] = []
    switch format {
    case .csv, .json: tracks = given
    case .webvtt: tracks = try given.inSeconds(rate)
    case .mot, .cocoVideo, .cvat, .yolo, .kitti:
      tracks = try given.inFrames(rate)
      try Self.checkLength(of: tracks, as: format)
      if given.clock == .seconds { told.append("times become the nearest frames") }
    }
    losses = told
    switch format {
    case .csv: files = [("", csv())]
    case .json: files = [("", json())]
    case .mot: files = [("", try mot())]
    case .cocoVideo: files = [("", try coco())]
    case .cvat: files = [("", try cvat())]
    case .webvtt: files = [("", try webvtt(rate))]
    case .yolo, .kitti: files = try folder(format)
    }
  }

  /// Forms with a line for each frame hold so many; a key far off makes lines for all frames before it.
  private static let mostLines = 10_000_000.0

  private static func checkLength(
    of tracks: Tracks, as format: TracksFormat
  ) throws(RegionsError) {
    guard format != .cvat else { return }
    let length = max(tracks.length ?? 0, tracks.tracks.compactMap { $0.keys.last?.at }.max() ?? 0)
    let lines = length * Double(max(tracks.tracks.count, 1))
    guard lines > mostLines else { return }
    throw .unfit(
      path: "",
      reason:
        "\(format.rawValue) has a line for each frame, which would be \(shortest(lines)) here; at "
        + "most \(shortest(mostLines)) are written")
  }

  private mutating func lose(_ words: String) {
    if !losses.contains(words) { losses.append(words) }
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
    if tracks.length != nil || tracks.size != nil { lose("how long and how large the film is") }
    loseGaps()
    return text
  }

  private static func quoted(_ text: String) -> String {
    text.contains { ",;\t\"".contains($0) } ? "\"\(text.filter { $0 != "\"" })\"" : text
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

  /// What is in each frame; in gaps nothing, as nothing was found there.
  private mutating func boxes() throws(RegionsError) -> [Box] {
    let size = try pixels()
    let sampler = try TrackSampler(
      tracks, size: size, care: TrackSampler.Care(onGap: .hold), frame: nil)
    var boxes: [Box] = []
    for (index, track) in sampler.tracks.tracks.enumerated() {
      if track.keys.contains(where: { $0.until == .infinity }), tracks.length == nil {
        lose("that \(track.words) stays to the end of the film, of which the length is not known")
      }
      if track.keys.contains(where: { $0.shape == nil }) {
        lose("that things are gone on purpose: it will be taken for a gap")
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
          lose("shapes: ellipses, polygons and round corners become the boxes around them")
        }
        // What was measured stays as it was written; the way between need not be told to 15 places.
        func told(_ length: Double) -> Double {
          isMeasured ? length : (length * 1000).rounded() / 1000
        }
        boxes.append(
          Box(
            frame: frame, track: index, left: told(box.x), top: told(box.y),
            width: told(box.width), height: told(box.height), score: track.keys[key].score))
      }
      if hasFilled { lose("which frames were measured: those between are written like them") }
    }
    return boxes.sorted { ($0.frame, $0.track) < ($1.frame, $1.track) }
  }

  /// The film's size, where lengths are shares of it; any, where they are not.
  private func pixels() throws(RegionsError) -> Size {
    let needsSize = tracks.tracks.contains { track in
      track.keys.contains { $0.shape?.needsSize ?? false }
    }
    guard let size = size ?? (needsSize ? nil : Size(width: 1, height: 1)) else { throw noSize }
    return size
  }

  private var noSize: RegionsError {
    .unfit(path: "", reason: "nothing tells how large the film's frames are; --size WxH says it")
  }

  /// A whole number for each track: its own where all have one.
  private mutating func numbers() -> [Int] {
    let own = tracks.tracks.map { $0.id.flatMap { Int($0) } }
    let given = zip(tracks.tracks, own).filter { track, _ in track.id != nil }.map { $0.1 ?? -1 }
    guard given.allSatisfy({ $0 >= 0 }), Set(given).count == given.count else {
      lose("ids: they become whole numbers")
      return tracks.tracks.indices.map { tracks.tracks[$0].id == nil ? -1 : $0 + 1 }
    }
    return own.map { $0 ?? -1 }
  }

  private mutating func loseGaps() {
    if !tracks.gaps.isEmpty {
      lose(
        "gaps: where something was lost it goes straight from before to after, unless --longest-step "
          + "says how far")
    }
  }

  private mutating func mot() throws(RegionsError) -> String {
    let numbers = numbers()
    if tracks.tracks.contains(where: { $0.label != nil }) { lose("labels") }
    if tracks.length != nil || size != nil { lose("how long and how large the film is") }
    return try boxes().map { box in
      let places = [box.left + 1, box.top + 1, box.width, box.height].map(shortest)
      return "\(box.frame + 1),\(numbers[box.track]),\(places.joined(separator: ",")),"
        + "\(box.score.map(shortest) ?? "-1"),-1,-1,-1\n"
    }.joined()
  }

  private mutating func coco() throws(RegionsError) -> String {
    guard let size else { throw noSize }
    let boxes = try boxes()
    let length = max(Int(tracks.length ?? 0), (boxes.last?.frame ?? 0) + 1)
    if tracks.length == nil {
      lose("that the length of the film is not known: it ends with the tracks")
    }
    let labels = labels()
    var lists = [[String]](
      repeating: [String](repeating: "null", count: length), count: tracks.tracks.count)
    for box in boxes {
      lists[box.track][box.frame] = JSONText.array(
        [box.left, box.top, box.width, box.height].map(shortest))
    }
    if tracks.tracks.contains(where: { $0.keys.contains { $0.score != nil } }) { lose("scores") }
    if tracks.tracks.contains(where: { $0.id == nil }) { lose("that some regions have no id") }
    let annotations = lists.enumerated().map { index, list in
      let label = labels.firstIndex(of: tracks.tracks[index].label ?? "region") ?? 0
      return "    "
        + JSONText.object([
          ("id", "\(index + 1)"), ("video_id", "1"), ("category_id", "\(label + 1)"),
          ("bboxes", JSONText.array(list)),
        ])
    }
    if tracks.tracks.contains(where: { $0.id != nil }) { lose("ids: they become whole numbers") }
    let categories = labels.enumerated().map { index, label in
      JSONText.object([("id", "\(index + 1)"), ("name", JSONText.string(label))])
    }
    return "{\n  \"videos\": [{\"id\":1,\"width\":\(size.width),\"height\":\(size.height),"
      + "\"length\":\(length)}],\n  \"categories\": \(JSONText.array(categories)),\n"
      + "  \"annotations\": [\n\(annotations.joined(separator: ",\n"))\n  ]\n}\n"
  }

  /// What regions are called, each once.
  private func labels() -> [String] {
    var labels: [String] = []
    for track in tracks.tracks where !labels.contains(track.label ?? "region") {
      labels.append(track.label ?? "region")
    }
    return labels
  }

  private mutating func folder(
    _ format: TracksFormat
  ) throws(RegionsError) -> [(name: String, text: String)] {
    if format == .yolo, size == nil { throw noSize }
    let boxes = try boxes()
    let numbers = numbers()
    let labels = labels()
    let hasIDs = tracks.tracks.contains { $0.id != nil }
    let hasScores = boxes.allSatisfy { $0.score != nil }
    if format == .yolo, hasIDs || hasScores {
      let columns = hasIDs ? (hasScores ? "score-id" : "id") : "score"
      lose("what stands behind boxes: it is read with --tracks-columns \(columns)")
    }
    if !hasScores, boxes.contains(where: { $0.score != nil }) { lose("scores, which some lack") }
    if tracks.length != nil || size != nil { lose("how long and how large the film is") }
    var texts: [Int: String] = [:]
    for box in boxes {
      let label = tracks.tracks[box.track].label ?? "region"
      var words: [String]
      if format == .yolo, let size {
        let (wide, high) = (Double(size.width), Double(size.height))
        words = ["\(labels.firstIndex(of: label) ?? 0)"]
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
        if hasIDs || hasScores { words.append(box.score.map(shortest) ?? "0.0") }
      }
      texts[box.frame, default: ""] += words.joined(separator: " ") + "\n"
    }
    // The first frame is always there: it tells that they count from 0.
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

  // MARK: - Forms with keys

  private mutating func cvat() throws(RegionsError) -> String {
    let size = try pixels()
    loseGaps()
    if tracks.tracks.contains(where: { $0.keys.contains { $0.score != nil } }) { lose("scores") }
    var text =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<annotations>\n  <version>1.1</version>\n"
    if let known = self.size {
      let length = tracks.length.map { "<size>\(Int($0))</size>" } ?? ""
      text +=
        "  <meta><task>\(length)<original_size><width>\(known.width)</width>"
        + "<height>\(known.height)</height></original_size></task></meta>\n"
    }
    for (index, track) in tracks.tracks.enumerated() {
      text +=
        "  <track id=\"\(Self.escaped(track.id ?? "\(index)"))\" "
        + "label=\"\(Self.escaped(track.label ?? "region"))\">\n"
      for (place, key) in track.keys.enumerated() {
        text += element(key, key.shape?.inPixels(of: size, scale: 1), track.keys, place)
      }
      text += "  </track>\n"
    }
    return text + "</annotations>\n"
  }

  /// A key, and behind it the one that says that it is gone.
  private mutating func element(
    _ key: Tracks.Key, _ shape: MaskShape?, _ keys: [Tracks.Key], _ place: Int
  ) -> String {
    let before = keys[..<place].last { $0.shape != nil }?.shape
    let (name, attributes) = form(shape ?? before ?? .rectangle(x: 0, y: 0, width: 1, height: 1))
    func line(_ frame: Double, _ isGone: Bool) -> String {
      "    <\(name) frame=\"\(Int(frame))\" keyframe=\"1\" outside=\"\(isGone ? 1 : 0)\" "
        + "occluded=\"0\" \(attributes)/>\n"
    }
    var text = line(key.at, shape == nil)
    let next = place + 1 < keys.count ? keys[place + 1].at : .infinity
    // The last one of a track goes on to the film's end unless it is said to be gone.
    let end = key.until ?? (place + 1 == keys.count ? key.at + 1 : .infinity)
    if shape != nil, end.isFinite, end < next { text += line(end, true) }
    return text
  }

  private mutating func form(_ shape: MaskShape) -> (name: String, attributes: String) {
    switch shape {
    case .rectangle(let x, let y, let width, let height, let radius, _):
      if radius.value > 0 { lose("round corners") }
      return (
        "box",
        "xtl=\"\(shortest(x.value))\" ytl=\"\(shortest(y.value))\" "
          + "xbr=\"\(shortest(x.value + width.value))\" ybr=\"\(shortest(y.value + height.value))\""
      )
    case .ellipse(let x, let y, let width, let height):
      let (across, down) = (width.value / 2, height.value / 2)
      return (
        "ellipse",
        "cx=\"\(shortest(x.value + across))\" cy=\"\(shortest(y.value + down))\" "
          + "rx=\"\(shortest(across))\" ry=\"\(shortest(down))\""
      )
    case .polygon(let corners):
      let points = corners.map { "\(shortest($0.x.value)),\(shortest($0.y.value))" }
      return ("polygon", "points=\"\(points.joined(separator: ";"))\"")
    case .gradient, .picture: return ("box", "")
    }
  }

  private static func escaped(_ text: String) -> String {
    let names: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"]
    return text.map { names[$0] ?? String($0) }.joined()
  }

  /// A cue for each time in which something stays, and in which it moves one for each frame.
  private mutating func webvtt(_ rate: FrameRate?) throws(RegionsError) -> String {
    var cues: [(start: Double, end: Double, text: String)] = []
    loseGaps()
    if tracks.length != nil || size != nil { lose("how long and how large the film is") }
    if tracks.tracks.contains(where: { $0.keys.contains { $0.score != nil } }) { lose("scores") }
    let needsFrames = tracks.tracks.contains { $0.keys.contains { $0.until == nil } }
    let frame = rate.map { Double($0.seconds) / Double($0.frames) }
    if needsFrames, frame == nil {
      throw .unfit(path: "", reason: "nothing tells how long a frame is; --rate N says it")
    }
    let last = tracks.length ?? tracks.end + (frame ?? 0)
    for (index, track) in tracks.tracks.enumerated() {
      for (place, key) in track.keys.enumerated() {
        guard let shape = key.shape else { continue }
        let next = place + 1 < track.keys.count ? track.keys[place + 1] : nil
        let step = frame ?? 0
        let end = min(key.until ?? next?.at ?? key.at + step, max(last, key.at + step))
        var time = key.at
        while time < end - 1e-6 {
          let isMoving = key.until == nil && next?.shape != nil && next?.shape != shape
          let until = isMoving ? min(time + step, end) : end
          let share = next.map { (time - key.at) / ($0.at - key.at) } ?? 0
          let near = try shape.inPixelsIfNeeded(of: size, noSize)
          let far = try next?.shape?.inPixelsIfNeeded(of: size, noSize)
          let now = isMoving ? far.flatMap { near.onTheWay(to: $0, share) } ?? near : near
          if let box = now.box {
            if case .rectangle(_, _, _, _, let radius, _) = now, radius.value == 0 {
            } else {
              lose("shapes: ellipses, polygons and round corners become the boxes around them")
            }
            let places = [box.x, box.y, box.width, box.height].map { shortest(max($0, 0)) }
            let id = track.id.map { "\($0.split(whereSeparator: \.isNewline).joined())\n" } ?? ""
            cues.append(
              (
                time, until,
                "\(id)\(Self.time(time)) --> \(Self.time(until))\n"
                  + "\(track.label.map { "\($0) " } ?? "")#xywh=\(places.joined(separator: ","))\n"
              ))
          }
          time = until
        }
      }
      if index == 0, tracks.tracks.contains(where: { $0.keys.count > 1 }) {
        lose("which cues are of one track, but for their names")
      }
    }
    return "WEBVTT\n\n" + cues.sorted { $0.start < $1.start }.map(\.text).joined(separator: "\n")
  }

  private static func time(_ seconds: Double) -> String {
    let thousandths = Int((seconds * 1000).rounded())
    func digits(_ number: Int, _ count: Int) -> String {
      String(repeating: "0", count: max(0, count - "\(number)".count)) + "\(number)"
    }
    return "\(digits(thousandths / 3_600_000, 2)):\(digits(thousandths / 60_000 % 60, 2)):"
      + "\(digits(thousandths / 1000 % 60, 2)).\(digits(thousandths % 1000, 3))"
  }
}

extension MaskShape {
  fileprivate var isPlainBox: Bool {
    guard case .rectangle(_, _, _, _, let radius, _) = self else { return false }
    return radius.value == 0
  }

  fileprivate func inPixelsIfNeeded(
    of size: Size?, _ error: RegionsError
  ) throws(RegionsError) -> MaskShape {
    guard needsSize else { return self }
    guard let size else { throw error }
    return inPixels(of: size, scale: 1)
  }
}
