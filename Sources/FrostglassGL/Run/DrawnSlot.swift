internal import FrostglassCore

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
  /// and where it holds that much, a picture that other blurs read is rounded. Halving 8-bit samples without
  /// straight alpha loses nothing at all: their sums are whole 65280ths.
  ///
  /// Only what passes around each place write and read is rounded, which is a picture of its own however
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
