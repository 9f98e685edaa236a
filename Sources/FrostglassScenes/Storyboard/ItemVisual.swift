package import FrostglassCore

/// An item whose assets have numbers.
struct ItemVisual: Sendable {
  enum Content: Sendable {
    case picture(Int, ImageFit)
    /// The mask's colors are replaced.
    case mask(Int, ImageFit, Paint)
    case text(TextSource, TextDocument.Alignment, Paint)
    case fill(ItemColor)
    case material(FilterChain, tint: Color?)
    case group(Group)
  }

  /// Items in a frame of their own.
  struct Group: Sendable {
    let items: ItemGroup
    let layout: FlexibleBar
    /// True if the group clips its items.
    let clips: Bool
  }

  /// The paint that shows through a mask.
  enum Paint: Sendable {
    case color(ItemColor)
    case vibrancy(FilterChain)
  }

  /// The source of a text's drawn form at each time.
  struct TextSource: Sendable {
    fileprivate var running: RunningText?
    fileprivate var numbers: [String: Int] = [:]
    fileprivate var first = 0
    fileprivate var values: ValueTable

    /// The number of its asset at a time.
    func number(at time: Double) -> Int {
      running.flatMap { numbers[$0.text(at: time, values)] } ?? first
    }
  }

  let id: String
  let content: Content
  let decoration: DecorationDocument

  /// - Parameters:
  ///   - size: the largest that it will be, in points.
  ///   - row: the replacement of `{row}` in a text.
  init(
    _ item: ItemDocument, size: LayoutSize, scale: Double, row: Int? = nil,
    _ assets: inout AssetList
  ) {
    id = item.id
    decoration = item.decoration
    let pixels = size.pixels(scale: scale)
    switch item.content {
    case .picture(let path, let fit):
      let size = assets.size(for: pixels, fit)
      content =
        if let vibrancy = item.vibrancy {
          .mask(assets.number(of: .mask(path: path, size)), fit, .vibrancy(vibrancy))
        } else {
          .picture(assets.number(of: .picture(path: path, size)), fit)
        }
    case .text(let text):
      let letters = row.map { text.text.replacing("{row}", with: "\($0)") } ?? text.text
      let source = assets.source(of: letters) { letters in
        .text(
          letters, font: text.font, size: text.size * scale, text.alignment,
          wrapWidth: text.wraps ? pixels.width : nil)
      }
      let paint = item.vibrancy.map { Paint.vibrancy($0) } ?? .color(text.color)
      content = .text(source, text.alignment, paint)
    case .symbol(let symbol):
      let asset = Asset.symbol(
        symbol.symbol, assets.drawn(pixels), symbol.weight, level: symbol.level)
      let paint = item.vibrancy.map { Paint.vibrancy($0) } ?? .color(symbol.color)
      content = .mask(assets.number(of: asset), .contain, paint)
    case .fill(let color): content = .fill(color)
    case .gradient(let gradient):
      let asset = Asset.gradient(gradient.colors, angle: gradient.angle, assets.drawn(pixels))
      content = .picture(assets.number(of: asset), .stretch)
    case .material(let chain): content = .material(chain, tint: item.tint)
    case .group(let group):
      let layout = FlexibleBar.still(group.items, height: size.height)
      let items = ItemGroup(
        group.items, in: layout, width: size.width, scale: scale, row: row, &assets)
      content = .group(Group(items: items, layout: layout, clips: group.clips))
    }
  }
}

/// The items of a bar or a view, with their layout.
struct ItemGroup: Sendable {
  private let visuals: [String: ItemVisual]

  /// - Parameters:
  ///   - bar: laid out at all its keyframes to find how large items become.
  ///   - width: of the bar.
  init(
    _ items: [ItemDocument], in bar: FlexibleBar, width: Double, scale: Double, row: Int? = nil,
    _ assets: inout AssetList
  ) {
    var sizes: [String: LayoutSize] = [:]
    func stops(followingTime: Bool) -> [Double] {
      let some = items.filter { $0.layout.followsTime == followingTime }
      return Set(some.flatMap { $0.layout.keyframes.map(\.progress) } + [0, 1]).sorted()
    }
    let times = stops(followingTime: true).map { $0 * 3600 }
    for progress in stops(followingTime: false) {
      for time in times {
        var bar = bar
        bar.setProgress(progress)
        bar.time = time
        for placed in bar.layout(width: width) {
          let size = placed.attributes.size
          let known = sizes[placed.id] ?? .zero
          sizes[placed.id] = LayoutSize(
            width: max(size.width, known.width), height: max(size.height, known.height))
        }
      }
    }
    var visuals: [String: ItemVisual] = [:]
    for item in items {
      visuals[item.id] = ItemVisual(
        item, size: sizes[item.id] ?? .zero, scale: scale, row: row, &assets)
    }
    self.visuals = visuals
  }

  subscript(id: String) -> ItemVisual? { visuals[id] }
}

extension FlexibleBar {
  /// Items in something that does not flex.
  static func still(_ items: [ItemDocument], height: Double) -> FlexibleBar {
    // Items were checked when the document was read.
    let bar = try? FlexibleBar(
      minimumHeight: height, maximumHeight: height, items: items.map(\.layout))
    return bar ?? FlexibleBar(minimumHeight: height, maximumHeight: height)
  }

  /// The same with another height.
  ///
  /// - Parameter progress: for keyframes: that of a bar which this is in.
  func still(height: Double, progress: Double = 0) -> FlexibleBar {
    var bar = self
    bar.minimumHeight = height
    bar.maximumHeight = height
    bar.setProgress(max(progress, 0))
    return bar
  }
}

extension LayoutSize {
  /// The pixels that are enough for it; 1 at least along each side.
  func pixels(scale: Double) -> Size {
    Size(
      width: max(1, Int((width * scale).rounded(.up))),
      height: max(1, Int((height * scale).rounded(.up))))
  }
}

/// An image that a scene needs and that its player loads or makes.
package enum Asset: Sendable, Hashable {
  /// An image file.
  case picture(path: String, ImageSize)
  /// An image file as a mask: gray, its alpha times its brightness.
  case mask(path: String, ImageSize)
  /// A text's coverage: gray.
  ///
  /// - Parameters: the size and the width at which lines are broken are pixels.
  case text(String, font: String, size: Double, TextDocument.Alignment, wrapWidth: Int?)
  /// A symbol's coverage: gray; as large as fits in a frame in pixels.
  case symbol(Symbol, Size, Symbol.Weight, level: Double)
  /// Colors that flow into each other.
  ///
  /// - Parameter angle: in degrees clockwise from up.
  case gradient([Color], angle: Double, Size)
  /// The content that scrolls, which `ContentSheet` says how to make.
  case content

  /// The requested size of an image, in pixels.
  package enum ImageSize: Sendable, Hashable {
    /// For a frame of this size.
    case frame(Size, ImageFit)
    /// As wide as this, keeping its shape.
    case width(Int)
  }
}

/// The assets of a scene, each once.
struct AssetList {
  private(set) var assets: [Asset] = []
  private var numbers: [Asset: Int] = [:]
  private let longest: Int
  private let mostDrawn: Size
  /// The values that texts can refer to.
  private let values: ValueTable

  /// - Parameter seen: the pixels of what can be seen at once.
  init(seen: Size, _ values: ValueTable = ValueTable(duration: 0)) {
    longest = max(8192, 2 * max(seen.width, seen.height))
    mostDrawn = Size(
      width: min(max(2048, seen.width), 8192), height: min(max(2048, seen.height), 8192))
    self.values = values
  }

  /// Returns the size at which an image is made for a frame in pixels.
  ///
  /// Only a small part of a frame far larger than the canvas is visible at once. Its image is no longer than twice the
  /// canvas, or 8192 pixels if that is more, and is enlarged when shown.
  func size(for frame: Size, _ fit: ImageFit) -> Asset.ImageSize {
    .frame(limited(frame), fit)
  }

  /// A frame no longer than what an image is made for.
  func limited(_ frame: Size) -> Size {
    Size(width: min(frame.width, longest), height: min(frame.height, longest))
  }

  /// Returns the size at which a symbol or gradient is made: no larger than the visible part, as enlarging it loses no
  /// details.
  func drawn(_ frame: Size) -> Size {
    Size(
      width: min(frame.width, mostDrawn.width), height: min(frame.height, mostDrawn.height))
  }

  /// A text's assets: one, or where values run in it, one for each text that it becomes.
  mutating func source(of text: String, _ asset: (String) -> Asset) -> ItemVisual.TextSource {
    var source = ItemVisual.TextSource(values: values)
    // Texts were checked when the document was read.
    guard let running = try? RunningText(text, values), running.runs,
      let texts = running.texts(values)
    else {
      source.first = number(of: asset(text))
      return source
    }
    source.running = running
    for text in texts { source.numbers[text] = number(of: asset(text)) }
    source.first = source.numbers[texts[0]] ?? 0
    return source
  }

  /// The number of an asset, which is also that of its image.
  mutating func number(of asset: Asset) -> Int {
    if let number = numbers[asset] { return number }
    numbers[asset] = assets.count
    assets.append(asset)
    return assets.count - 1
  }
}
