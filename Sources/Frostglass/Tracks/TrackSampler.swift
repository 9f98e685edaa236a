package import FrostglassCore

/// A sampler of the areas that tracks cover in each frame of a video of one size.
///
/// Positions between two keys are interpolated linearly. `care` says what is covered in gaps between them. The
/// result is the same forward and backward in time.
package struct TrackSampler: Sendable {
  /// The area covered in a gap, where a thing was lost and found again.
  package enum OnGap: String, Sendable, Hashable, CaseIterable {
    /// The rectangle around both places.
    case cover
    /// Both places.
    case hold
    /// Nothing: such tracks are refused.
    case error
  }

  /// The margins of safety in time and motion.
  package struct SafetyMargins: Sendable, Hashable {
    /// The area covered in a gap.
    package var onGap = OnGap.cover
    /// The number of frames before and after whose areas are covered in each frame too; 0 or more.
    package var spread = 0
    /// Regions grow by as far as they move in so many frames, 0 or more.
    package var motion = 0.0

    package init(onGap: OnGap = .cover, spread: Int = 0, motion: Double = 0) {
      self.onGap = onGap
      self.spread = spread
      self.motion = motion
    }
  }

  /// The evidence for a position.
  package enum State: String, Sendable, Hashable {
    /// The tracks say it of this time.
    case measured
    /// On the straight way between two keys.
    case interpolated
    /// Held from another time: in a gap, before something is gone, or only because of the spread.
    case held
  }

  /// Something that is covered in a frame.
  package struct Found: Sendable, Hashable {
    /// The track's index in the list.
    package let track: Int
    /// The evidence for the position.
    package let state: State
    /// The shapes, in pixels; one or more, which count together.
    package let shapes: [MaskShape]
  }

  /// The tracks, in pixels.
  package let tracks: Tracks
  private let care: SafetyMargins
  /// The duration of a frame by the tracks' clock.
  private let step: Double
  /// The spans of time in which each track covers something.
  private let spans: [ClosedRange<Double>]

  /// - Parameters:
  ///   - size: of the video's frames.
  ///   - scale: pixels per point.
  ///   - frame: the duration of a frame, in seconds; needed where the tracks count seconds.
  /// - Throws: `RegionsError.unfit` for gaps that are not to be, and where a frame's length is missing.
  package init(
    _ tracks: Tracks, size: Size, scale: Double = 1, care: SafetyMargins, frame: Double?
  ) throws(RegionsError) {
    if care.onGap == .error, let gap = tracks.gaps.first {
      throw .unfit(
        path: "",
        reason: "\(gap.track.words) is lost after \(tracks.words(gap.from)) and found again at "
          + "\(tracks.words(gap.to)); --on-gap cover or hold goes on all the same")
    }
    switch (tracks.clock, frame) {
    case (.frames, _): step = 1
    case (.seconds, let frame?): step = frame
    case (.seconds, nil):
      throw .unfit(
        path: "",
        reason: "it counts seconds, and nothing tells how long a frame is; --rate N says it")
    }
    var resolved = tracks
    for track in resolved.tracks.indices {
      for key in resolved.tracks[track].keys.indices {
        let shape = resolved.tracks[track].keys[key].shape
        resolved.tracks[track].keys[key].shape = shape?.inPixels(of: size, scale: scale)
      }
    }
    self.tracks = resolved
    self.care = care
    let reach = Double(care.spread + (tracks.clock == .seconds ? 1 : 0)) * step
    spans = resolved.tracks.map { track in
      let last = track.keys[track.keys.count - 1]
      return track.keys[0].at - reach...max(last.at, last.until ?? last.at) + reach
    }
  }

  /// A frame's time on the screen, by the tracks' clock.
  package struct Showing: Sendable, Hashable {
    /// Its beginning.
    package var start: Double
    /// Its end, when the next frame begins; `nil` after the length that frames usually have.
    package var end: Double?
    /// The beginning of the frame before; `nil` the usual length before the start.
    package var previous: Double?
    /// True if no frame of the video is before it.
    package var isFirst = false
    /// True if it is known that no frame of the video is after it.
    package var isLast = false

    package init(
      from start: Double, to end: Double? = nil, after previous: Double? = nil,
      isFirst: Bool = false, isLast: Bool = false
    ) {
      (self.start, self.end, self.previous) = (start, end, previous)
      (self.isFirst, self.isLast) = (isFirst, isLast)
    }
  }

  /// Returns the areas covered in a frame of the usual length, in the order of the tracks.
  package func found(at time: Double) -> [Found] { found(in: Showing(from: time)) }

  /// Returns the areas covered in a frame, in the order of the tracks.
  ///
  /// A key in seconds belongs to the nearest frame and to the one on the screen at its time. A frame that is shown
  /// longer than most covers everything covered at any time in between.
  package func found(in frame: Showing) -> [Found] {
    let (start, end) = (frame.start, max(frame.end ?? frame.start + step, frame.start))
    let previous = min(frame.previous ?? start - step, start)
    let isLong = tracks.clock == .seconds && end - start > step * 1.5
    let (low, high) = (frame.isFirst ? -.infinity : previous, frame.isLast ? .infinity : end)
    var found: [Found] = []
    for (index, span) in spans.enumerated() where span.lowerBound <= high && span.upperBound >= low
    {
      let keys = tracks.tracks[index].keys
      let own = tracks.clock == .seconds ? own(keys, of: frame, from: start, to: end, previous) : []
      let now = place(keys, start)
      var shapes = own.compactMap(\.shape)
      // A key at another time than the frame's does not replace interpolation.
      let isExact = own.contains { abs($0.at - start) <= Self.rounding }
      if own.isEmpty || !now.isInGap && !isExact { shapes += now.shapes }
      shapes = moved(shapes, keys, start)
      for time in around(start, previous) { shapes += moved(place(keys, time).shapes, keys, time) }
      if isLong {
        for time in stride(from: start, to: end, by: max(step, (end - start) / Self.mostTimes)) {
          for time in [time] + around(time, time) {
            shapes += moved(place(keys, time).shapes, keys, time)
          }
        }
      }
      if tracks.clock == .seconds, care.spread > 0 {
        // Keys need not be where frames are.
        let reach = Double(care.spread) * step
        let near = first(of: keys, from: min(start - reach - step / 2, previous))
        shapes += keys[near...].prefix { $0.at < end + reach - Self.rounding }.compactMap(\.shape)
      }
      guard !shapes.isEmpty else { continue }
      found.append(
        Found(
          track: index, state: own.isEmpty ? now.state : .measured,
          shapes: MaskShape.united(shapes)))
    }
    return found
  }

  /// Times around one at which it is looked as well, for the spread.
  private func around(_ time: Double, _ previous: Double) -> [Double] {
    guard care.spread > 0 else { return [] }
    let times = (1...care.spread).flatMap { [time - Double($0) * step, time + Double($0) * step] }
    return tracks.clock == .seconds && time - previous > step ? times + [previous] : times
  }

  /// The largest error of times that are written in thousandths of a second.
  private static let rounding = 0.0006

  /// Returns the keys that belong to a frame: those at whose times it is on the screen, and those to which it is the
  /// nearest one. Ties go to the frame before, which is on the screen.
  private func own(
    _ keys: [Tracks.Key], of frame: Showing, from start: Double, to end: Double, _ previous: Double
  ) -> [Tracks.Key] {
    // A time rounded to just before a frame means that frame.
    let last = end - min(Self.rounding, (end - start) / 4)
    let inside = first(of: keys, from: start)
    var own: [Tracks.Key] = []
    for key in keys[..<inside].reversed() {
      guard frame.isFirst || key.at > (previous + start) / 2 else { break }
      // Tracks that end before the frame begins are not in it.
      if key.until.map({ $0 > start }) ?? true { own.insert(key, at: 0) }
      // For the first frame, use the last key before it.
      if frame.isFirst { break }
    }
    for key in keys[inside...] {
      if key.at < last {
        own.append(key)
      } else if frame.isLast, key.until == nil {
        own.append(key)
        break
      } else {
        break
      }
    }
    return own.filter { $0.shape != nil }
  }

  /// Returns the index of the first key at a time or after it.
  private func first(of keys: [Tracks.Key], from time: Double) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle].at < time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The most times that are sampled for a frame that is shown for long.
  private static let mostTimes = 1000.0

  /// The knowledge of where something is at a time.
  struct Place {
    var shapes: [MaskShape]
    var state: State
    /// True between two keys that are too far apart for a straight way.
    var isInGap = false
  }

  /// Returns the position of a thing at a time, without its surroundings in time.
  func place(_ keys: [Tracks.Key], _ time: Double) -> Place {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle].at <= time { low = middle + 1 } else { high = middle }
    }
    let nothing = Place(shapes: [], state: .held)
    guard low > 0, let shape = keys[low - 1].shape else { return nothing }
    let key = keys[low - 1]
    if key.at == time { return Place(shapes: [shape], state: key.state ?? .measured) }
    if let until = key.until {
      return time < until ? Place(shapes: [shape], state: .measured) : nothing
    }
    guard low < keys.count else { return nothing }
    // An object is present until the key that ends it.
    guard let far = keys[low].shape else { return Place(shapes: [shape], state: .held) }
    let distance = keys[low].at - key.at
    if tracks.longestStep.map({ distance <= $0 }) ?? true {
      guard let between = shape.onTheWay(to: far, (time - key.at) / distance) else {
        return Place(shapes: [shape, far], state: .held)
      }
      return Place(shapes: [between], state: .interpolated)
    }
    if care.onGap == .cover, let around = MaskShape.around([shape, far]) {
      return Place(shapes: [around], state: .held, isInGap: true)
    }
    return Place(shapes: [shape, far], state: .held, isInGap: true)
  }

  /// Shapes grown by as far as their track moves.
  private func moved(_ shapes: [MaskShape], _ keys: [Tracks.Key], _ time: Double) -> [MaskShape] {
    guard care.motion > 0, !shapes.isEmpty else { return shapes }
    func center(_ time: Double) -> (x: Double, y: Double)? {
      MaskShape.around(place(keys, time).shapes)?.box.map {
        ($0.x + $0.width / 2, $0.y + $0.height / 2)
      }
    }
    let now = MaskShape.around(shapes)?.box.map { ($0.x + $0.width / 2, $0.y + $0.height / 2) }
    guard let now else { return shapes }
    let near = [center(time - step), center(time + step)].compactMap { $0 }
    let x = near.map { abs($0.x - now.0) }.max() ?? 0
    let y = near.map { abs($0.y - now.1) }.max() ?? 0
    return x == 0 && y == 0
      ? shapes : shapes.flatMap { $0.grown(x: x * care.motion, y: y * care.motion) }
  }
}

extension MaskShape {
  /// The shape at a share, 0…1, of the straight way to another one; `nil` where they are of two kinds.
  ///
  /// Lengths are in pixels.
  func onTheWay(to other: MaskShape, _ share: Double) -> MaskShape? {
    func mix(_ near: Length, _ far: Length) -> Length {
      Length(near.value + (far.value - near.value) * share)
    }
    switch (self, other) {
    case (
      .rectangle(let x, let y, let width, let height, let radius, let isContinuous),
      .rectangle(let farX, let farY, let farWidth, let farHeight, let farRadius, let farContinuous)
    ) where isContinuous == farContinuous:
      return .rectangle(
        x: mix(x, farX), y: mix(y, farY), width: mix(width, farWidth),
        height: mix(height, farHeight), radius: mix(radius, farRadius), isContinuous: isContinuous)
    case (
      .ellipse(let x, let y, let width, let height),
      .ellipse(let farX, let farY, let farWidth, let farHeight)
    ):
      return .ellipse(
        x: mix(x, farX), y: mix(y, farY), width: mix(width, farWidth),
        height: mix(height, farHeight))
    case (.polygon(let near), .polygon(let far)) where near.count == far.count:
      return .polygon(
        zip(near, far).map { Corner(x: mix($0.x, $1.x), y: mix($0.y, $1.y)) })
    default: return nil
    }
  }

  /// The upright rectangle around shapes in pixels; `nil` where there are none.
  static func around(_ shapes: [MaskShape]) -> MaskShape? {
    let boxes = shapes.compactMap(\.box)
    guard let left = boxes.map(\.x).min(), let top = boxes.map(\.y).min(),
      let right = boxes.map({ $0.x + $0.width }).max(),
      let bottom = boxes.map({ $0.y + $0.height }).max()
    else { return nil }
    return .rectangle(
      x: Length(left), y: Length(top), width: Length(right - left), height: Length(bottom - top))
  }

  /// Returns shapes that cover all of `shapes`: each once, with a rectangle around those that overlap.
  static func united(_ shapes: [MaskShape]) -> [MaskShape] {
    var different: [MaskShape] = []
    for shape in shapes where !different.contains(shape) {
      var whole = shape
      // What has grown may overlap others, before which it has been.
      while let place = different.firstIndex(where: { $0.overlaps(whole) }),
        let around = around([different.remove(at: place), whole])
      {
        whole = around
      }
      different.append(whole)
    }
    return different
  }

  /// Returns true if both are rectangles and overlap.
  private func overlaps(_ other: MaskShape) -> Bool {
    guard case .rectangle(let x, let y, let width, let height, _, _) = self,
      case .rectangle(let left, let top, let across, let down, _, _) = other
    else { return false }
    return x.value < left.value + across.value && left.value < x.value + width.value
      && y.value < top.value + down.value && top.value < y.value + height.value
  }

  /// The shape moved outward: what it covers on its way as far to each side. Lengths are in pixels.
  func grown(x: Double, y: Double) -> [MaskShape] {
    switch self {
    case .rectangle(let left, let top, let width, let height, let radius, let isContinuous):
      return [
        .rectangle(
          x: Length(left.value - x), y: Length(top.value - y), width: Length(width.value + 2 * x),
          height: Length(height.value + 2 * y), radius: radius, isContinuous: isContinuous)
      ]
    case .ellipse(let left, let top, let width, let height):
      // The ellipse that holds the one given at all corners of the way would be larger than these.
      return [(-x, -y), (-x, y), (x, -y), (x, y), (0, 0)].map { across, down in
        .ellipse(
          x: Length(left.value + across), y: Length(top.value + down), width: width, height: height)
      }
    case .polygon(let corners):
      return [(-x, -y), (-x, y), (x, -y), (x, y), (0, 0)].map { across, down in
        .polygon(
          corners.map { Corner(x: Length($0.x.value + across), y: Length($0.y.value + down)) })
      }
    case .gradient, .picture: return [self]
    }
  }
}
