public import FrostglassCore

// What it looks like now.
extension Storyboard {
  /// The scene as it is now.
  public var scene: Scene { scene(layers(below: actors.count)) }

  func scene(_ layers: [Layer]) -> Scene {
    Scene(
      size: document.canvas.pixels, background: document.canvas.background, layers: layers,
      pictures: pictures, scale: document.canvas.scale, quality: document.quality)
  }

  var canvas: CanvasDocument { document.canvas }

  var composer: LayerComposer {
    LayerComposer(scale: document.canvas.scale, pictures: pictures)
  }

  /// The content, and what all actors before one show.
  func layers(below index: Int) -> [Layer] {
    let composer = composer
    return contentLayers + actors[..<index].flatMap { $0.layers(composer) }
  }

  private var contentLayers: [Layer] {
    guard let state = simulator?.state else { return [] }
    let top = (-state.offset * document.canvas.scale).rounded()
    return [
      Layer(
        id: "content", .picture(PlacedPicture(0, transform: .translation(x: 0, y: top))))
    ]
  }

  /// What there is to say about the present, by column.
  public var trace: [(column: String, value: String)] {
    var trace: [(column: String, value: String)] = []
    if let state = simulator?.state {
      trace.append(("offset", TraceText.number(state.offset)))
      trace.append(("velocity", TraceText.number(state.velocity)))
    }
    for actor in actors { trace += actor.trace }
    return trace
  }
}
