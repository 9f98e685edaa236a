internal import FrostglassCore

/// A status bar at work.
struct StatusBarElement: Sendable {
  private let document: StatusBarDocument
  private let group: ItemGroup
  private let layout: FlexibleBar
  private let width: Double
  private var view: StatusBarView
  private var contrast: AutomaticContrast?
  /// How much white, or below 0 black, lies below content that could not be read without.
  private var veil = TimedValue(0.0)
  /// Over its material.
  private var color: TimedValue<Color>
  /// How many of the document's events have happened.
  private var done = 0
  /// What its controllers last said.
  private var answer: StatusBarAppearance?

  init(
    _ document: StatusBarDocument, on canvas: CanvasDocument, _ assets: inout AssetList
  ) throws(DocumentError) {
    self.document = document
    width = canvas.size.width
    do {
      view = try StatusBarView(
        width: width, metrics: document.metrics,
        content: document.appearance?.content ?? (document.style == .light ? .light : .dark))
    } catch { throw DocumentError(TextPosition(column: 1), document.id, "\(error)") }
    color = TimedValue(document.surface.color ?? Color(white: 0, alpha: 0))
    answer = document.appearance
    if answer?.isHidden == true { view.handle(.hidden(true, .none), at: 0) }
    contrast = document.style == .automatic ? AutomaticContrast() : nil
    layout = .still(document.items, height: document.metrics.height)
    group = ItemGroup(document.items, in: layout, width: width, scale: canvas.scale, &assets)
  }

  mutating func advance(to time: Double) {
    while done < document.events.count, document.events[done].time <= time {
      let (moment, event) = document.events[done]
      switch event {
      case .view(let event):
        view.handle(event, at: moment)
        if case .appearance(let answer, _) = event { self.answer = answer }
      case .color(let target):
        color.move(to: target, at: moment, duration: view.timing.frame)
      case .controllers: break
      }
      done += 1
    }
    view.advance(to: time)
  }

  /// How long a veil takes to follow what lies behind, in seconds: as long as it is until the next
  /// measurement.
  private static let veilDuration = 0.1

  /// The pixels whose luminance is to be known; `nil` where nobody asks.
  func measured(on canvas: CanvasDocument) -> Rect? {
    guard contrast != nil, view.isVisible else { return nil }
    let composer = LayerComposer(scale: canvas.scale, pictures: [])
    let rect = composer.pixels(view.frame).pixels.intersection(Rect(canvas.pixels))
    return rect.isEmpty ? nil : rect
  }

  mutating func note(_ luminance: BackdropLuminance, at time: Double) {
    contrast?.handle(luminance, at: time)
    guard let contrast, let content = contrast.content else { return }
    // At once: between black and white lies a gray that cannot be read on the same gray.
    let turns = content != view.content
    view.handle(.content(content), at: time)
    let needed = contrast.rules.veil(below: content, on: luminance)
    veil.move(
      to: content == .dark ? needed : -needed, at: time,
      duration: turns || time == 0 ? 0 : StatusBarElement.veilDuration)
  }

  /// Its lower edge, in points; 0 while it is away.
  var bottom: Double { view.isVisible ? max(0, view.frame.maxY) : 0 }

  /// What it shows; its alpha counts once for all of it.
  func layers(_ composer: LayerComposer) -> [Layer] {
    composer.asOne(
      surface(composer) + content(composer), id: document.id, opacity: view.alpha)
  }

  /// What its content lies on.
  func background(_ composer: LayerComposer) -> [Layer] {
    composer.asOne(surface(composer), id: document.id, opacity: view.alpha)
  }

  private func surface(_ composer: LayerComposer) -> [Layer] {
    guard view.isVisible else { return [] }
    var surface = document.surface
    let color = color.value(at: composer.time)
    surface.color = color.alpha > 0 ? color : nil
    return composer.layers(surface, id: document.id, frame: view.frame)
  }

  /// What makes its content readable where nothing else does.
  private func veil(_ composer: LayerComposer) -> [Layer] {
    let veil = veil.value(at: composer.time)
    guard abs(veil) > 1e-3 else { return [] }
    let shape = composer.rounded(
      composer.pixels(view.frame), document.surface.cornerRadius * composer.scale)
    return [
      Layer(
        id: "\(document.id)/veil", .color(veil > 0 ? .white : .black), clips: [shape],
        opacity: abs(veil))
    ]
  }

  private func content(_ composer: LayerComposer) -> [Layer] {
    guard view.isVisible else { return [] }
    let parent = composer.inside(
      document.surface, id: document.id, frame: view.frame,
      content: Color(white: view.contentLightness))
    return veil(composer)
      + composer.layers(
        layout.still(height: view.frame.height), width: width, group, in: parent)
  }

  func trace(at time: Double) -> [(column: String, value: String)] {
    let veil = veil.value(at: time)
    let report = contrast?.report(veil: abs(veil))
    var trace =
      TraceText.frame(document.id, view.frame) + [
        ("\(document.id).alpha", TraceText.number(view.alpha)),
        ("\(document.id).style", view.content.rawValue),
        ("\(document.id).contrast", report.map { TraceText.number($0.ratio) } ?? ""),
        ("\(document.id).worstContrast", report.map { TraceText.number($0.worstRatio) } ?? ""),
        ("\(document.id).veil", report.map { _ in TraceText.number(veil) } ?? ""),
      ]
    if let answer {
      trace.append(("\(document.id).styleOwner", "\(answer.styleOwner)"))
      trace.append(("\(document.id).hiddenOwner", "\(answer.hiddenOwner)"))
    }
    return trace
      + TraceText.items(
        of: document.id, layout.still(height: view.frame.height), width: width, group, at: time)
  }
}
