internal import FrostglassCore
internal import Synchronization

/// The index of a frame in its video, and the time at which it is shown.
package struct FrameMoment: Sendable, Hashable {
  /// From 0, in the order in which frames are shown.
  package let index: Int
  /// The time at which it is shown, in seconds after the video's beginning; `nil` if unknown.
  package let seconds: Double?
  /// The duration of its display, in seconds; `nil` if unknown.
  package let duration: Double?
  /// The time at which the previous frame is shown, in seconds; `nil` if there is none or it is unknown.
  package let previous: Double?
  /// True if it is known that no frame comes after it.
  package let isLast: Bool

  package init(
    index: Int, seconds: Double? = nil, duration: Double? = nil, previous: Double? = nil,
    isLast: Bool = false
  ) {
    (self.index, self.seconds, self.duration) = (index, seconds, duration)
    (self.previous, self.isLast) = (previous, isLast)
  }

  /// The time of a frame of a steady rate.
  package init(index: Int, rate: FrameRate?) {
    let length = rate.map { Double($0.seconds) / Double($0.frames) }
    self.init(
      index: index,
      seconds: rate.map { Double(index) * Double($0.seconds) / Double($0.frames) },
      duration: length, previous: index > 0 ? length.map { Double(index - 1) * $0 } : nil)
  }

  /// The time at which its display ends, in seconds after the video's beginning; `nil` if unknown.
  package var end: Double? { seconds.flatMap { start in duration.map { start + $0 } } }
}

/// The length of a video.
package struct VideoExtent: Sendable, Hashable {
  /// Frames that are shown.
  package var frames: Int
  /// The end of the last one, in seconds after the video's beginning.
  package var seconds: Double

  package init(frames: Int, seconds: Double) {
    (self.frames, self.seconds) = (frames, seconds)
  }
}

/// The masks of a recipe that change from frame to frame.
package protocol FrameMasks: Sendable {
  /// A mask like those of the frames, for which the backend is chosen.
  var typical: Mask { get }

  /// Returns the mask of a frame; `nil` if nothing is covered and the frame stays unchanged.
  ///
  /// - Throws: `VideoError.tracks` for a frame without known positions.
  func mask(at moment: FrameMoment) throws(VideoError) -> Mask?

  /// Says that the video has ended.
  ///
  /// - Parameter last: its last frame; `nil` where there was none.
  /// - Throws: `VideoError.tracks` where the tracks are of a video of another length.
  func finish(after last: FrameMoment?) throws(VideoError)
}

/// A chain made ready for the frames of a video, whatever their layout and wherever they come from.
package final class VideoRenderer: FrameRenderer {
  /// The layout of frames, with their colors decided.
  package let layout: FrameLayout
  /// Width and height in pixels.
  package let size: Size
  /// The name of the backend.
  package let backend: String
  package let usesMatrix: Bool
  /// The masks of the recipe for each frame; `nil` if the mask is the same in all.
  package let masks: (any FrameMasks)?
  private let recipe: Recipe
  private let parts: [FramePart]
  /// Parts for other masks, those used last behind: what moves rests now and then.
  private let kept = Mutex<[(mask: Mask, parts: [FramePart])]>([])
  /// The number of parts that are cached: some for frames in progress, and one for a mask that rests.
  private static let mostKept = 4
  private let order = FairSemaphore(16)
  /// The windows that are rendered separately; `nil` where whole frames are planned.
  package let windows: FrameWindows?
  private let callers = ThreadPool()

  /// Plans a chain and chooses the backend for it.
  ///
  /// - Parameters:
  ///   - recipe: with the mask of all frames, if there is one.
  ///   - masks: of each frame, instead.
  /// - Throws: `VideoError.renderer`, and `.unsupported` for alpha with colors that change.
  package init(
    _ recipe: Recipe, for layout: FrameLayout, size: Size, masks: (any FrameMasks)? = nil,
    on pipeline: Pipeline
  ) async throws(VideoError) {
    self.layout = layout
    self.size = size
    self.masks = masks
    var recipe = recipe
    if let masks { recipe.options.mask = masks.typical }
    self.recipe = recipe
    let bringsColor = recipe.options.mask?.redaction?.isColored ?? false
    switch layout.content {
    case .planes(let format):
      let renderer = try await Self.planes(format, recipe, size, pipeline)
      (backend, usesMatrix) = (renderer.backend, bringsColor || !renderer.plan.isByPlanes)
      parts = [.planes(renderer)]
    case .planesWithAlpha(let format):
      guard recipe.chain.worksOnPlanes(of: format, size, recipe.options) else {
        throw .unsupported(
          "its frames have alpha beside planes, for which only blurs that leave colors alone are "
            + "done; convert them to --pixel-format rgba, or to frames without alpha")
      }
      let renderer = try await Self.planes(format, recipe, size, pipeline)
      let alpha = try await Self.planes(
        NeutralPlanes.format(of: format, range: .full), recipe, size, pipeline)
      (backend, usesMatrix) = (renderer.backend, bringsColor)
      parts = [.planes(renderer), .luma(alpha, NeutralPlanes(alpha.plan.format, size))]
    case .luma(let format):
      let renderer = try await Self.planes(
        NeutralPlanes.format(of: format), recipe, size, pipeline)
      (backend, usesMatrix) = (renderer.backend, false)
      parts = [.luma(renderer, NeutralPlanes(renderer.plan.format, size))]
    case .colors:
      let renderer = try await Self.colors(layout.planes(of: size)[0], recipe, pipeline)
      (backend, usesMatrix) = (renderer.backend, false)
      parts = [.colors(renderer)]
    }
    windows = masks == nil ? nil : FrameWindows(recipe, of: size, parts)
  }

  private static func planes(
    _ format: YCbCrFormat, _ recipe: Recipe, _ size: Size, _ pipeline: Pipeline
  ) async throws(VideoError) -> YCbCrRenderer {
    return try await mapped(
      VideoError.renderer,
      async: await YCbCrRenderer(
        recipe.chain, for: format, size: size, options: recipe.options,
        background: recipe.background, on: pipeline))
  }

  private static func colors(
    _ frame: Plan.Input, _ recipe: Recipe, _ pipeline: Pipeline
  ) async throws(VideoError) -> Renderer {
    do {
      let plan = try mapped(FrostglassError.plan, FramePart.colors(frame, recipe))
      return try await Renderer(plan, on: pipeline)
    } catch { throw .renderer(error) }
  }

  /// The parts for another mask, planned anew where it is not one of the last.
  private func parts(for mask: Mask) throws(FrostglassError) -> [FramePart] {
    let found = kept.withLock { kept in
      kept.firstIndex { $0.mask == mask }.map { index in
        kept.append(kept.remove(at: index))
        return kept[kept.count - 1].parts
      }
    }
    if let found { return found }
    var recipe = recipe
    recipe.options.mask = mask
    var made: [FramePart] = []
    for part in parts { made.append(try part.with(recipe)) }
    kept.withLock { kept in
      kept.append((mask, made))
      if kept.count > Self.mostKept { kept.removeFirst() }
    }
    return made
  }

  /// Bytes of memory for a result in one piece: a frame's, and some that are of no use.
  package var resultBytes: Int { layout.byteCount(of: size) + scratchBytes }

  /// Scratch bytes that rendering writes in addition to a frame.
  package var scratchBytes: Int {
    parts.reduce(0) { $0 + $1.scratchBytes }
  }

  /// Renders a frame whose planes lie one after another, in rows without gaps.
  ///
  /// - Parameters:
  ///   - frame: `layout.byteCount(of: size)` bytes.
  ///   - result: `resultBytes` bytes of other memory; the frame comes first.
  ///   - moment: the frame's index and time.
  /// - Returns: failures of the device that did not stop it.
  /// - Throws: `VideoError.renderer`, or `.tracks`.
  package func render(
    _ frame: UnsafeRawBufferPointer, into result: UnsafeMutableRawBufferPointer,
    at moment: FrameMoment
  ) async throws(VideoError) -> [Recovery] {
    var at = 0
    var (sources, results): ([PixelMemory], [MutablePixelMemory]) = ([], [])
    for plane in layout.planes(of: size) {
      let bytes = at..<at + plane.bytesPerRow * plane.size.height
      sources.append(PixelMemory(plane, bytes: UnsafeRawBufferPointer(rebasing: frame[bytes])))
      results.append(
        MutablePixelMemory(
          bytes: UnsafeMutableRawBufferPointer(rebasing: result[bytes]),
          bytesPerRow: plane.bytesPerRow))
      at = bytes.upperBound
    }
    return try await render(
      sources, into: results, scratch: UnsafeMutableRawBufferPointer(rebasing: result[at...]),
      at: moment)
  }

  /// Renders a frame; calls return in the order in which they were made.
  ///
  /// - Parameters:
  ///   - planes: as `layout.planes(of: size)` describes them, with any distance between rows.
  ///   - results: other memory for the same.
  ///   - scrap: `scratchBytes` bytes that nobody needs.
  ///   - moment: the frame's index and time. It matters only if frames have masks of their own.
  /// - Returns: failures of the device that did not stop it.
  /// - Throws: `VideoError.renderer`, or `.tracks`.
  package func render(
    _ planes: [PixelMemory], into results: [MutablePixelMemory],
    scratch: UnsafeMutableRawBufferPointer, at moment: FrameMoment
  ) async throws(VideoError) -> [Recovery] {
    guard let masks else { return try await run(parts, planes, results, scratch) }
    let ticket = await order.enter()
    let done = await Result { () async throws(VideoError) in
      try await run(masks.mask(at: moment), planes, results, scratch)
    }
    await order.waitForEarlier(ticket)
    order.leave(ticket)
    return try done.get()
  }

  /// The work on a frame with a mask of its own.
  private enum Work {
    /// Only these, the rest is there.
    case windows([FrameWindows.Window])
    case parts([FramePart])
  }

  /// Renders a frame where a mask covers it; without one it stays as it is.
  private func run(
    _ mask: Mask?, _ planes: [PixelMemory], _ results: [MutablePixelMemory],
    _ scratch: UnsafeMutableRawBufferPointer
  ) async throws(VideoError) -> [Recovery] {
    let work = try await callers.run { [self] () throws(VideoError) -> Work in
      var found: [FrameWindows.Window]?
      if let mask, let windows {
        found = try mapped(VideoError.renderer, windows.windows(of: mask))
      }
      if mask == nil || found != nil {
        for (plane, result) in zip(planes, results) { plane.copy(to: result) }
        return .windows(found ?? [])
      }
      return .parts(try mapped(VideoError.renderer, parts(for: mask ?? Mask([]))))
    }
    switch work {
    case .parts(let parts): return try await run(parts, planes, results, scratch)
    case .windows(let windows):
      var recoveries: [Recovery] = []
      for window in windows {
        recoveries += try await run(window.parts, planes, results, scratch, at: window.place)
      }
      return recoveries
    }
  }

  /// - Parameter place: of a window; `nil` for whole frames.
  private func run(
    _ parts: [FramePart], _ planes: [PixelMemory], _ results: [MutablePixelMemory],
    _ scratch: UnsafeMutableRawBufferPointer, at place: Rect? = nil
  ) async throws(VideoError) -> [Recovery] {
    var (plane, scratchStart) = (0, 0)
    var recoveries: [Recovery] = []
    do {
      for part in parts {
        let own = plane..<plane + part.planeCount
        recoveries += try await part.render(
          Array(planes[own]), into: Array(results[own]),
          scratch: UnsafeMutableRawBufferPointer(rebasing: scratch[scratchStart...]), at: place)
        (plane, scratchStart) = (own.upperBound, scratchStart + part.scratchBytes)
      }
    } catch { throw .renderer(error) }
    return recoveries
  }
}
