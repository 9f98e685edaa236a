internal import FrostglassCore

/// One of a scene's layers at work.
enum Actor: Sendable {
  case item(ItemActor)
  case bar(BarActor)
  case statusBar(StatusBarActor)
  case backdrop(BackdropActor)

  init(
    _ layer: LayerDocument, on canvas: CanvasDocument, _ assets: inout AssetList
  ) throws(DocumentError) {
    switch layer {
    case .item(let item): self = .item(ItemActor(item, on: canvas, &assets))
    case .bar(let bar): self = .bar(BarActor(bar, on: canvas, &assets))
    case .statusBar(let bar): self = .statusBar(try StatusBarActor(bar, on: canvas, &assets))
    case .backdrop(let view): self = .backdrop(BackdropActor(view, on: canvas, &assets))
    }
  }

  /// Tells it what was scrolled.
  ///
  /// - Returns: where it wants the content to be, if anywhere.
  mutating func scroll(
    _ events: [TimedScrollEvent], state: ScrollState?, at time: Double
  ) -> Double? {
    guard case .bar(var bar) = self else { return nil }
    defer { self = .bar(bar) }
    return bar.scroll(events, state: state, at: time)
  }

  /// Whether it must know what lies behind it to go on.
  var looksBehind: Bool {
    if case .backdrop(let view) = self { view.looksBehind } else { false }
  }

  /// What it looks behind, if that is another than itself.
  var lowest: Int? {
    if case .backdrop(let view) = self { view.lowest } else { nil }
  }

  /// - Parameter behind: what lies behind it; `nil` where it does not look.
  mutating func advance(to time: Double, behind: [Layer]?) {
    switch self {
    case .item, .bar: break
    case .statusBar(var bar):
      bar.advance(to: time)
      self = .statusBar(bar)
    case .backdrop(var view):
      view.advance(to: time, behind: behind)
      self = .backdrop(view)
    }
  }

  func layers(_ composer: LayerComposer) -> [Layer] {
    switch self {
    case .item(let item): item.layers(composer)
    case .bar(let bar): bar.layers(composer)
    case .statusBar(let bar): bar.surface(composer) + bar.content(composer)
    case .backdrop(let view): view.layers(composer)
    }
  }

  var trace: [(column: String, value: String)] {
    switch self {
    case .item: []
    case .bar(let bar): bar.trace
    case .statusBar(let bar): bar.trace
    case .backdrop(let view): view.trace
    }
  }
}

/// An item that stands still.
struct ItemActor: Sendable {
  private let layout: FlexibleBar
  private let group: ItemGroup
  private let width: Double

  init(_ item: ItemDocument, on canvas: CanvasDocument, _ assets: inout AssetList) {
    width = canvas.size.width
    layout = .still([item], height: canvas.size.height)
    group = ItemGroup([item], in: layout, width: width, scale: canvas.scale, &assets)
  }

  func layers(_ composer: LayerComposer) -> [Layer] {
    composer.layers(layout, width: width, group, in: LayerComposer.Parent(id: "canvas"))
  }
}
