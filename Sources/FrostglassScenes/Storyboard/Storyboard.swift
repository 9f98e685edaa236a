package import FrostglassCore

/// Plays a scene document: advances time, drives its models, and composes the scene at the present.
///
/// Time passes in moments of 1/120 s, so the scene at a time does not depend on the frame rate. A storyboard holds no
/// pixels: its assets are loaded elsewhere, and only their sizes come in.
package struct Storyboard: Sendable {
  /// The shortest time that is told apart, in seconds.
  package static let moment = 1 / momentsPerSecond
  private static let momentsPerSecond = 120.0

  package let document: SceneDocument
  /// The assets to load: the scene's images, in this order.
  package let assets: [Asset]
  /// The recipe of the asset `content`.
  package let sheet: ContentSheet?

  /// The loaded assets, as inputs.
  private var pictures: [Plan.Input] = []
  private var simulator: ScrollSimulator?
  private var content: ContentElement?
  private var elements: [StoryboardElement]
  /// Moments that have passed.
  private var moments = 0
  /// The moment at which contrasts were measured last.
  private var measured: Int?

  package init(_ document: SceneDocument) throws(DocumentError) {
    self.document = document
    sheet = document.content.map { ContentSheet($0, on: document.canvas) }
    var assets = AssetList(seen: document.canvas.pixels, document.values)
    if sheet != nil { _ = assets.number(of: .content) }
    content = document.content.map {
      ContentElement($0, document.scroll.indicator, on: document.canvas, &assets)
    }
    elements = []
    for layer in document.layers {
      elements.append(try StoryboardElement(layer, on: document.canvas, &assets))
    }
    self.assets = assets.assets
    joinGroups()
  }

  /// Takes note of what the assets came to, and begins at 0 s.
  ///
  /// - Parameter pictures: one for each asset, in order.
  package mutating func begin(_ pictures: [Plan.Input]) throws(DocumentError) {
    precondition(pictures.count == assets.count, "an image is needed for each asset")
    self.pictures = pictures
    try startScrolling()
    scroll()
    act()
  }

  private mutating func startScrolling() throws(DocumentError) {
    guard let content = document.content else { return }
    let height = Double(pictures[0].size.height) / document.canvas.scale
    do {
      let geometry = try ScrollGeometry(
        viewportHeight: document.canvas.size.height, contentHeight: height,
        topInset: content.topInset, bottomInset: content.bottomInset)
      simulator = ScrollSimulator(
        geometry: geometry, script: document.scroll.script, physics: document.scroll.physics,
        offset: document.scroll.offset)
    } catch { throw DocumentError(TextPosition(column: 1), "content", "\(error)") }
  }

  /// The present, in seconds.
  ///
  /// A quotient, as that is the number which a time with few decimals is read as: 444 times 1/120 is
  /// less than 3.7.
  package var time: Double { Storyboard.time(ofMoment: moments) }

  static func time(ofMoment moment: Int) -> Double { Double(moment) / momentsPerSecond }

  /// Lets time pass up to the last moment that is not after a time.
  ///
  /// - Parameters:
  ///   - time: in seconds; one that is past, or not a number, changes nothing.
  ///   - measure: tells how bright a part of a scene is, in pixels; asked ten times per second for
  ///     status bars that choose their content's color by it.
  package mutating func advance<Failure: Error>(
    to time: Double, measuring measure: (Scene, Rect) async throws(Failure) -> BackdropLuminance
  ) async throws(Failure) {
    guard time.isFinite else { return }
    let last = Int((min(time, Storyboard.longest) / Storyboard.moment + 1e-6).rounded(.down))
    while true {
      if moments % Storyboard.momentsPerMeasurement == 0, measured != moments {
        measured = moments
        try await measureContrast(measure)
      }
      guard moments < last else { return }
      step()
    }
  }

  private static let momentsPerMeasurement = 12
  /// No scene lasts longer, in seconds.
  package static let longest = 86_400.0

  /// One moment.
  private mutating func step() {
    moments += 1
    scroll()
    act()
  }

  /// Scrolls the content up to now, and tells all elements.
  private mutating func scroll() {
    let now = time
    let events = simulator?.advance(to: now) ?? []
    let state = simulator?.state
    for index in elements.indices {
      if let offset = elements[index].scroll(events, state: state, at: now) {
        simulator?.moveContent(to: offset)
      }
    }
    if let state = simulator?.state { content?.note(state, at: now) }
  }

  /// Tells all elements the time.
  private mutating func act() {
    for index in elements.indices {
      let behind =
        elements[index].looksBehind ? layers(below: elements[index].lowest ?? index) : nil
      elements[index].advance(to: time, behind: behind)
    }
  }

  /// Backdrop views of one group look behind the lowest of them.
  private mutating func joinGroups() {
    var lowest: [String: Int] = [:]
    for index in elements.indices {
      guard case .backdrop(var view) = elements[index], let group = view.group else { continue }
      view.lowest = lowest[group] ?? index
      lowest[group] = view.lowest
      elements[index] = .backdrop(view)
    }
  }

  private mutating func measureContrast<Failure: Error>(
    _ measure: (Scene, Rect) async throws(Failure) -> BackdropLuminance
  ) async throws(Failure) {
    for index in elements.indices {
      guard case .statusBar(var bar) = elements[index], let rect = bar.measured(on: canvas) else {
        continue
      }
      let behind = layers(below: index) + bar.background(composer)
      bar.note(try await measure(scene(behind), rect), at: time)
      elements[index] = .statusBar(bar)
    }
  }
}

// What it looks like now.
extension Storyboard {
  /// The scene as it is now.
  package var scene: Scene { scene(layers(below: elements.count)) }

  private func scene(_ layers: [Layer]) -> Scene {
    Scene(
      size: document.canvas.pixels, background: document.canvas.background, layers: layers,
      pictures: pictures, scale: document.canvas.scale, quality: document.quality)
  }

  private var canvas: CanvasDocument { document.canvas }

  private var composer: LayerComposer {
    LayerComposer(scale: document.canvas.scale, pictures: pictures, time: time)
  }

  /// The content, and what all elements before one show.
  private func layers(below index: Int) -> [Layer] {
    let composer = composer
    return contentLayers + elements[..<index].flatMap { $0.layers(composer) }
  }

  private var contentLayers: [Layer] {
    guard let state = simulator?.state, let content else { return [] }
    return content.layers(composer, state, insets)
  }

  /// The parts of the content that bars cover.
  private var insets: ContentElement.Insets {
    elements.reduce(ContentElement.Insets()) { $0.joined(with: $1.insets(on: canvas)) }
  }

  /// The trace of the present, by column.
  package var trace: [(column: String, value: String)] {
    var trace: [(column: String, value: String)] = []
    if let state = simulator?.state {
      trace.append(("offset", TraceText.number(state.offset)))
      trace.append(("velocity", TraceText.number(state.velocity)))
      trace += content?.trace(state, insets, at: time) ?? []
    }
    for element in elements { trace += element.trace(at: time) }
    return trace
  }
}

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
