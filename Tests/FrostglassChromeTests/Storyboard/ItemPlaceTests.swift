import FrostglassChrome
import Testing

/// Items that cannot be laid out are found wherever they are.
@Suite struct ItemPlaceTests {
  /// Documents around an item, and the path that messages name.
  private static let places = [
    (#""layers": [@]"#, "layers[0]"),
    (#""layers": [{"kind": "bar", "items": [@]}]"#, "layers[0]"),
    (#""layers": [{"kind": "status-bar", "items": [@]}]"#, "layers[0]"),
    (
      #""layers": [{"kind": "backdrop", "frame": [0, 0, 9, 9], "items": [@]}]"#, "layers[0]"
    ),
    (#""content": {"height": 9, "items": [@]}"#, "content"),
    (#""content": {"rows": {"count": 2, "height": 9, "items": [@]}}"#, "content.rows"),
  ]

  private func message(_ place: String, _ item: String) -> String {
    let json = #"{"canvas": {"width": 9, "height": 9}, "#
    do throws(DocumentError) {
      _ = try SceneDocument(json: json + place.replacing("@", with: item) + "}")
      return "no error"
    } catch { return error.path + ": " + error.reason }
  }

  @Test(arguments: places) func threeLinesOfAnAxisAreTooMany(_ place: String, path: String) {
    let item = #"{"id": "a", "fill": "red", "left": 3, "right": 4, "width": 4}"#
    #expect(
      message(place, item)
        == "\(path): item 'a': too many horizontal values (left, right, width); it must be exactly "
        + "two of left, right, centerX, width")
  }

  @Test(arguments: places) func anItemThatIsNotThereIsNamed(_ place: String, path: String) {
    let item = #"{"id": "a", "fill": "red", "left": "b.right", "width": 4}"#
    #expect(message(place, item).hasPrefix("\(path): item 'a': left refers to the item 'b'"))
  }

  @Test(arguments: places.dropFirst()) func twoItemsOfOneIdAreAMistake(
    _ place: String, path: String
  ) {
    let items = #"{"id": "a", "fill": "red"}, {"id": "a", "fill": "red"}"#
    #expect(
      message(place, items)
        == "\(path): two items have the id 'a'; each id must be used once")
  }
}
