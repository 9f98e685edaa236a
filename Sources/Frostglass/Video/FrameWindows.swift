package import FrostglassCore
internal import Synchronization

/// Works on what a mask covers in windows around it, as if each were a frame: what was planned for one serves
/// wherever it moves.
///
/// A window is as large as what its pixels are made of, and larger where frames go on. So the bytes do not depend on
/// where in the frame it lies, but for where it meets the frame's border. What moves by itself has a window of its own.
package final class FrameWindows: Sendable {
  /// A window of a frame, ready to be rendered.
  package struct Window: Sendable {
    /// Where it is; left and top are whole samples of every plane.
    let place: Rect
    let renderer: YCbCrRenderer
  }

  private let recipe: Recipe
  /// Of whole frames.
  private let whole: YCbCrRenderer
  /// Windows that were planned, those used last behind.
  private let kept = Mutex<[Kept]>([])
  private let count = Mutex(0)

  private struct Kept {
    let key: Key
    /// `nil` where a window of this size is too small.
    let renderer: YCbCrRenderer?
  }

  private struct Key: Equatable {
    let size: Size
    /// In the window's own coordinates.
    let mask: Mask
    let borders: Borders
  }

  /// Which sides of a window are the frame's.
  fileprivate struct Borders: Equatable {
    let left: Bool
    let top: Bool
    let right: Bool
    let bottom: Bool
  }

  /// How many are kept: a few that move, each at some places among the pixels that share a sample.
  private static let mostKept = 16
  /// How much larger than what it shows a window is, in pixels: the first that is enough.
  private static let margins = [64, 128, 256, 512]

  /// - Returns: `nil` for filters that go by the whole picture.
  init?(_ recipe: Recipe, of whole: YCbCrRenderer) {
    guard recipe.chain.worksInWindows, !recipe.options.linearLight else { return nil }
    self.recipe = recipe
    self.whole = whole
  }

  /// How many windows were planned so far.
  package var planned: Int { count.withLock { $0 } }

  /// The windows of a mask, which do not overlap; all else of the frame stays as it is.
  ///
  /// - Returns: `nil` for a mask that whole frames are planned for: of a shape that goes by the frame's size, or one
  ///   that covers much of it.
  func windows(of mask: Mask) throws(FrostglassError) -> [Window]? {
    guard let boxes = boxes(of: mask) else { return nil }
    for margin in Self.margins {
      guard let places = places(of: boxes, margin) else { return nil }
      var windows: [Window] = []
      for (place, shapes) in places {
        guard let own = mask.only(shapes, from: place),
          let renderer = try renderer(of: own, at: place)
        else { break }
        windows.append(Window(place: place, renderer: renderer))
      }
      if windows.count == places.count { return windows }
    }
    return nil
  }

  /// What each shape covers at most.
  private func boxes(of mask: Mask) -> [Rect]? {
    let (size, scale) = (whole.plan.size, recipe.options.scale)
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
    return area <= whole.plan.size.area / 2 ? places : nil
  }

  private func place(around box: Rect, _ margin: Int) -> Rect {
    // Whole samples of all planes.
    func around(_ part: Range<Int>, _ step: Int) -> Range<Int> {
      let low = floorDivide(part.lowerBound - margin, step) * step
      let high = -floorDivide(-(part.upperBound + margin), step) * step
      return low..<high
    }
    let sampling = whole.plan.format.sampling
    return Rect(
      columns: around(box.columns, sampling.columns), rows: around(box.rows, sampling.rows)
    ).intersection(Rect(whole.plan.size))
  }

  /// What renders a window, planned where it is not known.
  ///
  /// - Returns: `nil` where its pixels are made of others beside it.
  private func renderer(of mask: Mask, at place: Rect) throws(FrostglassError) -> YCbCrRenderer? {
    let size = whole.plan.size
    let borders = Borders(
      left: place.x == 0, top: place.y == 0, right: place.columns.upperBound == size.width,
      bottom: place.rows.upperBound == size.height)
    let key = Key(size: place.size, mask: mask, borders: borders)
    let found = kept.withLock { kept in
      kept.firstIndex { $0.key == key }.map { index in
        kept.append(kept.remove(at: index))
        return kept[kept.count - 1]
      }
    }
    if let found { return found.renderer }
    count.withLock { $0 += 1 }
    var options = recipe.options
    options.mask = mask
    let plan: YCbCrPlan
    let isEnough: Bool
    do throws(PlanError) {
      plan = try recipe.chain.plan(
        for: whole.plan.format, size: place.size, options: options, background: recipe.background)
      isEnough = borders.hold(try plan.looked(), of: place.size)
    } catch { throw .plan(error) }
    let made = Kept(key: key, renderer: isEnough ? try YCbCrRenderer(plan, like: whole) : nil)
    kept.withLock { kept in
      kept.append(made)
      if kept.count > Self.mostKept { kept.removeFirst() }
    }
    return made.renderer
  }
}

extension FrameWindows.Borders {
  /// Whether all that is looked at lies within a window, or where the frame ends as well.
  fileprivate func hold(_ looked: Rect?, of size: Size) -> Bool {
    guard let looked else { return true }
    return (left || looked.x > 0) && (top || looked.y > 0)
      && (right || looked.columns.upperBound < size.width)
      && (bottom || looked.rows.upperBound < size.height)
  }
}

extension FrameWindows.Window {
  /// Renders it; the rest of the result is left as it is.
  ///
  /// - Parameters: planes of whole frames.
  func render(
    _ planes: [PixelMemory], into results: [MutablePixelMemory]
  ) async throws(FrostglassError) -> [Recovery] {
    let format = renderer.plan.format
    var (sources, targets): ([PixelMemory], [MutablePixelMemory]) = ([], [])
    for (index, input) in renderer.plan.inputs.enumerated() {
      // Interleaved samples of a row are twice as many.
      let repeats = index > 0 && format.arrangement == .interleaved ? 2 : 1
      let columns = index > 0 ? format.sampling.columns : 1
      let rows = index > 0 ? format.sampling.rows : 1
      let left = place.x / columns * repeats * input.format.bytesPerPixel
      let top = place.y / rows
      let (plane, result) = (planes[index], results[index])
      sources.append(
        PixelMemory(
          input,
          bytes: UnsafeRawBufferPointer(rebasing: plane.bytes[(top * plane.bytesPerRow + left)...]),
          bytesPerRow: plane.bytesPerRow))
      targets.append(
        MutablePixelMemory(
          bytes: UnsafeMutableRawBufferPointer(
            rebasing: result.bytes[(top * result.bytesPerRow + left)...]),
          bytesPerRow: result.bytesPerRow))
    }
    return try await renderer.render(sources, into: targets).recoveries
  }
}

extension Mask {
  /// Some of its shapes as they lie in a part of the picture.
  ///
  /// - Returns: `nil` where a shape is not given in pixels.
  fileprivate func only(_ indices: [Int], from part: Rect) -> Mask? {
    var mask = self
    mask.shapes = indices.compactMap { shapes[$0].moved(x: -Double(part.x), y: -Double(part.y)) }
    // Of the whole picture that was found to be right.
    (mask.pictureSize, mask.refused) = (nil, [])
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
