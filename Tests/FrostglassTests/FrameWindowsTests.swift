import Frostglass
import FrostglassCore
import TestSupport
import Testing

/// Moving regions are processed in windows: they are planned once, and the result is that of whole frames.
@Suite struct FrameWindowsTests {
  private static let size = Size(width: 401, height: 303)
  private static let layouts =
    ["420jpeg", "422", "411", "444", "420p10"].compactMap { name in
      FrameLayout.y4m.first { $0.name == name }
    } + FrameLayout.raw.filter { $0.name == "nv12" }
  /// Brightness alone, with alpha, and colors.
  private static let others =
    ["mono", "mono10", "444alpha"].compactMap { name in
      FrameLayout.y4m.first { $0.name == name }
    } + FrameLayout.raw.filter { ["rgb24", "rgba", "gray12le"].contains($0.name) }

  /// Boxes that are said for each frame.
  private struct Boxes: FrameMasks {
    let frames: [[Rect]]
    var base = Mask([])

    var typical: Mask { mask([Rect(x: 100, y: 100, width: 40, height: 40)]) }

    func mask(at moment: FrameMoment) throws(VideoError) -> Mask? { mask(frames[moment.index]) }

    func finish(after last: FrameMoment?) throws(VideoError) {}

    func mask(_ boxes: [Rect]) -> Mask {
      var mask = base
      mask.shapes += boxes.map {
        .rectangle(
          x: Length(Double($0.x)), y: Length(Double($0.y)), width: Length(Double($0.width)),
          height: Length(Double($0.height)))
      }
      return mask
    }
  }

  /// A frame of noise, in codes of the layout.
  private func frame(_ layout: FrameLayout, seed: UInt64 = 1) -> [UInt8] {
    let isDeep = Self.isDeep(layout)
    var bytes: [UInt8] = []
    for (index, plane) in layout.planes(of: Self.size).enumerated() {
      let noise = TestImages.noise(
        plane.size.width * plane.format.layout.channels, plane.size.height, .gray8,
        seed: seed + UInt64(index)
      ).bytes
      bytes += isDeep ? noise.flatMap { [$0, 2] } : noise.map { 16 + $0 / 2 }
    }
    return bytes
  }

  /// Returns true if samples have 16 bits.
  private static func isDeep(_ layout: FrameLayout) -> Bool {
    layout.planes(of: size)[0].format.depth == .uint16
  }

  private func renderer(
    _ chain: FilterChain, _ layout: FrameLayout, _ boxes: Boxes
  ) async throws -> VideoRenderer {
    try await VideoRenderer(
      Recipe(chain), for: layout, size: Self.size, masks: boxes, on: Pipeline(backend: .fast))
  }

  private func rendered(
    _ frame: [UInt8], _ index: Int, by renderer: VideoRenderer
  ) async throws -> [UInt8] {
    let result = UnsafeMutableRawBufferPointer.allocate(
      byteCount: renderer.resultBytes, alignment: 64)
    let source = UnsafeMutableRawBufferPointer.allocate(byteCount: frame.count, alignment: 64)
    defer {
      result.deallocate()
      source.deallocate()
    }
    source.copyBytes(from: frame)
    _ = try await renderer.render(
      UnsafeRawBufferPointer(source), into: result, at: FrameMoment(index: index))
    return Array(result[..<frame.count])
  }

  /// The same of whole frames, with a mask that does not move.
  private func whole(
    _ frame: [UInt8], _ chain: FilterChain, _ layout: FrameLayout, _ mask: Mask
  ) async throws -> [UInt8] {
    let renderer = try await VideoRenderer(
      Recipe(chain, options: PlanOptions(mask: mask)), for: layout, size: Self.size,
      on: Pipeline(backend: .fast))
    return try await rendered(frame, 0, by: renderer)
  }

  /// In the middle, at borders, two beside each other and two that are far apart.
  private static let places: [[Rect]] = [
    [Rect(x: 150, y: 120, width: 40, height: 32)], [Rect(x: 0, y: 100, width: 30, height: 44)],
    [Rect(x: 371, y: 259, width: 30, height: 44)],
    [Rect(x: 100, y: 100, width: 20, height: 20), Rect(x: 123, y: 90, width: 21, height: 33)],
    [Rect(x: 11, y: 11, width: 17, height: 19), Rect(x: 351, y: 251, width: 18, height: 23)],
  ]

  @Test(arguments: layouts.indices)
  func windowsAreAsWholeFrames(_ index: Int) async throws {
    let layout = Self.layouts[index]
    let boxes = Boxes(frames: Self.places)
    let frame = frame(layout)
    for chain: FilterChain in [[.gaussian(sigma: 4)], [.gaussian(sigma: 3), .saturation(1.5)]] {
      let renderer = try await renderer(chain, layout, boxes)
      for (number, places) in Self.places.enumerated() {
        let found = try await rendered(frame, number, by: renderer)
        let expected = try await whole(frame, chain, layout, boxes.mask(places))
        #expect(found != frame)
        // Each is certified to a level, and words have four codes to one.
        let isDeep = Self.isDeep(layout)
        #expect(found.largestDifference(from: expected, isWide: isDeep) <= (isDeep ? 8 : 2))
        // What a blur leaves alone are the same bytes.
        if chain.filters.count == 1 {
          #expect(isKept(frame, found, layout, around: places))
        }
      }
      #expect(renderer.windows?.planned ?? 0 > 0)
    }
  }

  /// Returns true if all bytes outside of some boxes are unchanged, but for a few pixels around them.
  private func isKept(
    _ frame: [UInt8], _ found: [UInt8], _ layout: FrameLayout, around places: [Rect]
  ) -> Bool {
    let near = places.map { $0.around(8) }
    return changed(frame, layout, in: near, to: found) == found
  }

  @Test(arguments: others.indices)
  func otherFramesHaveWindowsToo(_ index: Int) async throws {
    let layout = Self.others[index]
    let boxes = Boxes(frames: Self.places)
    var frame = frame(layout)
    // Of what can hardly be seen colors are hardly known.
    if layout.name == "rgba" {
      for alpha in stride(from: 3, to: frame.count, by: 4) { frame[alpha] |= 128 }
    }
    let chain: FilterChain = [.gaussian(sigma: 4)]
    let renderer = try await renderer(chain, layout, boxes)
    for (number, places) in Self.places.enumerated() {
      let found = try await rendered(frame, number, by: renderer)
      let expected = try await whole(frame, chain, layout, boxes.mask(places))
      let isDeep = Self.isDeep(layout)
      #expect(found.largestDifference(from: expected, isWide: isDeep) <= (isDeep ? 32 : 2))
      #expect(found != frame)
      guard layout.name != "rgba" else { continue }
      #expect(isKept(frame, found, layout, around: places))
    }
    #expect(renderer.windows?.planned ?? 0 > 0)
  }

  /// One plan to learn how much is around it, and one for the window.
  @Test func whatMovesIsPlannedOnce() async throws {
    let layout = Self.layouts[0]
    let steps = (0..<20).map { step in
      [Rect(x: 70 + 8 * step, y: 70 + 4 * step, width: 40, height: 32)]
    }
    let renderer = try await renderer([.gaussian(sigma: 4)], layout, Boxes(frames: steps))
    let frame = frame(layout)
    for step in steps.indices { _ = try await rendered(frame, step, by: renderer) }
    #expect(renderer.windows?.planned == 2)
  }

  /// Regions that keep their size are not planned again. A new size is planned once, with a margin that is enough.
  @Test func whatGrowsIsPlannedOnceForEachSize() async throws {
    let layout = Self.layouts[0]
    let steps = (0..<30).map { step in
      [Rect(x: 150, y: 120, width: 34 + step / 3, height: 32)]
    }
    let boxes = Boxes(frames: steps)
    let renderer = try await renderer([.gaussian(sigma: 9)], layout, boxes)
    let frame = frame(layout)
    for step in steps.indices {
      let found = try await rendered(frame, step, by: renderer)
      guard step % 10 == 0 else { continue }
      let expected = try await whole(frame, [.gaussian(sigma: 9)], layout, boxes.mask(steps[step]))
      #expect(found.largestDifference(from: expected, isWide: false) <= 2)
    }
    // Ten sizes in two steps of sizes.
    let planned = try #require(renderer.windows?.planned)
    #expect((10...12).contains(planned), "\(planned)")
  }

  /// A covered region gives the same result wherever it is: if the frame moves with it, the result is moved.
  @Test func aMovedFrameGivesTheMovedResult() async throws {
    let layout = try #require(FrameLayout.raw.first { $0.name == "yuv444p" })
    let (dx, dy) = (64, 32)
    let (box, moved) = (
      Rect(x: 120, y: 110, width: 33, height: 31),
      Rect(x: 120 + dx, y: 110 + dy, width: 33, height: 31)
    )
    let before = frame(layout)
    var after = before
    let (width, area) = (Self.size.width, Self.size.area)
    for plane in 0..<3 {
      for y in 0..<Self.size.height - dy {
        let (from, to) = (plane * area + y * width, plane * area + (y + dy) * width + dx)
        after.replaceSubrange(to..<to + width - dx, with: before[from..<from + width - dx])
      }
    }
    var boxes = Boxes(frames: [[box], [moved]])
    boxes.base.redaction = Redaction()
    let renderer = try await renderer(
      [.gaussian(sigma: 3), .saturation(1.4), .tint(.white, alpha: 0.08), .grain(0.02)], layout,
      boxes)
    let first = try await rendered(before, 0, by: renderer)
    let second = try await rendered(after, 1, by: renderer)
    #expect(renderer.windows?.planned ?? 0 > 0)
    for plane in 0..<3 {
      for y in box.rows {
        let from = plane * area + y * width + box.x
        let to = plane * area + (y + dy) * width + box.x + dx
        #expect(first[from..<from + box.width].elementsEqual(second[to..<to + box.width]))
      }
    }
  }

  /// Colors beside planes with alpha are refused.
  private static let redacted = layouts + others.filter { $0.name != "444alpha" }

  @Test(arguments: redacted.indices)
  func nothingHiddenIsLeft(_ index: Int) async throws {
    let layout = Self.redacted[index]
    var boxes = Boxes(frames: Self.places)
    boxes.base.redaction = Redaction()
    let renderer = try await renderer(Redaction.frost, layout, boxes)
    for (number, places) in Self.places.enumerated() {
      let one = frame(layout)
      let other = changed(one, layout, in: places)
      #expect(other != one)
      let results = (
        try await rendered(one, number, by: renderer),
        try await rendered(other, number, by: renderer)
      )
      #expect(results.0 == results.1)
    }
    #expect(renderer.windows?.planned ?? 0 > 0)
  }

  /// A frame with other samples where all of their pixels are in one of some boxes: those of another frame,
  /// or wrong ones.
  private func changed(
    _ frame: [UInt8], _ layout: FrameLayout, in places: [Rect], to other: [UInt8]? = nil
  ) -> [UInt8] {
    var format: YCbCrFormat?
    if case .planes(let planes) = layout.content { format = planes }
    var (changed, start) = (frame, 0)
    for (index, plane) in layout.planes(of: Self.size).enumerated() {
      let sampling = index == 0 ? nil : format?.sampling
      let (columns, rows) = (sampling?.columns ?? 1, sampling?.rows ?? 1)
      let repeats = index > 0 && format?.arrangement == .interleaved ? 2 : 1
      let bytes = repeats * plane.format.bytesPerPixel
      for box in places {
        for y in samples(of: box.rows, rows, Self.size.height) {
          for x in samples(of: box.columns, columns, Self.size.width) {
            let place = start + y * plane.bytesPerRow + x * bytes
            for byte in place..<place + bytes {
              changed[byte] = other?[byte] ?? (frame[byte] ^ 1)
            }
          }
        }
      }
      start += plane.bytesPerRow * plane.size.height
    }
    return changed
  }

  /// Samples all of whose pixels are among some; the last one may have fewer.
  private func samples(of pixels: Range<Int>, _ pitch: Int, _ all: Int) -> Range<Int> {
    let end = pixels.upperBound == all ? all + pitch - 1 : pixels.upperBound
    return (pixels.lowerBound + pitch - 1) / pitch..<end / pitch
  }

  /// Filters that go by the whole image are planned for it.
  @Test(arguments: ["pixelate(8px)", "gaussian(2%)", "zoom(0.1)"])
  func someFiltersTakeWholeFrames(_ text: String) async throws {
    let renderer = try await renderer(
      try FilterChain(text: text), Self.layouts[0], Boxes(frames: Self.places))
    #expect(renderer.windows == nil)
  }
}

extension Rect {
  /// The same with a few pixels more to each side.
  fileprivate func around(_ margin: Int) -> Rect {
    Rect(columns: columns.expanded(by: margin), rows: rows.expanded(by: margin))
      .intersection(Rect(Size(width: 401, height: 303)))
  }
}
