internal import FrostglassCore

/// A status bar at work.
struct StatusBarElement: Sendable {
  private let document: StatusBarDocument
  private let group: ItemGroup
  private let layout: FlexibleBar
  private let width: Double
  private var view: StatusBarView
  private var contrast: AutomaticContrast?
  /// How many of the document's events have happened.
  private var done = 0

  init(
    _ document: StatusBarDocument, on canvas: CanvasDocument, _ assets: inout AssetList
  ) throws(DocumentError) {
    self.document = document
    width = canvas.size.width
    do {
      view = try StatusBarView(
        width: width, metrics: document.metrics,
        content: document.style == .light ? .light : .dark)
    } catch { throw DocumentError(TextPosition(column: 1), document.id, "\(error)") }
    contrast = document.style == .automatic ? AutomaticContrast() : nil
    layout = .still(document.items, height: document.metrics.height)
    group = ItemGroup(document.items, in: layout, width: width, scale: canvas.scale, &assets)
  }

  mutating func advance(to time: Double) {
    while done < document.events.count, document.events[done].time <= time {
      view.handle(document.events[done].event, at: document.events[done].time)
      done += 1
    }
    view.advance(to: time)
  }

  /// How long automatic content takes to change its color, in seconds.
  private static let changeDuration = 0.25

  /// The pixels whose luminance is to be known; `nil` where nobody asks.
  func measured(on canvas: CanvasDocument) -> Rect? {
    guard contrast != nil, view.isVisible else { return nil }
    let composer = LayerComposer(scale: canvas.scale, pictures: [])
    let rect = composer.pixels(view.frame).pixels.intersection(Rect(canvas.pixels))
    return rect.isEmpty ? nil : rect
  }

  mutating func note(_ luminance: BackdropLuminance, at time: Double) {
    contrast?.handle(luminance, at: time)
    guard let content = contrast?.content, content != view.content else { return }
    // At first nothing was seen that could change.
    let duration = time == 0 ? 0 : StatusBarElement.changeDuration
    view.handle(.content(content, duration: duration), at: time)
  }

  /// What its content lies on.
  func surface(_ composer: LayerComposer) -> [Layer] {
    guard view.isVisible else { return [] }
    return composer.layers(
      document.surface, id: document.id, frame: view.frame, alpha: view.alpha)
  }

  func content(_ composer: LayerComposer) -> [Layer] {
    guard view.isVisible else { return [] }
    let parent = LayerComposer.Parent(
      id: document.id, origin: view.frame.origin, alpha: view.alpha,
      content: Color(white: view.contentLightness))
    return composer.layers(
      layout.still(height: view.frame.height), width: width, group, in: parent)
  }

  var trace: [(column: String, value: String)] {
    let report = contrast?.report
    return TraceText.frame(document.id, view.frame) + [
      ("\(document.id).alpha", TraceText.number(view.alpha)),
      ("\(document.id).style", view.content.rawValue),
      ("\(document.id).contrast", report.map { TraceText.number($0.ratio) } ?? ""),
      ("\(document.id).worstContrast", report.map { TraceText.number($0.worstRatio) } ?? ""),
    ]
      + TraceText.items(
        of: document.id, layout.still(height: view.frame.height), width: width)
  }
}
