internal import Glibc

extension Planner {
  /// The weighted mean of a window; `surface` is seen with its edges.
  ///
  /// - Parameter gain: the largest factor by which an error in the source is multiplied.
  mutating func bilateral(_ surface: Surface, _ bilateral: Bilateral, gain: Double) -> Surface {
    // Sums over rows and columns, and some ten operations for a weight. Weights that are off by a share
    // move a mean by at most twice that share of full scale, on either side of the Gaussian's.
    let (x, y) = bilateral.radius
    let sums =
      Arithmetic.convolve(radius: x + y + 8, .float32) + 4 * 255 * PowerOfTwo.relativeError
    let error =
      surface.error.scaled(by: gain)
      + CertifiedError(arithmetic: sums + Arithmetic.store(precision))
    return append(.bilateral(bilateral), [surface.source], layout: surface.layout, error: error)
      .extended(x: x > 0 ? nil : surface.x, y: y > 0 ? nil : surface.y)
  }

  /// A sample of each window, picked by its rank; `surface` is seen with its edges.
  ///
  /// Where no sample of a window is more than ε off, neither is the one of any rank.
  mutating func median(_ surface: Surface, _ median: Median) -> Surface {
    let error = surface.error + CertifiedError(arithmetic: Arithmetic.store(precision))
    return append(.median(median), [surface.source], layout: surface.layout, error: error)
  }
}

extension Bilateral {
  /// Gaussian in distance and in difference.
  ///
  /// - Parameters:
  ///   - x: standard deviation along rows, in pixels; 0 leaves the axis alone. Cut at 3 of them.
  ///   - y: the same along columns.
  ///   - range: standard deviation of the difference of a channel, as fraction of full scale; of
  ///     colors, that of the root mean square of red, green and blue.
  static func gaussian(x: Double, y: Double, range: Double) -> Bilateral {
    let taps = [x, y].map { sigma in
      GaussianKernel(sigma: sigma).cut(at: Int((3 * sigma).rounded(.up))).map { Float($0) }
    }
    // The square of the difference is three times the mean square of red, green and blue. What is
    // limited are ranges too narrow to let two different colors mix.
    let exponent = min(1 / (2 * 3 * range * range * log(2)), 1e30)
    return Bilateral(
      x: taps[0], y: taps[1], range: .gaussian(exponent: Float(-exponent)))
  }

  /// Returns the largest factor by which an error in the source is multiplied, for a Gaussian range weight.
  ///
  /// With weights p that sum to 1, an error ε moves the mean by ε through the samples. Through the weights it moves it
  /// by `Σ p (D/σ²) δD |c − mean|`, D being a sample's difference from the center and δD ≤ 2ε√n that of n channels. By
  /// Cauchy and Schwarz, as the mean is the best of all constants, that is at most `δD Σ p D²/σ²`, and by Gibbs'
  /// inequality `Σ p D²/2σ² ≤ −ln s₀` with the spatial weight s₀ of the center. So the gain does not depend on σ of the
  /// range. Another hundredth allows for the slope of the polynomial, which is not quite the exponential's.
  func gaussianGain(_ layout: PixelFormat.Layout) -> Double {
    let center = Double(x[0]) * Double(y[0])
    // Gray is three equal colors, each of which is one channel's share of the difference.
    let channels = layout == .gray ? 1 : Double(layout.channels)
    return 1 + 1.01 * 4 * channels.squareRoot() * -log(center)
  }
}

/// Passes with kernels that are not separable.
extension Planner {
  /// Applies a stencil; beyond the image, its edge is seen.
  mutating func stencil(_ surface: Surface, _ stencil: Stencil) -> Surface {
    let error =
      surface.error.scaled(by: stencil.gain)
      + CertifiedError(arithmetic: Arithmetic.sum(terms: stencil.longestPhase, precision))
    let result = append(
      .stencil(stencil), [surface.source], layout: surface.layout, error: error)
    // Grown images are computed as far as they are wanted.
    guard stencil.phases == 1 else { return result }
    let seen = surface.source.after(stencil)
    return result.extended(x: seen.x, y: seen.y)
  }

  /// The mean of several views of an image, which goes on beyond its border as its edge says.
  ///
  /// Positions are rounded to 1/4096: at most half of that along each axis, where an image can
  /// change by a full scale per sample.
  mutating func gather(_ surface: Surface, _ gather: Gather) -> Surface {
    let places = 2 * 255 / Double(2 << AffineMap.positionBits)
    let error =
      surface.error.scaled(by: gather.gain)
      + CertifiedError(
        arithmetic: places + Arithmetic.views(countEvenly: gather.countsEvenly, precision)
          + Arithmetic.sum(terms: 6 * gather.views.count, precision))
    return append(.gather(gather), [surface.source], layout: surface.layout, error: error)
  }

  /// Multiplies pixels by weights that grow with their brightness; alpha becomes the weight.
  mutating func highlightWeight(_ surface: Surface, _ weight: HighlightWeight) -> Surface {
    let error =
      surface.error.scaled(by: weight.gain)
      + CertifiedError(arithmetic: Arithmetic.sum(terms: 8, precision))
    return append(.highlightWeight(weight), [surface.source], layout: .rgba, error: error)
      .extended(x: surface.x, y: surface.y)
  }

  /// The alpha of an image as a gray one, with its edges.
  mutating func alpha(of surface: Surface) -> Surface {
    // Of premultiplied pixels alpha is what a constant is multiplied by.
    let row = SIMD4<Float>(0, 0, 0, 1)
    return append(
      .colorMatrix(ColorMatrix(red: row, green: row, blue: row)), [surface.source], layout: .gray,
      error: surface.error + stored
    ).extended(x: surface.x, y: surface.y)
  }

  /// Divides colors by the weights that `highlightWeight` gave them; alpha is that of another image.
  ///
  /// - Parameters:
  ///   - layout: the result's channels; `nil` are the other image's.
  ///   - leastWeight: the smallest weight there is where the image is opaque: an error in color or
  ///     weight is divided by it.
  mutating func unweighted(
    _ weighted: Surface, like second: Surface, layout: PixelFormat.Layout? = nil,
    leastWeight: Double
  ) -> Surface {
    // Where the second has no alpha channel its alpha is 1, whatever its samples are.
    let alpha = second.layout.hasAlpha ? second.error : CertifiedError()
    return append(
      .blend(Blend(.normalize)), [weighted.source, second.source],
      layout: layout ?? second.layout,
      error: weighted.error.scaled(by: 2 / leastWeight) + alpha + stored)
  }
}

extension Stencil {
  /// The axes, x and y, along which mirroring around the middle of a period leaves the taps as they are.
  package var mirrored: (x: Bool, y: Bool) {
    guard phases == 1 else { return (false, false) }
    let all = Set(taps[0])
    let end = stride - 1
    func isKept(_ place: (Tap) -> (x: Int, y: Int)) -> Bool {
      taps[0].allSatisfy { tap in
        let (x, y) = place(tap)
        return all.contains(Tap(dx: x, dy: y, weight: tap.weight, count: tap.count))
      }
    }
    return (isKept { (end - $0.dx, $0.dy) }, isKept { ($0.dx, end - $0.dy) })
  }
}

extension Planner {
  /// Gives each pixel the mean of its cell.
  mutating func mosaic(_ surface: Surface, _ tiling: Tiling) -> Surface {
    let sums = Arithmetic.convolve(radius: tiling.width + tiling.height, .float32)
    let stored = CertifiedError(arithmetic: Arithmetic.store(precision))
    let error = surface.error + CertifiedError(arithmetic: sums) + stored
    // Beyond the image nothing is read, whatever the edge mode.
    let inside = surface.extended(
      x: AxisEdge(.transparent, picture.columns), y: AxisEdge(.transparent, picture.rows))
    let means = append(
      .cellMeans(CellMeans(tiling: tiling, picture: picture)), [inside.source],
      layout: surface.layout, error: error)
    return append(
      .cellFill(CellFill(tiling: tiling)), [means.source], layout: surface.layout,
      error: error + stored)
  }
}

/// A point of the image that others move around.
struct Center {
  /// The position in samples; 0 is the center of the first one.
  let x: Double
  let y: Double
  /// To the center of the farthest sample, in samples.
  let farthest: Double
}

extension Planner {
  /// The point at fractions of width and height.
  ///
  /// - Throws: `PlanError.tooLarge` where maps around it would not fit their 32-bit numbers.
  func center(x: Double, y: Double) throws(PlanError) -> Center {
    let longest = 32768
    guard size.width <= longest, size.height <= longest else {
      throw .tooLarge(size, limit: "\(longest) px per side for turning and zooming")
    }
    let place = (x: x * Double(size.width) - 0.5, y: y * Double(size.height) - 0.5)
    let across = max(place.x, Double(size.width - 1) - place.x)
    let down = max(place.y, Double(size.height - 1) - place.y)
    return Center(
      x: place.x, y: place.y, farthest: (across * across + down * down).squareRoot())
  }
}
