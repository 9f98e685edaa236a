package import FrostglassCore

/// The masks of tracks for each frame of a video. A redaction throws where it is in doubt what to cover.
package struct TrackMasks: FrameMasks {
  /// The tracks, and how carefully they are taken.
  package let sampler: TrackSampler
  /// The warnings for a person, where doubts were allowed.
  package private(set) var remarks: [String] = []
  /// The options common to all masks, with the shapes that are in every frame.
  private let base: Mask
  private let size: Size
  private let scale: Double
  /// The name of the file, for messages.
  private let path: String
  /// True if frames for which nothing is known are refused.
  private let isStrict: Bool
  /// The number of frames the video is said to have, whatever the tracks say.
  private let frames: Int?
  /// The duration of a frame, in seconds.
  private let frame: Double?
  /// The time from which nothing is known, by the tracks' clock, except for a frame near `lastKey`.
  private let end: Double
  /// The last known time in seconds; `nil` for tracks that count frames or have an end.
  private let lastKey: Double?
  /// True once a remark says that the video is of another length.
  private var isMisfitSaid = false

  /// Fits tracks to a video.
  ///
  /// - Parameters:
  ///   - path: the tracks' file, for messages.
  ///   - base: the mask of all frames but for the tracks' shapes; what it refuses is refused of them.
  ///   - size: of the video's frames.
  ///   - scale: pixels per point.
  ///   - isStrict: true if frames beyond the tracks' end, and tracks beyond the video's, are an error.
  ///   - frames: the number of the video's frames, where the tracks' file does not say so.
  ///   - rate: of the video, where it is known.
  /// - Throws: `VideoError.tracks` for tracks that do not fit.
  package init(
    _ tracks: Tracks, from path: String, beside base: Mask, size: Size, scale: Double = 1,
    care: TrackSampler.SafetyMargins, isStrict: Bool, frames: Int? = nil, rate: FrameRate?
  ) throws(VideoError) {
    self.base = base
    self.size = size
    self.scale = scale
    self.path = path
    self.isStrict = isStrict
    self.frames = frames
    let frame = rate.map { Double($0.seconds) / Double($0.frames) }
    self.frame = frame
    let keys = tracks.tracks.lazy.flatMap(\.keys)
    let untimed = keys.filter { $0.until == nil }.map(\.at).max()
    let isCounted = tracks.clock == .frames
    lastKey = tracks.length == nil && !isCounted ? untimed : nil
    end =
      tracks.length
      ?? max(keys.compactMap(\.until).max() ?? 0, isCounted ? untimed.map { $0 + 1 } ?? 0 : 0)
    do {
      sampler = try TrackSampler(tracks, size: size, scale: scale, care: care, frame: frame)
    } catch { throw .tracks("\(error.inFile(path))") }
    if let made = tracks.size, made != size {
      try doubt(.otherSize, "its regions are of a video of \(made), and this one has \(size)")
    }
    for track in sampler.tracks.tracks {
      for key in track.keys {
        guard let shape = key.shape, try !touches(shape) else { continue }
        try doubt(
          .outside,
          "\(track.words) is at \(tracks.words(key.at)) outside the frames of \(size): \(shape)")
        break
      }
    }
  }

  private mutating func doubt(_ kind: MaskWarning.Kind, _ words: String) throws(VideoError) {
    guard base.refused.contains(kind) else {
      remarks.append("warning: \(path): \(words)")
      return
    }
    throw .tracks(
      "\(path): \(words); it may not be what was meant, --allow-\(kind.rawValue) goes on all the same"
    )
  }

  private func touches(_ shape: MaskShape) throws(VideoError) -> Bool {
    do { return try shape.bounds(in: size, scale: scale) != nil } catch {
      throw .renderer(.plan(error))
    }
  }

  package var typical: Mask {
    var mask = base
    let (width, height) = (Double(size.width), Double(size.height))
    mask.shapes.append(
      .rectangle(
        x: Length(width / 4), y: Length(height / 4), width: Length(max(width / 4, 1)),
        height: Length(max(height / 4, 1))))
    return mask
  }

  package func mask(at moment: FrameMoment) throws(VideoError) -> Mask? {
    if isStrict { try check(moment) }
    var mask = base
    for found in try found(at: moment) { mask.shapes += found.shapes }
    return mask.shapes.isEmpty && !mask.isInverted ? nil : mask
  }

  /// Returns what the tracks cover in a frame, as far as it touches the frame.
  package func found(at moment: FrameMoment) throws(VideoError) -> [TrackSampler.Found] {
    var all: [TrackSampler.Found] = []
    let isTimed = sampler.tracks.clock == .seconds
    let showing = TrackSampler.Showing(
      from: try time(of: moment), to: isTimed ? moment.end : nil,
      after: isTimed ? moment.previous : nil, isFirst: moment.index == 0, isLast: moment.isLast)
    for found in sampler.found(in: showing) {
      var shapes: [MaskShape] = []
      for shape in found.shapes where try touches(shape) {
        shapes.append(base.redaction == nil ? shape : shape.onGrid)
      }
      guard !shapes.isEmpty else { continue }
      all.append(TrackSampler.Found(track: found.track, state: found.state, shapes: shapes))
    }
    return all
  }

  private func time(of moment: FrameMoment) throws(VideoError) -> Double {
    switch sampler.tracks.clock {
    case .frames: return Double(moment.index)
    case .seconds:
      guard let seconds = moment.seconds else {
        throw .tracks(
          "\(path): it counts seconds, and nothing tells when frame \(moment.index) is shown; --rate N "
            + "says it")
      }
      return seconds
    }
  }

  /// Refuses a frame without known positions.
  private func check(_ moment: FrameMoment) throws(VideoError) {
    if let frames {
      guard moment.index >= frames else { return }
      throw .tracks("the video has more than the \(frames) frames that --tracks-frames says")
    }
    let tracks = sampler.tracks
    let time = try time(of: moment)
    if time < end { return }
    // A time in seconds means the nearest frame.
    if let lastKey, ((moment.previous ?? time - (frame ?? 0)) + time) / 2 < lastKey { return }
    throw .tracks(
      endsEarly(tracks.clock == .frames ? Double(moment.index) : max(end, lastKey ?? 0)))
  }

  /// Says that nothing is known of the video from a time on.
  private func endsEarly(_ time: Double) -> String {
    let tracks = sampler.tracks
    return "\(path): it "
      + (tracks.length == nil ? "ends before" : "is of a video that ends before")
      + " \(tracks.words(time)), and the video goes on"
      + (isStrict ? "" : ", where nothing is covered")
      + "; --tracks-frames N says that there is nothing to cover in the rest of its N frames"
  }

  /// Compares the tracks with a video before its frames are rendered.
  ///
  /// - Parameter extent: of the video, counted without decoding: it may differ by a frame or two.
  /// - Throws: `VideoError.tracks` for a redaction with tracks that are shorter or longer than the video.
  package mutating func expect(_ extent: VideoExtent) throws(VideoError) {
    let slack = sampler.tracks.clock == .frames || frames != nil ? 2 : 2 * (frame ?? 0)
    if let words = misfit(extent, slack: slack) {
      if isStrict { throw .tracks(words) }
      isMisfitSaid = true
      remarks.append("warning: \(words)")
    }
  }

  package func finish(after last: FrameMoment?) throws(VideoError) {
    guard let words = misfit(after: last) else { return }
    if isStrict { throw .tracks(words) }
  }

  /// Returns the misfit at the end of the video; `nil` if there is none, or a remark has reported it.
  ///
  /// - Parameter last: the last frame.
  package func misfit(after last: FrameMoment?) -> String? {
    guard !isMisfitSaid else { return nil }
    let extent = VideoExtent(frames: last.map { $0.index + 1 } ?? 0, seconds: last?.end ?? 0)
    let isCounted = sampler.tracks.clock == .frames || frames != nil
    return misfit(extent, slack: isCounted ? 0 : 1.5 * (frame ?? 0))
  }

  private func misfit(_ extent: VideoExtent, slack: Double) -> String? {
    if let frames {
      return abs(frames - extent.frames) <= Int(slack)
        ? nil : "the video has \(extent.frames) frames, and --tracks-frames says \(frames)"
    }
    let tracks = sampler.tracks
    let isCounted = tracks.clock == .frames
    let video = isCounted ? Double(extent.frames) : extent.seconds
    // A key at the very end of a video in seconds belongs to its last frame.
    if let length = tracks.length ?? (tracks.end > video + slack ? tracks.end : nil),
      abs(length - video) > slack
    {
      return
        "\(path): it is of a video of \(shortest(length)) \(isCounted ? "frames" : "seconds"), and this one has "
        + "\(shortest(video)); the tracks may be another video's"
    }
    let known = max(end, lastKey ?? 0)
    guard known + slack < video else { return nil }
    return endsEarly(known)
  }
}

extension MaskShape {
  /// A rectangle around it on a grid of 4 pixels, with sides of whole grains that are larger the longer they are:
  /// what moves slowly, or becomes a little larger, needs a new plan less often, and hides more and not less.
  /// How long a side becomes depends on how long it is, and not on where. Lengths are in pixels.
  fileprivate var onGrid: MaskShape {
    guard case .rectangle(let x, let y, let width, let height, let radius, _) = self,
      radius.value == 0
    else { return self }
    func around(_ low: Double, _ length: Double) -> (low: Double, length: Double) {
      let pitch = 4.0
      // A sixteenth of the length, and less.
      let grain = max((length / 16).binade, pitch)
      let long = ((length + pitch) / grain).rounded(.up) * grain
      // In the middle, but for what is missing to the grid.
      let spare = (long - length - pitch) / 2
      return (((low - spare) / pitch).rounded(.down) * pitch, long)
    }
    let (across, down) = (around(x.value, width.value), around(y.value, height.value))
    return .rectangle(
      x: Length(across.low), y: Length(down.low), width: Length(across.length),
      height: Length(down.length))
  }
}

/// A mask as COCO has it, polygons or runs of pixels, as one polygon that covers all of it.
/// The covered area consists of at most 64 strips from top to bottom. Each covers everything between the mask's
/// highest and lowest position in it: holes and notches of the mask are covered too, and a pixel has no more sides
/// to test than with other shapes.
/// for a pixel than of other shapes.
struct COCOMask {
  /// The size of the image that runs are of; polygons do not tell.
  private(set) var size: Size?
  private let left: Double
  private let right: Double
  /// The highest and lowest position in each strip, from the left; `nil` for strips outside the mask.
  private var strips: [ClosedRange<Double>?]

  private static let mostStrips = 64.0

  /// Reads `segmentation`: arrays of coordinates, or an object with `counts` and `size`.
  ///
  /// - Returns: `nil` where it covers nothing.
  init?(_ node: DetectorNode) throws(RegionsError) {
    if case .object = node.value.content {
      let (size, runs) = try Self.runs(node)
      guard let first = runs.first, let last = runs.last else { return nil }
      self.init(
        from: Double(first.lowerBound / size.height),
        to: Double((last.upperBound - 1) / size.height + 1))
      self.size = size
      for run in runs { add(run, of: size.height) }
    } else {
      let rings = try Self.rings(node)
      let xs = rings.joined().map(\.x)
      guard let first = xs.min(), let last = xs.max(), first < last else { return nil }
      self.init(from: first, to: last)
      for ring in rings {
        for (start, end) in zip(ring, ring.dropFirst() + ring.prefix(1)) { add(start, end) }
      }
    }
  }

  private init(from left: Double, to right: Double) {
    (self.left, self.right) = (left, right)
    let count = min(Self.mostStrips, (right - left).rounded(.up))
    strips = Array(repeating: nil, count: max(Int(count), 1))
  }

  private var width: Double { (right - left) / Double(strips.count) }

  /// The outline around it: along the upper ends of the strips, and back along the lower ones.
  var outline: MaskShape {
    var (upper, lower): ([MaskShape.Corner], [MaskShape.Corner]) = ([], [])
    var last: ClosedRange<Double>?
    for (index, strip) in strips.enumerated() {
      // Between parts that are apart it is a line.
      guard let rows = strip ?? last.map({ $0.lowerBound...$0.lowerBound }) else { continue }
      last = rows
      for x in [left + Double(index) * width, left + Double(index + 1) * width] {
        upper.append(MaskShape.Corner(x: Length(x), y: Length(rows.lowerBound)))
        lower.append(MaskShape.Corner(x: Length(x), y: Length(rows.upperBound)))
      }
    }
    return .polygon(upper + lower.reversed())
  }

  /// Adds a run of pixels, which go down the columns.
  private mutating func add(_ run: Range<Int>, of height: Int) {
    let (first, top) = run.lowerBound.quotientAndRemainder(dividingBy: height)
    let (last, bottom) = (run.upperBound - 1).quotientAndRemainder(dividingBy: height)
    let (upper, lower) = (Double(top), Double(bottom + 1))
    guard first < last else {
      return add(from: Double(first), to: Double(first + 1), upper...lower)
    }
    add(from: Double(first), to: Double(first + 1), upper...Double(height))
    if first + 1 < last { add(from: Double(first + 1), to: Double(last), 0...Double(height)) }
    add(from: Double(last), to: Double(last + 1), 0...lower)
  }

  private mutating func add(from start: Double, to end: Double, _ rows: ClosedRange<Double>) {
    let first = Int(((start - left) / width).rounded(.down))
    let last = Int(((end - left) / width).rounded(.up))
    for index in max(first, 0)..<max(min(last, strips.count), max(first, 0)) {
      let known = strips[index] ?? rows
      strips[index] =
        min(known.lowerBound, rows.lowerBound)...max(known.upperBound, rows.upperBound)
    }
  }

  /// Adds a side of a polygon, in each strip what of it is there.
  private mutating func add(_ start: DetectorVertex, _ end: DetectorVertex) {
    let (low, high) = start.x <= end.x ? (start, end) : (end, start)
    guard low.x < high.x else {
      // A side between two strips is the border of both.
      add(from: low.x - width / 2, to: low.x + width / 2, min(low.y, high.y)...max(low.y, high.y))
      return
    }
    func y(_ x: Double) -> Double { low.y + (high.y - low.y) * (x - low.x) / (high.x - low.x) }
    for index in strips.indices {
      let from = max(low.x, left + Double(index) * width)
      let to = min(high.x, left + Double(index + 1) * width)
      guard from <= to else { continue }
      add(
        from: left + Double(index) * width, to: left + Double(index + 1) * width,
        min(y(from), y(to))...max(y(from), y(to)))
    }
  }

  /// Polygons, each as `[x, y, x, y, …]`.
  private static func rings(_ node: DetectorNode) throws(RegionsError) -> [[DetectorVertex]] {
    var rings: [[DetectorVertex]] = []
    for ring in try node.elements() {
      var numbers: [Double] = []
      for number in try ring.elements() { numbers.append(try number.number()) }
      guard numbers.count >= 6, numbers.count.isMultiple(of: 2),
        numbers.allSatisfy({ abs($0) <= 1e6 })
      else {
        throw ring.error("must be the coordinates of three corners or more, in pixels")
      }
      rings.append(
        stride(from: 0, to: numbers.count, by: 2).map {
          DetectorVertex(x: numbers[$0], y: numbers[$0 + 1])
        })
    }
    return rings
  }

  /// The runs of pixels in a mask, in order, none empty.
  private static func runs(
    _ node: DetectorNode
  ) throws(RegionsError) -> (size: Size, runs: [Range<Int>]) {
    let sides = try node.required("size").elements()
    guard sides.count == 2, let size = Size(rows: try sides[0].number(), try sides[1].number())
    else { throw node.error("must have a size [height, width]") }
    let counts = try node.required("counts")
    let runs: [Int]
    if case .array = counts.value.content {
      var numbers: [Int] = []
      for number in try counts.elements() {
        let value = try number.number()
        guard value >= 0, value <= 1e12, value == value.rounded() else {
          throw number.error("is \(value); it must be a whole number from 0 on")
        }
        numbers.append(Int(value))
      }
      runs = numbers
    } else if case .string(let text) = counts.value.content {
      guard let read = Self.runs(text) else {
        throw counts.error("is no text of runs as COCO writes them")
      }
      runs = read
    } else {
      throw counts.error("must be an array or a text, not \(counts.value.kind)")
    }
    // The first of them is outside.
    var inside: [Range<Int>] = []
    var (at, isInside) = (0, false)
    for run in runs {
      guard run <= size.area - at else {
        throw counts.error("goes beyond \(size.width)×\(size.height) pixels")
      }
      if isInside, run > 0 { inside.append(at..<at + run) }
      at += run
      isInside.toggle()
    }
    return (size, inside)
  }

  /// Runs as letters, five bits each, lowest first; from the third on they are differences to the run before
  /// the last.
  private static func runs(_ text: String) -> [Int]? {
    var runs: [Int] = []
    var (value, shift) = (0, 0)
    for byte in text.utf8 {
      guard (48..<112).contains(byte), shift <= 40 else { return nil }
      let bits = Int(byte) - 48
      value |= (bits & 31) << shift
      shift += 5
      guard bits & 32 == 0 else { continue }
      if bits & 16 != 0 { value |= -1 << shift }
      if runs.count > 2 { value += runs[runs.count - 2] }
      guard value >= 0, value < 1 << 45 else { return nil }
      runs.append(value)
      (value, shift) = (0, 0)
    }
    return shift == 0 ? runs : nil
  }
}

extension Size {
  /// `nil` for sides that are none.
  fileprivate init?(rows: Double, _ columns: Double) {
    guard [rows, columns].allSatisfy({ $0 == $0.rounded() && (1...1e6).contains($0) }) else {
      return nil
    }
    self.init(width: Int(columns), height: Int(rows))
  }
}
