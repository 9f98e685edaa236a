package import FrostglassCore

/// How the content that scrolls is made: once, as one long picture.
package struct ContentSheet: Sendable {
  /// What it needs, in the order of its scene's pictures.
  package let assets: [Asset]

  private let content: ContentDocument
  private let canvas: CanvasDocument
  private let groups: [Group]
  private let files: [Int]

  /// The rows that the picture may have.
  private static let mostRows = 65_535

  /// Items, and where they are, in points.
  private struct Group: Sendable {
    var items: ItemGroup
    var layout: FlexibleBar
    var id: String
    var top: Double
  }

  init(_ content: ContentDocument, on canvas: CanvasDocument) {
    self.content = content
    self.canvas = canvas
    // All of it is made, and seen part by part.
    var assets = AssetList(seen: Size(width: canvas.pixels.width, height: Self.mostRows))
    let width = canvas.size.width
    files = content.pictures.map { path in
      assets.number(of: .picture(path: path, .width(canvas.pixels.width)))
    }
    var groups: [Group] = []
    func add(_ items: [ItemDocument], id: String, top: Double, height: Double, row: Int? = nil) {
      let layout = FlexibleBar.still(items, height: height)
      let group = ItemGroup(
        items, in: layout, width: width, scale: canvas.scale, row: row, &assets)
      groups.append(Group(items: group, layout: layout, id: id, top: top))
    }
    add(content.items, id: "content", top: 0, height: content.height ?? content.bottom)
    for (section, rows) in content.rows.enumerated() {
      let prefix = content.rows.count == 1 ? "" : "section \(section + 1) "
      for row in 0..<rows.count {
        add(
          rows.items, id: prefix + "row \(row + 1)", top: rows.top(ofRow: row),
          height: rows.height, row: row + 1)
      }
    }
    self.groups = groups
    self.assets = assets.assets
  }

  /// The long picture as a scene.
  ///
  /// - Parameter pictures: what the assets came to.
  /// - Throws: `SceneError.plan` where it would be longer than 65535 pixels.
  package func scene(_ pictures: [Plan.Input]) throws(SceneError) -> Scene {
    let scale = canvas.scale
    let pictured = files.reduce(0) { $0 + pictures[$1].size.height }
    let height = max(pictured, Int((content.bottom * scale).rounded()), 1)
    let size = Size(width: canvas.pixels.width, height: height)
    guard height <= Self.mostRows, size.area <= 1 << 28 else {
      throw .plan(.tooLarge(size, limit: "65535 rows and 268 million pixels for content"))
    }
    let composer = LayerComposer(scale: scale, pictures: pictures)
    var layers: [Layer] = []
    var top = 0
    for (index, picture) in files.enumerated() {
      let place = AffineTransform.translation(x: 0, y: Double(top))
      layers.append(
        Layer(id: "image \(index)", .picture(PlacedPicture(picture, transform: place))))
      top += pictures[picture].size.height
    }
    for group in groups {
      let parent = LayerComposer.Parent(id: group.id, origin: LayoutPoint(x: 0, y: group.top))
      layers += composer.layers(
        group.layout, width: canvas.size.width, group.items, in: parent)
    }
    return Scene(
      size: size, background: content.background, layers: layers, pictures: pictures,
      scale: scale)
  }
}
