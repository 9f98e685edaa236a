import FrostglassScenes
import FrostglassCore
import TestSupport
import Testing

/// Views driven by a small renderer with images of its own: what is shown is what should be.
struct BackdropImageTests {
  private static let canvas = LayoutRect(x: 0, y: 0, width: 24, height: 40)

  /// Only what damage tells is computed again, and the image is that of computing all of it.
  @Test(arguments: 0..<20)
  func damageIsEnough(seed: Int) throws {
    var random = SplitMix(state: UInt64(seed))
    let frame = LayoutRect(x: 3, y: 6, width: 17, height: 25)
    var view = BackdropView(try BackdropSettings(frame: frame, arrival: .fixed))
    var content = ImageEntry(Rect(x: 0, y: 0, width: 24, height: 40))
    var shown = ImageEntry(Rect(x: 0, y: 0, width: 0, height: 0))
    var computed = 0
    func draw(_ effects: [BackdropEffect]) -> Bool {
      for capture in effects.compactMap(\.capture) {
        if capture.changed == nil { shown = ImageEntry(capture.recomputed.bounds ?? shown.rect) }
        let blurred = content.blurred(by: 2)
        for rect in capture.recomputed.rects { shown.copy(blurred, in: rect) }
        computed += capture.recomputed.area
        if shown != blurred.cropped(to: shown.rect) { return false }
      }
      return true
    }
    var isRight = draw(view.handle(.load(parent: BackdropImageTests.canvas), at: 0))
    isRight =
      draw(view.handle(.blurLive(try BackdropLook(reach: 2), interval: 0.1), at: 0)) && isRight
    for step in 1...300 {
      let time = Double(step) / 60
      var damage = Damage()
      if random.once(in: 3) {
        damage.insert(
          Rect(
            x: Int.random(in: 0..<20, using: &random), y: Int.random(in: 0..<36, using: &random),
            width: Int.random(in: 1...4, using: &random),
            height: Int.random(in: 1...4, using: &random)))
      }
      isRight = draw(view.handle(.damaged(damage), at: time)) && isRight
      for rect in damage.rects { content.fill(rect, with: &random) }
      isRight = draw(view.advance(to: time)) && isRight
    }
    #expect(isRight)
    #expect(view.captureCount > 20)
    // Not all of it at each capture, by far.
    #expect(computed < view.captureCount * 17 * 25 * 3 / 4)
  }

  /// A renderer with a history shows the same as one that only knows `capturedAt`.
  @Test(arguments: BackdropSettings.Arrival.allCases, [nil, 0.05])
  func noHistoryIsNeeded(arrival: BackdropSettings.Arrival, interval: Double?) throws {
    let frame = LayoutRect(x: 0, y: 8, width: 1, height: 20)
    var view = BackdropView(try BackdropSettings(frame: frame, arrival: arrival))
    /// Returns the backdrop behind row y at a time.
    func content(_ y: Double, _ time: Double) -> Double { y * 1000 + (time * 100).rounded(.down) }
    var held: (corner: Double, time: Double, height: Double)?
    var isRight = true
    func take(_ effects: [BackdropEffect]) {
      for capture in effects.compactMap(\.capture) {
        held = (capture.rect.y, capture.time, capture.rect.height)
      }
    }
    take(view.handle(.load(parent: BackdropImageTests.canvas), at: 0))
    take(
      view.handle(interval.map { .blurLive(.standard, interval: $0) } ?? .blur(.standard), at: 0))
    var seen = 0
    for step in 1...240 {
      let time = Double(step) / 120
      if step == 20 || step == 150 { take(view.handle(.slideDown, at: time)) }
      if step == 90 || step == 170 { take(view.handle(.slideUp, at: time)) }
      take(view.advance(to: time))
      guard let crop = view.cropRect, let inside = view.cropInCapture, let held,
        let capturedAt = view.capturedAt
      else { continue }
      seen += 1
      for part in [0, 0.3, 1] {
        let row = crop.y + part * crop.height
        let remembered = content(held.corner + inside.y + part * inside.height, held.time)
        if abs(remembered - content(row, capturedAt)) > 1e-6 { isRight = false }
      }
      if inside.y < -1e-9 || inside.maxY > held.height + 1e-9 { isRight = false }
    }
    #expect(isRight)
    #expect(seen > 60)
  }
}

/// A small gray image with whole numbers.
private struct ImageEntry: Equatable {
  let rect: Rect
  private var values: [Int]

  init(_ rect: Rect) {
    self.rect = rect
    values = [Int](repeating: 0, count: max(0, rect.width * rect.height))
  }

  subscript(x: Int, y: Int) -> Int {
    get { values[(y - rect.y) * rect.width + x - rect.x] }
    set { values[(y - rect.y) * rect.width + x - rect.x] = newValue }
  }

  mutating func fill(_ part: Rect, with random: inout SplitMix) {
    for y in part.rows {
      for x in part.columns { self[x, y] = Int.random(in: 0...255, using: &random) }
    }
  }

  mutating func copy(_ other: ImageEntry, in part: Rect) {
    for y in part.rows { for x in part.columns { self[x, y] = other[x, y] } }
  }

  func cropped(to part: Rect) -> ImageEntry {
    var result = ImageEntry(part)
    result.copy(self, in: part)
    return result
  }

  /// Each pixel with all that are as near, summed; the border counts on and on.
  func blurred(by reach: Int) -> ImageEntry {
    var result = ImageEntry(rect)
    for y in rect.rows {
      for x in rect.columns {
        var sum = 0
        for dy in -reach...reach {
          let row = min(max(y + dy, rect.y), rect.rows.upperBound - 1)
          for dx in -reach...reach {
            sum += self[min(max(x + dx, rect.x), rect.columns.upperBound - 1), row]
          }
        }
        result[x, y] = sum
      }
    }
    return result
  }
}
