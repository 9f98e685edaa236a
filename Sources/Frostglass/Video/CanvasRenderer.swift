internal import FrostglassCore

/// A renderer that makes new frames from a video's frames, one after another.
package protocol FrameRenderer: Sendable {
  /// The name of the backend.
  var backend: String { get }
  /// The layout of frames, before and after.
  var layout: FrameLayout { get }
  /// Width and height of new frames, in pixels.
  var size: Size { get }
  /// Bytes of memory for a result: a new frame's, and some that are of no use.
  var resultBytes: Int { get }
  /// The masks of each frame; `nil` if the mask is the same in all.
  var masks: (any FrameMasks)? { get }
  /// True if the color matrix matters. Where planes are filtered separately, it matters only for a color that hides
  /// something.
  var usesMatrix: Bool { get }

  /// Renders a frame whose planes lie one after another, in rows without gaps; calls return in the order in
  /// which they were made.
  ///
  /// - Parameter result: `resultBytes` bytes of other memory; the frame comes first.
  /// - Returns: failures of the device that did not stop it.
  /// - Throws: `VideoError.renderer`, or `.tracks`.
  func render(
    _ frame: UnsafeRawBufferPointer, into result: UnsafeMutableRawBufferPointer,
    at moment: FrameMoment
  ) async throws(VideoError) -> [Recovery]
}

/// A video's frames on a canvas of another shape, before their own blurred copies.
package final class CanvasRenderer: FrameRenderer {
  package let backend: String
  package let layout: FrameLayout
  package let size: Size
  package let masks: (any FrameMasks)? = nil
  package let usesMatrix = false
  /// The layout of the input frames.
  private let inputs: [Plan.Input]
  /// The renderers: one per plane, or one for pixels of colors.
  private let parts: [Renderer]

  /// Plans the canvas and chooses the backend for it.
  ///
  /// - Parameters:
  ///   - layout: of frames, before and after.
  ///   - frame: their size in pixels, upright.
  ///   - aspect: a pixel's width to its height; those of the canvas are square.
  ///   - maxPixels: larger canvases are refused.
  /// - Throws: `VideoError.renderer`, and `.unsupported` for alpha.
  package init(
    _ letterbox: Letterbox, for layout: FrameLayout, frame: Size, aspect: Double = 1,
    maxPixels: Int, on pipeline: Pipeline
  ) async throws(VideoError) {
    self.layout = layout
    inputs = layout.planes(of: frame)
    let plans: [Plan]
    do {
      try letterbox.check()
      let design = try Self.design(letterbox, layout, frame, aspect, maxPixels)
      size = design.canvas
      switch layout.content {
      case .planes(let format) where format.arrangement == .separate:
        var each: [Plan] = []
        for index in 0..<3 { each.append(try design.plan(forPlane: index, of: format)) }
        plans = each
      case .luma(let format): plans = [try design.plan(forPlane: 0, of: format)]
      case .colors(let format) where !format.layout.hasAlpha:
        plans = [
          try design.plan(
            for: Plan.Input(size: frame, format: format, alpha: .opaque, transfer: .encoded))
        ]
      case .planes, .planesWithAlpha, .colors: plans = []
      }
    } catch { throw .renderer(.plan(error)) }
    guard !plans.isEmpty else {
      throw .unsupported("its frames are \(layout.name), which a canvas does not take")
    }
    var parts: [Renderer] = []
    do {
      for plan in plans { parts.append(try await Renderer(plan, on: pipeline)) }
    } catch { throw .renderer(error) }
    self.parts = parts
    backend = parts[0].backend
  }

  private static func design(
    _ letterbox: Letterbox, _ layout: FrameLayout, _ frame: Size, _ aspect: Double,
    _ maxPixels: Int
  ) throws(PlanError) -> CanvasDesign {
    let shown = frame.withSquarePixels(aspect: aspect)
    var letterbox = letterbox
    if case .aspect = letterbox.canvas {
      // Whole samples of the color differences.
      let canvas = try Letterbox.Geometry(letterbox, picture: shown).canvas
      let (columns, rows) = layout.sampling
      letterbox.canvas = .size(
        Size(
          width: (canvas.width + columns - 1) / columns * columns,
          height: (canvas.height + rows - 1) / rows * rows))
    }
    return try letterbox.design(
      Letterbox.Geometry(letterbox, picture: shown, mostPixels: maxPixels), picture: frame)
  }

  package var resultBytes: Int { layout.byteCount(of: size) }

  package func render(
    _ frame: UnsafeRawBufferPointer, into result: UnsafeMutableRawBufferPointer,
    at moment: FrameMoment
  ) async throws(VideoError) -> [Recovery] {
    var (start, end) = (0, 0)
    var recoveries: [Recovery] = []
    do {
      for (plane, part) in zip(inputs, parts) {
        let made = part.plan.result
        let rowBytes = made.rect.width * made.format.bytesPerPixel
        let (read, written) = (
          start..<start + plane.bytesPerRow * plane.size.height,
          end..<end + rowBytes * made.rect.height
        )
        (start, end) = (read.upperBound, written.upperBound)
        recoveries += try await part.render(
          PixelMemory(plane, bytes: UnsafeRawBufferPointer(rebasing: frame[read])),
          into: MutablePixelMemory(
            bytes: UnsafeMutableRawBufferPointer(rebasing: result[written]), bytesPerRow: rowBytes)
        ).recoveries
      }
    } catch { throw .renderer(error) }
    return recoveries
  }
}

extension FrameLayout {
  /// Pixels for a sample of the color differences, along rows and columns.
  fileprivate var sampling: (columns: Int, rows: Int) {
    switch content {
    case .planes(let format), .planesWithAlpha(let format):
      (format.sampling.columns, format.sampling.rows)
    case .luma, .colors: (1, 1)
    }
  }
}

extension Size {
  /// The size of the same image with square pixels, with at least as many pixels.
  ///
  /// - Parameter aspect: a pixel's width to its height.
  package func withSquarePixels(aspect: Double) -> Size {
    Size(
      width: max(Int((Double(width) * max(aspect, 1)).rounded()), 1),
      height: max(Int((Double(height) / min(aspect, 1)).rounded()), 1))
  }
}
