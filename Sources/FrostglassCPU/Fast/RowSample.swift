internal import CKernels
package import FrostglassCore

/// What rows of intermediate pictures are made of, and with it which kernels compute them.
protocol RowSample: BitwiseCopyable {
  /// Nothing is there.
  static var transparent: Self { get }
  /// Samples per pixel of a picture.
  static func channels(of layout: PixelFormat.Layout) -> Int
  /// What computes a step of a strip's schedule; `nil` where the next step does it on the way.
  static func program(for step: Step, of strip: RowStrip<Self>) -> RowProgram?
  /// Takes over pixels of floats, as many as fill `source`.
  static func take(
    _ source: UnsafeBufferPointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutablePointer<Self>)
  /// Gives pixels as floats, as many as fill `target`.
  static func give(
    _ source: UnsafePointer<Self>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutableBufferPointer<Float>)
}

/// 16-bit fixed point; `CKernels.h` says what a sample stands for.
extension Int16: RowSample {
  static var transparent: Int16 { -Int16(FG_FULL) }

  /// Colors have a fourth sample, full where there is no alpha.
  static func channels(of layout: PixelFormat.Layout) -> Int { layout == .gray ? 1 : 4 }

  static func program(for step: Step, of strip: RowStrip<Int16>) -> RowProgram? {
    strip.fixedProgram(for: step)
  }

  /// To the nearest unit; values outside 0…1 are limited, and what is not a number becomes 0.
  static func take(
    _ source: UnsafeBufferPointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutablePointer<Int16>
  ) {
    let full = Float(2 * FG_FULL)
    func sample(_ value: Float) -> Int16 {
      // In this order 0 is made of what is not a number; vectors can do comparisons.
      let positive = value > 0 ? value : 0
      let limited = positive < 1 ? positive : 1
      return Int16(truncatingIfNeeded: Int32(limited * full + 0.5) - Int32(FG_FULL))
    }
    guard layout == .rgb else {
      for index in source.indices { target[index] = sample(source[index]) }
      return
    }
    for pixel in 0..<source.count / 3 {
      for channel in 0..<3 { target[4 * pixel + channel] = sample(source[3 * pixel + channel]) }
      target[4 * pixel + 3] = Int16(FG_FULL)
    }
  }

  static func give(
    _ source: UnsafePointer<Int16>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutableBufferPointer<Float>
  ) {
    let unit = 1 / Float(2 * FG_FULL)
    guard layout == .rgb else {
      for index in target.indices { target[index] = Float(Int32(source[index]) + FG_FULL) * unit }
      return
    }
    for pixel in 0..<target.count / 3 {
      for channel in 0..<3 {
        target[3 * pixel + channel] = Float(Int32(source[4 * pixel + channel]) + FG_FULL) * unit
      }
    }
  }
}

/// 32-bit float, any value.
extension Float: RowSample {
  static var transparent: Float { 0 }

  static func channels(of layout: PixelFormat.Layout) -> Int { layout.channels }

  static func program(for step: Step, of strip: RowStrip<Float>) -> RowProgram? {
    strip.floatProgram(for: step)
  }

  static func take(
    _ source: UnsafeBufferPointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutablePointer<Float>
  ) {
    _ = UnsafeMutableBufferPointer(start: target, count: source.count).update(
      fromContentsOf: source)
  }

  static func give(
    _ source: UnsafePointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutableBufferPointer<Float>
  ) {
    _ = target.update(fromContentsOf: UnsafeBufferPointer(start: source, count: target.count))
  }
}

/// What the samples of a plan's intermediate rows are.
package enum RowArithmetic {
  /// `Int16`.
  case fixed
  /// `Float`.
  case float
}

extension Plan {
  /// In what the plan's rows are computed.
  ///
  /// - Parameter allowsFixed: whether fixed point is used where it serves.
  package func arithmetic(allowsFixed: Bool = true) -> RowArithmetic {
    allowsFixed && isFixed ? .fixed : .float
  }

  /// Whether 16-bit intermediates are enough, and every pass has fixed-point kernels.
  var isFixed: Bool {
    slots.allSatisfy { $0.precision <= .fixed16 }
      && steps.allSatisfy { $0.pass.hasFixedKernel(in: self) }
  }
}

extension Pass {
  /// Whether there are fixed-point kernels for exactly these numbers.
  fileprivate func hasFixedKernel(in plan: Plan) -> Bool {
    switch self {
    case .load(let load): load.fits(plan.inputs[load.input].format)
    case .resample(let resample): resample.hasFixedKernel
    case .convolve(let convolve): convolve.hasFixedKernel
    // Fixed point holds nothing outside 0…1.
    case .colorMatrix(let matrix): matrix.clamps
    // The others stay in 0…1, and run on their reference kernels where they have no other.
    case .blend, .lumaCurve, .displace, .generate, .bilateral, .median, .cellMeans, .cellFill,
      .grain, .stencil, .gather, .highlightWeight, .packChannels:
      true
    // There is no sRGB curve.
    case .store(let store): !store.encodesFromLinear
    }
  }
}

extension Load {
  /// Whether rows of a format can be loaded into fixed point.
  fileprivate func fits(_ format: PixelFormat) -> Bool {
    let ignoresAlpha = format.layout.hasAlpha && alpha == .opaque
    return !decodesToLinear && format.depth != .float32 && !ignoresAlpha
  }
}
