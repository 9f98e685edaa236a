internal import CAV
internal import Frostglass
internal import FrostglassCore
internal import FrostglassStills

/// Makes images of frames.
final class Painter: Sendable {
  let backend: String
  /// The size of images with square pixels.
  let shownSize: Size
  private let packing: FramePacking
  /// Makes colors of planes, before anything else is done; none for frames that come in colors.
  private let colors: [Plan]
  /// Does what the recipe says.
  private let plans: [Plan]
  /// Color differences that are none, of frames that have brightness alone.
  private let neutral: [Image]
  private let pipeline: Pipeline

  /// - Parameter format: the format of the image, which may hold alpha; `nil` for no alpha.
  init(
    _ first: VideoFrame, _ stream: UnsafeMutablePointer<AVStream>, _ job: VideoJob,
    _ pipeline: Pipeline, for format: StillFormat? = nil, _ note: (String) -> Void
  ) async throws(VideoFileError) {
    let look = try FrameLook(first.frame, stream, job, .pictures)
    try look.demandMatrix(note)
    let transfer = first.frame.pointee.color_trc
    if [AVCOL_TRC_SMPTE2084, AVCOL_TRC_ARIB_STD_B67].contains(transfer) {
      let name = av_color_transfer_name(transfer).map { String(cString: $0) } ?? "unknown"
      note(
        "its brightness is that of displays of high dynamic range (\(name)), which is not brought to that of "
          + "images: they look dull; ffmpeg's -vf zscale and tonemap make a video for other displays"
      )
    }
    packing = FramePacking(
      source: look.form, target: look.form, layout: look.layout, size: look.size, turn: look.turn)
    self.pipeline = pipeline
    let size = packing.uprightSize
    shownSize = size.withSquarePixels(
      aspect: VideoEncoder.aspect(of: first.frame, stream, look.turn))
    guard shownSize.area <= job.maxPixels else {
      throw .unsupported(
        path: job.input,
        "\(size) pixels that are shown as \(shownSize) are more than the allowed \(job.maxPixels)")
    }
    let recipe = job.recipe
    let pixels =
      look.form.hasAlpha ? format?.pixelFormat(preserving: .rgba8) ?? .rgb8 : PixelFormat.rgb8
    if look.form.hasAlpha, format == .gif {
      note("its alpha is rounded, as pixels of GIF are opaque or not there")
    } else if look.form.hasAlpha, !pixels.layout.hasAlpha, let format {
      note("its alpha is left out, as \(format.name) holds none: frames are put on the background")
    }
    do throws(FrostglassError) {
      var (colors, plans) = ([Plan](), [Plan]())
      var neutral: [Image] = []
      do {
        switch look.layout.content {
        case .planes(let format):
          plans = try Self.plans(recipe, for: format, size)
        case .planesWithAlpha(let format):
          colors = try Self.plans(Recipe([]), for: format, size)
          if let last = colors.popLast() { colors.append(last.storing(as: .rgb8)) }
          plans = [
            try recipe.chain.plan(
              for: Plan.Input(size: size, format: .rgba8, alpha: .straight, transfer: .encoded),
              options: recipe.options)
          ]
        case .luma(let luma):
          let format = NeutralPlanes.format(of: luma)
          neutral = NeutralPlanes.images(format, size)
          plans = try Self.plans(recipe, for: format, size)
        case .colors:
          plans = [
            try recipe.chain.plan(for: look.layout.planes(of: size)[0], options: recipe.options)
          ]
        }
      } catch { throw .plan(error) }
      guard let last = plans.popLast() else { preconditionFailure("colors are not made by planes") }
      plans.append(last.storing(as: pixels, on: recipe.background))
      (self.colors, self.plans) = (colors, plans)
      self.neutral = neutral
      backend = try await mapped(
        FrostglassError.execute,
        async: await pipeline.selector.selection(for: plans[0], times: 100).backend.name
      )
    } catch { throw .renderer(error) }
  }

  /// Returns the plans that convert planes to colors and apply the recipe.
  private static func plans(
    _ recipe: Recipe, for format: YCbCrFormat, _ size: Size
  ) throws(PlanError) -> [Plan] {
    var chain = recipe.chain
    // What changes no color makes colors of planes.
    chain.append(.saturation(1))
    return try chain.plan(
      for: format, size: size, options: recipe.options, background: recipe.background
    ).toImage
  }

  /// The image of a frame.
  func image(of frame: VideoFrame, _ callers: ThreadPool) async throws(VideoFileError) -> Image {
    let packing = packing
    let planes = packing.layout.planes(of: packing.uprightSize)
    var images = await callers.run {
      let bytes = UnsafeMutableRawBufferPointer.allocate(
        byteCount: packing.layout.byteCount(of: packing.uprightSize), alignment: 64)
      defer { bytes.deallocate() }
      packing.unpack(frame.frame, into: bytes)
      var start = 0
      return planes.compactMap { plane -> Image? in
        let count = plane.bytesPerRow * plane.size.height
        defer { start += count }
        return try? Image(
          size: plane.size, format: plane.format, alpha: plane.alpha, transfer: plane.transfer,
          bytes: Array(bytes[start..<start + count]))
      }
    }
    var alpha: Image?
    if case .planesWithAlpha = packing.layout.content { alpha = images.popLast() }
    images += neutral
    do {
      for (index, plan) in (colors + plans).enumerated() {
        if index == colors.count, let alpha, let picture = images.first {
          images = [Self.join(picture, alpha, bits: packing.source.bits)]
        }
        let selection = try await pipeline.selector.selection(for: plan, times: 100)
        let backend = pipeline.selector.backend(of: selection)
        images = [try await backend.execute(plan, images)]
      }
    } catch { throw .renderer(.execute(error)) }
    return images[0]
  }

  /// Joins colors and alpha.
  ///
  /// - Parameter bits: the bits of an alpha sample.
  private static func join(_ picture: Image, _ alpha: Image, bits: Int) -> Image {
    let full = 1 << bits - 1
    let (width, height) = (picture.size.width, picture.size.height)
    let bytes = [UInt8](unsafeUninitializedCapacity: 4 * width * height) { room, count in
      picture.withUnsafeBytes { colors in
        alpha.withUnsafeBytes { samples in
          for y in 0..<height {
            for x in 0..<width {
              let (to, from) = (4 * (y * width + x), y * picture.bytesPerRow + 3 * x)
              for channel in 0..<3 { room[to + channel] = colors[from + channel] }
              let at = y * alpha.bytesPerRow + x * alpha.format.bytesPerPixel
              let code =
                bits > 8
                ? Int(samples.loadUnaligned(fromByteOffset: at, as: UInt16.self)) : Int(samples[at])
              room[to + 3] = UInt8((min(code, full) * 255 + full / 2) / full)
            }
          }
        }
      }
      count = room.count
    }
    do {
      return try Image(size: picture.size, format: .rgba8, alpha: .straight, bytes: bytes)
    } catch { preconditionFailure("there are as many bytes as pixels need") }
  }
}
