/// One of the things that a scene shows, in canvas pixels.
public struct Layer: Sendable, Hashable {
  /// What a layer shows.
  public enum Content: Sendable, Hashable {
    /// A color everywhere; its alpha counts.
    case color(Color)
    case picture(PlacedPicture)
    /// What lies behind, as filters make it.
    case backdrop(FilterChain, of: Capture)
  }

  /// What a backdrop's filters see.
  public enum Capture: Sendable, Hashable {
    /// All that is below the layer, as it is now.
    case below
    /// Layers on the scene's background: as they were at another time, or what several backdrops
    /// share.
    case captured(CapturedLayers)

    /// These layers on the scene's background.
    public static func layers(_ layers: [Layer]) -> Capture { .captured(CapturedLayers(layers)) }
  }

  /// Tells it from the scene's others, from frame to frame.
  public var id: String
  public var content: Content
  /// It shows only where all of these are; none is everywhere.
  public var clips: [LayerShape]
  /// A gray picture: it shows as much as that is bright, and not beyond it.
  public var mask: PlacedPicture?
  /// 0…1.
  public var opacity: Double

  public init(
    id: String, _ content: Content, clips: [LayerShape] = [], mask: PlacedPicture? = nil,
    opacity: Double = 1
  ) {
    self.id = id
    self.content = content
    self.clips = clips
    self.mask = mask
    self.opacity = opacity
  }

  /// Pixels that it may change: none where nothing of it shows.
  func bounds(in scene: Scene) -> Rect {
    guard opacity > 0 else { return Rect(x: 0, y: 0, width: 0, height: 0) }
    var bounds = clips.reduce(scene.canvas) { $0.intersection($1.bounds.pixels) }
    let shown: PlacedPicture? = if case .picture(let picture) = content { picture } else { nil }
    for picture in [shown, mask].compactMap({ $0 }) {
      guard picture.canBeRead(on: scene.size) else { return Rect(x: 0, y: 0, width: 0, height: 0) }
      bounds = bounds.intersection(picture.bounds(of: scene.pictures[picture.picture].size))
    }
    return bounds
  }
}
