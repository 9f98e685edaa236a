/// What tracks cover in each frame of a film of one size.
///
/// Between two keys a thing goes the straight way. Where it was lost between them, what is covered is as
/// careful as was asked for, and the same forward and backward in time.
package struct TrackSampler: Sendable {
  /// What is covered in a gap, where a thing was lost and found again.
  package enum OnGap: String, Sendable, Hashable, CaseIterable {
    /// The rectangle around both places.
    case cover
    /// Both places.
    case hold
    /// Nothing: such tracks are refused.
    case error
  }

  /// How carefully.
  package struct Care: Sendable, Hashable {
    /// What is covered in a gap.
    package var onGap = OnGap.cover
    /// In each frame also what is covered in so many frames before and after, 0 or more.
    package var spread = 0
    /// Regions grow by as far as they move in so many frames, 0 or more.
    package var motion = 0.0

    package init(onGap: OnGap = .cover, spread: Int = 0, motion: Double = 0) {
      self.onGap = onGap
      self.spread = spread
      self.motion = motion
    }
  }

  /// How it is known where something is.
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
    /// Which track it is, by its number in the list.
    package let track: Int
    /// How it is known to be there.
    package let state: State
    /// In pixels; one or more, which count together.
    package let shapes: [MaskShape]
  }

  /// The tracks, in pixels.
  package let tracks: Tracks
  private let care: Care
  /// How long a frame is by the tracks' clock.
  private let step: Double
  /// From when to when each track has something to say.
  private let spans: [ClosedRange<Double>]

  /// - Parameters:
  ///   - size: of the film's frames.
  ///   - scale: pixels per point.
  ///   - frame: how long a frame is, in seconds; needed where the tracks count these.
  /// - Throws: `RegionsError.unfit` for gaps that are not to be, and where a frame's length is missing.
  package init(
    _ tracks: Tracks, size: Size, scale: Double = 1, care: Care, frame: Double?
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

  /// What is covered at a time, in the order of the tracks.
  package func found(at time: Double) -> [Found] {
    var found: [Found] = []
    for (index, span) in spans.enumerated() where span.contains(time) {
      let keys = tracks.tracks[index].keys
      let now = place(keys, time)
      var shapes = moved(now.shapes, keys, time)
      for frame in 0..<care.spread {
        let away = Double(frame + 1) * step
        for time in [time - away, time + away] {
          shapes += moved(place(keys, time).shapes, keys, time)
        }
      }
      if tracks.clock == .seconds, care.spread > 0 {
        // Keys need not be where frames are.
        let reach = Double(care.spread) * step
        shapes += keys.filter { abs($0.at - time) <= reach }.compactMap(\.shape)
      }
      guard !shapes.isEmpty else { continue }
      found.append(Found(track: index, state: now.state, shapes: MaskShape.united(shapes)))
    }
    return found
  }

  /// What is covered while a frame is shown, in the order of the tracks.
  ///
  /// A frame that is shown longer than most covers what is covered at any time in between.
  ///
  /// - Parameter end: from when on it is shown no more, by the tracks' clock; `nil` where it is shown as long
  ///   as frames usually are.
  package func found(from start: Double, to end: Double?) -> [Found] {
    guard let end, end - start > step * 1.5 else { return found(at: start) }
    let pace = max(step, (end - start) / Self.mostTimes)
    var times = Array(stride(from: start, to: end, by: pace))
    times += tracks.tracks.lazy.flatMap(\.keys).map(\.at).filter { start < $0 && $0 < end }
    var all: [Found] = []
    for time in times {
      for found in found(at: time) {
        guard let place = all.firstIndex(where: { $0.track == found.track }) else {
          all.append(found)
          continue
        }
        all[place] = Found(
          track: found.track, state: all[place].state,
          shapes: MaskShape.united(all[place].shapes + found.shapes))
      }
    }
    return all.sorted { $0.track < $1.track }
  }

  /// Times at which a frame that is shown for long is looked at, at most.
  private static let mostTimes = 1000.0

  /// Where something is at a time, without what is around that time.
  func place(_ keys: [Tracks.Key], _ time: Double) -> (shapes: [MaskShape], state: State) {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle].at <= time { low = middle + 1 } else { high = middle }
    }
    if tracks.clock == .seconds,
      let key = shown(keys[max(low - 1, 0)..<min(low + 1, keys.count)], time),
      let shape = key.shape
    {
      return ([shape], .measured)
    }
    guard low > 0, let shape = keys[low - 1].shape else { return ([], .held) }
    let key = keys[low - 1]
    if key.at == time { return ([shape], .measured) }
    if let until = key.until { return time < until ? ([shape], .measured) : ([], .held) }
    guard low < keys.count else { return ([], .held) }
    // What is said to be gone was there until then.
    guard let far = keys[low].shape else { return ([shape], .held) }
    let distance = keys[low].at - key.at
    if tracks.longestStep.map({ distance <= $0 }) ?? true {
      guard let between = shape.onTheWay(to: far, (time - key.at) / distance) else {
        return ([shape, far], .held)
      }
      return ([between], .interpolated)
    }
    if care.onGap == .cover, let around = MaskShape.around([shape, far]) {
      return ([around], .held)
    }
    return ([shape, far], .held)
  }

  /// Of the keys beside a time in seconds the one that the frame shows: a frame is shown until the next, and
  /// a time that was rounded belongs to the frame that is nearest.
  private func shown(_ keys: ArraySlice<Tracks.Key>, _ time: Double) -> Tracks.Key? {
    keys.filter { key in
      guard key.shape != nil else { return false }
      guard let until = key.until else { return abs(key.at - time) <= step / 2 }
      return key.at < time + step && time < until
    }.min { abs($0.at - time) < abs($1.at - time) }
  }

  /// Shapes grown by as far as their track moves.
  private func moved(_ shapes: [MaskShape], _ keys: [Tracks.Key], _ time: Double) -> [MaskShape] {
    guard care.motion > 0, !shapes.isEmpty else { return shapes }
    func center(_ time: Double) -> (x: Double, y: Double)? {
      MaskShape.around(place(keys, time).shapes)?.box.map {
        ($0.x + $0.width / 2, $0.y + $0.height / 2)
      }
    }
    guard let now = center(time) else { return shapes }
    let near = [center(time - step), center(time + step)].compactMap { $0 }
    let x = near.map { abs($0.x - now.x) }.max() ?? 0
    let y = near.map { abs($0.y - now.y) }.max() ?? 0
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

  /// What covers all of the shapes: themselves, each once, and one rectangle around those that overlap.
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

  /// Whether both are rectangles, and have a part in common.
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
