internal import CKernels
internal import FrostglassCore

extension Convolve {
  /// `out[i] = t0 in[i] + Σ tk (in[i - k] + in[i + k])`, outermost pair first.
  func fast(
    _ source: PictureSource<Float>, into target: PictureRows<Float>, _ tools: RowTools
  ) -> RowProgram {
    let pairs = TapPairs(source: source, target: target, count: taps.count, radius: radius)
    return pairs.program(axis, tools) { pairs, row, samples in
      tools.kernels.float_convolve(pairs, taps, taps.count, row, samples)
    }
  }
}
