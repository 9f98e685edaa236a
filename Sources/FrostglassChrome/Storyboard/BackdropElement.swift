internal import FrostglassCore

/// A backdrop view at work.
struct BackdropElement: Sendable {
  private let document: BackdropDocument
  private let items: ItemGroup
  private let mask: Int?
  private var view: BackdropView
  /// What lay behind when it was captured, and what lies there now.
  private var captured = CapturedLayers([])
  private var known = CapturedLayers([])
  private var version = 0
  private var done = 0
  private var isLoaded = false
  private let bounds: LayoutRect
  private let layout: FlexibleBar
  /// The lowest layer of its group; `nil` is itself.
  var lowest: Int?

  init(_ document: BackdropDocument, on canvas: CanvasDocument, _ assets: inout AssetList) {
    self.document = document
    bounds = LayoutRect(origin: .zero, size: canvas.size)
    view = BackdropView(document.settings)
    let frame = document.settings.frame
    let scale = canvas.scale
    mask = document.look.maskImage.map { path in
      let size = assets.size(for: frame.size.pixels(scale: scale), .stretch)
      return assets.number(of: .mask(path: path, size))
    }
    layout = .still(document.items, height: frame.height)
    items = ItemGroup(document.items, in: layout, width: frame.width, scale: scale, &assets)
  }

  var group: String? { document.group }

  /// Whether something may happen that wants to know what lies behind.
  var looksBehind: Bool {
    !isLoaded || view.mode.interval != nil && view.isVisible || view.nextMoment != nil
      || done < document.events.count
  }

  mutating func advance(to time: Double, behind: [Layer]?) {
    if let behind, behind != known.layers {
      known = CapturedLayers(behind)
      version += 1
    }
    var effects: [BackdropEffect] = []
    if !isLoaded {
      isLoaded = true
      effects += view.handle(.load(parent: bounds), at: time)
      let look = document.look
      effects += view.handle(
        document.interval.map { .blurLive(look, interval: $0) } ?? .blur(look), at: time)
    }
    while done < document.events.count, document.events[done].time <= time {
      let (moment, event) = document.events[done]
      // What comes shows what is behind it now, not what was there when it was loaded.
      if event == .slideDown, view.mode == .static {
        effects += view.handle(.version(version), at: moment)
        effects += view.handle(.blur(view.look), at: moment)
      }
      effects += view.handle(event, at: moment)
      done += 1
    }
    effects += view.handle(.version(version), at: time)
    effects += view.advance(to: time)
    let asks = effects.contains { if case .capture = $0 { true } else { false } }
    if asks { captured = known }
  }

  func layers(_ composer: LayerComposer) -> [Layer] {
    guard view.isVisible, view.capturedAt != nil else { return [] }
    let look = view.look
    let shape = composer.rounded(composer.pixels(view.frame), look.cornerRadius * composer.scale)
    let soft = composer.faded(shape, over: document.fade)
    let clips = [shape] + soft
    let face = Layer(
      id: "\(document.id)/surface", .color(.black), clips: clips,
      mask: mask.map { composer.placed($0, .stretch, in: shape) })
    let faces = composer.material(
      look.filters, look.tint, tintAlpha: view.strength, of: .captured(captured),
      strength: view.strength, face)
    let parent = LayerComposer.Parent(id: document.id, origin: view.frame.origin, clips: clips)
    let inside = composer.layers(laidOut, width: view.frame.width, items, in: parent)
    if view.strength < 1 {
      // What is around it and in it has no blur to lose.
      let around = composer.decorated(
        [], document.decoration, shape, id: document.id, fading: soft)
      return faces
        + composer.asOne(around + inside, id: document.id, opacity: view.strength)
    }
    return composer.asOne(
      composer.decorated(faces, document.decoration, shape, id: document.id, fading: soft) + inside,
      id: document.id, opacity: view.alpha)
  }

  private var laidOut: FlexibleBar {
    // A view that grows from nothing uncovers its items.
    layout.still(
      height: document.settings.arrival == .grow ? view.shownFrame.height : view.frame.height)
  }

  func trace(at time: Double) -> [(column: String, value: String)] {
    TraceText.frame(document.id, view.frame) + [
      ("\(document.id).alpha", TraceText.number(view.alpha)),
      ("\(document.id).strength", TraceText.number(view.strength)),
      ("\(document.id).phase", view.phase.rawValue),
      ("\(document.id).capturedAt", view.capturedAt.map { TraceText.number($0) } ?? ""),
    ] + TraceText.items(of: document.id, laidOut, width: view.frame.width, items, at: time)
  }
}
