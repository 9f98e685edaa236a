internal import FrostglassCore

/// A chain made ready for the frames of a film, whatever their layout.
package final class VideoRenderer: Sendable {
  /// What of a frame is rendered together.
  private enum Part {
    /// All planes of brightness and differences.
    case planes(YCbCrRenderer)
    /// One plane, as brightness beside differences that are none.
    case luma(YCbCrRenderer, NeutralPlanes)
    /// Pixels of colors.
    case colors(Renderer)
  }

  /// How frames are laid out, their colors decided.
  package let layout: FrameLayout
  /// Width and height in pixels.
  package let size: Size
  /// The name of the backend.
  package let backend: String
  /// Whether the colors of the matrix take part: where chains work on each plane alone, they do not.
  package let usesMatrix: Bool
  private let parts: [Part]

  /// Plans a chain and chooses the backend for it.
  ///
  /// - Parameter background: what results with alpha are composed on where frames have none.
  /// - Throws: `VideoError.renderer`, and `.unsupported` for alpha beside colors that change.
  package init(
    _ recipe: Recipe, for layout: FrameLayout, size: Size, on pipeline: Pipeline
  ) async throws(VideoError) {
    self.layout = layout
    self.size = size
    switch layout.content {
    case .planes(let format):
      let renderer = try await Self.planes(format, recipe, size, pipeline)
      (backend, usesMatrix) = (renderer.backend, !renderer.plan.isByPlanes)
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
      (backend, usesMatrix) = (renderer.backend, false)
      parts = [.planes(renderer), .luma(alpha, NeutralPlanes(alpha.plan.format, size))]
    case .luma(let format):
      let renderer = try await Self.planes(
        NeutralPlanes.format(of: format, range: format.range), recipe, size, pipeline)
      (backend, usesMatrix) = (renderer.backend, false)
      parts = [.luma(renderer, NeutralPlanes(renderer.plan.format, size))]
    case .colors(let format):
      let renderer: Renderer
      do throws(FrostglassError) {
        let plan = try mapped(
          FrostglassError.plan,
          recipe.chain.plan(for: layout.planes(of: size)[0], options: recipe.options))
        renderer = try await Renderer(
          plan.storing(as: format, on: recipe.background), on: pipeline)
      } catch { throw .renderer(error) }
      (backend, usesMatrix) = (renderer.backend, false)
      parts = [.colors(renderer)]
    }
  }

  private static func planes(
    _ format: YCbCrFormat, _ recipe: Recipe, _ size: Size, _ pipeline: Pipeline
  ) async throws(VideoError) -> YCbCrRenderer {
    do throws(FrostglassError) {
      return try await YCbCrRenderer(
        recipe.chain, for: format, size: size, options: recipe.options,
        background: recipe.background, on: pipeline)
    } catch { throw .renderer(error) }
  }

  /// Bytes of memory for a result: a frame's, and some that are of no use.
  package var resultBytes: Int {
    layout.byteCount(of: size)
      + parts.reduce(0) {
        if case .luma(_, let neutral) = $1 { $0 + neutral.byteCount } else { $0 }
      }
  }

  /// Renders a frame; calls return in the order in which they were made.
  ///
  /// - Parameters:
  ///   - frame: `layout.byteCount(of: size)` bytes.
  ///   - result: `resultBytes` bytes of other memory; the frame comes first.
  /// - Returns: failures of the device that did not stop it.
  /// - Throws: `VideoError.renderer`.
  package func render(
    _ frame: UnsafeRawBufferPointer, into result: UnsafeMutableRawBufferPointer
  ) async throws(VideoError) -> [Recovery] {
    var (at, scrap) = (0, layout.byteCount(of: size))
    var planes = layout.planes(of: size)[...]
    func take(_ count: Int) -> (sources: [PixelMemory], results: [MutablePixelMemory]) {
      var taken: (sources: [PixelMemory], results: [MutablePixelMemory]) = ([], [])
      for plane in planes.prefix(count) {
        let bytes = at..<at + plane.bytesPerRow * plane.size.height
        taken.sources.append(
          PixelMemory(plane, bytes: UnsafeRawBufferPointer(rebasing: frame[bytes])))
        taken.results.append(
          MutablePixelMemory(
            bytes: UnsafeMutableRawBufferPointer(rebasing: result[bytes]),
            bytesPerRow: plane.bytesPerRow))
        at = bytes.upperBound
      }
      planes = planes.dropFirst(count)
      return taken
    }
    var recoveries: [Recovery] = []
    do throws(FrostglassError) {
      for part in parts {
        switch part {
        case .planes(let renderer):
          let taken = take(renderer.plan.format.arrangement.planeCount)
          recoveries += try await renderer.render(taken.sources, into: taken.results).recoveries
        case .luma(let renderer, let neutral):
          let taken = take(1)
          let rest = UnsafeMutableRawBufferPointer(
            rebasing: result[scrap..<scrap + neutral.byteCount])
          scrap += neutral.byteCount
          recoveries += try await renderer.render(
            taken.sources + neutral.sources, into: taken.results + neutral.results(rest)
          ).recoveries
        case .colors(let renderer):
          let taken = take(1)
          recoveries += try await renderer.render(taken.sources[0], into: taken.results[0])
            .recoveries
        }
      }
    } catch { throw .renderer(error) }
    return recoveries
  }
}

/// Color differences that are none, for brightness that comes alone: two pixels' to a sample, so that
/// there are few.
private final class NeutralPlanes: @unchecked Sendable {
  private let planes: [Plan.Input]
  private let bytes: UnsafeMutableRawBufferPointer

  /// The planes of brightness alone and of few differences.
  static func format(of luma: YCbCrFormat, range: YCbCrFormat.Levels) -> YCbCrFormat {
    YCbCrFormat(
      matrix: luma.matrix, range: range, sampling: .both, siting: .center, bits: luma.bits)
  }

  init(_ format: YCbCrFormat, _ size: Size) {
    planes = Array(format.planes(of: size).dropFirst())
    let count = planes.reduce(0) { $0 + $1.bytesPerRow * $1.size.height }
    bytes = .allocate(byteCount: count, alignment: 64)
    if format.bits == .eight {
      bytes.initializeMemory(as: UInt8.self, repeating: 128)
    } else {
      bytes.initializeMemory(as: UInt16.self, repeating: UInt16(1 << (format.bits.rawValue - 1)))
    }
  }

  deinit { bytes.deallocate() }

  var byteCount: Int { bytes.count }

  var sources: [PixelMemory] {
    places.map { plane, place in
      PixelMemory(plane, bytes: UnsafeRawBufferPointer(rebasing: bytes[place]))
    }
  }

  func results(_ memory: UnsafeMutableRawBufferPointer) -> [MutablePixelMemory] {
    places.map { plane, place in
      MutablePixelMemory(
        bytes: UnsafeMutableRawBufferPointer(rebasing: memory[place]),
        bytesPerRow: plane.bytesPerRow)
    }
  }

  private var places: [(Plan.Input, Range<Int>)] {
    var start = 0
    return planes.map { plane in
      let end = start + plane.bytesPerRow * plane.size.height
      defer { start = end }
      return (plane, start..<end)
    }
  }
}
