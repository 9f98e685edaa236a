internal import FrostglassCore

/// One of a scene's layers at work.
enum StoryboardElement: Sendable {
  case item(ItemElement)
  case bar(BarElement)
  case statusBar(StatusBarElement)
  case backdrop(BackdropElement)

  init(
    _ layer: LayerDocument, on canvas: CanvasDocument, _ assets: inout AssetList
  ) throws(DocumentError) {
    switch layer {
    case .item(let item): self = .item(ItemElement(item, on: canvas, &assets))
    case .bar(let bar): self = .bar(BarElement(bar, on: canvas, &assets))
    case .statusBar(let bar): self = .statusBar(try StatusBarElement(bar, on: canvas, &assets))
    case .backdrop(let view): self = .backdrop(BackdropElement(view, on: canvas, &assets))
    }
  }

  /// Handles scroll events.
  ///
  /// - Returns: the offset that it requests for the content, if any.
  mutating func scroll(
    _ events: [TimedScrollEvent], state: ScrollState?, at time: Double
  ) -> Double? {
    guard case .bar(var bar) = self else { return nil }
    defer { self = .bar(bar) }
    return bar.scroll(events, state: state, at: time)
  }

  /// True if the element needs the layers behind it to go on.
  var looksBehind: Bool {
    if case .backdrop(let view) = self { view.looksBehind } else { false }
  }

  /// The lowest layer of the element's backdrop group; `nil` for the element itself.
  var lowest: Int? {
    if case .backdrop(let view) = self { view.lowest } else { nil }
  }

  /// - Parameter behind: the layers behind it; `nil` if it does not look.
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
    case .statusBar(let bar): bar.layers(composer)
    case .backdrop(let view): view.layers(composer)
    }
  }

  /// Returns the parts of the content that the element covers as a bar at one of the canvas's edges.
  func insets(on canvas: CanvasDocument) -> ContentElement.Insets {
    switch self {
    case .item, .backdrop: ContentElement.Insets()
    case .bar(let bar): bar.insets(on: canvas)
    case .statusBar(let bar): ContentElement.Insets(top: bar.bottom)
    }
  }

  func trace(at time: Double) -> [(column: String, value: String)] {
    switch self {
    case .item: []
    case .bar(let bar): bar.trace(at: time)
    case .statusBar(let bar): bar.trace(at: time)
    case .backdrop(let view): view.trace(at: time)
    }
  }
}

/// An item on the canvas.
struct ItemElement: Sendable {
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

/// A flexible bar at work.
struct BarElement: Sendable {
  private let document: BarDocument
  private let group: ItemGroup
  private let width: Double
  private var controller: BarController
  private var taps: [Double]

  init(_ document: BarDocument, on canvas: CanvasDocument, _ assets: inout AssetList) {
    self.document = document
    width = canvas.size.width
    controller = BarController(
      document.bar, behavior: document.behavior, snapping: document.snapping)
    group = ItemGroup(
      document.items, in: document.bar, width: width, scale: canvas.scale, &assets)
    taps = document.taps.sorted()
  }

  /// - Returns: the content's offset while the bar snaps.
  mutating func scroll(
    _ events: [TimedScrollEvent], state: ScrollState?, at time: Double
  ) -> Double? {
    for event in events { controller.handle(event.event, event.state, at: event.time) }
    while let tap = taps.first, tap <= time, let state {
      taps.removeFirst()
      controller.handleTap(state, at: tap)
    }
    return controller.advance(to: time)
  }

  private var frame: LayoutRect {
    LayoutRect(x: 0, y: document.top, width: width, height: controller.bar.height)
  }

  func layers(_ composer: LayerComposer) -> [Layer] {
    composer.layers(document.surface, id: document.id, frame: frame)
      + composer.layers(
        controller.bar, width: width, group,
        in: composer.inside(document.surface, id: document.id, frame: frame))
  }

  /// A bar at the upper edge covers what is above its lower edge. One that lies at the lower edge when
  /// it is as high as it gets covers as much less as it is lower.
  func insets(on canvas: CanvasDocument) -> ContentElement.Insets {
    if document.top <= 0 {
      return ContentElement.Insets(top: max(0, frame.maxY))
    }
    let lowest = document.top + controller.bar.maximumHeight
    guard lowest >= canvas.size.height - 0.5 else { return ContentElement.Insets() }
    let gone = controller.bar.maximumHeight - controller.bar.height
    return ContentElement.Insets(bottom: max(0, canvas.size.height - document.top - gone))
  }

  func trace(at time: Double) -> [(column: String, value: String)] {
    let bar = controller.bar
    return [
      ("\(document.id).progress", TraceText.number(bar.progress)),
      ("\(document.id).height", TraceText.number(bar.height)),
    ] + TraceText.items(of: document.id, bar, width: width, group, at: time)
  }
}

/// Numbers in a trace.
enum TraceText {
  /// To a thousandth, without needless zeros.
  static func number(_ value: Double) -> String {
    let rounded = (value * 1000).rounded() / 1000
    return rounded == rounded.rounded() && abs(rounded) < 1e15
      ? "\(Int(rounded))" : "\(rounded)"
  }

  /// The four columns of a frame.
  static func frame(_ name: String, _ frame: LayoutRect) -> [(column: String, value: String)] {
    [
      ("\(name).x", number(frame.x)), ("\(name).y", number(frame.y)),
      ("\(name).width", number(frame.width)), ("\(name).height", number(frame.height)),
    ]
  }

  /// Frames and alphas of items laid out in a bar, a view or a group.
  static func items(
    of parent: String, _ bar: FlexibleBar, width: Double, _ items: ItemGroup, at time: Double
  ) -> [(column: String, value: String)] {
    var bar = bar
    bar.time = time
    return bar.layout(width: width).sorted { $0.id < $1.id }.flatMap { placed in
      let (name, size) = ("\(parent)/\(placed.id)", placed.attributes.size)
      var trace = frame(name, placed.attributes.untransformedFrame)
      trace.append(("\(name).alpha", number(placed.attributes.alpha)))
      if case .group(let group)? = items[placed.id]?.content {
        trace += TraceText.items(
          of: name, group.layout.still(height: size.height, progress: bar.progress),
          width: size.width, group.items, at: time)
      }
      return trace
    }
  }
}
