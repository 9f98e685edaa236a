import FrostglassScenes
import Testing

/// Items that cannot be laid out are found wherever they are, and named at their own line.
@Suite struct ItemPlaceTests {
  /// Documents around items, and the path of the first.
  private static let places = [
    (#""layers": [@]"#, "layers[0]"),
    (#""layers": [{"kind": "bar", "items": [@]}]"#, "layers[0].items[0]"),
    (#""layers": [{"kind": "status-bar", "items": [@]}]"#, "layers[0].items[0]"),
    (
      #""layers": [{"kind": "backdrop", "frame": [0, 0, 9, 9], "items": [@]}]"#,
      "layers[0].items[0]"
    ),
    (#""layers": [{"items": [{"items": [@]}]}]"#, "layers[0].items[0].items[0]"),
    (#""content": {"height": 9, "items": [@]}"#, "content.items[0]"),
    (#""content": {"rows": {"count": 2, "height": 9, "items": [@]}}"#, "content.rows.items[0]"),
    (
      #""content": {"rows": [{"count": 2, "height": 9, "items": [], "header": {"height": 9, "items": [@]}}]}"#,
      "content.rows[0].header.items[0]"
    ),
  ]

  private func error(_ place: String, _ item: String) -> DocumentError? {
    let json = #"{"canvas": {"width": 9, "height": 9}, "#
    do throws(DocumentError) {
      _ = try SceneDocument(json: json + place.replacing("@", with: item) + "}")
      return nil
    } catch { return error }
  }

  @Test(arguments: places) func threeLinesOfAnAxisAreTooMany(_ place: String, path: String) {
    let item = #"{"id": "a", "fill": "red", "left": 3, "right": 4, "width": 4}"#
    let found = error(place, item)
    #expect(found?.path == path)
    #expect(
      found?.reason
        == "item 'a': too many horizontal values (left, right, width); it must be exactly "
        + "two of left, right, centerX, width")
  }

  @Test(arguments: places) func anItemThatIsNotThereIsNamed(_ place: String, path: String) {
    let item = #"{"id": "a", "fill": "red", "left": "b.right", "width": 4}"#
    let found = error(place, item)
    #expect(found?.path == path + ".left")
    #expect(found?.reason.hasPrefix("item 'a': left refers to the item 'b'") == true)
  }

  @Test(arguments: places.dropFirst()) func twoItemsOfOneIdAreAMistake(
    _ place: String, path: String
  ) {
    let found = error(place, #"{"id": "a", "fill": "red"}, {"id": "a", "fill": "red"}"#)
    #expect(found?.path == String(path.dropLast(3)) + "[1]")
    #expect(found?.reason == "two items have the id 'a'; each id must be used once")
  }

  @Test(
    arguments: [
      (
        "{\"id\": \"b\", \"fill\": \"red\", \"keyframes\": [{\"progress\": 0},\n{\"progress\": 1, \"left\": 3}]}",
        "4:1: layers[0].items[1].keyframes[1]: item 'b': too few horizontal values (left)"
      ),
      (
        "{\"id\": \"b\", \"fill\": \"red\", \"keyframes\": [\n{\"progress\": 1, \"left\": 3, \"width\": \"c.width\"}]}",
        "4:37: layers[0].items[1].keyframes[0].width: item 'b': width refers to the item 'c'"
      ),
      (
        "{\"id\": \"b\", \"fill\": \"red\",\n\"left\": \"b.right\", \"width\": 1}",
        "4:9: layers[0].items[1].left: values refer to each other in a circle"
      ),
    ])
  func theLineIsThatOfTheMistake(_ item: String, _ message: String) {
    let place = """
      "layers": [{"kind": "bar", "items": [
      {"id": "a", "fill": "red"},
      @]}]
      """
    let found = error(place, item).map { "\($0)" } ?? "no error"
    #expect(found.hasPrefix(message), "\(found)")
  }
}
