import FrostglassScenes
import FrostglassCore
import Testing

struct ItemLayoutTests {
  /// A bar of 400 × 105 with one item.
  private func frame(_ layout: ItemLayout, others: [BarItem] = []) throws -> LayoutRect? {
    let item = BarItem(id: "item", resting: ItemPose(layout))
    let bar = try FlexibleBar(minimumHeight: 20, maximumHeight: 105, items: [item] + others)
    return bar.layout(width: 400).first { $0.id == "item" }?.attributes.frame
  }

  @Test func anyTwoValuesMakeAnAxis() throws {
    let expected = LayoutRect(x: 100, y: 20, width: 200, height: 60)
    let horizontal: [ItemLayout] = [
      ItemLayout(left: 100, right: 300), ItemLayout(left: 100, centerX: 200),
      ItemLayout(left: 100, width: 200), ItemLayout(right: 300, centerX: 200),
      ItemLayout(right: 300, width: 200), ItemLayout(centerX: 200, width: 200),
    ]
    for var layout in horizontal {
      layout.top = 20
      layout.height = 60
      #expect(try frame(layout) == expected)
    }
    let upright: [ItemLayout] = [
      ItemLayout(top: 20, bottom: 80), ItemLayout(top: 20, centerY: 50),
      ItemLayout(top: 20, height: 60), ItemLayout(bottom: 80, centerY: 50),
      ItemLayout(bottom: 80, height: 60), ItemLayout(centerY: 50, height: 60),
    ]
    for var layout in upright {
      layout.left = 100
      layout.right = 300
      #expect(try frame(layout) == expected)
    }
  }

  @Test func valuesFollowTheBar() throws {
    let layout = ItemLayout(
      left: .bar(.width, times: 0.25), right: .bar(.right, plus: -20),
      top: .bar(.bottom, times: 0.5, plus: -2.5), bottom: .bar(.height))
    #expect(try frame(layout) == LayoutRect(x: 100, y: 50, width: 280, height: 55))
    #expect(try frame(.wholeBar) == LayoutRect(x: 0, y: 0, width: 400, height: 105))
  }

  @Test func valuesFollowOtherItems() throws {
    let logo = BarItem(
      id: "logo",
      resting: ItemPose(LayoutAttributes(frame: LayoutRect(x: 10, y: 5, width: 30, height: 40))))
    let layout = ItemLayout(
      left: .item("logo", .right, plus: 8), width: .item("logo", .width, times: 2),
      top: .item("logo", .top), bottom: .item("logo", .centerY))
    #expect(
      try frame(layout, others: [logo]) == LayoutRect(x: 48, y: 5, width: 60, height: 20))
  }

  /// Its own height as a width, and two items that refer to each other without a circle.
  @Test func onlyRealCirclesAreCircles() throws {
    let square = ItemLayout(
      left: 0, width: .item("item", .height), top: 0, height: .bar(.height, times: 0.2))
    #expect(try frame(square) == LayoutRect(x: 0, y: 0, width: 21, height: 21))
    let right = BarItem(
      id: "right",
      resting: ItemPose(
        ItemLayout(left: .item("item", .right, plus: 4), width: 50, top: 0, height: 10)))
    let left = ItemLayout(left: 6, width: .item("right", .width), top: 0, height: 10)
    #expect(try frame(left, others: [right]) == LayoutRect(x: 6, y: 0, width: 50, height: 10))
  }

  @Test func lessThanNothingIsNothing() throws {
    let crossed = ItemLayout(left: 300, right: 100, top: 0, height: -5)
    #expect(try frame(crossed) == LayoutRect(x: 200, y: 0, width: 0, height: 0))
    let behind = ItemLayout(right: 100, centerX: 120, top: 0, height: 5)
    #expect(try frame(behind) == LayoutRect(x: 120, y: 0, width: 0, height: 5))
  }

  @Test func hugeFactorsStayFinite() throws {
    let layout = ItemLayout(
      left: .bar(.width, times: 1e9), width: .item("item", .left, times: 1e9), top: 0,
      height: .item("item", .width, times: -1e9))
    let frame = try #require(try frame(layout))
    #expect(frame.x.isFinite && frame.width == 1e9 && frame.height == 0)
  }

  private func error(_ items: [BarItem]) -> LayoutError? {
    do {
      _ = try FlexibleBar(items: items)
      return nil
    } catch {
      return error
    }
  }

  @Test func saysWhichAxisIsOpen() {
    let open = error([
      BarItem(id: "logo", resting: ItemPose(ItemLayout(left: 1, top: 0, height: 2)))
    ])
    #expect(open == .wrongNumberOfLines(item: "logo", axis: .horizontal, given: [.left]))
    #expect(
      open?.description == """
        item 'logo': too few horizontal values (left); it must be exactly two of left, right, \
        centerX, width
        """)
  }

  @Test func saysWhatIsTooMuch() {
    let over = ItemLayout(left: 1, width: 2, top: 0, bottom: 4, height: 2)
    let found = error([BarItem(id: "logo", resting: ItemPose(over))])
    #expect(
      found
        == .wrongNumberOfLines(item: "logo", axis: .vertical, given: [.top, .bottom, .height]))
    #expect(found?.description.contains("too many vertical values (top, bottom, height)") == true)
  }

  @Test func saysWhatIsNotThere() {
    let layout = ItemLayout(left: .item("lgo", .right), width: 4, top: 0, height: 2)
    let found = error([
      BarItem(id: "logo"), BarItem(id: "title", resting: ItemPose(layout)),
    ])
    #expect(
      found?.description == """
        item 'title': left refers to the item 'lgo', which is not there (did you mean logo?); \
        items are logo, title
        """)
  }

  /// Also in a keyframe, and in a pose that never shows because a keyframe begins at 0.
  @Test func findsWhatNeverShows() {
    let good = Keyframe(progress: 0, ItemPose(.wholeBar))
    let hidden = BarItem(id: "logo", resting: ItemPose(ItemLayout(left: 1)), keyframes: [good])
    let late = Keyframe(progress: 1, ItemPose(ItemLayout(left: 1)))
    for item in [hidden, BarItem(id: "logo", keyframes: [good, late])] {
      #expect(
        error([item]) == .wrongNumberOfLines(item: "logo", axis: .horizontal, given: [.left]))
    }
  }

  @Test func namesACircle() {
    let first = ItemLayout(left: .item("b", .right), width: 4, top: 0, height: 2)
    let second = ItemLayout(left: .item("a", .centerX), width: 4, top: 0, height: 2)
    let found = error([
      BarItem(id: "a", resting: ItemPose(first)), BarItem(id: "b", resting: ItemPose(second)),
    ])
    guard case .circle(let anchors) = found else {
      Issue.record("\(String(describing: found))")
      return
    }
    #expect(anchors.count > 2 && anchors.first == anchors.last)
    #expect(found?.description.contains("b.right → a.centerX → b.right") == true)
    #expect(
      found?.description.hasSuffix("one of them must be given by the bar or in points") == true)
    #expect(
      error([
        BarItem(
          id: "a",
          resting: ItemPose(
            ItemLayout(left: 0, width: .item("a", .width), top: 0, height: 2)))
      ]) == .circle([.item("a", .width), .item("a", .width)]))
  }

  /// First a follows b, later b follows a: at no progress a circle. If both do at .5…1, it is one.
  @Test func circlesCountOnlyWhereBothEndsMeet() {
    func follows(_ id: String) -> ItemPose {
      ItemPose(ItemLayout(left: .item(id, .right), width: 4, top: 0, height: 2))
    }
    let free = ItemPose(ItemLayout(left: 0, width: 4, top: 0, height: 2))
    func items(aUntil progress: Double) -> [BarItem] {
      [
        BarItem(id: "a", resting: follows("b"), keyframes: [Keyframe(progress: progress, free)]),
        BarItem(id: "b", resting: free, keyframes: [Keyframe(progress: 0.5, follows("a"))]),
      ]
    }
    #expect(error(items(aUntil: 0.5)) == nil)
    guard case .circle = error(items(aUntil: 0.6)) else {
      Issue.record("a circle between .5 and .6")
      return
    }
  }

  @Test func refusesDoublesAndNumbersThatAreNone() {
    #expect(error([BarItem(id: "a"), BarItem(id: "a")]) == .duplicateItem("a"))
    let layout = ItemLayout(left: 0, width: .bar(.width, times: .infinity), top: 0, height: 2)
    #expect(
      error([BarItem(id: "a", resting: ItemPose(layout))])
        == .badNumber(
          of: "item 'a'", name: "width's factor", value: .infinity,
          accepted: "-1000000000…1000000000"))
    let attributes = LayoutAttributes(transform: .scale(x: .infinity, y: 1))
    #expect(
      error([BarItem(id: "a", resting: ItemPose(attributes))])?.description.hasPrefix(
        "item 'a': transform's m11 is inf; it must be") == true)
  }
}
