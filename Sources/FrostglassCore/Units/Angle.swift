/// An angle; positive turns hues as CSS does.
public struct Angle: Sendable, Hashable, CustomStringConvertible {
  public var degrees: Double

  public init(degrees: Double) { self.degrees = degrees }

  public var radians: Double { degrees * .pi / 180 }

  public var description: String { "\(shortest(degrees))deg" }
}
