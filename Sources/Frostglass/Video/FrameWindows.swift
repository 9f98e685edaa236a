internal import FrostglassCore
internal import Synchronization

/// Works on what a mask covers in windows around it, as if each were a frame: what was planned for one serves
/// wherever it moves.
///
/// A window is as large as what its pixels are made of, and larger where frames go on. So the bytes do not depend on
/// where in the frame it lies, but for where it meets the frame's border, nor on which frames came before. What
/// moves by itself has a window of its own.
package final class FrameWindows: Sendable {
  /// A window of a frame, ready to be rendered.
  struct Window: Sendable {
    /// The position; left and top are whole samples of every plane.
    let place: Rect
    let parts: [FramePart]
  }

  private let recipe: Recipe
  private let size: Size
  /// The parts of whole frames.
  private let whole: [FramePart]
  private let kept: Mutex<KeptWindows>
  /// The first margin to try, by how large boxes are at most.
  private let firstMargins = Mutex<[Int: Int]>([:])
  private let count = Mutex(0)

  /// The key of a window's plan.
  struct Key: Equatable {
    let size: Size
    /// The mask, in the window's own coordinates.
    let mask: Mask
    let borders: Borders
  }

  /// The sides that a window shares with the frame.
  struct Borders: Equatable {
    let left: Bool
    let top: Bool
    let right: Bool
    let bottom: Bool
  }

  /// Bytes that windows which are kept may take for each pixel of a frame: enough for a handful, and about what six
  /// frames on their way take, before and after.
  private static let mostBytesPerPixel = 16

  /// The distances in pixels that a window may reach beyond the box around its shapes, to each side. They are tried
  /// in order until the window holds every pixel that its result depends on.
  private static let margins = [64, 128, 256, 512]

  /// - Returns: `nil` for filters that go by the whole image.
  init?(_ recipe: Recipe, of size: Size, _ whole: [FramePart]) {
    guard recipe.chain.isTranslationInvariant, !recipe.options.linearLight else { return nil }
    self.recipe = recipe
    self.size = size
    self.whole = whole
    kept = Mutex(KeptWindows(mostBytes: Self.mostBytesPerPixel * size.area))
  }

  /// The number of plans made so far: for windows, and for boxes to find a sufficient margin.
  package var planned: Int { count.withLock { $0 } }

  /// The windows of a mask, which do not overlap; all else of the frame stays as it is.
  ///
  /// - Returns: `nil` for a mask that whole frames are planned for: of a shape that goes by the frame's size, or one
  ///   that covers much of it.
  func windows(of mask: Mask) throws(FrostglassError) -> [Window]? {
    guard let boxes = boxes(of: mask) else { return nil }
    var first = 0
    for box in boxes { first = max(first, try margin(for: box, mask)) }
    for margin in [first] + Self.margins.filter({ $0 > first }) {
      guard let places = places(of: boxes, margin) else { return nil }
      var windows: [Window] = []
      for (place, shapes) in places {
        guard let own = mask.only(shapes, from: place), let parts = try parts(of: own, at: place)
        else { break }
        windows.append(Window(place: place, parts: parts))
      }
      if windows.count == places.count { return windows }
    }
    return nil
  }

  /// The margin to begin with: that of a rectangle as large as boxes of about this size are at most.
  ///
  /// It is found out once for each size, so what is planned for a frame does not depend on those before it.
  private func margin(for box: Rect, _ mask: Mask) throws(FrostglassError) -> Int {
    let side = max(box.width, box.height, 16)
    // Four sizes from one power of two to the next.
    let grain = 1 << (Int.bitWidth - 3 - side.leadingZeroBitCount)
    let most = (side + grain - 1) / grain * grain
    if let known = firstMargins.withLock({ $0[most] }) { return known }
    let widest = Self.margins[Self.margins.count - 1]
    var typical = mask
    (typical.imageSizes, typical.refused) = ([], [])
    typical.shapes = [
      .rectangle(
        x: Length(Double(widest)), y: Length(Double(widest)), width: Length(Double(most)),
        height: Length(Double(most)))
    ]
    let window = Size(width: most + 2 * widest, height: most + 2 * widest)
    var needed = 0
    for plan in try plans(for: typical, window) {
      guard let looked = plan.looked else { continue }
      for place in [looked.columns, looked.rows] {
        needed = max(needed, widest - place.lowerBound, place.upperBound - widest - most)
      }
    }
    let found = min((needed + 16) / 16 * 16, widest)
    return firstMargins.withLock { known in
      known[most] = found
      return found
    }
  }

  /// Returns the largest box that each shape can cover.
  private func boxes(of mask: Mask) -> [Rect]? {
    let scale = recipe.options.scale
    guard mask.use == .show, !mask.isInverted, mask.feather.unit == .pixels,
      mask.grow.unit == .pixels, mask.feather.value.isFinite, mask.grow.value.isFinite,
      mask.doubts(in: size, scale: scale).allSatisfy({ !mask.refused.contains($0.kind) })
    else { return nil }
    let around = Int(min(max(mask.feather.value, 0) + max(mask.grow.value, 0), 1e6)) + 1
    var boxes: [Rect] = []
    for shape in mask.shapes {
      guard let box = (try? shape.bounds(in: size, scale: scale)) ?? nil else { return nil }
      boxes.append(
        Rect(columns: box.columns.expanded(by: around), rows: box.rows.expanded(by: around))
          .intersection(Rect(size)))
    }
    return boxes
  }

  /// Windows around boxes, those that meet joined.
  ///
  /// - Returns: them with the numbers of their shapes; `nil` where they are more than half of the frame.
  private func places(of boxes: [Rect], _ margin: Int) -> [(place: Rect, shapes: [Int])]? {
    var places: [(place: Rect, shapes: [Int])] = []
    for (index, box) in boxes.enumerated() {
      var all = (place: place(around: box, margin), shapes: [index])
      while let other = places.firstIndex(where: {
        !$0.place.intersection(all.place).isEmpty
      }) {
        let joined = places.remove(at: other)
        all = (all.place.union(joined.place), (all.shapes + joined.shapes).sorted())
      }
      places.append(all)
    }
    let area = places.reduce(0) { $0 + $1.place.area }
    return area <= size.area / 2 ? places : nil
  }

  private func place(around box: Rect, _ margin: Int) -> Rect {
    // Whole samples of all planes.
    func around(_ part: Range<Int>, _ step: Int) -> Range<Int> {
      let low = floorDivide(part.lowerBound - margin, step) * step
      let high = -floorDivide(-(part.upperBound + margin), step) * step
      return low..<high
    }
    // Powers of two.
    let columns = whole.map(\.sampling.columns).max() ?? 1
    let rows = whole.map(\.sampling.rows).max() ?? 1
    return Rect(columns: around(box.columns, columns), rows: around(box.rows, rows))
      .intersection(Rect(size))
  }

  /// Returns the renderers of a window. They are planned if they are not cached.
  ///
  /// - Returns: `nil` if its pixels depend on others outside the window.
  private func parts(of mask: Mask, at place: Rect) throws(FrostglassError) -> [FramePart]? {
    let borders = Borders(
      left: place.x == 0, top: place.y == 0, right: place.columns.upperBound == size.width,
      bottom: place.rows.upperBound == size.height)
    let key = Key(size: place.size, mask: mask, borders: borders)
    if let found = kept.withLock({ $0.find(key) }) { return found.parts }
    var ready: [FramePart]?
    let plans = try plans(for: mask, place.size)
    if plans.allSatisfy({ borders.hold($0.looked, of: place.size) }) {
      var parts: [FramePart] = []
      for (part, plan) in zip(whole, plans) { parts.append(try part.ready(for: plan.plan)) }
      ready = parts
    }
    kept.withLock { [ready] in $0.add(key, ready) }
    return ready
  }

  /// The plans of a window, with what of it each looks at.
  private func plans(
    for mask: Mask, _ size: Size
  ) throws(FrostglassError) -> [(plan: FramePart.WindowPlan, looked: Rect?)] {
    count.withLock { $0 += 1 }
    var recipe = recipe
    recipe.options.mask = mask
    var plans: [(plan: FramePart.WindowPlan, looked: Rect?)] = []
    do {
      for part in whole {
        let plan = try part.plan(forWindow: size, recipe)
        plans.append((plan, try plan.looked()))
      }
    } catch { throw .plan(error) }
    return plans
  }
}

/// Windows that were planned, as many as there is memory for.
///
/// What was asked for once may never be again, as where a box changes its size with every frame; so few of those
/// are kept, and more of what was asked for twice.
private struct KeptWindows {
  struct Entry {
    let key: FrameWindows.Key
    /// `nil` where a window of this size is too small.
    let parts: [FramePart]?
    /// Bytes that it keeps.
    let memory: Int
    var isUsedAgain = false
  }

  /// The cached windows, the last used at the end.
  private var entries: [Entry] = []
  /// The keys of evicted windows, the latest last. One that is requested again counts as used twice.
  private var forgotten: [FrameWindows.Key] = []
  private let mostBytes: Int

  /// A few that move, each at some places among the pixels that share a sample.
  private static let most = 16
  private static let mostUsedOnce = 4
  private static let mostForgotten = 48

  /// - Parameter mostBytes: of all but the one used last.
  init(mostBytes: Int) { self.mostBytes = mostBytes }

  mutating func find(_ key: FrameWindows.Key) -> Entry? {
    guard let index = entries.firstIndex(where: { $0.key == key }) else { return nil }
    var entry = entries.remove(at: index)
    entry.isUsedAgain = true
    entries.append(entry)
    return entry
  }

  mutating func add(_ key: FrameWindows.Key, _ parts: [FramePart]?) {
    // Another frame may have been as fast.
    guard !entries.contains(where: { $0.key == key }) else { return }
    var entry = Entry(
      key: key, parts: parts, memory: parts?.reduce(0) { $0 + $1.memory } ?? 0)
    if let index = forgotten.firstIndex(of: key) {
      forgotten.remove(at: index)
      entry.isUsedAgain = true
    }
    entries.append(entry)
    if entries.count(where: { !$0.isUsedAgain }) > Self.mostUsedOnce { forget { !$0.isUsedAgain } }
    while entries.count > Self.most { forget { _ in true } }
    while entries.count > 1, entries.dropLast().reduce(0, { $0 + $1.memory }) > mostBytes {
      forget { $0.memory > 0 }
    }
  }

  /// Lets the one go that was not used for longest of those that are asked for.
  private mutating func forget(_ isMeant: (Entry) -> Bool) {
    guard let index = entries.firstIndex(where: isMeant) else { return }
    forgotten.append(entries.remove(at: index).key)
    if forgotten.count > Self.mostForgotten { forgotten.removeFirst() }
  }
}

extension FrameWindows.Borders {
  /// Returns true if a window holds all pixels in `looked`, or ends where the frame ends.
  fileprivate func hold(_ looked: Rect?, of size: Size) -> Bool {
    guard let looked else { return true }
    return (left || looked.x > 0) && (top || looked.y > 0)
      && (right || looked.columns.upperBound < size.width)
      && (bottom || looked.rows.upperBound < size.height)
  }
}

extension Mask {
  /// Some of its shapes as they lie in a part of the image.
  ///
  /// - Returns: `nil` where a shape is not given in pixels.
  fileprivate func only(_ indices: [Int], from part: Rect) -> Mask? {
    var mask = self
    mask.shapes = indices.compactMap { shapes[$0].moved(x: -Double(part.x), y: -Double(part.y)) }
    // Taken from the whole image, which was checked before.
    (mask.imageSizes, mask.refused) = ([], [])
    return mask.shapes.count == indices.count ? mask : nil
  }
}

extension MaskShape {
  /// The shape elsewhere.
  ///
  /// - Returns: `nil` for shapes that are not given in pixels.
  fileprivate func moved(x right: Double, y down: Double) -> MaskShape? {
    func isPixels(_ lengths: Length...) -> Bool { lengths.allSatisfy { $0.unit == .pixels } }
    switch self {
    case .rectangle(let x, let y, let width, let height, let radius, let isContinuous):
      guard isPixels(x, y, width, height, radius) else { return nil }
      return .rectangle(
        x: Length(x.value + right), y: Length(y.value + down), width: width, height: height,
        radius: radius, isContinuous: isContinuous)
    case .ellipse(let x, let y, let width, let height):
      guard isPixels(x, y, width, height) else { return nil }
      return .ellipse(
        x: Length(x.value + right), y: Length(y.value + down), width: width, height: height)
    case .polygon(let corners):
      guard corners.allSatisfy({ isPixels($0.x, $0.y) }) else { return nil }
      return .polygon(
        corners.map { Corner(x: Length($0.x.value + right), y: Length($0.y.value + down)) })
    case .gradient, .picture: return nil
    }
  }
}
