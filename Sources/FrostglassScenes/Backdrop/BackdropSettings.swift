public import FrostglassCore

/// A backdrop view's place and transitions.
public struct BackdropSettings: Sendable, Hashable {
  /// The view's frame while it is shown, in points of its parent.
  public let frame: LayoutRect
  /// The way in which the view arrives and leaves.
  public let arrival: Arrival
  /// The time that the view takes to arrive, in seconds; 7blur takes 0.25.
  public let arrivalDuration: Double
  /// The time that the view takes to leave, in seconds; 7blur takes 0.15.
  public let departureDuration: Double
  /// The easing of the arrival.
  public let arrivalEasing: Easing
  /// The easing of the departure.
  public let departureEasing: Easing
  /// The property that fades while a view leaves in its place.
  public let fading: Fading
  /// Pixels per point of the damage that is reported.
  public let scale: Double
  /// True if the caller reports when a capture is done. If not, each is done when it is requested.
  public let confirmsCaptures: Bool

  /// The way in which a view arrives and leaves.
  public enum Arrival: String, Sendable, Hashable, CaseIterable {
    /// Drops down from above its parent, and is drawn up again.
    case drop
    /// Grows downward from height 0, and shrinks to it.
    case grow
    /// Is where it is from the start; goes by its alpha.
    case fixed
    /// Comes from beyond its parent's upper border, and leaves the same way, as opaque as it is.
    case top
    /// The same, beyond the lower border.
    case bottom
    /// The same, beyond the left border.
    case left
    /// The same, beyond the right border.
    case right

    /// True if the view fades while it leaves.
    var fades: Bool { self == .drop || self == .grow || self == .fixed }
  }

  /// The property that fades.
  public enum Fading: String, Sendable, Hashable, CaseIterable {
    /// The alpha of all of it.
    case alpha
    /// The strength of its look, from blurred to sharp, as UIKit animates an effect away.
    case blur
  }

  /// - Parameters:
  ///   - frame: the view's frame while it is shown, in points of its parent; 7blur's is 320 by 200, below a navigation
  ///     bar.
  ///   - arrival: the way in which it arrives and leaves.
  ///   - arrivalDuration: 0…60 s; a spring takes its own time.
  ///   - departureDuration: 0…60 s; likewise.
  ///   - arrivalEasing: the easing of the arrival.
  ///   - departureEasing: the easing of the departure.
  ///   - fading: the property that fades.
  ///   - scale: pixels per point, over 0 and at most 100.
  ///   - confirmsCaptures: true if the caller says when a capture is done.
  /// - Throws: `BackdropError` that names what is out of range.
  public init(
    frame: LayoutRect = BackdropSettings.standard.frame, arrival: Arrival = .drop,
    arrivalDuration: Double = 0.25, departureDuration: Double = 0.15,
    arrivalEasing: Easing = .easeInOut, departureEasing: Easing = .easeInOut,
    fading: Fading = .alpha, scale: Double = 1, confirmsCaptures: Bool = false
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
      checkedFrame: frame, arrival,
      (arrivalEasing.duration ?? arrivalDuration, departureEasing.duration ?? departureDuration),
      (arrivalEasing, departureEasing), fading, scale, confirmsCaptures)
  }

  private init(
    checkedFrame: LayoutRect, _ arrival: Arrival, _ durations: (Double, Double),
    _ easings: (Easing, Easing), _ fading: Fading, _ scale: Double, _ confirmsCaptures: Bool
  ) {
    frame = checkedFrame
    self.arrival = arrival
    (arrivalDuration, departureDuration) = durations
    (arrivalEasing, departureEasing) = easings
    self.fading = fading
    self.scale = scale
    self.confirmsCaptures = confirmsCaptures
  }

  /// 7blur's.
  public static let standard = BackdropSettings(
    checkedFrame: LayoutRect(x: 0, y: 64, width: 320, height: 200), .drop, (0.25, 0.15),
    (.easeInOut, .easeInOut), .alpha, 1, false)

  /// Returns the view's frame while it is away, given its frame while it is shown.
  ///
  /// - Parameter parent: the parent's bounds; without them, a view that comes from a border stays in its place.
  func away(from frame: LayoutRect, in parent: LayoutRect?) -> LayoutRect {
    var beyond = frame
    switch arrival {
    case .top: beyond.origin.y = min(frame.y, (parent?.y ?? frame.maxY) - frame.height)
    case .bottom: beyond.origin.y = max(frame.y, parent?.maxY ?? frame.y)
    case .left: beyond.origin.x = min(frame.x, (parent?.x ?? frame.maxX) - frame.width)
    case .right: beyond.origin.x = max(frame.x, parent?.maxX ?? frame.x)
    case .drop, .grow, .fixed: break
    }
    return switch arrival {
    case .drop:
      LayoutRect(
        x: frame.x, y: -(frame.height + max(frame.y, 0)), width: frame.width, height: frame.height)
    case .grow: LayoutRect(x: frame.x, y: frame.y, width: frame.width, height: 0)
    case .fixed: frame
    case .top, .bottom, .left, .right: beyond
    }
  }

  /// All places that a view passes between being away and being there, also beyond either.
  func way(from away: LayoutRect, to shown: LayoutRect) -> LayoutRect {
    var way = away.joined(with: shown)
    if arrivalEasing.bound > 1 {
      way = way.joined(with: away.moved(toward: shown, by: arrivalEasing.bound))
    }
    if departureEasing.bound > 1 {
      way = way.joined(with: shown.moved(toward: away, by: departureEasing.bound).notInverted)
    }
    return way
  }
}

extension LayoutRect {
  /// Itself, but for sides below 0, which count as 0: what a motion that overshoots can make of it.
  var notInverted: LayoutRect {
    LayoutRect(
      origin: origin, size: LayoutSize(width: max(0, width), height: max(0, height)))
  }
}

/// The effect of a backdrop view on the content behind it. It can be replaced at any time.
public struct BackdropLook: Sendable, Hashable {
  /// The filters for what lies behind.
  public var filters: FilterChain
  /// A color laid over the result, by its alpha; `nil` for none.
  public var tint: Color?
  /// The radius of the view's corners in points; 0 for square ones.
  public let cornerRadius: Double
  /// The name of an image whose alpha the view shows through; `nil` for none.
  public var maskImage: String?
  /// The reach of the filters, in points: changes farther away do not matter. `nil` if unknown: then every change
  /// matters everywhere.
  public let reach: Double?

  /// - Throws: `BackdropError.badValue` when the corner radius or the reach is not from 0 to 10⁶
  ///   points.
  public init(
    filters: FilterChain = BackdropLook.standardFilters, tint: Color? = nil,
    cornerRadius: Double = 0, maskImage: String? = nil, reach: Double? = nil
  ) throws(BackdropError) {
    let lengths = [("corner radius", cornerRadius), ("reach", reach ?? 0)]
    for (name, length) in lengths where !(0...1e6).contains(length) {
      throw .badValue(name: name, value: length, accepted: "from 0 to 1000000 points")
    }
    self.filters = filters
    self.tint = tint
    self.cornerRadius = cornerRadius
    self.maskImage = maskImage
    self.reach = reach
  }

  private init() {
    filters = BackdropLook.standardFilters
    cornerRadius = 0
    reach = nil
  }

  /// 7blur's light effect.
  public static let standardFilters: FilterChain = FilterChain(ClassicStyle(.sevenBlurLight))

  /// 7blur's light effect with square corners.
  public static let standard = BackdropLook()
}

/// Why there is no such backdrop view.
public enum BackdropError: Error, Sendable, Hashable, CustomStringConvertible {
  case badValue(name: String, value: Double, accepted: String)
  case badFrame(String, accepted: String)

  /// The error message.
  public var description: String {
    switch self {
    case .badValue(let name, let value, let accepted):
      "a backdrop view's \(name) cannot be \(value); it can be \(accepted)"
    case .badFrame(let frame, let accepted):
      "a backdrop view's frame cannot be \(frame); it can be \(accepted)"
    }
  }
}
