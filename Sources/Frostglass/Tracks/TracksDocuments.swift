internal import FrostglassCore

// Tracks as JSON: our own form, and COCO for video.

extension Tracks {
  /// Reads an object with `tracks`, each with an `id`, a `label` and `keys`, which are regions with a
  /// `frame` or a `time`.
  init(json document: JSONValue) throws(RegionsError) {
    let root = DetectorNode(value: document, path: "")
    try root.allow([
      "tracks", "frames", "seconds", "size", "normalized", "longestStep", "clock",
    ])
    self.init(try root.clock(), [])
    let isNormalized = try root.member("normalized")?.flag() ?? false
    for (index, node) in try root.required("tracks").elements().enumerated() {
      try node.allow(["id", "label", "keys"])
      var keys: [Key] = []
      for key in try node.required("keys").elements() {
        keys.append(try key.key(clock, isNormalized))
      }
      guard !keys.isEmpty else { throw node.error("has no keys") }
      for (near, far) in zip(keys, keys.dropFirst()) where near.at >= far.at {
        throw node.error("has a key at \(words(far.at)) after one at \(words(near.at))")
      }
      let label = node.member("label")?.value.label
      tracks.append(
        Track(id: node.member("id")?.value.label ?? "\(index)", label: label, keys: keys))
    }
    longestStep = try root.member("longestStep")?.positive()
    length = try (root.member("frames") ?? root.member("seconds"))?.positive()
    if let size = root.member("size") {
      let sides = try size.elements()
      guard sides.count == 2 else { throw size.error("must be [width, height]") }
      let video = Size(width: try sides[0].whole(), height: try sides[1].whole())
      guard video.shorterSide > 0 else { throw size.error("is \(video); both must be over 0") }
      self.size = video
    }
  }

  /// Reads COCO for video: of YouTube-VIS, with `bboxes` for all frames of a thing, or of CocoVID and
  /// TAO, with a `bbox` for each image.
  init(coco document: JSONValue, _ reading: TracksReading) throws(RegionsError) {
    let root = DetectorNode(value: document, path: "")
    let video = try root.video(reading.video)
    let id = try video.required("id").value.label
    func isOwn(_ node: DetectorNode) -> Bool { node.member("video_id")?.value.label == id }
    var names: [String: String] = [:]
    for category in try root.list("categories") {
      if let id = category.member("id")?.value.label {
        names[id] = category.member("name")?.value.label.flatMap { $0.isEmpty ? nil : $0 }
      }
    }
    var size = try video.size()
    var frames: [String: Int] = [:]
    var indices: [Int] = []
    for image in try root.list("images") where isOwn(image) {
      guard let index = image.member("frame_id") ?? image.member("frame_index") else {
        throw image.error("has neither frame_id nor frame_index")
      }
      indices.append(try index.whole())
      frames[image.member("id")?.value.label ?? ""] = indices[indices.count - 1]
      if size == nil { size = try image.size() }
    }
    let base: Int
    switch (reading.base, indices.min()) {
    case (let said?, _): base = said
    case (nil, nil), (nil, 0): base = 0
    case (nil, let least?):
      throw root.error(
        "counts frames from \(least): CocoVID's own begin with 0, those made of MOT with 1; "
          + "--tracks-base 0 or 1 says which")
    }
    var rows = TrackRows()
    for node in try root.list("annotations") {
      let category = node.member("category_id")?.value.label
      let label = category.map { names[$0] ?? $0 }
      let score = try node.member("score")?.number()
      func add(_ shape: MaskShape, _ frame: Int, _ id: String?) throws(RegionsError) {
        guard frame >= base else {
          throw node.error("is of frame \(frame), and they count from \(base)")
        }
        rows.rows.append(
          TrackRows.Row(
            id: id, label: label,
            key: Key(at: Double(frame - base), shape: shape, score: score),
            place: node.value.place))
      }
      func outline(_ mask: DetectorNode) throws(RegionsError) -> MaskShape? {
        guard let found = try COCOMask(mask) else { return nil }
        if let made = found.size, let video = size, made != video {
          throw mask.error("is of \(made), and the video has \(video)")
        }
        size = size ?? found.size
        return found.outline
      }
      if let image = node.member("image_id")?.value.label, let frame = frames[image] {
        let id = (node.member("instance_id") ?? node.member("track_id"))?.value.label
        if reading.takesOutlines, let mask = node.member("segmentation"),
          let shape = try outline(mask)
        {
          try add(shape, frame, id)
        } else {
          try add(node.required("bbox").cocoBox(), frame, id)
        }
      } else if isOwn(node), reading.takesOutlines, let masks = node.member("segmentations") {
        for (frame, mask) in try masks.frames() {
          guard let shape = try outline(mask) else { continue }
          try add(shape, frame + base, node.member("id")?.value.label)
        }
      } else if isOwn(node), let boxes = node.member("bboxes") {
        for (frame, box) in try boxes.frames() {
          try add(box.cocoBox(), frame + base, node.member("id")?.value.label)
        }
      } else if isOwn(node) {
        throw node.error(
          "has neither bboxes nor an image of the video with a bbox"
            + (node.member("segmentations") == nil ? "" : "; --outlines takes its segmentations"))
      }
    }
    let length = try video.member("length")?.whole() ?? indices.max().map { $0 - base + 1 }
    try self.init(
      .frames, rows, longestStep: 1, size: size, length: length.map { Double($0) })
  }
}

extension DetectorNode {
  /// Refuses an object with a member that means nothing.
  fileprivate func allow(_ known: [String]) throws(RegionsError) {
    guard case .object(let members) = value.content else {
      throw error("must be an object, not \(value.kind)")
    }
    for member in members where !known.contains(member.name) {
      throw member.unknown(in: path.isEmpty ? "the document" : path, known: known)
    }
  }

  /// Returns the unit of the times of keys: `clock`, or the unit of the first key.
  fileprivate func clock() throws(RegionsError) -> Tracks.Clock {
    if let node = member("clock") {
      guard let clock = node.value.label.flatMap({ Tracks.Clock(rawValue: $0) }) else {
        throw node.error("must be frames or seconds")
      }
      return clock
    }
    for node in try required("tracks").elements() {
      if let key = try node.required("keys").elements().first {
        return key.member("time") != nil ? .seconds : .frames
      }
    }
    return .frames
  }

  /// A region with its time.
  fileprivate func key(
    _ clock: Tracks.Clock, _ isNormalized: Bool
  ) throws(RegionsError) -> Tracks.Key {
    guard case .object(let members) = value.content else {
      throw error("must be an object, not \(value.kind)")
    }
    let name = clock == .frames ? "frame" : "time"
    let time = try required(name)
    let at = try clock == .frames ? Double(time.whole()) : time.number()
    guard at >= 0, at < 1e9 else { throw time.error("must be 0 or more") }
    var until: Double?
    if let node = member("until") {
      until = node.value.label == "end" ? .infinity : try node.number()
      guard until.map({ $0 > at && ($0 < 1e9 || $0 == .infinity) }) ?? true else {
        throw node.error("must be after \(name), and under a billion")
      }
    }
    let rest = members.filter { ![name, "until", "outside", "state"].contains($0.name) }
    if try member("outside")?.flag() ?? false {
      guard rest.isEmpty else { throw error("is outside and has \(rest[0].name)") }
      return Tracks.Key(at: at, until: until, shape: nil)
    }
    let region = try RegionObject(
      rest, at: value.place, name: path, isNormalized: isNormalized
    ).entry([:]).region
    var state: TrackSampler.State?
    if let node = member("state") {
      state = node.value.label.flatMap { TrackSampler.State(rawValue: $0) }
      guard state != nil else { throw node.error("must be measured, interpolated or held") }
    }
    return Tracks.Key(
      at: at, until: until, shape: region.shape, score: region.score, state: state)
  }

  fileprivate func flag() throws(RegionsError) -> Bool {
    guard case .bool(let flag) = value.content else {
      throw error("must be true or false, not \(value.kind)")
    }
    return flag
  }

  /// A whole number from 0 on.
  fileprivate func whole() throws(RegionsError) -> Int {
    let number = try number()
    guard number == number.rounded(), (0..<1e9).contains(number) else {
      throw error("is \(number); it must be a whole number from 0 on, and under a billion")
    }
    return Int(number)
  }

  fileprivate func positive() throws(RegionsError) -> Double {
    let number = try number()
    guard number > 0, number < 1e9 else {
      throw error("is \(number); it must be over 0, and under a billion")
    }
    return number
  }

  /// `width` and `height`, where both are there.
  fileprivate func size() throws(RegionsError) -> Size? {
    guard let width = try member("width")?.whole(), let height = try member("height")?.whole(),
      width > 0, height > 0
    else { return nil }
    return Size(width: width, height: height)
  }

  /// Returns YouTube-VIS's entries for the frames in which something is visible. The others are `null` or, in some
  /// files, an empty list.
  fileprivate func frames() throws(RegionsError) -> [(frame: Int, node: DetectorNode)] {
    guard case .array(let list) = value.content else {
      throw error("must be an array, not \(value.kind)")
    }
    return list.enumerated().compactMap { frame, value in
      if case .array(let numbers) = value.content, numbers.isEmpty { return nil }
      guard value.content != .null else { return nil }
      return (frame, DetectorNode(value: value, path: "\(path)[\(frame)]"))
    }
  }

  /// Left, top, width and height, in pixels.
  fileprivate func cocoBox() throws(RegionsError) -> MaskShape {
    let list = try elements()
    guard list.count == 4 else { throw error("must be [x, y, width, height]") }
    var numbers: [Double] = []
    for node in list { numbers.append(try node.number()) }
    guard numbers[2] > 0, numbers[3] > 0, numbers.allSatisfy({ abs($0) <= 1e6 }) else {
      throw error("is \(numbers[2]) × \(numbers[3]); both must be over 0")
    }
    return .rectangle(
      x: Length(numbers[0]), y: Length(numbers[1]), width: Length(numbers[2]),
      height: Length(numbers[3]))
  }

  /// Returns one of COCO's videos, by its name or id.
  fileprivate func video(_ wanted: String?) throws(RegionsError) -> DetectorNode {
    let videos = try required("videos").elements()
    func words(_ video: DetectorNode) -> [String] {
      ["name", "file_name", "id"].compactMap { video.member($0)?.value.label }
    }
    let found = videos.filter { video in wanted.map { words(video).contains($0) } ?? true }
    guard found.count == 1 else {
      let all = videos.prefix(4).map { words($0).first ?? "?" }.joined(separator: ", ")
      throw error(
        found.isEmpty
          ? "has no video \(wanted ?? ""); it has \(all)"
          : "has \(videos.count) videos, \(all)\(videos.count > 4 ? " and others" : ""); --tracks-of says "
            + "which is meant")
    }
    return found[0]
  }
}
