internal import FrostglassCore

// Tracks as tables: our own, MOTChallenge's, and folders with a text for each frame.

extension Tracks {
  /// Reads a table with a first line of names: `frame` or `time`, those of regions, and `id`, `until`,
  /// `outside`, `shape`.
  init(csv text: String) throws(RegionsError) {
    var lines = CSVRows(text)
    guard let header = try lines.next() else {
      throw .unfit(path: "", reason: "there is nothing in it")
    }
    let names = header.map { $0.text.lowercased() }
    let clocks = names.filter { ["frame", "time"].contains($0) }
    guard clocks.count == 1, let first = names.firstIndex(of: clocks[0]) else {
      throw header[0].error(
        clocks.isEmpty
          ? "there is no column frame, from 0, and none called time, in seconds"
          : "there are the columns \(clocks.joined(separator: " and ")); one of them is too much")
    }
    let own = Set(["frame", "time", "until", "outside", "shape"])
    let rest = header.indices.filter { !own.contains(names[$0]) }
    let known = try Region.header(rest.map { header[$0] }, beside: own.sorted())
    let clock: Clock = clocks[0] == "frame" ? .frames : .seconds
    var rows = TrackRows()
    while let row = try lines.next() {
      guard row.count == header.count else {
        throw row[0].error(
          "the line has \(row.count) fields; it must have \(header.count): "
            + names.joined(separator: ", "))
      }
      func field(_ name: String) -> CSVField? {
        names.firstIndex(of: name).map { row[$0] }.flatMap { $0.text.isEmpty ? nil : $0 }
      }
      let at = try row[first].time(clock)
      let until = try field("until").map { field throws(RegionsError) in
        field.text.lowercased() == "end" ? .infinity : try field.time(clock)
      }
      let isGone = try field("outside")?.bool() ?? false
      let values = rest.map { row[$0] }
      var (label, score): (String?, Double?)
      var shape: MaskShape?
      if isGone {
        label = field("label")?.text
      } else if let text = field("shape") {
        let taken = zip(known, values).filter {
          RegionFields.lengths.contains($0.0) && !$0.1.text.isEmpty
        }
        guard taken.isEmpty else {
          throw text.error("the line has a shape and also \(taken[0].0)")
        }
        shape = try text.shape()
        (label, score) = (field("label")?.text, field("score").flatMap { Double($0.text) })
      } else {
        let region = try Region.region(values, known).region
        (shape, label, score) = (region.shape, region.label, region.score)
      }
      rows.rows.append(
        TrackRows.Row(
          id: field("id")?.text, label: label,
          key: Key(at: at, until: until, shape: shape, score: score), place: row[0].place))
    }
    try self.init(clock, rows)
  }

  /// Reads lines of MOTChallenge: frame, id, left, top, width, height, and if they are there a score, a
  /// class and a visibility. Frames and pixels count from 1; an id of -1 is none.
  ///
  /// - Parameter base: the number of the first frame and of the first pixel.
  init(mot text: String, base: Int) throws(RegionsError) {
    var rows = TrackRows()
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) {
      let place = TextPosition(line: index + 1, column: 1)
      let numbers = line.split(separator: ",", omittingEmptySubsequences: false).map { word in
        Double(word.drop { $0.isWhitespace }.prefix { !$0.isWhitespace })
      }
      guard (6...10).contains(numbers.count), let frame = numbers[0], let id = numbers[1],
        let left = numbers[2], let top = numbers[3], let width = numbers[4],
        let height = numbers[5], frame == frame.rounded(), id == id.rounded(),
        [frame, id, left, top].allSatisfy({ abs($0) < 1e9 })
      else {
        throw .malformed(
          path: "", place: place,
          reason:
            "\(line.prefix(60)) is no region; it must be frame, id, left, top, width and height, "
            + "with up to four numbers behind")
      }
      guard Int(frame) >= base else {
        throw .malformed(
          path: "", place: place,
          reason: "it is of frame \(Int(frame)), and MOT counts frames and pixels from \(base)"
            + (base == 1 && frame == 0 ? "; --tracks-base 0 says that this file does not" : ""))
      }
      guard width > 0, height > 0, width < 1e6, height < 1e6 else {
        throw .malformed(
          path: "", place: place, reason: "the region is \(width) × \(height); both must be over 0")
      }
      let score = numbers.count > 6 ? numbers[6] : nil
      rows.rows.append(
        TrackRows.Row(
          id: id < 0 ? nil : "\(Int(id))",
          key: Key(
            at: frame - Double(base),
            shape: .rectangle(
              x: Length(left - Double(base)), y: Length(top - Double(base)), width: Length(width),
              height: Length(height)),
            score: score.flatMap { $0 < 0 ? nil : $0 }),
          place: place))
    }
    try self.init(.frames, rows, longestStep: 1)
  }
}

extension CSVField {
  /// A frame's number, or seconds.
  fileprivate func time(_ clock: Tracks.Clock) throws(RegionsError) -> Double {
    guard let time = Double(text), time >= 0, time < 1e9,
      clock == .seconds || time == time.rounded()
    else {
      throw error(
        clock == .frames
          ? "frame is \(text); it must be a whole number from 0 on"
          : "time is \(text); it must be in seconds, from 0 on")
    }
    return time
  }

  /// A shape in text form.
  fileprivate func shape() throws(RegionsError) -> MaskShape {
    do {
      let shapes = try MaskShape.list(text: text)
      if shapes.count == 1, case .gradient = shapes[0] {
      } else if shapes.count == 1 {
        return shapes[0]
      }
    } catch { throw self.error("shape: \(error)") }
    throw error("shape is \(text); it must be one rectangle, ellipse or polygon")
  }
}

/// A folder with a text for each frame of a video.
struct FrameFolder {
  private struct File {
    /// The name without `.txt`.
    var name: String
    /// The text before the number, which tells videos apart.
    var video: String
    var number: Int
    var lines: [(words: [Substring], place: TextPosition)]
  }

  private let path: String
  private let reading: TracksReading
  private var files: [File] = []
  private var classes = YOLOClasses()

  init(_ path: String, _ reading: TracksReading) throws(RegionsError) {
    self.path = path
    self.reading = reading
    for name in try RegionsFile.labels(in: path, below: "", depth: 0) {
      let text = try RegionsFile.contents("\(path)/\(name).txt")
      if name == "classes" {
        classes = YOLOClasses(text)
        continue
      }
      let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }
      guard !digits.isEmpty, digits.count < 10, let number = Int(String(digits.reversed())) else {
        throw .unfit(
          path: "\(path)/\(name).txt", reason: "its name does not end with the number of a frame")
      }
      let video = String(name.dropLast(digits.count))
      if let wanted = reading.video, wanted != video, wanted + "_" != video { continue }
      let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      files.append(
        File(
          name: name, video: video, number: number,
          lines: lines.enumerated().compactMap { index, line in
            let words = line.split(whereSeparator: \.isWhitespace)
            return words.isEmpty ? nil : (words, TextPosition(line: index + 1, column: 1))
          }))
    }
    guard !files.isEmpty else {
      throw .unfit(
        path: path,
        reason: reading.video.map { "there is no video \($0) in it" }
          ?? "there are no texts in it, of which each would be of a frame")
    }
    let videos = Set(files.map(\.video)).sorted()
    guard videos.count == 1 else {
      throw .unfit(
        path: path,
        reason: "it has frames of \(videos.prefix(4).joined(separator: ", "))"
          + (videos.count > 4 ? " and others" : "") + "; --tracks-of says which video is meant")
    }
  }

  func tracks() throws(RegionsError) -> Tracks {
    let format: TracksFormat
    if let said = reading.format { format = said } else { format = try self.format() }
    if reading.columns != nil, format == .kitti {
      throw .unfit(path: path, reason: "--tracks-columns is for YOLO, and it is KITTI's")
    }
    // KITTI counts from 0, as DeepStream does; of YOLO's writers some do and some do not.
    let isFromZero = format == .kitti || files.contains { $0.number == 0 }
    guard let base = reading.base ?? (isFromZero ? 0 : nil) else {
      let least = files.map(\.number).min() ?? 0
      throw .unfit(
        path: path,
        reason:
          "its first frame is \(least), and nothing tells whether they count from 0 or from 1; "
          + "--tracks-base 0 or 1 says it")
    }
    let columns = try format == .yolo ? self.columns() : nil
    var rows = TrackRows()
    for file in files {
      guard file.number >= base else {
        throw .unfit(
          path: "\(path)/\(file.name).txt",
          reason: "it is of frame \(file.number), and --tracks-base is \(base)")
      }
      for line in file.lines {
        let row = format == .yolo ? yolo(line.words, columns) : kitti(line.words)
        guard var row else {
          throw .malformed(
            path: "\(path)/\(file.name).txt", place: line.place,
            reason: "\(line.words.joined(separator: " ").prefix(60)) is no region of "
              + (format == .yolo
                ? "YOLO's; it must be a class, and center, width and height or three and more corners, "
                  + "from 0 to 1"
                : "KITTI's; it must be 15 words, a score behind them, and from DeepStream the number "
                  + "of a track behind the first"))
        }
        row.key.at = Double(file.number - base)
        (row.place, row.file) = (line.place, "\(path)/\(file.name).txt")
        rows.rows.append(row)
      }
    }
    return try Tracks(.frames, rows, longestStep: 1)
  }

  private var lines: [[Substring]] { files.flatMap { $0.lines.map(\.words) } }

  /// Classes of YOLO are numbers, those of KITTI words.
  private func format() throws(RegionsError) -> TracksFormat {
    let lines = lines
    if lines.contains(where: { Int($0[0]) == nil }) { return .kitti }
    guard lines.allSatisfy({ (15...17).contains($0.count) }), !lines.isEmpty else { return .yolo }
    throw .unfit(
      path: path, reason: "it could be YOLO's or KITTI's; --tracks-format yolo or kitti says which")
  }

  /// Returns the columns after the boxes.
  private func columns() throws(RegionsError) -> TracksReading.Columns? {
    if let columns = reading.columns { return columns }
    let lines = lines
    if lines.contains(where: { $0.count == 6 }) {
      throw .unfit(
        path: path,
        reason: "behind its boxes stands a number, which may be a score or that of a track; "
          + "--tracks-columns score or id says which")
    }
    let seven = lines.filter { $0.count == 7 }
    // A coordinate is at most 1, and a little more beyond the border.
    if seven.contains(where: { (Double($0[6]) ?? 0) > 2 }) { return .scoreAndID }
    if seven.contains(where: { Double($0[6]).map { $0 == $0.rounded() } ?? true }) {
      throw .unfit(
        path: path,
        reason: "its lines of six numbers may be triangles, or boxes with score and track; "
          + "--tracks-columns score-id says that they are these")
    }
    return nil
  }

  private func yolo(
    _ words: [Substring], _ columns: TracksReading.Columns?
  ) -> TrackRows.Row? {
    var numbers = words.dropFirst().compactMap { Double($0) }
    guard let number = Int(words[0]), number >= 0, numbers.count == words.count - 1,
      numbers.allSatisfy(\.isFinite)
    else { return nil }
    var (id, score): (String?, Double?)
    let count = columns == .scoreAndID ? 6 : 5
    if let columns, numbers.count == count {
      if columns != .score {
        guard let last = numbers.popLast(), last == last.rounded(), abs(last) < 1e9 else {
          return nil
        }
        id = last < 0 ? nil : "\(Int(last))"
      }
      if columns != .id { score = numbers.popLast() }
    }
    guard let shape = YOLOLabels.shape(numbers) else { return nil }
    return TrackRows.Row(
      id: id, label: classes.name(number, or: words[0]),
      key: Tracks.Key(at: 0, shape: shape, score: score), place: TextPosition(column: 1))
  }

  private func kitti(_ words: [Substring]) -> TrackRows.Row? {
    let hasID = words.count == 17
    guard (15...17).contains(words.count) else { return nil }
    let numbers = words.dropFirst().map { Double($0) }
    let box = numbers.dropFirst(hasID ? 4 : 3).prefix(4).compactMap { $0 }
    guard numbers.allSatisfy({ $0 != nil }), box.count == 4,
      box.allSatisfy({ abs($0) <= 1e6 }), box[2] > box[0], box[3] > box[1]
    else { return nil }
    var id: String?
    if hasID {
      guard let number = UInt64(words[1]) else { return nil }
      // DeepStream's word for what is not followed.
      id = number == .max ? nil : "\(number)"
    }
    return TrackRows.Row(
      id: id, label: String(words[0]),
      key: Tracks.Key(
        at: 0,
        shape: .rectangle(
          x: Length(box[0]), y: Length(box[1]), width: Length(box[2] - box[0]),
          height: Length(box[3] - box[1])),
        // As in MOT, a score below 0 is none.
        score: words.count > 15 ? numbers[numbers.count - 1].flatMap { $0 < 0 ? nil : $0 } : nil),
      place: TextPosition(column: 1))
  }
}
