package import FrostglassCore

/// The expected result of a chain of filters, computed without plans where it matters.
///
/// Gaussians are the direct double-precision convolution; other filters run one at a time through
/// the reference on unrounded premultiplied values. For tests and `compare --truth`; slow.
package struct Truth: Sendable {
  package let options: PlanOptions

  package init(options: PlanOptions) {
    self.options = options
  }

  /// Runs a chain.
  ///
  /// - Parameter plan: the chain's plan, whose result says which channels come out and what they
  ///   are composed on.
  /// - Returns: a premultiplied float image in the input's transfer.
  /// - Throws: errors of planning the filters.
  package func run(
    _ chain: FilterChain, on image: Image, like plan: Plan
  ) throws(PlanError) -> Image {
    let empty = try FilterChain([]).plan(for: Plan.Input(image), options: options)
    guard let loaded = ReferenceKernels.run(empty.prefix(1), [image]).first else {
      throw .malformed("nothing was loaded")
    }
    let transfer: PixelFormat.Transfer = options.linearLight ? .linear : image.transfer
    let original = TruthImage(loaded)
    var picture = original
    for filter in chain.primitives {
      picture = try apply(filter, to: picture, original: original, transfer: transfer)
    }
    return finish(picture, plan, encodes: options.linearLight && image.transfer == .encoded)
  }

  private func apply(
    _ filter: any Filter, to picture: TruthImage, original: TruthImage,
    transfer: PixelFormat.Transfer
  ) throws(PlanError) -> TruthImage {
    switch filter {
    case let gaussian as Gaussian:
      let scale = options.scale
      let x = try gaussian.x.pixels(for: picture.size, scale: scale, filter: "gaussian")
      let y = try (gaussian.y ?? gaussian.x)
        .pixels(for: picture.size, scale: scale, filter: "gaussian")
      let edge = gaussian.edge ?? options.edge
      let seen = edge == .transparent && x + y > 0 ? picture.widened(to: .rgba) : picture
      return seen.gaussian(x: x, y: y, edge: edge)
    case let mix as Mix:
      return picture.mixed(with: original, strength: mix.strength)
    case is Over:
      return picture.over(original)
    case let shadow as CSSDropShadow:
      return try self.shadow(shadow, of: picture, transfer: transfer)
    default:
      let image = picture.image(transfer: transfer)
      let plan = try FilterChain(filter).plan(for: Plan.Input(image), options: options)
      guard let result = ReferenceKernels.run(plan, [image]).first else {
        throw .malformed("\(filter.text) has no result")
      }
      return TruthImage(result)
    }
  }

  private func shadow(
    _ shadow: CSSDropShadow, of picture: TruthImage, transfer: PixelFormat.Transfer
  ) throws(PlanError) -> TruthImage {
    let name = CSSDropShadow.definition.name
    func pixels(_ length: Length, _ parameter: String) throws(PlanError) -> Int {
      Int(
        try length.pixels(
          for: picture.size, scale: options.scale, in: -16384...16384, filter: name,
          parameter: parameter
        ).rounded(.down))
    }
    let color = shadow.color
    let paint = transfer == .linear ? color.light : color.components
    return picture.overShadow(
      right: try pixels(shadow.x, "x"), down: try pixels(shadow.y, "y"),
      sigma: try shadow.blur.pixels(for: picture.size, scale: options.scale, filter: name),
      color: SIMD4(paint * color.alpha, color.alpha))
  }

  private func finish(_ picture: TruthImage, _ plan: Plan, encodes: Bool) -> Image {
    let store = Store(
      format: PixelFormat(plan.result.format.layout, .float32),
      alpha: plan.result.format.layout.hasAlpha ? .premultiplied : .opaque,
      encodesFromLinear: encodes, background: plan.background)
    let slot = Slot(domain: Rect(picture.size), layout: picture.layout, precision: .float32)
    var working = WorkingImage(slot)
    working.samples = picture.samples.map { Float($0) }
    return store.reference(
      SourceRows(picture: working, source: Source(slot: 0)), result: plan.result)
  }
}

extension Plan {
  /// The color the result is composed on.
  fileprivate var background: SIMD3<Float>? {
    if case .store(let store) = steps.last?.pass { store.background } else { nil }
  }
}

extension TruthImage {
  /// `strength` of this image over the rest of `original`; layouts with more channels win.
  fileprivate func mixed(with original: TruthImage, strength: Double) -> TruthImage {
    let wide = original.widened(to: layout)
    var result = widened(to: wide.layout)
    for index in result.samples.indices {
      result.samples[index] =
        wide.samples[index] * (1 - strength) + result.samples[index] * strength
    }
    return result
  }

  /// The image with at least the channels of `least`.
  func widened(to least: PixelFormat.Layout) -> TruthImage {
    guard least.channels > layout.channels else { return self }
    var result = TruthImage(size: size, layout: least, samples: [])
    for pixel in 0..<size.area {
      for channel in 0..<least.channels {
        let value =
          channel == 3 ? 1 : samples[pixel * layout.channels + min(channel, layout.channels - 1)]
        result.samples.append(value)
      }
    }
    return result
  }
}

/// The true Gaussian of one row or column as a matrix: what lies beyond the image is folded in.
///
/// `rows[i][j]` is the weight of the image's sample j in the blurred sample i: the sum of the
/// kernel over all places of the endless continuation where that sample appears.
struct GaussianMatrix {
  let rows: [[Double]]

  init(sigma: Double, count: Int, edge: EdgeMode) {
    let kernel = GaussianKernel(sigma: sigma)
    let range = 0..<count
    rows = range.map { center in
      var row = [Double](repeating: 0, count: count)
      for distance in -kernel.radius...kernel.radius {
        if let index = edge.resolve(center + distance, in: range) {
          row[index] += kernel.weights[abs(distance)]
        }
      }
      return row
    }
  }
}

extension TruthImage {
  /// The direct Gaussian with standard deviations in pixels.
  ///
  /// Costs width × height × (width + height): for images up to about a megapixel.
  package func gaussian(x: Double, y: Double, edge: EdgeMode) -> TruthImage {
    blurred(along: .x, sigma: x, edge: edge).blurred(along: .y, sigma: y, edge: edge)
  }

  private func blurred(along axis: Axis, sigma: Double, edge: EdgeMode) -> TruthImage {
    guard sigma > 0 else { return self }
    return axis == .y
      ? blurredDown(sigma, edge) : transposed.blurredDown(sigma, edge).transposed
  }

  /// Along columns: of whole rows, whose samples lie side by side.
  private func blurredDown(_ sigma: Double, _ edge: EdgeMode) -> TruthImage {
    let length = size.width * layout.channels
    let matrix = GaussianMatrix(sigma: sigma, count: size.height, edge: edge).rows
    var result = self
    samples.withUnsafeBufferPointer { samples in
      result.samples.withUnsafeMutableBufferPointer { result in
        for (target, row) in matrix.enumerated() {
          guard let first = row.firstIndex(where: { $0 != 0 }),
            let last = row.lastIndex(where: { $0 != 0 })
          else { continue }
          let sums = UnsafeMutableBufferPointer(
            rebasing: result[target * length..<(target + 1) * length])
          sums.update(repeating: 0)
          for index in first...last {
            let weight = row[index]
            let source = UnsafeBufferPointer(
              rebasing: samples[index * length..<(index + 1) * length])
            for place in 0..<length { sums[place] += weight * source[place] }
          }
        }
      }
    }
    return result
  }

  /// Rows as columns.
  private var transposed: TruthImage {
    var result = TruthImage(
      size: Size(width: size.height, height: size.width), layout: layout, samples: samples)
    let channels = layout.channels
    for y in 0..<size.height {
      for x in 0..<size.width {
        for channel in 0..<channels {
          result.samples[(x * size.height + y) * channels + channel] =
            samples[(y * size.width + x) * channels + channel]
        }
      }
    }
    return result
  }
}

/// An image in double precision, interleaved, premultiplied where there is alpha.
package struct TruthImage: Sendable {
  package let size: Size
  package let layout: PixelFormat.Layout
  /// Fractions of full scale.
  package var samples: [Double]

  package init(size: Size, layout: PixelFormat.Layout, samples: [Double]) {
    self.size = size
    self.layout = layout
    self.samples = samples
  }

  /// The samples of an image as they are; straight alpha is multiplied in.
  package init(_ image: Image) {
    self.init(size: image.size, layout: image.format.layout, samples: [])
    samples.reserveCapacity(size.area * layout.channels)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let alpha = layout.hasAlpha ? Double(image.sample(x: x, y: y, channel: 3)) : 1
        for channel in 0..<layout.channels {
          let value = Double(image.sample(x: x, y: y, channel: channel))
          samples.append(image.alpha == .straight && channel < 3 ? value * alpha : value)
        }
      }
    }
  }

  /// The image as a premultiplied float image.
  package func image(transfer: PixelFormat.Transfer) -> Image {
    var image = Image(
      zeros: size, format: PixelFormat(layout, .float32), alpha: .premultiplied, transfer: transfer)
    for (index, value) in samples.enumerated() {
      let (pixel, channel) = index.quotientAndRemainder(dividingBy: layout.channels)
      let (y, x) = pixel.quotientAndRemainder(dividingBy: size.width)
      image.setSample(Float(value), x: x, y: y, channel: channel)
    }
    return image
  }
}

extension TruthImage {
  /// This image, premultiplied, over another one.
  func over(_ bottom: TruthImage) -> TruthImage {
    let layout = max(layout, bottom.layout)
    guard self.layout.hasAlpha else { return widened(to: layout) }
    var result = self
    let below = bottom.widened(to: layout)
    for pixel in 0..<size.area {
      let rest = 1 - samples[4 * pixel + 3]
      for channel in 0..<4 {
        result.samples[4 * pixel + channel] += rest * below.samples[4 * pixel + channel]
      }
    }
    return result
  }

  /// The image over its shadow.
  ///
  /// - Parameters: whole pixels to the right and down, σ in pixels, and premultiplied color.
  func overShadow(right: Int, down: Int, sigma: Double, color: SIMD4<Double>) -> TruthImage {
    guard layout.hasAlpha else { return self }
    // With room for all that comes in again when the shadow is moved.
    let border = Swift.max(abs(right), abs(down))
    let wide = Size(width: size.width + 2 * border, height: size.height + 2 * border)
    var outline = TruthImage(
      size: wide, layout: .rgba, samples: [Double](repeating: 0, count: 4 * wide.area))
    for pixel in 0..<size.area {
      let (y, x) = pixel.quotientAndRemainder(dividingBy: size.width)
      let place = (y + border) * wide.width + x + border
      for channel in 0..<4 {
        outline.samples[4 * place + channel] = samples[4 * pixel + 3] * color[channel]
      }
    }
    let blurred = outline.gaussian(x: sigma, y: sigma, edge: .transparent)
    var shadow = self
    for pixel in 0..<size.area {
      let (y, x) = pixel.quotientAndRemainder(dividingBy: size.width)
      let place = (y + border - down) * wide.width + x + border - right
      for channel in 0..<4 {
        shadow.samples[4 * pixel + channel] = blurred.samples[4 * place + channel]
      }
    }
    return over(shadow)
  }
}
