internal import FrostglassCore
internal import FrostglassShaders

/// A slot as draws fill it and read it.
struct DrawnSlot {
  /// The rectangle that is computed, in the slot's own grid.
  var domain: Rect
  var layout: PixelFormat.Layout
  /// The least that it is held in.
  var precision: Precision
  /// True if the slot is held in 16-bit integers even if floats are available, to halve the bytes.
  var holdsIntegers = false
  /// True if the slot is an input's 8-bit samples and nothing else. It is read where it is needed.
  var isInputOfBytes = false
}

extension Plan {
  /// The plan's slots, and which of them are rounded to 65280ths.
  ///
  /// Half of a step is lost then, 1/512 level. Half a step of fixed point, 1/256, is taken out of what the
  /// plan's bound allows for: fixed point loses as much in every convolution, and twice to four times as much
  /// in a change of scale, where floats lose next to nothing. So what is left over grows from load to store,
  /// and where it holds that much, an image that other blurs read is rounded. Halving 8-bit samples without
  /// straight alpha loses nothing at all: their sums are whole 65280ths.
  ///
  /// Only what passes around each place write and read is rounded, which is an image of its own however
  /// passes are joined; and no slot where parts of a plan may have other readers than the whole.
  var drawnSlots: [DrawnSlot] {
    var drawn = slots.map {
      DrawnSlot(domain: $0.domain, layout: $0.layout, precision: $0.precision)
    }
    for step in steps {
      if case .load(let load) = step.pass, let target = step.target {
        drawn[target].isInputOfBytes = loadsWhole(load) && slots[target].precision == .fixed16
      }
    }
    guard !roundsBetweenSteps, results.allSatisfy({ $0.format.depth == .uint8 }) else {
      return drawn
    }
    let isRead = isReadByBlurs
    let half = Arithmetic.store(.fixed16)
    // What floats have not used of each slot's bound, in levels.
    var rest = [Double](repeating: 0, count: slots.count)
    for step in steps {
      guard let target = step.target, slots[target].precision == .fixed16,
        let spared = step.pass.sparedByFloats
      else { continue }
      rest[target] = spared + (step.sources.first.map { rest[$0.slot] } ?? 0)
      guard step.pass.isBlur, isRead[target], rest[target] >= half else { continue }
      drawn[target].holdsIntegers = true
      rest[target] -= half
    }
    return drawn
  }

  /// For each slot, whether a blur or a change of scale reads it.
  private var isReadByBlurs: [Bool] {
    var isRead = [Bool](repeating: false, count: slots.count)
    for step in steps where step.pass.isBlur {
      for source in step.sources { isRead[source.slot] = true }
    }
    return isRead
  }
}

extension Pass {
  /// True if the pass only sums the samples around each place, weighted by taps that sum to 1.
  var isBlur: Bool {
    switch self {
    case .convolve: true
    case .resample(let resample): resample.x.move == nil || resample.y.move == nil
    default: false
    }
  }

  /// The error that floats save of the bound for fixed point, in levels of 255; `nil` for passes that may change the
  /// weight of earlier errors.
  fileprivate var sparedByFloats: Double? {
    switch self {
    case .load(let load) where !load.decodesToLinear:
      Arithmetic.store(.fixed16) - Arithmetic.store(.float32)
    case .convolve(let convolve):
      Arithmetic.convolve(radius: convolve.radius, .fixed16)
        - Arithmetic.convolve(radius: convolve.radius, .float32)
    case .resample(let resample):
      Arithmetic.resample(x: resample.x, y: resample.y, .fixed16)
        - Arithmetic.resample(x: resample.x, y: resample.y, .float32)
    default: nil
    }
  }
}

/// A shape whose coverage programs work out where they read it, instead of an image that is made on the
/// CPU and uploaded: rectangles, also with round corners, circles and ellipses, feathered or not.
///
/// Floats find the distance to a border as well as the bound of fixed point asks for, half a 65280th of
/// coverage, as long as corners are not too large for how soft they are, nor ellipses too narrow; all others
/// stay images, as do those of plans in floats, whose bound asks for more. What is taken relative to is
/// split into whole pixels and the rest, so that places far from 0 are as exact as others.
struct DrawnShape: Hashable {
  let kind: SampleKind
  /// The sides between the centers of the corners: left, top, right, bottom.
  private let whole: SIMD4<Int32>
  /// The rest of the sides, seen from a pixel's center.
  private let part: SIMD4<Float>
  /// See `shape.glsl`.
  private let form: SIMD4<Float>
  private let axes: SIMD4<Float>

  /// A program's uniforms for image `index`.
  func uniforms(_ index: Int) -> [(name: String, value: PassNumbers.Value)] {
    [
      ("whole\(index)", .integers(whole)), ("part\(index)", .vector(part)),
      ("form\(index)", .vector(form)), ("axes\(index)", .vector(axes)),
    ]
  }

  /// `nil` for what is made on the CPU.
  init?(_ generate: Generate) {
    guard case .coverage(let coverage) = generate.content, coverage.shapes.count <= 1,
      coverage.plane == nil, coverage.window == nil, !coverage.isUntouched
    else { return nil }
    let shape = coverage.shapes.first ?? DrawnShape.nothing
    switch shape.outline {
    case .rectangle(let own) where !own.isContinuous || own.radius == 0:
      let most = max(min(own.right - own.left, own.bottom - own.top) / 2, 0)
      let corner = min(own.radius, most)
      self.init(
        shape, corner: corner,
        sides: (
          own.left + corner, own.top + corner, own.right - corner, own.bottom - corner
        ), coverage.isInverted)
    case .ellipse(let own) where own.radiusX == own.radiusY:
      self.init(
        shape, corner: own.radiusX, sides: (own.x, own.y, own.x, own.y), coverage.isInverted)
    case .ellipse(let own):
      self.init(shape, own, coverage.isInverted)
    default: return nil
    }
  }

  /// Far from any image.
  private static let nothing = CoverageShape(
    .rectangle(RoundedRectangle(left: -4e6, top: -4e6, right: -4e6, bottom: -4e6)))

  private init?(
    _ shape: CoverageShape, corner: Double, sides: (Double, Double, Double, Double),
    _ isInverted: Bool
  ) {
    let roundings = 3 * (corner + abs(shape.grow) + shape.feather + 1)
    guard DrawnShape.isExact(shape, roundings) else { return nil }
    self.init(.rectangle, shape, sides, radius: corner, isInverted)
  }

  private init?(_ shape: CoverageShape, _ own: Ellipse, _ isInverted: Bool) {
    let (short, long) = (min(own.radiusX, own.radiusY), max(own.radiusX, own.radiusY))
    // Between the centers of an ellipse's narrowest bends floats lose the nearest point of its border, which
    // is `short² / long` away at least: all of that has to be covered wholly.
    guard short > 0, long / short <= 16, short * short / long + shape.grow >= 1,
      DrawnShape.isExact(shape, 8 * (long + abs(shape.grow)))
    else { return nil }
    self.init(
      .ellipse, shape, (own.x, own.y, own.x, own.y), radius: 0, isInverted,
      axes: SIMD4(Float(short), Float(long / short), own.radiusY > own.radiusX ? 1 : 0, 0))
  }

  private init?(
    _ kind: SampleKind, _ shape: CoverageShape, _ sides: (Double, Double, Double, Double),
    radius: Double, _ isInverted: Bool, axes: SIMD4<Float> = .zero
  ) {
    let all = SIMD4(sides.0, sides.1, sides.2, sides.3)
    let floors = all.rounded(.down)
    // Where whole pixels are whole in floats, too; also not for what is no number.
    guard (0..<4).allSatisfy({ abs(floors[$0]) < 5e6 }) else { return nil }
    self.kind = kind
    whole = SIMD4<Int32>(floors)
    let rest = all - floors
    part = SIMD4<Float>(SIMD4(rest.x - 0.5, rest.y - 0.5, 0.5 - rest.z, 0.5 - rest.w))
    form = SIMD4(
      Float(radius + shape.grow), Float(shape.feather), isInverted ? 1 : 0, isInverted ? -1 : 1)
    self.axes = axes
  }

  /// Returns true if coverage is off by at most half a 65280th.
  ///
  /// - Parameter roundings: the rounding errors of floats that add up in a distance, in pixels times 2²⁴.
  private static func isExact(_ shape: CoverageShape, _ roundings: Double) -> Bool {
    let slope = shape.feather >= 1 ? 1.5 / shape.feather : 1
    return roundings / Double(1 << 24) * slope <= 0.5 / 65280
  }
}

extension Plan {
  /// For each slot, the shape that programs work out instead of reading it; only where the plan is in fixed
  /// point or less, and all that read it do so once for each pixel, and no more with it than to mix or to
  /// color.
  var drawnShapes: [DrawnShape?] {
    var shapes = [DrawnShape?](repeating: nil, count: slots.count)
    for step in steps {
      if case .generate(let generate) = step.pass, let target = step.target,
        slots[target].precision < .float32
      {
        shapes[target] = DrawnShape(generate)
      }
    }
    for step in steps {
      for (index, source) in step.sources.enumerated() where shapes[source.slot] != nil {
        if !step.pass.takesShape(index) || source.x != nil || source.y != nil {
          shapes[source.slot] = nil
        }
      }
    }
    return shapes
  }
}

extension Pass {
  fileprivate func takesShape(_ source: Int) -> Bool {
    switch self {
    case .blend(let blend): blend.mode == .masked && source == 2
    case .colorMatrix, .store: true
    default: false
    }
  }
}
