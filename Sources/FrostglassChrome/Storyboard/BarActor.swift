internal import FrostglassCore

/// A flexible bar at work.
struct BarActor: Sendable {
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

  /// - Returns: where the content is to be while the bar snaps.
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
    var parent = LayerComposer.Parent(id: document.id, origin: frame.origin)
    if document.surface.clips {
      parent.clip = frame
      parent.clipRadius = document.surface.cornerRadius
    }
    return composer.layers(document.surface, id: document.id, frame: frame, alpha: 1)
      + composer.layers(controller.bar, width: width, group, in: parent)
  }

  var trace: [(column: String, value: String)] {
    let bar = controller.bar
    return [
      ("\(document.id).progress", TraceText.number(bar.progress)),
      ("\(document.id).height", TraceText.number(bar.height)),
    ] + TraceText.items(of: document.id, bar, width: width)
  }
}
