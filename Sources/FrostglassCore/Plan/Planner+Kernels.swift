/// Passes with kernels that are not separable.
extension Planner {
  /// Applies a stencil; beyond the picture, its edge is seen.
  mutating func stencil(_ surface: Surface, _ stencil: Stencil) -> Surface {
    let error =
      surface.error.scaled(by: stencil.gain)
      + CertifiedError(arithmetic: Arithmetic.sum(terms: stencil.longestPhase, precision))
    let result = append(
      .stencil(stencil), [surface.source], layout: surface.layout, error: error)
    // Grown pictures are computed as far as they are wanted.
    guard stencil.phases == 1 else { return result }
    let mirrored = stencil.mirrored
    return result.extended(
      x: surface.x?.filtered(
        offsets: stencil.columns, stride: stencil.stride, isSymmetric: mirrored.x),
      y: surface.y?.filtered(
        offsets: stencil.rows, stride: stencil.stride, isSymmetric: mirrored.y))
  }

  /// The mean of several views of a picture, which goes on beyond its border as its edge says.
  ///
  /// Positions are rounded to 1/4096: at most half of that along each axis, where a picture can
  /// change by a full scale per sample.
  mutating func gather(_ surface: Surface, _ gather: Gather) -> Surface {
    let places = 2 * 255 / Double(2 << AffineMap.positionBits)
    let error =
      surface.error.scaled(by: gather.gain)
      + CertifiedError(
        arithmetic: places + Arithmetic.sum(terms: 6 * gather.views.count, precision))
    return append(.gather(gather), [surface.source], layout: surface.layout, error: error)
  }

  /// Multiplies pixels by weights that grow with their brightness; alpha becomes the weight.
  mutating func weigh(_ surface: Surface, _ weigh: Weigh) -> Surface {
    let error =
      surface.error.scaled(by: weigh.gain)
      + CertifiedError(arithmetic: Arithmetic.sum(terms: 8, precision))
    return append(.weigh(weigh), [surface.source], layout: .rgba, error: error)
      .extended(x: surface.x, y: surface.y)
  }

  /// Divides colors by the weights that `weigh` gave them; alpha is that of another picture.
  ///
  /// - Parameter leastWeight: the smallest weight there is where the picture is opaque: an error in
  ///   color or weight is divided by it.
  mutating func unweighed(_ weighed: Surface, like second: Surface, leastWeight: Double) -> Surface
  {
    append(
      .blend(Blend(.normalize)), [weighed.source, second.source], layout: second.layout,
      error: weighed.error.scaled(by: 2 / leastWeight) + second.error + stored)
  }
}

extension Stencil {
  /// Whether mirroring along x, or along y, around the middle of a period leaves the taps as they
  /// are.
  var mirrored: (x: Bool, y: Bool) {
    guard phases == 1 else { return (false, false) }
    let all = Set(taps[0])
    let end = stride - 1
    return (
      taps[0].allSatisfy { all.contains(Tap(dx: end - $0.dx, dy: $0.dy, weight: $0.weight)) },
      taps[0].allSatisfy { all.contains(Tap(dx: $0.dx, dy: end - $0.dy, weight: $0.weight)) }
    )
  }
}
