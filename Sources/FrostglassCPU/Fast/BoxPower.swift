internal import FrostglassCore
internal import Glibc

/// A box, or two or three of them in a row: what running sums compute at one price for any width.
struct BoxPower: Equatable {
  /// Samples of the box.
  let width: Int
  /// How often, 1 to 3.
  let order: Int

  /// Samples to each side of all of them together.
  var radius: Int { order * (width - 1) / 2 }

  /// What a sum is multiplied by.
  var scale: Float { Float(pow(Double(width), -Double(order))) }

  /// - Returns: `nil` where sums of samples would not fit 32 bits, or all together have no middle.
  init?(width: Int, order: Int) {
    guard 1...3 ~= order, width >= order, order * (width - 1) % 2 == 0,
      pow(Double(width), Double(order)) * 0x1p14 < 0x1p31
    else { return nil }
    self.width = width
    self.order = order
  }

  /// The boxes that some taps are, from the middle outward; `nil` where they are none.
  init?(taps: [Float]) {
    let radius = taps.count - 1
    // The outermost sample is seen once, the next by as many ways as there are boxes.
    let ways = radius == 0 ? 1 : (taps[radius - 1] / taps[radius]).rounded()
    guard 1...3 ~= ways, let power = BoxPower(width: 2 * radius / Int(ways) + 1, order: Int(ways)),
      power.radius == radius, abs(taps[radius] / power.scale - 1) < 1e-6,
      zip(taps, power.taps).allSatisfy({ abs($0 - $1) <= 1e-6 * $1 })
    else { return nil }
    self = power
  }

  /// From the middle outward.
  var taps: [Float] {
    var all = [1.0]
    for _ in 0..<order {
      // Each is the sum of the last `width` before.
      var sum = 0.0
      all = (0..<all.count + width - 1).map { index in
        if index < all.count { sum += all[index] }
        if index >= width { sum -= all[index - width] }
        return sum
      }
    }
    return all[radius...].map { Float($0 * Double(scale)) }
  }
}

extension Convolve {
  /// The boxes that the taps are.
  var boxes: BoxPower? { BoxPower(taps: taps) }
}
