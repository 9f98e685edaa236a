/// Layers as they were at a time. One value serves all who show them: what holds the same layers by
/// the same reference is told to be equal without looking at them.
public final class CapturedLayers: Sendable, Hashable {
  public let layers: [Layer]

  public init(_ layers: [Layer]) { self.layers = layers }

  public static func == (left: CapturedLayers, right: CapturedLayers) -> Bool {
    left === right || left.layers == right.layers
  }

  // Layers hold captures that hold layers; their number tells most apart.
  public func hash(into hasher: inout Hasher) { hasher.combine(layers.count) }
}
