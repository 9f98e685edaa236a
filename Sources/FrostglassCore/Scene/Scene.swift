/// A picture made of layers, as it is at one moment: what bars, backdrop views and whatever else is
/// shown come to, in pixels.
///
/// A scene compiles to a `Plan` like everything else. Two scenes that follow each other tell where
/// they differ, see `SceneCompiler.damage`, so that only that is computed again, see `SceneRenderer`.
public struct Scene: Sendable, Hashable {
  /// Of the canvas.
  public var size: Size
  /// What is behind all layers; with an alpha under 1 the result has an alpha channel.
  public var background: Color
  /// From the farthest to the nearest.
  public var layers: [Layer]
  /// What the pictures that layers show look like; all of the same transfer.
  public var pictures: [Plan.Input]
  /// Pixels per point, for lengths in filters.
  public var scale: Double
  public var quality: Quality

  public init(
    size: Size, background: Color = .white, layers: [Layer] = [], pictures: [Plan.Input] = [],
    scale: Double = 1, quality: Quality = .exact
  ) {
    self.size = size
    self.background = background
    self.layers = layers
    self.pictures = pictures
    self.scale = scale
    self.quality = quality
  }

  /// Whether nothing can be seen through the background.
  var isOpaque: Bool { background.alpha >= 1 }

  /// The whole canvas.
  var canvas: Rect { Rect(size) }
}
