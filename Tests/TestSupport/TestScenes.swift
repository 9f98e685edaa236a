package import FrostglassCore

/// Scenes put together by chance, the same on every machine.
package struct TestScenes {
  package static let size = Size(width: 71, height: 93)

  /// An opaque image larger than the canvas, a small one with alpha, and a gray one.
  package static let pictures = [
    TestImages.noise(71, 300, seed: 3), TestImages.noise(23, 17, .rgba8, seed: 4),
    TestImages.noise(31, 29, .gray8, seed: 5),
  ]

  private var random: TestImages.Random
  private static let chains: [FilterChain] = [
    [.gaussian(sigma: 3)], [.gaussian(sigma: 1.5), .saturation(1.8)], [.saturation(0.2)],
    [.gaussian(sigma: 9)], [.blur(5, edge: .transparent)], [.blur(4, edge: .wrap)],
    [.opacity(0.5)],
  ]

  package init(seed: UInt64) { random = TestImages.Random(seed: seed) }

  private mutating func number(_ range: ClosedRange<Double>) -> Double {
    range.lowerBound + Double(random.next()) * (range.upperBound - range.lowerBound)
  }

  private mutating func chance(_ share: Float) -> Bool { random.next() < share }

  private mutating func shape() -> LayerShape {
    var rect = LayoutRect(
      x: number(-20...60), y: number(-20...80), width: number(1...60), height: number(1...60))
    if chance(0.5) {
      rect = LayoutRect(
        x: rect.x.rounded(), y: rect.y.rounded(), width: rect.width.rounded(),
        height: rect.height.rounded())
    }
    let turned = chance(0.2)
    return LayerShape(
      rect, cornerRadius: chance(0.4) ? number(0...20) : 0, isContinuous: chance(0.3),
      transform: turned
        ? AffineTransform(a: 0.8, b: 0.6, c: -0.6, d: 0.8, tx: 9, ty: -4) : .identity)
  }

  private mutating func placed(_ picture: Int) -> PlacedImage {
    let (x, y) = (number(-10...60), number(-10...80))
    guard chance(0.3) else {
      return PlacedImage(picture, transform: .translation(x: x.rounded(), y: y.rounded()))
    }
    let scale = number(0.5...2)
    return PlacedImage(
      picture,
      transform: AffineTransform.scale(x: scale, y: scale)
        .followed(by: .translation(x: x, y: y)))
  }

  /// A layer that may be anything.
  package mutating func layer(_ id: String) -> Layer {
    let content: Layer.Content
    switch Int(number(0...4.499)) {
    case 4: content = .group([layer("\(id)/0"), layer("\(id)/1")])
    case 0:
      content = .color(
        Color(red: number(0...1), green: number(0...1), blue: 0.5, alpha: chance(0.5) ? 1 : 0.4))
    case 1: content = .picture(placed(chance(0.5) ? 0 : 1))
    default:
      let chain = TestScenes.chains[Int(number(0...6.999))]
      content = .backdrop(chain, of: chance(0.3) ? .layers([ground(), small()]) : .below)
    }
    return Layer(
      id: id, content, clips: chance(0.8) ? [shape()] : [shape(), shape()],
      mask: chance(0.2) ? placed(2) : nil, opacity: chance(0.3) ? number(0...1) : 1)
  }

  private mutating func ground() -> Layer {
    let y = -number(0...200).rounded()
    return Layer(
      id: "ground", .picture(PlacedImage(0, transform: .translation(x: 0, y: y))))
  }

  private mutating func small() -> Layer { Layer(id: "small", .picture(placed(1))) }

  /// A scene of a ground and some layers.
  package mutating func scene() -> Scene {
    let layers = (0..<Int(number(1...5.999))).map { layer("layer \($0)") }
    return Scene(
      size: TestScenes.size, background: chance(0.2) ? Color(white: 0.3, alpha: 0.5) : .white,
      layers: (chance(0.8) ? [ground()] : []) + layers,
      pictures: TestScenes.pictures.map { Plan.Input($0) })
  }

  /// The scene a moment later: a layer changed, came, went or changed its place.
  package mutating func next(_ scene: Scene) -> Scene {
    var next = scene
    let place = Int(number(0...Double(scene.layers.count) - 0.001))
    switch Int(number(0...7.999)) {
    case 0: next.layers.insert(layer("new \(number(0...9))"), at: place)
    case 1: next.layers.remove(at: place)
    case 2: next.layers.swapAt(place, 0)
    case 3: break
    default:
      let id = scene.layers[place].id
      if case .group(var inner) = scene.layers[place].content, chance(0.7) {
        inner[1] = layer("\(id)/1")
        next.layers[place].content = .group(inner)
      } else {
        next.layers[place] = layer(id)
      }
    }
    return next.layers.isEmpty ? scene : next
  }
}
