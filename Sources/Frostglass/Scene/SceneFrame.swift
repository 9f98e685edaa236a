/// A moment of a scene, rendered.
public struct SceneFrame: Sendable {
  /// In seconds.
  public var time: Double
  public var image: Image
  /// What was computed anew for it.
  public var damage: Damage
  /// What there is to say about the moment, by column.
  public var trace: [(column: String, value: String)]
}
