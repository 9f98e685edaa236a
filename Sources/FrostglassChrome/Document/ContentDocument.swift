public import FrostglassCore

/// What scrolls: pictures below each other, or items, or rows of items.
public struct ContentDocument: Sendable {
  /// Its height in points; `nil` is that of its pictures or rows.
  public var height: Double?
  /// Room above and below it, in points.
  public var topInset: Double
  public var bottomInset: Double
  public var background: Color
  /// Pictures as wide as the canvas, one below the other.
  public var pictures: [String]
  public var items: [ItemDocument]
  public var rows: RowsDocument?
}

/// Items that are repeated down the content. `{row}` in a text becomes the row's number.
public struct RowsDocument: Sendable {
  public var count: Int
  /// Of a row, in points.
  public var height: Double
  /// Where the first row is.
  public var top: Double
  public var items: [ItemDocument]

  /// Where the last row ends.
  public var bottom: Double { top + Double(count) * height }
}

extension ContentDocument {
  init(_ value: DocumentValue) throws(DocumentError) {
    var object = try value.object()
    height = try object.value("height")?.number(in: 0...1_000_000)
    topInset = try object.number("topInset", in: -10_000...10_000, default: 0)
    bottomInset = try object.number("bottomInset", in: -10_000...10_000, default: 0)
    background = try object.value("background")?.color() ?? .white
    pictures = []
    for picture in try object.array("images") { pictures.append(try picture.text()) }
    items = try ItemDocument.list(object.array("items"))
    try ItemDocument.check(items, of: object)
    rows = try object.value("rows").map { value throws(DocumentError) in try RowsDocument(value) }
    try object.finish()
    guard height != nil || !pictures.isEmpty || rows != nil else {
      throw object.error("has no \"height\"; only \"images\" or \"rows\" have one of their own")
    }
  }
}

extension RowsDocument {
  fileprivate init(_ value: DocumentValue) throws(DocumentError) {
    var object = try value.object()
    count = Int(try object.required("count").number(in: 1...1000).rounded())
    height = try object.required("height").number(in: 1...10_000)
    top = try object.number("top", in: 0...1_000_000, default: 0)
    items = try ItemDocument.list(try object.required("items").array())
    try ItemDocument.check(items, of: object)
    try object.finish()
  }
}
