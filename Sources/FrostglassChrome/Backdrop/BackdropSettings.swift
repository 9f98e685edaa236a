public import FrostglassCore

/// Where a backdrop view is and how it comes.
public struct BackdropSettings: Sendable, Hashable {
  /// Where it is when it is there, in points of its parent.
  public let frame: LayoutRect
  /// How it comes and goes.
  public let arrival: Arrival
  /// How long it takes to come, in seconds; 7blur takes 0.25.
  public let arrivalDuration: Double
  /// How long it takes to go, in seconds; 7blur takes 0.15.
  public let departureDuration: Double
  /// Pixels per point of the damage that is reported.
  public let scale: Double
  /// Whether the caller says when a capture is done. If not, each is done when it is asked for.
  public let confirmsCaptures: Bool

  /// How a view comes and goes.
  public enum Arrival: String, Sendable, Hashable, CaseIterable {
    /// Drops down from above its parent, and is drawn up again.
    case drop
    /// Grows downward from height 0, and shrinks to it.
    case grow
    /// Is where it is from the start; goes by its alpha.
    case fixed
  }

  /// - Parameters:
  ///   - frame: where it is when it is there, in points of its parent; 7blur's is 320 by 200, below
  ///     a navigation bar.
  ///   - arrival: how it comes and goes.
  ///   - arrivalDuration: 0…60 s.
  ///   - departureDuration: 0…60 s.
  ///   - scale: pixels per point, over 0 and at most 100.
  ///   - confirmsCaptures: whether the caller says when a capture is done.
  /// - Throws: `BackdropError` that names what is out of range.
  public init(
    frame: LayoutRect = BackdropSettings.standard.frame, arrival: Arrival = .drop,
    arrivalDuration: Double = 0.25, departureDuration: Double = 0.15, scale: Double = 1,
    confirmsCaptures: Bool = false
  ) throws(BackdropError) {
    guard frame.isUsable else {
      throw .badFrame(
        "\(frame.width)×\(frame.height) at \(frame.x), \(frame.y)",
        accepted: "within ±10⁹ points, with sides of 0 or more")
    }
    let durations = [
      ("arrival duration", arrivalDuration), ("departure duration", departureDuration),
    ]
    for (name, duration) in durations where !(0...60).contains(duration) {
      throw .badValue(name: name, value: duration, accepted: "from 0 to 60 s")
    }
    guard scale > 0, scale <= 100 else {
      throw .badValue(name: "scale", value: scale, accepted: "over 0 and at most 100")
    }
    self.init(
      checkedFrame: frame, arrival, (arrivalDuration, departureDuration), scale, confirmsCaptures)
  }

  private init(
    checkedFrame: LayoutRect, _ arrival: Arrival, _ durations: (Double, Double), _ scale: Double,
    _ confirmsCaptures: Bool
  ) {
    frame = checkedFrame
    self.arrival = arrival
    (arrivalDuration, departureDuration) = durations
    self.scale = scale
    self.confirmsCaptures = confirmsCaptures
  }

  /// 7blur's.
  public static let standard = BackdropSettings(
    checkedFrame: LayoutRect(x: 0, y: 64, width: 320, height: 200), .drop, (0.25, 0.15), 1, false)

  /// Where the view is while it is away, for a place where it is when it is there.
  func away(from frame: LayoutRect) -> LayoutRect {
    switch arrival {
    case .drop:
      LayoutRect(
        x: frame.x, y: -(frame.height + max(frame.y, 0)), width: frame.width, height: frame.height)
    case .grow: LayoutRect(x: frame.x, y: frame.y, width: frame.width, height: 0)
    case .fixed: frame
    }
  }
}
