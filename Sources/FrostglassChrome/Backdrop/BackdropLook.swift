public import FrostglassCore

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
  public static let standardFilters: FilterChain = [SevenBlur<SevenBlurColor.Light>()]

  /// 7blur's light effect with square corners.
  public static let standard = BackdropLook()
}
