// GLib, as far as libvips' headers bring it along.
internal import CVips
internal import FrostglassCore
internal import Glibc

// Tracks of annotation tools and players: CVAT's XML, and cues of WebVTT.

extension Tracks {
  /// Reads XML of CVAT for video 1.1: tracks with shapes at frames from 0, of which `outside` says that
  /// a thing is gone; the last one holds to the end of the video.
  init(cvat text: String) throws(RegionsError) {
    let root = try XMLElement(text)
    guard root.name == "annotations" else {
      throw root.error("\(root.name) is no document of CVAT; it must be annotations")
    }
    if let image = root.children.first(where: { $0.name == "image" }) {
      throw image.error(
        "this is CVAT for images, which knows no tracks; export it as CVAT for video 1.1")
    }
    self.init(.frames, [])
    for element in root.children {
      switch element.name {
      case "version", "meta": continue
      case "track": tracks.append(try element.track())
      default: throw element.error("there is an element \(element.name), which is not known")
      }
    }
    let meta = root.children.first { $0.name == "meta" }
    let task = meta?.children.first { ["task", "job"].contains($0.name) }
    if let size = task?.child("original_size") ?? meta?.child("original_size"),
      let width = size.child("width")?.count, let height = size.child("height")?.count
    {
      self.size = Size(width: width, height: height)
    }
    // The size of a task on part of a video, or on every tenth frame, is not that of the video.
    let isWhole =
      (task?.child("start_frame")?.text ?? "0") == "0"
      && (task?.child("frame_filter")?.text ?? "").isEmpty
    if isWhole, task?.name == "task" { length = task?.child("size")?.count.map(Double.init) }
  }

  /// Reads cues of WebVTT whose text is a media fragment, `#xywh=X,Y,W,H` in pixels or `#xywh=percent:…`,
  /// with a label before it where there is one; and cues of subtitles, of WebVTT or SubRip, which all are at one
  /// place.
  ///
  /// - Parameter place: of cues that have none; `nil` refuses them.
  init(webvtt text: String, cuesAt place: [MaskShape]? = nil) throws(RegionsError) {
    self.init(.seconds, [])
    let lines = text.split(
      omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
    )
    let isSubRip = Self.isSubRip(text)
    guard isSubRip || lines[0].hasPrefix("WEBVTT") else {
      throw .malformed(
        path: "", place: TextPosition(column: 1), reason: "it does not begin with WEBVTT")
    }
    var index = isSubRip ? 0 : 1
    // The header ends at an empty line or at the first cue's times.
    while !isSubRip, index < lines.count, !lines[index].isEmpty, !lines[index].contains("-->") {
      index += 1
    }
    while index < lines.count {
      guard !lines[index].isEmpty else {
        index += 1
        continue
      }
      let start = index
      let isNote = ["NOTE", "STYLE", "REGION"].contains {
        lines[start] == $0 || lines[start].hasPrefix("\($0) ") || lines[start].hasPrefix("\($0)\t")
      }
      // Below its first line an arrow ends any block, notes too, as where WebVTT's parser collects one; a line of
      // blanks ends none, and may stand where an empty one is meant.
      var hasTimes = isNote
      while index < lines.count, !lines[index].isEmpty {
        if lines[index].contains("-->") {
          if hasTimes, index > start { break }
          hasTimes = true
        }
        index += 1
      }
      if !isNote { try add(cue: Array(lines[start..<index]), line: start + 1, at: place) }
    }
  }

  /// Returns true if a text begins like SubRip: a number, and a line of times with commas below it.
  static func isSubRip(_ text: String) -> Bool {
    let start = text.split(
      maxSplits: 2, omittingEmptySubsequences: true,
      whereSeparator: { $0 == "\n" || $0 == "\r\n" || $0 == "\r" })
    return start.count > 1 && Int(start[0].filter { !$0.isWhitespace }) != nil
      && start[1].contains("-->") && start[1].contains(",")
  }

  /// - Parameter place: of cues that have none.
  private mutating func add(
    cue block: [Substring], line: Int, at place: [MaskShape]?
  ) throws(RegionsError) {
    func wrong(_ offset: Int, _ reason: String) -> RegionsError {
      .malformed(path: "", place: TextPosition(line: line + offset, column: 1), reason: reason)
    }
    guard let timing = block.prefix(2).firstIndex(where: { $0.contains("-->") }) else {
      throw wrong(0, "\(block[0].prefix(60)) is no cue: there are no times")
    }
    let words = block[timing].split(whereSeparator: \.isWhitespace)
    guard words.count >= 3, words[1] == "-->", let start = Self.seconds(words[0]),
      let end = Self.seconds(words[2]), end > start
    else {
      throw wrong(
        timing, "\(block[timing].prefix(60)) must be times such as 00:01.000 --> 00:02.500")
    }
    let payload = block[(timing + 1)...]
    if let place, !payload.contains(where: { $0.contains("#xywh=") }) {
      tracks += place.map { Track(keys: [Key(at: start, until: end, shape: $0)]) }
      return
    }
    guard !payload.isEmpty else { throw wrong(timing, "the cue has no #xywh=") }
    let name = timing == 1 ? String(block[0]) : nil
    for (offset, text) in payload.enumerated() {
      guard let place = text.range(of: "#xywh=") else {
        throw wrong(
          timing + 1 + offset,
          "\(text.prefix(60)) has no #xywh=, and so no place; of subtitles --cues-at SHAPE says where they are"
        )
      }
      let label = text[..<place.lowerBound]
      guard label.isEmpty || label.last?.isWhitespace == true else {
        throw wrong(
          timing + 1 + offset,
          "\(text.prefix(60)) is a part of another image, as players take it for previews")
      }
      guard let shape = Self.shape(fragment: text[place.upperBound...]) else {
        throw wrong(
          timing + 1 + offset,
          "\(text.prefix(60)) must be #xywh=X,Y,W,H, in pixels, or #xywh=percent:X,Y,W,H")
      }
      let words = label.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      tracks.append(
        Track(
          id: name.map { payload.count > 1 ? "\($0).\(offset + 1)" : $0 },
          label: words.isEmpty ? nil : words,
          keys: [Key(at: start, until: end, shape: shape)]))
    }
  }

  /// Hours, minutes, seconds and thousandths, with a point or SubRip's comma; hours may be missing.
  private static func seconds(_ words: Substring) -> Double? {
    let text = words.replacing(",", with: ".")
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), let last = parts.last,
      last.split(separator: ".", omittingEmptySubsequences: false).map(\.count) == [2, 3],
      let seconds = Double(last), seconds >= 0, seconds < 60
    else { return nil }
    var total = 0.0
    for part in parts.dropLast() {
      guard let number = Int(part), number >= 0, number < 100_000 else { return nil }
      total = total * 60 + Double(number)
    }
    return total * 60 + seconds
  }

  private static func shape(fragment text: Substring) -> MaskShape? {
    let isPercent = text.hasPrefix("percent:")
    let rest = isPercent || text.hasPrefix("pixel:") ? text.drop { $0 != ":" }.dropFirst() : text
    let end = rest.lastIndex { !$0.isWhitespace }.map { rest.index(after: $0) } ?? rest.startIndex
    let numbers = rest[..<end].split(separator: ",", omittingEmptySubsequences: false).map {
      Double($0)
    }
    guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
      let height = numbers[3], x >= 0, y >= 0, width > 0, height > 0,
      [x + width, y + height].allSatisfy({ $0 <= (isPercent ? 100.001 : 1e6) })
    else { return nil }
    func length(_ value: Double) -> Length { Length(value, isPercent ? .percent : .pixels) }
    return .rectangle(x: length(x), y: length(y), width: length(width), height: length(height))
  }
}

extension Substring {
  /// Returns the range of the first occurrence of an ASCII text.
  fileprivate func range(of other: String) -> Range<Index>? {
    var start = startIndex
    while let place = self[start...].firstIndex(of: other.first ?? "#") {
      if self[place...].hasPrefix(other) {
        return place..<index(place, offsetBy: other.count)
      }
      start = index(after: place)
    }
    return nil
  }
}

extension XMLElement {
  /// A track of CVAT.
  fileprivate func track() throws(RegionsError) -> Tracks.Track {
    var keys: [Tracks.Key] = []
    for element in children {
      let frame = try element.number("frame")
      guard frame == frame.rounded(), frame >= 0, frame < 1e9 else {
        throw element.error("frame is \(frame); it must be a whole number from 0 on")
      }
      let isGone = try element.flag("outside")
      keys.append(Tracks.Key(at: frame, shape: isGone ? nil : try element.shape()))
    }
    guard !keys.isEmpty else { throw error("the track has no shapes") }
    keys.sort { $0.at < $1.at }
    for (near, far) in zip(keys, keys.dropFirst()) where near.at == far.at {
      throw error("the track is in two places in frame \(Int(near.at))")
    }
    if keys[keys.count - 1].shape != nil { keys[keys.count - 1].until = .infinity }
    return Tracks.Track(id: attributes["id"], label: attributes["label"], keys: keys)
  }

  private func shape() throws(RegionsError) -> MaskShape {
    switch name {
    case "box":
      let (left, top) = (try number("xtl"), try number("ytl"))
      let (right, bottom) = (try number("xbr"), try number("ybr"))
      guard right > left, bottom > top else { throw error("the box has no width or no height") }
      let angle = attributes["rotation"] == nil ? 0 : try number("rotation")
      guard angle == 0 else { return .turned(left, top, right, bottom, degrees: angle) }
      return .rectangle(
        x: Length(left), y: Length(top), width: Length(right - left), height: Length(bottom - top))
    case "ellipse":
      let (x, y, across, down) = (
        try number("cx"), try number("cy"), try number("rx"), try number("ry")
      )
      guard across > 0, down > 0 else { throw error("the ellipse has no width or no height") }
      let angle = attributes["rotation"] == nil ? 0 : try number("rotation")
      guard angle == 0 else {
        // What holds a turned ellipse: the turned rectangle around it.
        return .turned(x - across, y - down, x + across, y + down, degrees: angle)
      }
      return .ellipse(
        x: Length(x - across), y: Length(y - down), width: Length(2 * across),
        height: Length(2 * down))
    case "polygon":
      let corners = (attributes["points"] ?? "").split(separator: ";").map { pair in
        pair.split(separator: ",").compactMap { Double($0) }.filter { abs($0) < 1e9 }
      }
      guard corners.count >= 3, corners.allSatisfy({ $0.count == 2 }) else {
        throw error("the polygon has no three corners, X,Y with ; between")
      }
      return .polygon(corners.map { MaskShape.Corner(x: Length($0[0]), y: Length($0[1])) })
    default:
      throw error(
        "the track has a \(name), which is no area that can be covered; boxes, ellipses and polygons are"
      )
    }
  }

  /// The number of frames or pixels in its text; `nil` if it is out of range.
  fileprivate var count: Int? { Int(text).flatMap { (1..<1_000_000_000).contains($0) ? $0 : nil } }

  fileprivate func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  private func number(_ attribute: String) throws(RegionsError) -> Double {
    guard let text = attributes[attribute] else { throw error("\(name) has no \(attribute)") }
    guard let number = Double(text), abs(number) < 1e9 else {
      throw error("\(attribute) is \(text); it must be a number")
    }
    return number
  }

  private func flag(_ attribute: String) throws(RegionsError) -> Bool {
    switch attributes[attribute] {
    case nil, "0": return false
    case "1": return true
    case let text?: throw error("\(attribute) is \(text); it must be 0 or 1")
    }
  }
}

extension MaskShape {
  /// A rectangle turned around its center, clockwise as one sees it.
  fileprivate static func turned(
    _ left: Double, _ top: Double, _ right: Double, _ bottom: Double, degrees: Double
  ) -> MaskShape {
    let (x, y) = ((left + right) / 2, (top + bottom) / 2)
    let angle = degrees * .pi / 180
    let (cosine, sine) = (cos(angle), sin(angle))
    return .polygon(
      [(left, top), (right, top), (right, bottom), (left, bottom)].map { corner in
        let (across, down) = (corner.0 - x, corner.1 - y)
        return Corner(
          x: Length(x + across * cosine - down * sine), y: Length(y + across * sine + down * cosine)
        )
      })
  }
}

// MARK: - Writing

extension Tracks {
  /// The tracks as CVAT writes videos.
  ///
  /// - Parameter known: the video's size, where it is known.
  func cvat(size known: Size?, _ lost: inout TrackLosses) throws(RegionsError) -> String {
    let size = try pixels(of: known)
    lost.addGaps(of: self)
    if tracks.contains(where: { $0.keys.contains { $0.score != nil } }) { lost.add("scores") }
    var text =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<annotations>\n  <version>1.1</version>\n"
    if let known {
      let length = self.length.map { "<size>\(Int($0))</size>" } ?? ""
      text +=
        "  <meta><task>\(length)<original_size><width>\(known.width)</width>"
        + "<height>\(known.height)</height></original_size></task></meta>\n"
    }
    for (index, track) in tracks.enumerated() {
      text +=
        "  <track id=\"\(Self.escaped(track.id ?? "\(index)"))\" "
        + "label=\"\(Self.escaped(track.label ?? "region"))\">\n"
      for (place, key) in track.keys.enumerated() {
        text += Self.element(
          key, key.shape?.inPixels(of: size, scale: 1), track.keys, place, &lost)
      }
      text += "  </track>\n"
    }
    return text + "</annotations>\n"
  }

  /// A key, and behind it the one that says that it is gone.
  private static func element(
    _ key: Key, _ shape: MaskShape?, _ keys: [Key], _ place: Int, _ lost: inout TrackLosses
  ) -> String {
    let before = keys[..<place].last { $0.shape != nil }?.shape
    let (name, attributes) = form(
      shape ?? before ?? .rectangle(x: 0, y: 0, width: 1, height: 1), &lost)
    func line(_ frame: Double, _ isGone: Bool) -> String {
      "    <\(name) frame=\"\(Int(frame))\" keyframe=\"1\" outside=\"\(isGone ? 1 : 0)\" "
        + "occluded=\"0\" \(attributes)/>\n"
    }
    var text = line(key.at, shape == nil)
    let next = place + 1 < keys.count ? keys[place + 1].at : .infinity
    // A track's last box lasts to the video's end unless marked as outside.
    let end = key.until ?? (place + 1 == keys.count ? key.at + 1 : .infinity)
    if shape != nil, end.isFinite, end < next { text += line(end, true) }
    return text
  }

  private static func form(
    _ shape: MaskShape, _ lost: inout TrackLosses
  ) -> (name: String, attributes: String) {
    switch shape {
    case .rectangle(let x, let y, let width, let height, let radius, _):
      if radius.value > 0 { lost.add("round corners") }
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
  ///
  /// - Parameter size: the video's, where it is known.
  func webvtt(
    size: Size?, _ rate: FrameRate?, _ lost: inout TrackLosses
  ) throws(RegionsError) -> String {
    var cues: [(start: Double, end: Double, text: String)] = []
    lost.addGaps(of: self)
    if length != nil || size != nil { lost.add("how long and how large the video is") }
    if tracks.contains(where: { $0.keys.contains { $0.score != nil } }) { lost.add("scores") }
    let needsFrames = tracks.contains { $0.keys.contains { $0.until == nil } }
    let frame = rate.map { Double($0.seconds) / Double($0.frames) }
    if needsFrames, frame == nil {
      throw .unfit(path: "", reason: "nothing tells how long a frame is; --rate N says it")
    }
    let last = self.length ?? self.end + (frame ?? 0)
    for (index, track) in tracks.enumerated() {
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
          let near = try shape.inPixelsIfNeeded(of: size)
          let far = try next?.shape?.inPixelsIfNeeded(of: size)
          let now = isMoving ? far.flatMap { near.onTheWay(to: $0, share) } ?? near : near
          if let box = now.box {
            if !now.isPlainBox { lost.addShapes() }
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
      if index == 0, tracks.contains(where: { $0.keys.count > 1 }) {
        lost.add("which cues are of one track, but for their names")
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
  fileprivate func inPixelsIfNeeded(of size: Size?) throws(RegionsError) -> MaskShape {
    guard needsSize else { return self }
    guard let size else { throw Tracks.noSize }
    return inPixels(of: size, scale: 1)
  }
}

/// An element of an XML document, as much of XML as annotation tools write: elements, attributes, text,
/// comments and the five characters with names. No document types, so no entities of anyone's own.
struct XMLElement {
  let name: String
  let attributes: [String: String]
  fileprivate(set) var children: [XMLElement] = []
  /// The text in it, without space around it.
  fileprivate(set) var text = ""
  /// The end of its start tag.
  let place: TextPosition

  /// Reads a document.
  ///
  /// - Throws: `RegionsError.malformed` for what is not well formed.
  init(_ text: String) throws(RegionsError) { self = try XMLReader.element(text) }

  fileprivate init(name: String, attributes: [String: String], place: TextPosition) {
    (self.name, self.attributes, self.place) = (name, attributes, place)
  }

  func error(_ reason: String) -> RegionsError {
    .malformed(path: "", place: place, reason: reason)
  }
}

/// Puts elements together as GLib's parser finds them.
private final class XMLReader {
  /// Elements in elements; more is an attack.
  private static let deepest = 64

  /// Elements that have begun, the outermost first.
  private var open: [XMLElement] = []
  private var root: XMLElement?
  /// The refusal of something well formed that is not read.
  private var refusal: String?

  static func element(_ text: String) throws(RegionsError) -> XMLElement {
    let reader = XMLReader()
    let parser = UnsafeMutablePointer<GMarkupParser>.allocate(capacity: 1)
    defer { parser.deallocate() }
    parser.pointee = GMarkupParser(
      start_element: { context, name, names, values, reader, error in
        var attributes: [(String, String)] = []
        while let key = names?[attributes.count], let value = values?[attributes.count] {
          attributes.append((String(cString: key), String(cString: value)))
        }
        let name = name.map { String(cString: $0) } ?? ""
        XMLReader.of(reader).begin(name, attributes, XMLReader.place(context), error)
      },
      end_element: { _, _, reader, _ in XMLReader.of(reader).end() },
      text: { _, text, count, reader, _ in
        let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
        XMLReader.of(reader).add(String(decoding: bytes, as: UTF8.self))
      },
      passthrough: { _, text, _, reader, error in
        if let text, String(cString: text).hasPrefix("<!D") {
          XMLReader.of(reader).refuse("document types are not read", error)
        }
      }, error: nil)
    let context = g_markup_parse_context_new(
      parser, G_MARKUP_TREAT_CDATA_AS_TEXT, Unmanaged.passUnretained(reader).toOpaque(), nil)
    defer { g_markup_parse_context_free(context) }
    var error: UnsafeMutablePointer<GError>?
    var text = text
    let isRead = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        g_markup_parse_context_parse(context, $0.baseAddress, $0.count, &error) != 0
      }
    }
    if isRead, g_markup_parse_context_end_parse(context, &error) != 0, let root = reader.root {
      return root
    }
    defer { g_clear_error(&error) }
    // Its own words begin with the place.
    let words = error.flatMap { String(cString: $0.pointee.message).split(separator: ": ").last }
    throw .malformed(
      path: "", place: place(context),
      reason: reader.refusal ?? words.map { String($0) } ?? "there is no element in it")
  }

  private static func of(_ data: gpointer?) -> XMLReader {
    guard let data else { preconditionFailure("the parser hands back what it was given") }
    return Unmanaged<XMLReader>.fromOpaque(data).takeUnretainedValue()
  }

  private static func place(_ context: OpaquePointer?) -> TextPosition {
    var (line, column): (gint, gint) = (0, 0)
    g_markup_parse_context_get_position(context, &line, &column)
    return TextPosition(line: Int(line), column: Int(column))
  }

  private func begin(
    _ name: String, _ attributes: [(String, String)], _ place: TextPosition,
    _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
  ) {
    var known: [String: String] = [:]
    for (key, value) in attributes where known.updateValue(value, forKey: key) != nil {
      return refuse("\(key) is given twice", error)
    }
    guard root == nil else { return refuse("there is more after the document's end", error) }
    guard open.count < Self.deepest else {
      return refuse("elements are nested more than \(Self.deepest) deep", error)
    }
    open.append(XMLElement(name: name, attributes: known, place: place))
  }

  private func add(_ text: String) {
    if !open.isEmpty { open[open.count - 1].text += text }
  }

  private func end() {
    var element = open.removeLast()
    element.text = trimmed(element.text[...])
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  private func refuse(
    _ reason: String, _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
  ) {
    refusal = reason
    let code = gint(G_MARKUP_ERROR_INVALID_CONTENT.rawValue)
    g_set_error_literal(error, g_markup_error_quark(), code, reason)
  }
}
