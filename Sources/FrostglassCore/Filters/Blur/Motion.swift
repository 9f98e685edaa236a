internal import Glibc

/// A motion blur: the mean along a straight line, at any angle.
///
/// `length` is the full extent of the box profile. The Gaussian profile of the same length has the
/// same second moment: its standard deviation is the length divided by 2√3. Along the line both
/// are exact (`Line`); across it, lines between pixels are softened by the linear
/// mixing of neighbors, with a deviation of at most 0.5 pixel per pass, up to three passes for long
/// lines, and none at multiples of 45°. The certified error counts what happens along the line.
package struct Motion: Filter {
  package var length: Length = 40
  /// Clockwise on the screen; 0 is along x.
  package var angle = Angle(degrees: 0)
  package var profile = FilterChain.MotionProfile.box

  private static let lengths: ClosedRange<Double> = 0...2000

  package static let definition = FilterDefinition<Motion>(
    "motion", "Blurs along a straight line.",
    [
      .length(
        "length", \.length, in: lengths, "The whole line; up to 1 px changes nothing."),
      .angle("angle", \.angle, "Of the line: 0deg is along x, 90deg along y, clockwise."),
      .choice(
        "profile", \.profile, "All pixels of the line alike, or a Gaussian of the same deviation."),
    ])

  package init() {}

  package init(length: Length, angle: Angle, profile: FilterChain.MotionProfile = .box) {
    self.length = length
    self.angle = angle
    self.profile = profile
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let pixels = try length.pixels(
      for: planner.size, scale: planner.options.scale, in: Self.lengths,
      filter: Self.definition.name, parameter: "length")
    let line = Line(angle: angle)
    let steps = pixels * line.stepsPerPixel
    let surface = planner.withEdges(source)
    let blurred =
      switch profile {
      case .box: steps > 1 ? planner.mean(surface, LineBox(length: steps, on: line), line) : surface
      case .gaussian: planner.gaussian(surface, sigma: steps / 12.0.squareRoot(), line)
      }
    return blurred.extended(x: nil, y: nil)
  }
}

extension Planner {
  fileprivate mutating func mean(_ surface: Surface, _ box: LineBox, _ line: Line) -> Surface {
    var levels = [surface]
    for block in box.blocks {
      let weights = block.map { (step: $0, weight: 1 / Double(block.count)) }
      levels.append(stencil(levels[levels.count - 1], line.mean(weights)))
    }
    var result: (surface: Surface, mass: Double)?
    for part in box.parts {
      // Mixing takes pixels as they are, so all of them are computed.
      let made = stencil(levels[part.level], line.mean(part.steps)).extended(x: nil, y: nil)
      let mass = (result?.mass ?? 0) + part.mass
      result = (result.map { mix($0.surface, made, amount: part.mass / mass) } ?? made, mass)
    }
    return result?.surface ?? surface
  }

  fileprivate mutating func gaussian(
    _ source: Surface, sigma: Double, _ line: Line
  ) -> Surface {
    guard sigma > 0.03 else { return source }
    let design = LineGaussian(sigma: sigma)
    var surface = source
    for weights in design.passes { surface = stencil(surface, line.stencil(weights)) }
    return surface.adding(model: design.bound)
  }
}

extension FilterChain {
  /// The weighting of samples along the line of a motion blur.
  public enum MotionProfile: String, Sendable, Hashable, CaseIterable {
    /// All alike.
    case box
    /// Less toward the ends, without any.
    case gaussian
  }

  /// A motion blur: the mean along a straight line.
  ///
  /// - Parameters:
  ///   - length: the length of the whole line, 0…2000 px; up to 1 px changes nothing.
  ///   - angle: 0° is along x, 90° along y, clockwise.
  ///   - profile: the weighting of samples along the line.
  public static func motion(
    length: Length, angle: Angle, profile: MotionProfile = .box
  ) -> FilterChain {
    FilterChain(Motion(length: length, angle: angle, profile: profile))
  }
}

/// A straight line through the pixel grid, walked in whole steps along the axis it is closer to.
///
/// Step i is i columns (or rows) on, and as many rows (or columns) down as the slope says, where the
/// two nearest samples are mixed. So every sample along the line counts once, whatever the angle;
/// across it, the mixing is a blur of at most 1/4 square pixel, 1/6 in the mean over all slopes.
private struct Line {
  /// True if steps go along x.
  private let alongX: Bool
  /// Samples along the other axis per step.
  let slope: Double
  /// Steps per pixel of length along the line: 1 down to 0.707.
  let stepsPerPixel: Double

  /// - Parameter angle: from the x axis, clockwise on the screen.
  init(angle: Angle) {
    let (x, y) = (cos(angle.radians), sin(angle.radians))
    alongX = abs(x) >= abs(y)
    stepsPerPixel = max(abs(x), abs(y))
    // Slopes of less than 2⁻²⁰ of a sample in 1000 steps count as 0.
    slope = ((alongX ? y / x : x / y) * 0x1p30).rounded() * 0x1p-30
  }

  /// The taps at some steps.
  func stencil(_ weights: [(step: Int, weight: Double)]) -> Stencil {
    var offsets = WeightedOffsets()
    for (step, weight) in weights {
      let major = Double(step)
      // Fractions below 2⁻²⁰ are rounding errors.
      let minor = (major * slope * 0x1p20).rounded() * 0x1p-20
      offsets.add(weight, x: alongX ? major : minor, y: alongX ? minor : major)
    }
    return Stencil(offsets.taps)
  }

  /// The mean of some steps, in whole numbers: positions are rounded to 1/1024 of a sample or less, and
  /// so is a step's weight relative to the largest.
  func mean(_ weights: [(step: Int, weight: Double)]) -> Stencil {
    let most = weights.reduce(0) { max($0, $1.weight) }
    let steps = weights.reduce(0) { $0 + $1.weight / most }
    // Sums of samples of 15 bits fit 32.
    let fineness = min(16384, exp2(log2(120_000 / steps).rounded(.down)))
    var offsets = WeightedOffsets()
    for (step, weight) in weights {
      let major = Double(step)
      let minor = (major * slope * fineness).rounded() / fineness
      offsets.add(weight / most, x: alongX ? major : minor, y: alongX ? minor : major)
    }
    return Stencil(offsets.wholeTaps(times: fineness))
  }

  /// Returns the variance that steps of `spacing` add across the line: the mean of `f (1 − f)` for fractions f.
  func softness(spacing: Int, count: Int) -> Double {
    guard count > 0 else { return 0 }
    let sum = (0..<count).reduce(0.0) { sum, index in
      let place = Double((index - count / 2) * spacing) * slope
      let fraction = place - place.rounded(.down)
      return sum + fraction * (1 - fraction)
    }
    return sum / Double(count)
  }
}

/// The mean along a line, put together from means of short pieces.
///
/// A line of many steps is blocks of equal length, each a mean that an earlier pass made for every
/// pixel, and single steps for what is left at both ends. The result is exactly the mean, each step
/// counting once and the last one on each side as much of it as belongs to the line.
private struct LineBox {
  /// One part of the mean.
  struct Part {
    /// The number of passes of `blocks` it starts from.
    var level: Int
    var steps: [(step: Int, weight: Double)]

    var mass: Double { steps.reduce(0) { $0 + $1.weight } }
  }

  /// Steps per block, from the shortest; each is made of the ones before.
  let blocks: [[Int]]
  /// Adds up to the mean.
  let parts: [Part]

  /// - Parameter length: in steps, more than 1.
  init(length: Double, on line: Line) {
    let whole = Int(((length - 1) / 2).rounded(.down))
    let candidates = Self.candidates(count: 2 * whole + 1)
    let sizes = candidates.min { Self.cost($0, whole, line) < Self.cost($1, whole, line) } ?? []
    var blocks: [[Int]] = []
    var spacing = 1
    for size in sizes {
      // Centered, or half a step before.
      blocks.append((0..<size).map { ($0 - (size - 1) / 2) * spacing })
      spacing *= size
    }
    self.blocks = blocks
    parts = Self.parts(length, whole, sizes, blocks)
  }

  /// Block sizes worth trying: none, one size, or two.
  private static func candidates(count: Int) -> [[Int]] {
    var candidates: [[Int]] = [[]]
    guard count > 16 else { return candidates }
    for first in 4...min(count / 2, 48) {
      candidates.append([first])
      guard first <= 20, count > 200 else { continue }
      for second in 4...20 where first * second <= count / 2 { candidates.append([first, second]) }
    }
    return candidates
  }

  /// Samples read per pixel, and a price for passes and for blur across the line.
  private static func cost(_ sizes: [Int], _ whole: Int, _ line: Line) -> Double {
    var cost = sizes.reduce(0.0) { $0 + Double($1) }
    var spacing = sizes.reduce(1, *)
    var left = 2 * whole + 1
    for size in sizes.reversed() {
      let count = left / spacing
      cost += Double(count) + 24 * line.softness(spacing: spacing, count: count) + 6
      left -= count * spacing
      spacing /= size
    }
    return cost + Double(left + 2)
  }

  private static func parts(
    _ length: Double, _ whole: Int, _ sizes: [Int], _ blocks: [[Int]]
  ) -> [Part] {
    var parts: [Part] = []
    var open = [-whole..<whole + 1]
    for level in (0...sizes.count).reversed() {
      let spacing = sizes.prefix(level).reduce(1, *)
      // Where the first step of a block lies, seen from the pixel that holds its mean.
      let first = blocks.prefix(level).reduce(0) { $0 + $1[0] }
      var steps: [(step: Int, weight: Double)] = []
      var rest: [Range<Int>] = []
      for range in open {
        let count = range.count / spacing
        let left = range.count - count * spacing
        let start = range.lowerBound + left / 2
        for index in 0..<count {
          steps.append((start + index * spacing - first, Double(spacing) / length))
        }
        rest += [range.lowerBound..<start, start + count * spacing..<range.upperBound]
          .filter { !$0.isEmpty }
      }
      open = rest
      if level == 0 { steps += ends(length, whole) }
      if !steps.isEmpty { parts.append(Part(level: level, steps: steps)) }
    }
    return parts
  }

  /// Returns the weights of the two steps beyond the whole ones: the part of them that belongs to the line.
  private static func ends(_ length: Double, _ whole: Int) -> [(step: Int, weight: Double)] {
    let weight = (length - Double(2 * whole + 1)) / 2 / length
    return weight > 1e-9 ? [(-whole - 1, weight), (whole + 1, weight)] : []
  }
}

/// A Gaussian along a line, as short ones at growing distances whose variances add up.
///
/// The first is sampled at every step; each one after that at steps no farther apart than 4/3 of the
/// deviation reached before it, where what is left of the gaps is under 3·10⁻⁵ of the weights. All
/// are cut at 4 deviations.
private struct LineGaussian {
  /// The weights of each pass.
  let passes: [[(step: Int, weight: Double)]]
  /// The largest distance of all passes together from the Gaussian sampled at every step, in levels of 255.
  let bound: Double

  /// - Parameter sigma: in steps, more than 0.
  init(sigma: Double) {
    var spacings = [1]
    var deviations: [Double] = []
    let count = sigma <= 6 ? 1 : sigma <= 100 ? 2 : 3
    // The passes have about the same number of taps when each goes 4/3 as far as the first.
    let first = pow(sigma * pow(0.75, Double(count - 1)), 1 / Double(count))
    var reached = 0.0
    for pass in 0..<count {
      let isLast = pass == count - 1
      let wanted = isLast ? sigma : pass == 0 ? first : reached * first / 0.75
      deviations.append((wanted * wanted - reached * reached).squareRoot())
      reached = wanted
      if !isLast { spacings.append(max(Int(reached / 0.75), 1)) }
    }
    passes = zip(spacings, deviations).map { Self.weights(spacing: $0, sigma: $1) }
    bound = Self.bound(passes, GaussianKernel(sigma: sigma))
  }

  private static func weights(spacing: Int, sigma: Double) -> [(step: Int, weight: Double)] {
    let radius = Int((4 * sigma / Double(spacing)).rounded(.up))
    let raw = (-radius...radius).map { index -> (step: Int, weight: Double) in
      let step = index * spacing
      return (step, exp(-Double(step * step) / (2 * sigma * sigma)))
    }
    let sum = raw.reduce(0) { $0 + $1.weight }
    return raw.map { ($0.step, $0.weight / sum) }
  }

  private static func bound(
    _ passes: [[(step: Int, weight: Double)]], _ gaussian: GaussianKernel
  ) -> Double {
    let reach = passes.reduce(0) { $0 + ($1.last?.step ?? 0) }
    var composite = [Double](repeating: 0, count: 2 * reach + 1)
    composite[reach] = 1
    for pass in passes {
      var next = [Double](repeating: 0, count: composite.count)
      for (index, value) in composite.enumerated() where value > 0 {
        for (step, weight) in pass { next[index + step] += value * weight }
      }
      composite = next
    }
    var parts = ErrorParts()
    for distance in -max(reach, gaussian.radius)...max(reach, gaussian.radius) {
      let made = abs(distance) <= reach ? composite[reach + distance] : 0
      let wanted = abs(distance) <= gaussian.radius ? gaussian.weights[abs(distance)] : 0
      parts.add(made - wanted, times: 1)
    }
    return 255 * parts.worst
  }
}

/// A zoom blur: every pixel smeared along the line to a center, as by a lens zoomed while exposing.
///
/// A pixel at distance d from the center becomes the even mean of the image from d down to
/// d (1 − amount) on its line to the center. It looks only inward, so nothing beyond the border is
/// seen. Samples lie at most a pixel apart at the farthest corner, closer elsewhere: they go
/// down geometrically, which lets a few passes stand for thousands (scalings compose), and weigh
/// as much as the stretch they stand for. The last 1/64 of the way to the center is left out.
package struct Zoom: Filter {
  /// The center, as fractions of width and height.
  package var x = 0.5
  package var y = 0.5
  /// The part of the way to the center that is smeared.
  package var amount = 0.15

  package static let definition = FilterDefinition<Zoom>(
    "zoom", "Blurs toward a center, as a lens zoomed while exposing.",
    [
      .factor("x", \.x, in: 0...1, "The center's place across; 0 is the left edge."),
      .factor("y", \.y, in: 0...1, "The center's place down; 0 is the top edge."),
      .factor(
        "amount", \.amount, in: 0...1,
        "How much of the way to the center is smeared; 0 changes nothing."),
    ])

  package init() {}

  package init(x: Double = 0.5, y: Double = 0.5, amount: Double) {
    self.x = x
    self.y = y
    self.amount = amount
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    let center = try planner.center(x: x, y: y)
    let depth = -log(max(1 - amount, 1.0 / 64))
    guard depth * center.farthest > 1e-3 else { return source }
    // The outermost samples are farthest apart: a distance of d (1 − e^(−depth / count)).
    let samples = PathSamples(atLeast: Int((depth * center.farthest).rounded(.up)) + 1)
    let ratio = exp(-depth / Double(samples.count))
    var surface = planner.withEdges(source)
    for pass in samples.passes {
      // Samples stand in the middle of their stretches, which the last pass sees to.
      let middle = pass.spacing == 1 ? 0.5 : 0
      let scales = (0..<pass.count).map { pow(ratio, Double($0 * pass.spacing)) }
      let sum = scales.reduce(0, +)
      let views = scales.map { scale in
        Gather.View(
          map: AffineMap(
            scale: scale * pow(ratio, middle), cosine: 1, sine: 0, aroundX: center.x, y: center.y),
          weight: Float(scale / sum))
      }
      surface = planner.gather(surface, Gather(views: views))
    }
    return surface
  }
}

extension FilterChain {
  /// A zoom blur toward a center given in fractions of width and height.
  public static func zoom(x: Double = 0.5, y: Double = 0.5, amount: Double) -> FilterChain {
    FilterChain(Zoom(x: x, y: y, amount: amount))
  }
}

/// A spin blur: the even mean over a turn around a center, half of it to each side.
///
/// Samples lie at most a pixel apart at the farthest corner. Turns compose, so a few passes stand
/// for thousands of samples.
package struct Spin: Filter {
  /// The center, as fractions of width and height.
  package var x = 0.5
  package var y = 0.5
  /// The whole turn.
  package var angle = Angle(degrees: 10)

  package static let definition = FilterDefinition<Spin>(
    "spin", "Blurs around a center, as a turning camera does.",
    [
      .factor("x", \.x, in: 0...1, "The center's place across; 0 is the left edge."),
      .factor("y", \.y, in: 0...1, "The center's place down; 0 is the top edge."),
      .angle("angle", \.angle, "The whole turn, up to 360deg; 0 changes nothing."),
    ])

  package init() {}

  package init(x: Double = 0.5, y: Double = 0.5, angle: Angle) {
    self.x = x
    self.y = y
    self.angle = angle
  }

  package func plan(_ source: Surface, with planner: inout Planner) throws(PlanError) -> Surface {
    guard abs(angle.degrees) <= 360 else {
      throw .badValue(
        filter: Self.definition.name, parameter: "angle", value: "\(angle)",
        accepted: "from -360 to 360 degrees")
    }
    let center = try planner.center(x: x, y: y)
    let arc = abs(angle.radians)
    guard arc * center.farthest > 1e-3 else { return source }
    let samples = PathSamples(atLeast: Int((arc * center.farthest).rounded(.up)) + 1)
    var surface = planner.withEdges(source)
    for pass in samples.passes {
      let step = arc / Double(samples.count) * Double(pass.spacing)
      let views = (0..<pass.count).map { index in
        let turn = (Double(index) - Double(pass.count - 1) / 2) * step
        return Gather.View(
          map: AffineMap(
            scale: 1, cosine: cos(turn), sine: sin(turn), aroundX: center.x, y: center.y),
          weight: 1 / Float(pass.count))
      }
      surface = planner.gather(surface, Gather(views: views))
    }
    return surface
  }
}

extension FilterChain {
  /// A spin blur around a center given in fractions of width and height.
  public static func spin(x: Double = 0.5, y: Double = 0.5, angle: Angle) -> FilterChain {
    FilterChain(Spin(x: x, y: y, angle: angle))
  }
}

/// A path of many equal samples, as passes that each take a few.
///
/// Pass m takes `count` samples `spacing` apart; all passes together take the product of their
/// counts, one apart. The farthest come first, so that images on the way need the least beyond
/// the border.
private struct PathSamples {
  struct Pass {
    var count: Int
    /// In samples of the whole path.
    var spacing: Int
  }

  let passes: [Pass]
  /// Samples of the whole path.
  let count: Int

  /// The most samples of one pass.
  static let most = 16

  /// - Parameter wanted: at least so many samples, 1 or more.
  init(atLeast wanted: Int) {
    var stages = 1
    while Int(pow(Double(Self.most), Double(stages)).rounded()) < wanted { stages += 1 }
    var counts: [Int] = []
    var left = wanted
    for stage in (1...stages).reversed() {
      let count = Int(pow(Double(left), 1 / Double(stage)).rounded(.up))
      counts.append(max(min(count, Self.most), 1))
      left = max((left + counts[counts.count - 1] - 1) / counts[counts.count - 1], 1)
    }
    var spacing = 1
    var passes: [Pass] = []
    for count in counts {
      passes.append(Pass(count: count, spacing: spacing))
      spacing *= count
    }
    self.passes = passes.reversed()
    count = spacing
  }
}
