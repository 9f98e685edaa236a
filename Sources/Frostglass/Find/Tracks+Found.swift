package import FrostglassCore
package import FrostglassFind

extension Tracks {
  /// Creates tracks of what was found in a video. Boxes come with all margins: nothing is to be added to them.
  ///
  /// - Parameters:
  ///   - size: of the video's upright frames.
  ///   - frames: the number of its frames.
  package init(_ found: FoundTracks, size: Size, frames: Int) {
    let tracks = found.tracks.map { track in
      var keys = track.places.map { place in
        Key(
          at: Double(place.frame), shape: MaskShape(around: place.box),
          score: place.score.map { ($0 * 1000).rounded() / 1000 }, state: State(place.source))
      }
      if let last = track.places.last?.frame, last + 1 < frames {
        keys.append(Key(at: Double(last + 1), shape: nil))
      }
      return Track(id: track.id, label: track.label, keys: keys)
    }
    self.init(.frames, tracks, longestStep: 1, size: size, length: Double(frames))
  }

  private typealias State = TrackSampler.State
}

extension TrackSampler.State {
  fileprivate init(_ source: FoundTrack.Source) {
    self =
      switch source {
      case .measured: .measured
      case .between: .interpolated
      case .held: .held
      }
  }
}

extension MaskShape {
  /// The rectangle of a box, rounded outward to tenths of pixels.
  fileprivate init(around box: FoundBox) {
    func down(_ value: Double) -> Double { (value * 10).rounded(.down) / 10 }
    func up(_ value: Double) -> Double { (value * 10).rounded(.up) / 10 }
    let (left, top) = (down(box.left), down(box.top))
    self = .rectangle(
      x: Length(left), y: Length(top),
      width: Length((up(box.right) - left).rounded(places: 1)),
      height: Length((up(box.bottom) - top).rounded(places: 1)))
  }
}
