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
