/// The numbers by which sightings become tracks.
public struct TrackingRules: Sendable, Hashable {
  /// The score that starts a track.
  public var start = 0.65
  /// The score from which on a sighting continues one.
  public var keep = 0.2
  /// The score of which three sightings in different frames start one, too.
  public var repeated = 0.45
  /// The longest side of a thing below `start`, as a part of the frame's shorter side. A larger face has detail enough to
  /// be sure of; where a detector is not, it is a wall, a shirt or a cup, and is left alone.
  public var largest = 0.5
  /// Frames for which a thing is followed before and after each sighting.
  public var lead = 12
  /// Frames between two sightings of one thing, at most: enough for ten looks that find nothing at every fifth frame.
  public var hold = 60

  /// The usual numbers.
  public init() {}
}

/// The margins around things: all that is covered beyond what was seen.
///
/// They depend on one sighting and on the planes alone, never on other sightings: one more sighting makes none of
/// them smaller.
enum Margin {
  /// The margin on each side, as a fraction of the box.
  private static let usual = 0.15
  /// The part of a frame's motion that is added along it.
  private static let ofMotion = 0.25
  /// The largest doubt, as a part of the box, where following from both sides leads to one place.
  private static let agreed = 0.05
  /// The largest part for motion, and for doubt.
  private static let most = (motion: 0.4, doubt: 0.6)

  /// The doubt of a place, as a part of the box, after one more frame of following.
  static func doubt(after doubt: Double, isSure: Bool) -> Double {
    min(doubt + (isSure ? 0.01 : 0.04), most.doubt)
  }

  /// Covers a thing in a frame.
  ///
  /// - Parameters:
  ///   - box: its place.
  ///   - doubt: the uncertainty of its place, as a fraction of the box.
  ///   - motion: the distance that it moves to an adjacent frame, in pixels.
  static func cover(_ box: FoundBox, doubt: Double, motion: (x: Double, y: Double)) -> FoundBox {
    let part = usual + min(doubt, most.doubt)
    let x = min(abs(motion.x) * ofMotion, most.motion * box.width)
    let y = min(abs(motion.y) * ofMotion, most.motion * box.height)
    return box.grown(x: part * box.width + x, y: part * box.height + y)
  }

  /// Covers a thing between two sightings, where following from both leads to a place each.
  ///
  /// Where these agree it is between them by the share of time; where not, both places and the way between are
  /// covered.
  static func cover(_ ahead: Followed, _ back: Followed, share: Double) -> FoundBox {
    let distance = ahead.box.distance(to: back.box)
    let doubt = min(ahead.doubt, back.doubt)
    if distance.centers < 0.25, distance.sides < 1.6 {
      // Where both agree, neither went astray, however long it was followed.
      return cover(
        ahead.box.mixed(with: back.box, share), doubt: min(doubt, agreed) + distance.centers,
        motion: (max(abs(ahead.x), abs(back.x)), max(abs(ahead.y), abs(back.y))))
    }
    return cover(ahead.box, doubt: doubt, motion: (ahead.x, ahead.y))
      .joined(with: cover(back.box, doubt: doubt, motion: (back.x, back.y)))
  }
}

/// The place to which a thing was followed from a sighting.
struct Followed {
  var box: FoundBox
  /// The doubt of it, as a part of the box.
  var doubt = 0.0
  /// The last step, in pixels.
  var x = 0.0
  var y = 0.0

  /// Goes on to the next plane.
  ///
  /// - Parameter scale: samples of planes per pixel of frames.
  func next(_ motion: inout Motion, scale: Double) -> Followed {
    let step = motion.step(
      of: FoundBox(
        left: box.left * scale, top: box.top * scale, right: box.right * scale,
        bottom: box.bottom * scale))
    let (x, y) = (step.x / scale, step.y / scale)
    return Followed(
      box: box.moved(x: x, y: y), doubt: Margin.doubt(after: doubt, isSure: step.isSure), x: x, y: y
    )
  }
}
