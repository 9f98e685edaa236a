import FrostglassCore
import TestSupport
import Testing

struct DamageTests {
  @Test func nothingIsDamagedAtFirst() {
    let damage = Damage()
    #expect(damage.isEmpty)
    #expect(damage.area == 0)
    #expect(damage.bounds == nil)
    #expect(!damage.intersects(Rect(x: -5, y: -5, width: 10, height: 10)))
    #expect(damage.contains(Rect(x: 3, y: 3, width: 0, height: 4)))
    #expect(Damage(Rect(x: 3, y: 3, width: -2, height: 4)).isEmpty)
  }

  @Test func overlapCountsOnce() {
    var damage = Damage(Rect(x: 0, y: 0, width: 10, height: 10))
    damage.insert(Rect(x: 5, y: 5, width: 10, height: 10))
    #expect(damage.area == 175)
    #expect(damage.bounds == Rect(x: 0, y: 0, width: 15, height: 15))
    damage.insert(Rect(x: 6, y: 6, width: 2, height: 9))
    #expect(damage.area == 175)
  }

  @Test func neighborsBecomeOne() {
    var damage = Damage(Rect(x: 0, y: 0, width: 4, height: 4))
    damage.insert(Rect(x: 8, y: 0, width: 4, height: 4))
    #expect(damage.rects.count == 2)
    damage.insert(Rect(x: 4, y: 0, width: 4, height: 4))
    #expect(damage.rects == [Rect(x: 0, y: 0, width: 12, height: 4)])
  }

  @Test func joinsTheCheapestPair() {
    // Eight pixels in a row, 10 apart, and a ninth 2 to the right of the last: their box adds 1.
    var damage = Damage()
    for index in 0..<8 { damage.insert(Rect(x: index * 10, y: 0, width: 1, height: 1)) }
    #expect(damage.rects.count == 8)
    damage.insert(Rect(x: 72, y: 0, width: 1, height: 1))
    #expect(damage.rects.count == 8)
    #expect(damage.rects.last == Rect(x: 70, y: 0, width: 3, height: 1))
    #expect(damage.area == 10)
  }

  @Test func expandsBySidesAndClips() {
    let damage = Damage(Rect(x: 10, y: 20, width: 4, height: 2)).expanded(x: 3, y: 5)
    #expect(damage.rects == [Rect(x: 7, y: 15, width: 10, height: 12)])
    let clipped = damage.clipped(to: Rect(x: 0, y: 0, width: 10, height: 20))
    #expect(clipped.rects == [Rect(x: 7, y: 15, width: 3, height: 5)])
    #expect(damage.expanded(x: -3, y: 0) == damage)
    #expect(damage.clipped(to: Rect(x: 0, y: 0, width: 0, height: 9)).isEmpty)
  }

  @Test func hugeCoordinatesDoNotOverflow() {
    var damage = Damage(Rect(x: Int.min, y: 0, width: Int.max, height: Int.max))
    damage.insert(Rect(x: Int.max - 1, y: Int.max - 1, width: Int.max, height: Int.max))
    damage.insert(Rect(x: 5, y: 5, width: Int.max, height: Int.max))
    let all = damage.expanded(x: Int.max, y: Int.max)
    #expect(all.area > 0)
    #expect(all.contains(Rect(x: -4000, y: -4000, width: 8000, height: 8000)))
    #expect(!all.contains(Rect(x: 0, y: 0, width: Int.max, height: 1)))
  }

  /// Against an image of bits, 40 by 40.
  @Test func holdsEveryPixelAndNothingBeyondTheirBounds() {
    var random = SplitMix(state: 1)
    for _ in 0..<400 {
      var damage = Damage()
      var bits = Bits()
      for _ in 0..<Int.random(in: 1...14, using: &random) {
        let rect = Rect(
          x: Int.random(in: 0..<38, using: &random), y: Int.random(in: 0..<38, using: &random),
          width: Int.random(in: 0...12, using: &random),
          height: Int.random(in: 0...12, using: &random))
        let before = damage
        damage.insert(rect)
        bits.set(rect)
        #expect(damage.union(before).area == damage.area)
        #expect(damage.contains(rect))
      }
      let held = Bits(damage.rects)
      #expect(held.holds(bits))
      #expect(held.count == damage.area)
      #expect(damage.rects.count <= Damage.mostRects)
      #expect(damage.rects.allSatisfy { !$0.isEmpty })
      #expect(damage.bounds == bits.bounds)
    }
  }

  /// With so few rectangles that none are joined with loss, it is the bits exactly.
  @Test func isExactWhileFewRectanglesAreEnough() {
    var random = SplitMix(state: 2)
    for _ in 0..<2000 {
      var damage = Damage()
      var bits = Bits()
      for _ in 0..<2 {
        let rect = Rect(
          x: Int.random(in: 0..<38, using: &random), y: Int.random(in: 0..<38, using: &random),
          width: Int.random(in: 1...12, using: &random),
          height: Int.random(in: 1...12, using: &random))
        damage.insert(rect)
        bits.set(rect)
      }
      #expect(Bits(damage.rects) == bits)
      let grown = damage.expanded(x: 2, y: 1)
      #expect(Bits(grown.rects).holds(bits))
      let window = Rect(x: 7, y: 9, width: 21, height: 17)
      #expect(Bits(damage.clipped(to: window).rects) == bits.clipped(to: window))
      #expect(damage.intersects(window) == (bits.clipped(to: window).count > 0))
      #expect(damage.contains(window) == (bits.clipped(to: window).count == window.area))
    }
  }
}

/// An image of bits from -10 to 59 in both directions.
private struct Bits: Equatable {
  private var bits = [Bool](repeating: false, count: 70 * 70)

  init() {}

  init(_ rects: [Rect]) {
    for rect in rects { set(rect) }
  }

  var count: Int { bits.count { $0 } }

  mutating func set(_ rect: Rect) {
    for y in rect.rows { for x in rect.columns { bits[(y + 10) * 70 + x + 10] = true } }
  }

  /// The smallest rectangle around the bits that are set.
  var bounds: Rect? {
    let places = bits.indices.filter { bits[$0] }
    let columns = places.map { $0 % 70 - 10 }
    guard let first = places.first, let last = places.last, let left = columns.min(),
      let right = columns.max()
    else { return nil }
    return Rect(columns: left..<right + 1, rows: first / 70 - 10..<last / 70 - 9)
  }

  func holds(_ other: Bits) -> Bool {
    zip(bits, other.bits).allSatisfy { $0 || !$1 }
  }

  func clipped(to rect: Rect) -> Bits {
    var mask = Bits()
    mask.set(rect)
    var result = Bits()
    result.bits = zip(bits, mask.bits).map { $0 && $1 }
    return result
  }
}
