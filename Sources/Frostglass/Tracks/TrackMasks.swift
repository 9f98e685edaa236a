/// What tracks cover in each frame of a film, as masks; for a redaction where it is in doubt, an error.
package struct TrackMasks: FrameMasks {
  /// The tracks, and how carefully they are taken.
  package let sampler: TrackSampler
  /// Where doubts were allowed: what a person should know.
  package private(set) var remarks: [String] = []
  /// What all masks have in common, with shapes that are in every frame.
  private let base: Mask
  private let size: Size
  private let scale: Double
  /// The name of the file, for messages.
  private let path: String
  /// Whether frames of which nothing is known are refused.
  private let isStrict: Bool
  /// How many frames the film is said to have, whatever the tracks say.
  private let frames: Int?
  /// How long a frame is, in seconds.
  private let frame: Double?
  /// From when on nothing is known, by the tracks' clock.
  private let end: Double

  /// Fits tracks to a film.
  ///
  /// - Parameters:
  ///   - path: the tracks' file, for messages.
  ///   - base: the mask of all frames but for the tracks' shapes; what it refuses is refused of them.
  ///   - size: of the film's frames.
  ///   - scale: pixels per point.
  ///   - isStrict: whether frames beyond the tracks' end, and tracks beyond the film's, are an error.
  ///   - frames: how many the film has, where the tracks' file does not say so.
  ///   - rate: of the film, where it is known.
  /// - Throws: `VideoError.tracks` for tracks that do not fit.
  package init(
    _ tracks: Tracks, from path: String, beside base: Mask, size: Size, scale: Double = 1,
    care: TrackSampler.Care, isStrict: Bool, frames: Int? = nil, rate: FrameRate?
  ) throws(VideoError) {
    self.base = base
    self.size = size
    self.scale = scale
    self.path = path
    self.isStrict = isStrict
    self.frames = frames
    let frame = rate.map { Double($0.seconds) / Double($0.frames) }
    self.frame = frame
    // A time in seconds is that of the nearest frame.
    let key = tracks.clock == .frames ? 1 : (frame ?? 0) / 2
    let last = tracks.tracks.lazy.flatMap(\.keys).map { $0.until ?? $0.at + key }.max()
    end = tracks.length ?? last ?? 0
    do throws(RegionsError) {
      sampler = try TrackSampler(tracks, size: size, scale: scale, care: care, frame: frame)
    } catch { throw .tracks("\(error.inFile(path))") }
    if let made = tracks.size, made != size {
      try doubt(.otherSize, "its regions are of a film of \(made), and this one has \(size)")
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

  private mutating func doubt(_ kind: MaskDoubt.Kind, _ words: String) throws(VideoError) {
    guard base.refused.contains(kind) else {
      remarks.append("warning: \(path): \(words)")
      return
    }
    throw .tracks(
      "\(path): \(words); it may not be what was meant, --allow-\(kind.rawValue) goes on all the same"
    )
  }

  private func touches(_ shape: MaskShape) throws(VideoError) -> Bool {
    do throws(PlanError) { return try shape.bounds(in: size, scale: scale) != nil } catch {
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

  /// What is covered of the tracks in a frame, as far as it touches it.
  package func found(at moment: FrameMoment) throws(VideoError) -> [TrackSampler.Found] {
    var all: [TrackSampler.Found] = []
    let end = sampler.tracks.clock == .seconds ? moment.end : nil
    for found in sampler.found(from: try time(of: moment), to: end) {
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

  /// Refuses a frame of which nothing is known.
  private func check(_ moment: FrameMoment) throws(VideoError) {
    if let frames {
      guard moment.index >= frames else { return }
      throw .tracks("the film has more than the \(frames) frames that --tracks-frames says")
    }
    let tracks = sampler.tracks
    guard try time(of: moment) >= end else { return }
    throw .tracks(
      "\(path): it "
        + (tracks.length == nil ? "ends before" : "is of a film that ends before")
        + " \(tracks.words(tracks.clock == .frames ? Double(moment.index) : end)), and the film goes on; "
        + "--tracks-frames N says that there is nothing to cover in the rest of its N frames")
  }

  package func finish(after last: FrameMoment?) throws(VideoError) {
    guard let words = misfit(after: last) else { return }
    if isStrict { throw .tracks(words) }
  }

  /// What does not fit where the film ends; `nil` where all does.
  ///
  /// - Parameter last: the last frame.
  package func misfit(after last: FrameMoment?) -> String? {
    let count = last.map { $0.index + 1 } ?? 0
    if let frames {
      return frames == count
        ? nil : "the film has \(count) frames, and --tracks-frames says \(frames)"
    }
    let tracks = sampler.tracks
    let (film, slack) =
      tracks.clock == .frames
      ? (Double(count), 0) : (last?.end ?? 0, 1.5 * (frame ?? 0))
    // A key at the very end of a film in seconds belongs to its last frame.
    guard let length = tracks.length ?? (tracks.end > film + slack ? tracks.end : nil),
      abs(length - film) > slack
    else { return nil }
    let unit = tracks.clock == .frames ? "frames" : "seconds"
    return "\(path): it is of a film of \(shortest(length)) \(unit), and this one has "
      + "\(shortest(film)); the tracks may be another film's"
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
