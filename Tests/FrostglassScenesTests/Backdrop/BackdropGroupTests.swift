import FrostglassScenes
import FrostglassCore
import Testing

struct BackdropGroupTests {
  private let parent = LayoutRect(x: 0, y: 0, width: 320, height: 568)

  private func view(y: Double, height: Double) throws -> BackdropView {
    var view = BackdropView(
      try BackdropSettings(
        frame: LayoutRect(x: 0, y: y, width: 320, height: height), arrival: .fixed))
    view.handle(.load(parent: parent), at: 0)
    return view
  }

  @Test func membersShareOneCaptureOfWhatAllNeed() throws {
    var group = BackdropGroup()
    group.join("bar", level: 5)
    group.join("tabs", level: 3)
    #expect(group.lowestLevel == 3)
    #expect(group.neededRect == nil)
    #expect(group.version == 0)
    var bar = try view(y: 0, height: 64)
    var tabs = try view(y: 500, height: 68)
    let first = try bar.handle(.blurLive(.standard, interval: 0.25), at: 0).firstCapture
    let second = try tabs.handle(.blurLive(.standard, interval: 0.25), at: 0).firstCapture
    #expect(group.handle(first, from: "bar")?.rect.height == 64)
    // The second needs more, so it is captured anew, for both.
    let shared = try required(group.handle(second, from: "tabs"))
    #expect(shared.rect == parent)
    #expect(shared.number == 2)
    // From now on one capture serves both at each tick.
    let next =
      bar.advance(to: 0.25).compactMap(\.capture) + tabs.advance(to: 0.25).compactMap(\.capture)
    #expect(next.count == 2)
    #expect(group.handle(next[0], from: "bar")?.number == 3)
    #expect(group.handle(next[1], from: "tabs") == nil)
    #expect(group.version == 3)
    #expect(group.capture?.time == 0.25)
  }

  @Test func anUnchangedBackdropKeepsItsVersion() throws {
    var group = BackdropGroup(scale: 2)
    group.join("bar", level: 1)
    var bar = try view(y: 0, height: 64)
    let first = try bar.handle(.blur(.standard), at: 0).firstCapture
    group.handle(version: 7)
    #expect(group.handle(first, from: "bar", reach: 10)?.number == 1)
    let second = try bar.handle(.blur(.standard), at: 1).firstCapture
    group.handle(version: 7)
    #expect(group.handle(second, from: "bar", reach: 10) == nil)
    #expect(group.version == 1)
    // The bar ends at pixel 128, and sees 20 pixels farther.
    group.handle(Damage(Rect(x: 0, y: 148, width: 640, height: 100)))
    let third = try bar.handle(.blur(.standard), at: 2).firstCapture
    #expect(group.handle(third, from: "bar", reach: 10) == nil)
    group.handle(Damage(Rect(x: 0, y: 147, width: 640, height: 1)))
    let fourth = try bar.handle(.blur(.standard), at: 3).firstCapture
    let shared = try required(group.handle(fourth, from: "bar", reach: 10))
    #expect(shared.recomputed.rects == [Rect(x: 0, y: 127, width: 640, height: 1)])
    #expect(group.version == 2)
  }

  @Test func aLowerMemberMakesAllNew() throws {
    var group = BackdropGroup()
    group.handle(version: 1)
    group.join("bar", level: 4)
    var bar = try view(y: 0, height: 64)
    let first = try bar.handle(.blur(.standard), at: 0).firstCapture
    #expect(group.handle(first, from: "bar") != nil)
    group.join("above", level: 9)
    #expect(group.handle(first, from: "bar") == nil)
    group.join("below", level: 2)
    #expect(group.lowestLevel == 2)
    #expect(group.handle(first, from: "bar")?.number == 2)
    group.leave("below")
    #expect(group.lowestLevel == 4)
    #expect(group.handle(first, from: "bar")?.number == 3)
    group.leave("bar")
    group.leave("above")
    #expect(group.lowestLevel == nil)
    #expect(group.neededRect == nil)
  }

  @Test func whoeverLeavesIsNotCapturedForAnyMore() throws {
    var group = BackdropGroup()
    var bar = try view(y: 0, height: 64)
    var tabs = try view(y: 500, height: 68)
    let first = try bar.handle(.blur(.standard), at: 0).firstCapture
    let second = try tabs.handle(.blur(.standard), at: 0).firstCapture
    _ = group.handle(first, from: "bar")
    _ = group.handle(second, from: "tabs")
    group.leave("tabs")
    let later = try bar.handle(.blur(.standard), at: 1).firstCapture
    #expect(group.handle(later, from: "bar")?.rect.height == 64)
  }
}

/// Returns a value that must not be `nil`; `#require` itself cannot hold a mutating call.
private func required<Value>(_ value: Value?) throws -> Value {
  try #require(value)
}
