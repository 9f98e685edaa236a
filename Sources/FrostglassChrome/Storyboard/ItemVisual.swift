package import FrostglassCore

/// An item whose assets have numbers.
struct ItemVisual: Sendable {
  enum Content: Sendable {
    case picture(Int, PictureFit)
    /// The mask's colors are replaced.
    case mask(Int, PictureFit, Paint)
    case text(Int, TextDocument.Alignment, Paint)
    case fill(ItemColor)
    case material(FilterChain, tint: Color?)
  }

  /// What shows through a mask.
  enum Paint: Sendable {
    case color(ItemColor)
    case vibrancy(FilterChain)
  }

  let id: String
  let content: Content

  /// - Parameters:
  ///   - size: the largest that it will be, in points.
  ///   - row: what `{row}` in a text becomes.
  init(
    _ item: ItemDocument, size: LayoutSize, scale: Double, row: Int? = nil,
    _ assets: inout AssetList
  ) {
    id = item.id
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
      let asset = Asset.text(
        row.map { text.text.replacing("{row}", with: "\($0)") } ?? text.text, font: text.font,
        size: text.size * scale, text.alignment, wrapWidth: text.wraps ? pixels.width : nil)
      let paint = item.vibrancy.map { Paint.vibrancy($0) } ?? .color(text.color)
      content = .text(assets.number(of: asset), text.alignment, paint)
    case .fill(let color): content = .fill(color)
    case .material(let chain): content = .material(chain, tint: item.tint)
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
    let stops = Set(items.flatMap { $0.layout.keyframes.map(\.progress) } + [0, 1])
    for progress in stops.sorted() {
      var bar = bar
      bar.setProgress(progress)
      for placed in bar.layout(width: width) {
        let size = placed.attributes.size
        let known = sizes[placed.id] ?? .zero
        sizes[placed.id] = LayoutSize(
          width: max(size.width, known.width), height: max(size.height, known.height))
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
  func still(height: Double) -> FlexibleBar {
    var bar = self
    bar.minimumHeight = height
    bar.maximumHeight = height
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

/// A picture that a scene needs and that somebody must load or make.
package enum Asset: Sendable, Hashable {
  /// A picture file.
  case picture(path: String, PictureSize)
  /// A picture file as a mask: gray, its alpha times its brightness.
  case mask(path: String, PictureSize)
  /// A text's coverage: gray.
  ///
  /// - Parameters: the size and the width at which lines are broken are pixels.
  case text(String, font: String, size: Double, TextDocument.Alignment, wrapWidth: Int?)
  /// The content that scrolls, which `ContentSheet` says how to make.
  case content

  /// How large a picture is to be, in pixels.
  package enum PictureSize: Sendable, Hashable {
    /// For a frame of this size.
    case frame(Size, PictureFit)
    /// As wide as this, keeping its shape.
    case width(Int)
  }
}

/// The assets of a scene, each once.
struct AssetList {
  private(set) var assets: [Asset] = []
  private var numbers: [Asset: Int] = [:]
  private let longest: Int

  /// - Parameter seen: the pixels of what can be seen at once.
  init(seen: Size) { longest = max(8192, 2 * max(seen.width, seen.height)) }

  /// How large a picture is made for a frame in pixels.
  ///
  /// Of a frame that is far larger than the canvas little is ever seen at once. Its picture is made no
  /// longer than twice the canvas, or 8192 pixels where that is more, and enlarged where it shows.
  func size(for frame: Size, _ fit: PictureFit) -> Asset.PictureSize {
    .frame(Size(width: min(frame.width, longest), height: min(frame.height, longest)), fit)
  }

  /// The number of an asset, which is also that of its picture.
  mutating func number(of asset: Asset) -> Int {
    if let number = numbers[asset] { return number }
    numbers[asset] = assets.count
    assets.append(asset)
    return assets.count - 1
  }
}
