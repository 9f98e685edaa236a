import FrostglassScenes
import FrostglassCore
import Testing

struct BarItemTests {
  private func pose(alpha: Double) -> ItemPose { ItemPose(LayoutAttributes(alpha: alpha)) }

  private func alpha(_ item: BarItem, at progress: Double) throws -> Double? {
    var bar = try FlexibleBar(items: [item])
    bar.setProgress(progress)
    return bar.layout(width: 100).first?.attributes.alpha
  }

  @Test func keyframesAreSortedClampedAndReplaced() {
    var item = BarItem(
      id: "a",
      keyframes: [
        Keyframe(progress: 2, pose(alpha: 0.1)), Keyframe(progress: 0.5, pose(alpha: 0.2)),
        Keyframe(progress: -1, pose(alpha: 0.3)),
      ])
    #expect(item.keyframes.map(\.progress) == [0, 0.5, 1])
    item.setKeyframe(Keyframe(progress: 0.5, pose(alpha: 0.4)))
    #expect(item.keyframes.map(\.progress) == [0, 0.5, 1])
    #expect(item.keyframes[1].pose.attributes.alpha == 0.4)
    item.setKeyframe(Keyframe(progress: 0.25, pose(alpha: 0.5)))
    #expect(item.keyframes.map(\.progress) == [0, 0.25, 0.5, 1])
  }

  @Test func removalIsExact() {
    var item = BarItem(id: "a", keyframes: [Keyframe(progress: 0.5, pose(alpha: 0))])
    let missed = item.removeKeyframe(at: 0.5000001)
    #expect(!missed)
    #expect(item.keyframes.count == 1)
    let removed = item.removeKeyframe(at: 0.5)
    #expect(removed)
    #expect(item.keyframes.isEmpty)
  }

  /// Before the first keyframe nothing is changed, from the last on it counts alone.
  @Test func selection() throws {
    let item = BarItem(
      id: "a", resting: pose(alpha: 0.9),
      keyframes: [
        Keyframe(progress: 0.25, pose(alpha: 1)), Keyframe(progress: 0.5, pose(alpha: 0.5)),
        Keyframe(progress: 0.75, pose(alpha: 0.25)),
      ])
    let expected = [
      (0.0, 0.9), (0.249, 0.9), (0.25, 1.0), (0.375, 0.75), (0.5, 0.5), (0.625, 0.375),
      (0.75, 0.25), (1.0, 0.25),
    ]
    for (progress, value) in expected { #expect(try alpha(item, at: progress) == value) }
  }

  @Test func easingBelongsToTheSegmentThatItBegins() throws {
    let item = BarItem(
      id: "a",
      keyframes: [
        Keyframe(progress: 0, pose(alpha: 0), easing: .easeIn),
        Keyframe(progress: 0.5, pose(alpha: 1)), Keyframe(progress: 1, pose(alpha: 0)),
      ])
    #expect(try alpha(item, at: 0.25) == Easing.easeIn.value(at: 0.5))
    #expect(try alpha(item, at: 0.75) == 0.5)
  }

  /// Facebook's demo: 105 to 20 points high. The white bar, 40 points high at the bottom, is at
  /// -40 by progress 40/85, and stays. In that time the bar loses 40 points of its height, so a
  /// white bar tied to the bar's bottom does the same, and no frame is computed by hand.
  @Test func theWhiteBarSlidesWithTheBottom() throws {
    let turn = 40.0 / 85
    let byHand = BarItem(
      id: "by hand",
      keyframes: [(0.0, 65.0), (turn, 25.0)].map { progress, y in
        Keyframe(
          progress: progress,
          ItemPose(LayoutAttributes(frame: LayoutRect(x: 0, y: y, width: 320, height: 40))))
      })
    let tied = ItemLayout(
      left: 0, right: .bar(.right), bottom: .bar(.bottom), height: 40)
    let stays = ItemLayout(left: 0, right: .bar(.right), top: 25, height: 40)
    let relative = BarItem(
      id: "relative", resting: ItemPose(tied),
      keyframes: [Keyframe(progress: turn, ItemPose(stays))])
    var bar = try FlexibleBar(minimumHeight: 20, maximumHeight: 105, items: [byHand, relative])
    for step in 0...850 {
      bar.setProgress(Double(step) / 850)
      let centers = bar.layout(width: 320).map(\.attributes.center)
      #expect(abs(centers[0].y - centers[1].y) < 1e-12 && centers[0].x == centers[1].x)
    }
    bar.setProgress(turn)
    #expect(bar.layout(width: 320)[0].attributes.frame?.y == 25)
  }

  /// An item beside one that moves is beside it at every progress.
  @Test func whatRefersToAMovingItemMovesWithIt() throws {
    let mover = BarItem(
      id: "mover",
      keyframes: [
        Keyframe(progress: 0, ItemPose(ItemLayout(left: 0, width: 20, top: 0, height: 10))),
        Keyframe(
          progress: 1,
          ItemPose(ItemLayout(right: .bar(.right), width: 60, top: 0, height: 10))),
      ])
    let follower = BarItem(
      id: "follower",
      resting: ItemPose(
        ItemLayout(
          right: .item("mover", .left), width: .item("mover", .width), top: 0, height: 10)))
    var bar = try FlexibleBar(items: [follower, mover])
    bar.setProgress(0.25)
    // left 0 → 40, width 20 → 60 in a bar of 100: a quarter of the way is 10 and 30.
    let frames = bar.layout(width: 100).compactMap(\.attributes.frame)
    #expect(frames[1] == LayoutRect(x: 10, y: 0, width: 30, height: 10))
    #expect(frames[0] == LayoutRect(x: -20, y: 0, width: 30, height: 10))
  }

  /// A width from -20, which is 0, to 40: half of the way is 20, for who refers to it as well.
  @Test func lessThanNothingIsNothingAtBothEnds() throws {
    let grower = BarItem(
      id: "grower",
      keyframes: [(0.0, -20), (1.0, 40)].map { progress, width in
        Keyframe(
          progress: progress,
          ItemPose(ItemLayout(left: 0, width: .points(width), top: 0, height: 4)))
      })
    let twin = BarItem(
      id: "twin",
      resting: ItemPose(
        ItemLayout(left: 0, width: .item("grower", .width), top: 0, height: 4)))
    var bar = try FlexibleBar(items: [grower, twin])
    bar.setProgress(0.5)
    #expect(bar.layout(width: 100).map(\.attributes.size.width) == [20, 20])
  }

  /// The search field of the demo: gone by .8, moved up by .3 × 85 points.
  @Test func transformsGoWithKeyframes() throws {
    let visible = ItemPose(LayoutAttributes(frame: LayoutRect(x: 8, y: 8, width: 80, height: 20)))
    var gone = visible
    gone.attributes.transform = .translation(x: 0, y: -0.3 * 85)
    gone.attributes.alpha = 0
    let item = BarItem(
      id: "search",
      keyframes: [Keyframe(progress: 0, visible), Keyframe(progress: 0.8, gone)])
    var bar = try FlexibleBar(items: [item])
    bar.setProgress(0.4)
    let attributes = try #require(bar.layout(width: 96).first).attributes
    #expect(attributes.alpha == 0.5 && attributes.frame == nil)
    #expect(attributes.transform == .translation(x: 0, y: -12.75))
    #expect(attributes.center == LayoutPoint(x: 48, y: 18))
  }
}
