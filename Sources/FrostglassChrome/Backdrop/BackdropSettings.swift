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

/// What a backdrop view does to what lies behind it. Another look can replace it at any time.
public struct BackdropLook: Sendable, Hashable {
  /// The filters for what lies behind.
  public var filters: FilterChain
  /// A color laid over the result, by its alpha; `nil` for none.
  public var tint: Color?
  /// The radius of the view's corners in points; 0 for square ones.
  public let cornerRadius: Double
  /// The name of a picture whose alpha the view shows through; `nil` for none.
  public var maskImage: String?
  /// How far the filters look, in points: what changes farther away does not matter. `nil` if that
  /// is not known: then any change matters to all.
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

  /// What happened, in words for the one who asked for it.
  public var description: String {
    switch self {
    case .badValue(let name, let value, let accepted):
      "a backdrop view's \(name) cannot be \(value); it can be \(accepted)"
    case .badFrame(let frame, let accepted):
      "a backdrop view's frame cannot be \(frame); it can be \(accepted)"
    }
  }
}
