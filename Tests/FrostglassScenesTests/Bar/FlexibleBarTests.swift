import FrostglassScenes
import FrostglassCore
import Testing

struct FlexibleBarTests {
  @Test func defaults() {
    let bar = FlexibleBar()
    #expect(bar.progress == 0 && bar.minimumHeight == 20 && bar.maximumHeight == 44)
    #expect(bar.height == 44 && bar.heightRange == 24)
    #expect(
      FlexibleBar(frame: LayoutRect(x: 0, y: 20, width: 320, height: 85)).maximumHeight == 105)
  }

  @Test func heightsAreNotBelowNothing() {
    var bar = FlexibleBar(minimumHeight: -3, maximumHeight: -1)
    #expect(bar.minimumHeight == 0 && bar.maximumHeight == 0 && bar.height == 0)
    bar.maximumHeight = .nan
    #expect(bar.maximumHeight == 0)
    bar.minimumHeight = 50
    bar.maximumHeight = 30
    bar.setProgress(0.5)
    // A minimum above the maximum counts as the maximum.
    #expect(bar.heightRange == 0 && bar.height == 30)
    bar.maximumHeight = 90
    #expect(bar.height == 70)
  }

  @Test func progressIsKeptInItsRange() {
    var bar = FlexibleBar(minimumHeight: 20, maximumHeight: 100)
    bar.setProgress(3)
    #expect(bar.progress == 1 && bar.height == 20)
    bar.setProgress(-0.5)
    #expect(bar.progress == 0 && bar.height == 100)
    bar.setProgress(0.25)
    bar.setProgress(.nan)
    bar.setProgress(.infinity)
    #expect(bar.progress == 0.25 && bar.height == 80)
  }

  @Test func anElasticBarStretches() throws {
    let item = BarItem(
      id: "title",
      keyframes: [
        Keyframe(
          progress: 0, ItemPose(ItemLayout(left: 0, width: 8, top: 0, bottom: .bar(.bottom)))),
        Keyframe(progress: 1, ItemPose(ItemLayout(left: 80, width: 8, top: 0, height: 5))),
      ])
    var bar = try FlexibleBar(
      minimumHeight: 65, maximumHeight: 200, isElasticAtTop: true, items: [item])
    bar.setProgress(-0.5)
    // 200 + 135 / 2
    #expect(bar.progress == -0.5 && bar.height == 267.5)
    // Its items are as at progress 0; what is relative sees the real height.
    let frame = bar.layout(width: 100).first?.attributes.frame
    #expect(frame == LayoutRect(x: 0, y: 0, width: 8, height: 267.5))
    bar.isElasticAtTop = false
    #expect(bar.progress == 0)
  }

  @Test func heightFallsWithProgress() {
    var bar = FlexibleBar(minimumHeight: 20.3, maximumHeight: 105.7, isElasticAtTop: true)
    var last = Double.infinity
    for step in -1000...1000 {
      bar.setProgress(Double(step) / 1000)
      #expect(bar.height <= last)
      last = bar.height
    }
    #expect(abs(last - 20.3) < 1e-12)
  }

  @Test func itemsComeInTheOrderOfTheirDepth() throws {
    let depths = [3, 0, 3, -1, 0]
    let items = depths.enumerated().map {
      BarItem(id: "\($0.offset)", resting: ItemPose(LayoutAttributes(zIndex: $0.element)))
    }
    let placed = try FlexibleBar(items: items).layout(width: 10)
    #expect(placed.map(\.id) == ["3", "1", "4", "0", "2"])
  }

  @Test func hiddenItemsAreToldOf() throws {
    let items = [BarItem(id: "a", resting: ItemPose(LayoutAttributes(isHidden: true)))]
    #expect(try FlexibleBar(items: items).layout(width: 10).map(\.attributes.isHidden) == [true])
  }

  @Test func itemsThatAreWrongChangeNothing() throws {
    var bar = try FlexibleBar(items: [BarItem(id: "a")])
    #expect(throws: LayoutError.duplicateItem("b")) {
      try bar.setItems([BarItem(id: "b"), BarItem(id: "b")])
    }
    #expect(bar.items.map(\.id) == ["a"])
  }
}
