import FrostglassCore
import Glibc
import TestSupport

extension ChainCase {
  /// The case of a number, the same on every machine: filters and parameters from the catalog's own
  /// table, and everything else that an image and a plan can be.
  package init(number: UInt64) {
    self.init()
    var chance = Chance(number)
    size = chance.size()
    format = PixelFormat(
      chance.pick([.gray, .rgb, .rgba, .rgba]), chance.pick([.uint8, .uint8, .uint16, .float32]))
    alpha = chance.pick([.straight, .straight, .premultiplied])
    content = chance.pick([.noise, .noise, .extremes, .sparse])
    seed = number
    // Without `reflect-101`, so that cases that were found stay what they are.
    edge = chance.pick([.clamp, .mirror, .wrap, .transparent])
    linearLight = chance.is(0.2)
    scale = chance.pick([1, 1, 1, 2, 0.5, 3])
    quality = chance.is(0.15) ? .fast : .high
    filters = (0..<chance.pick([1, 1, 2, 2, 2, 3, 3, 4])).map { _ in chance.filter() }
    if chance.is(0.3) { mask = chance.mask(size) }
    if chance.is(0.7) { part = chance.part(of: size) }
  }
}

/// The random choices of a case.
private struct Chance {
  private var random: SplitMix

  init(_ number: UInt64) { random = SplitMix(state: number &* 0x2545_F491_4F6C_DD1D) }

  /// A number of a range, to four places.
  private mutating func number(_ range: ClosedRange<Double>) -> Double {
    let value = Double.random(in: 0...1, using: &random)
    let number = range.lowerBound + value * (range.upperBound - range.lowerBound)
    return min(max((number * 1e4).rounded() / 1e4, range.lowerBound), range.upperBound)
  }

  mutating func `is`(_ share: Double) -> Bool { number(0...1) < share }

  mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &random)]
  }

  private mutating func integer(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  /// Small ones, rows, columns, a pixel, and some that have several strips, stages and turns.
  mutating func size() -> Size {
    switch integer(0...19) {
    case 0: Size(width: 1, height: 1)
    case 1, 2: Size(width: integer(1...80), height: 1)
    case 3, 4: Size(width: 1, height: integer(1...80))
    case 5: Size(width: integer(100...400), height: integer(1...6))
    case 6: Size(width: integer(1...6), height: integer(100...400))
    case 7, 8: Size(width: integer(60...150), height: integer(60...150))
    default: Size(width: integer(1...48), height: integer(1...48))
    }
  }

  mutating func part(of size: Size) -> Rect {
    let (x, y) = (integer(0...size.width - 1), integer(0...size.height - 1))
    return Rect(
      x: x, y: y, width: integer(1...size.width - x), height: integer(1...size.height - y))
  }

  mutating func filter() -> ChainCase.FilterCall {
    let info = pick(Catalog.filters).info
    let given = info.parameters.filter { _ in self.is(0.6) }
    return ChainCase.FilterCall(
      name: info.name, parameters: given.map { "\($0.name)=\(value(of: $0.kind))" })
  }

  private mutating func value(of kind: ParameterKind) -> String {
    switch kind {
    case .factor(let range):
      let high = min(range.upperBound, range.lowerBound + 1000)
      let usual = min(range.upperBound, max(range.lowerBound, 0) + 4)
      switch integer(0...9) {
      case 0: return "\(range.lowerBound)"
      case 1: return "\(high)"
      case 2: return "\(number(range.lowerBound...high))"
      default: return "\(number(max(range.lowerBound, -4)...usual))"
      }
    case .integer(let range):
      let usual = min(range.upperBound, max(range.lowerBound, 0) + 8)
      switch integer(0...9) {
      case 0: return "\(range.lowerBound)"
      case 1: return "\(integer(range))"
      default: return "\(integer(range.lowerBound...usual))"
      }
    case .sigma:
      switch integer(0...9) {
      case 0: return "0px"
      case 1: return "\(number(0...40))%"
      case 2: return "\(magnitude(40...1000))px"
      default: return "\(magnitude(0.1...40))px"
      }
    case .length(let range):
      if integer(0...9) == 0 { return "\(pick([range.lowerBound, range.upperBound]))px" }
      if integer(0...9) == 0 { return "\(number(0...100))%" }
      let sign = range.lowerBound < 0 && self.is(0.5) ? -1.0 : 1
      let value = sign * magnitude(0.1...(self.is(0.2) ? 1000 : 60))
      return "\(min(max(value, range.lowerBound), range.upperBound))px"
    case .angle: return "\(number(-360...720))deg"
    case .color:
      return "rgb(\(integer(0...255)) \(integer(0...255)) \(integer(0...255)) / "
        + "\(pick([0, 30, 50, 100, 100]))%)"
    case .choice(let words): return pick(words)
    }
  }

  /// A number of a range of which each decade is as likely.
  private mutating func magnitude(_ range: ClosedRange<Double>) -> Double {
    (exp(number(log(range.lowerBound)...log(range.upperBound))) * 1e4).rounded() / 1e4
  }

  mutating func mask(_ size: Size) -> ChainCase.MaskCall {
    let shapes = (0..<pick([1, 1, 2])).map { _ in shape(size) }.joined(separator: "; ")
    var mask = ChainCase.MaskCall(shapes: shapes)
    let fills = Redaction.Fill.allCases.map(\.rawValue)
    mask.use = pick(Mask.Use.allCases.map(\.rawValue) + fills)
    if self.is(0.4) { mask.feather = number(0...12) }
    if self.is(0.3) { mask.grow = number((fills.contains(mask.use) ? 0 : -6)...8) }
    mask.isInverted = self.is(0.25)
    return mask
  }

  private mutating func shape(_ size: Size) -> String {
    func place(_ side: Int) -> Double { number(-Double(side)...1.5 * Double(side)) }
    func extent(_ side: Int) -> Double { number(0.5...1.5 * Double(side) + 1) }
    let (x, y) = (place(size.width), place(size.height))
    let (width, height) = (extent(size.width), extent(size.height))
    switch integer(0...5) {
    case 0: return "\(x),\(y),\(width),\(height)"
    case 1: return "ellipse(\(x),\(y),\(width),\(height))"
    case 2: return "rounded(\(x),\(y),\(width),\(height),\(number(0...20)))"
    case 3: return "continuous(\(x),\(y),\(width),\(height),\(number(0...20)))"
    case 4:
      return "polygon(\(x) \(y), \(x + width) \(y), \(place(size.width)) \(y + height))"
    default: return "gradient(\(x) \(y), \(x + width) \(y + height), smooth)"
    }
  }
}
