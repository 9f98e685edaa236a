/// Collects the passes of a plan and accounts for their error; filters talk to nothing else.
///
/// A filter's `plan` calls these methods in the order the passes will run. All full-size images
/// have the size of `size`.
public struct Planner: Sendable {
  /// The size of the image.
  public let size: Size
  /// The options of the plan.
  public let options: PlanOptions
  /// The descriptions of the plan's inputs.
  let inputs: [Plan.Input]
  /// The image the chain started from, for filters that need it again.
  public private(set) var original: Surface
  /// The accuracy of the passes to come.
  var tightness: PlanSearch.Tightness
  /// The coverage that multiplies the standard deviation of every Gaussian, if there is one.
  var strength: Coverage?
  /// True if a Gaussian was multiplied.
  var usedStrength = false
  /// The plane that the image's samples are of; `nil` where they are colors.
  var plane: SampledPlane?
  private let worksOnLight: Bool
  /// True if the result is light that is encoded when it is stored.
  let encodesAtEnd: Bool
  private(set) var slots: [Slot] = []
  private(set) var steps: [Step] = []
  /// The slots of steps whose result may be reused, by the step without its target.
  private var places: [Step: Int] = [:]
  /// The images of a scene's captured layers.
  var captures: [ObjectIdentifier: Surface] = [:]

  /// Begins with loading the one input.
  init(_ input: Plan.Input, options: PlanOptions, _ tightness: PlanSearch.Tightness) {
    self.init(size: input.size, inputs: [input], options: options, tightness)
    // A transparent border gives an opaque image coverage that falls off.
    original = load(0, layout: options.edge == .transparent ? .rgba : nil)
  }

  /// Begins with nothing but the size of the image that is to be made.
  ///
  /// - Parameter inputs: all of the same transfer; `load` brings them in.
  init(
    size: Size, inputs: [Plan.Input], options: PlanOptions, _ tightness: PlanSearch.Tightness
  ) {
    self.size = size
    self.inputs = inputs
    self.options = options
    self.tightness = tightness
    let isLinear = inputs.first?.transfer == .linear
    worksOnLight = options.linearLight || isLinear
    encodesAtEnd = options.linearLight && !isLinear
    original = Surface(slot: 0, layout: .gray, error: CertifiedError())
  }

  /// Brings an input in, whose pixels keep their own coordinates; what is not the size of the image
  /// is read with edges.
  ///
  /// - Parameters:
  ///   - layout: more channels than it has; `nil` are its own.
  ///   - bits: the number of low bits of a sample in its word; `nil` is all.
  mutating func load(
    _ index: Int, layout: PixelFormat.Layout? = nil, bits: Int? = nil
  ) -> Surface {
    let input = inputs[index]
    let surface = append(
      .load(Load(input: index, alpha: input.alpha, decodesToLinear: encodesAtEnd, bits: bits)), [],
      layout: layout ?? input.format.layout, error: stored)
    guard input.size != size else { return surface }
    return surface.extended(
      x: AxisEdge(.transparent, 0..<input.size.width),
      y: AxisEdge(.transparent, 0..<input.size.height))
  }

  /// Goes on as if this image had been the input: nothing reads the original any more.
  mutating func restart(from surface: Surface) { original = surface }

  /// The largest kernel error one axis of one Gaussian may have, in levels of 255.
  var budget: Double { tightness.budget }
  /// The precision of intermediates.
  var precision: Precision { tightness.precision }
  /// The error that storing an image adds.
  var stored: CertifiedError { CertifiedError(arithmetic: Arithmetic.store(precision)) }
  /// The error of a product with a share, stored.
  var shared: CertifiedError { CertifiedError(arithmetic: Arithmetic.share(precision)) }

  /// Applies a chain's filters one after another.
  ///
  /// - Returns: a full-size image.
  /// - Throws: `PlanError.badValue` when a parameter is out of range for this image.
  public mutating func applied(
    _ chain: FilterChain, to source: Surface
  ) throws(PlanError) -> Surface {
    var surface = source
    for filter in chain.filters {
      try filter.checkRanges()
      surface = try filter.plan(surface, with: &self)
    }
    return surface
  }

  /// A color in the working space: light, where the chain works on light.
  func working(_ color: Color) -> SIMD3<Double> {
    if let plane { return SIMD3(repeating: plane.sample(color.components)) }
    return worksOnLight ? color.light : color.components
  }

  /// `surface` as blurs see it: going on beyond the image as `edge` says, or else the options.
  ///
  /// Where nothing is beyond, an opaque image gets an alpha channel.
  mutating func withEdges(_ surface: Surface, _ edge: EdgeMode? = nil) -> Surface {
    let mode = edge ?? options.edge
    let seen = mode == .transparent ? covered(surface) : surface
    return seen.extended(x: AxisEdge(mode, picture.columns), y: AxisEdge(mode, picture.rows))
  }

  /// `surface` with an alpha channel.
  mutating func covered(_ surface: Surface) -> Surface {
    guard !surface.layout.hasAlpha else { return surface }
    guard steps.count == 1 else {
      return colorMatrix(surface, ColorMatrix(scale: 1), layout: .rgba)
    }
    // Loading it that way costs no pass of its own.
    slots[0].layout = .rgba
    original = Surface(slot: 0, layout: .rgba, error: original.error)
    return original
  }

  /// A filter's length in pixels, in the range its table gives.
  ///
  /// - Throws: `PlanError.badValue` when it is outside.
  func pixels<F: Filter>(
    _ length: Length, of filter: F.Type, parameter: String
  ) throws(PlanError) -> Double {
    let definition = F.definition
    let kind = definition.parameters.first { $0.name == parameter }?.kind
    guard case .length(let range) = kind else {
      throw .malformed("\(definition.name) has no length \(parameter)")
    }
    return try length.pixels(
      for: size, scale: options.scale, in: range, filter: definition.name, parameter: parameter)
  }

  /// The whole image.
  var picture: Rect { Rect(size) }
  /// The size of the image that lengths are given for.
  var pixels: Size { plane?.picture ?? size }
  /// Pixels from one sample to the next, along each axis.
  var pitch: (x: Double, y: Double) {
    plane.map { (Double($0.x.pitch), Double($0.y.pitch)) } ?? (1, 1)
  }

  /// Applies a matrix to every pixel.
  ///
  /// - Parameter least: channels the result has at least.
  public mutating func colorMatrix(
    _ surface: Surface, _ matrix: ColorMatrix, layout least: PixelFormat.Layout? = nil
  ) -> Surface {
    var layout = max(surface.layout, least ?? surface.layout)
    if layout == .gray && !matrix.keepsGray { layout = .rgb }
    if matrix.opacity < 1 { layout = .rgba }
    let error =
      surface.error.scaled(by: matrix.gain(hasAlpha: surface.layout.hasAlpha))
      + CertifiedError(
        arithmetic: Arithmetic.colorMatrix(matrix, isGray: layout == .gray, precision))
    return append(.colorMatrix(matrix), [surface.source], layout: layout, error: error)
  }

  /// Applies a matrix and a curve of brightness to every pixel; edges stay as they are.
  mutating func lumaCurve(_ surface: Surface, _ curve: LumaCurve) -> Surface {
    let layout = surface.layout == .gray && !curve.keepsGray ? .rgb : surface.layout
    let error =
      surface.error.scaled(by: curve.gain(hasAlpha: surface.layout.hasAlpha))
      + CertifiedError(arithmetic: Arithmetic.store(precision))
    return append(.lumaCurve(curve), [surface.source], layout: layout, error: error)
      .extended(x: surface.x, y: surface.y)
  }

  /// Filters along one axis; beyond the image, `edge` is seen.
  ///
  /// - Parameter kernelError: how far the kernel is from what it stands for, in levels of 255.
  mutating func convolve(
    _ surface: Surface, _ axis: Axis, _ kernel: Convolve.Kernel, kernelError: Double = 0
  ) -> Surface {
    let convolve = Convolve(axis: axis, kernel: kernel)
    let error = kernel.parts.reduce(surface.error + CertifiedError(kernel: kernelError)) {
      $0 + CertifiedError(arithmetic: Arithmetic.convolve(radius: $1.radius, precision))
    }
    let seen = surface.source.after(convolve)
    return append(.convolve(convolve), [surface.source], layout: surface.layout, error: error)
      .extended(x: seen.x, y: seen.y)
  }

  /// Halves the axes asked for.
  mutating func halve(_ surface: Surface, x: Bool, y: Bool) -> Surface {
    resample(
      surface, x: x ? PyramidKernel.halving : .identity, y: y ? PyramidKernel.halving : .identity
    ).extended(x: x ? surface.x?.halved() : surface.x, y: y ? surface.y?.halved() : surface.y)
  }

  /// Changes the scale, or moves by whole samples.
  mutating func resample(_ surface: Surface, x: Polyphase, y: Polyphase) -> Surface {
    let error =
      surface.error + CertifiedError(arithmetic: Arithmetic.resample(x: x, y: y, precision))
    return append(
      .resample(Resample(x: x, y: y)), [surface.source], layout: surface.layout, error: error)
  }

  /// The surface moved by whole pixels.
  mutating func moved(_ surface: Surface, right: Int, down: Int) -> Surface {
    resample(surface, x: .moving(by: right), y: .moving(by: down)).extended(x: nil, y: nil)
  }

  /// Asks for an image to be stored with at least a precision.
  mutating func raisePrecision(of surface: Surface, to least: Precision) {
    slots[surface.slot].precision = max(slots[surface.slot].precision, least)
  }

  /// Adds a pass; one that is there already with the same sources is used again.
  mutating func append(
    _ pass: Pass, _ sources: [Source], layout: PixelFormat.Layout, error: CertifiedError
  ) -> Surface {
    let work = Step(pass: pass, sources: sources, target: nil)
    if let slot = places[work], slots[slot].layout == layout {
      return Surface(slot: slot, layout: layout, error: slots[slot].error)
    }
    let slot = slots.count
    // The domain is settled when the plan is complete.
    slots.append(Slot(domain: picture, layout: layout, precision: precision, error: error))
    steps.append(Step(pass: pass, sources: sources, target: slot))
    if places[work] == nil { places[work] = slot }
    return Surface(slot: slot, layout: layout, error: error)
  }
}

extension Planner {
  /// Ends with storing `surface`, in the input's depth, and gives the complete plan.
  consuming func finish(_ surface: Surface, input: Plan.Input) -> Plan {
    finish(
      surface, format: PixelFormat(surface.layout, input.format.depth),
      alpha: input.alpha == .premultiplied ? .premultiplied : .straight)
  }

  /// Ends with storing `surface`, and gives the complete plan.
  ///
  /// - Parameters:
  ///   - alpha: the alpha mode of a surface with alpha.
  ///   - rect: the part that is made; `nil` is the whole image.
  ///   - bits: the number of low bits of a sample in its word; `nil` is all.
  consuming func finish(
    _ surface: Surface, format: PixelFormat, alpha: AlphaMode, rect: Rect? = nil, bits: Int? = nil
  ) -> Plan {
    let encodes = encodesAtEnd
    let alpha = surface.layout.hasAlpha ? alpha : .opaque
    let store = Store(
      format: format, alpha: alpha, encodesFromLinear: encodes, background: nil, bits: bits)
    let transfer: PixelFormat.Transfer = worksOnLight && !encodes ? .linear : .encoded
    var plan = Plan(
      inputs: inputs, slots: slots,
      steps: steps + [Step(pass: .store(store), sources: [surface.source], target: nil)],
      results: [
        Plan.Result(
          rect: rect ?? picture, format: format, alpha: alpha, transfer: transfer,
          certifiedError: surface.error.scaled(by: encodes ? TransferCurve.steepestEncoding : 1))
      ])
    plan.removeUnreadSteps()
    plan.resolveDomains()
    plan.resolveEdges()
    return plan
  }
}

/// An image while a plan is being made: what filters take and give.
public struct Surface: Sendable, Hashable {
  /// Index into the plan's slots.
  let slot: Int
  /// Its channels.
  public let layout: PixelFormat.Layout
  /// The edges for reading columns outside; `nil` where those are computed like any other. `y` is for rows.
  var x: AxisEdge?
  var y: AxisEdge?
  /// The largest distance of this image from the true one.
  public private(set) var error: CertifiedError

  var source: Source { Source(slot: slot, x: x, y: y) }

  /// The same image, known to be an approximation by definition, in levels of 255.
  func adding(model: Double) -> Surface {
    var surface = self
    surface.error.model += model
    return surface
  }

  /// The same image, read with these edges from now on.
  func extended(x: AxisEdge?, y: AxisEdge?) -> Surface {
    var surface = self
    surface.x = x
    surface.y = y
    return surface
  }
}

extension Plan {
  /// Removes steps whose result no step reads, and their slots.
  mutating func removeUnreadSteps() {
    var read = Set<Int>()
    steps = steps.reversed().filter { step in
      if let target = step.target, !read.contains(target) { return false }
      read.formUnion(step.sources.map(\.slot))
      return true
    }.reversed()
    keepSlots(read.sorted())
  }

  /// Numbers slots by their places among those that are kept, which are all that steps use.
  mutating func keepSlots(_ kept: [Int]) {
    let numbers = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
    slots = kept.map { slots[$0] }
    for index in steps.indices {
      steps[index].target = steps[index].target.flatMap { numbers[$0] }
      for source in steps[index].sources.indices {
        steps[index].sources[source].slot = numbers[steps[index].sources[source].slot] ?? 0
      }
    }
  }

  /// Walks the steps backward from the result and gives each slot the domain that is needed.
  mutating func resolveDomains() {
    var needed = [Rect?](repeating: nil, count: slots.count)
    for place in steps.indices.reversed() {
      let target = steps[place].target.flatMap { needed[$0] } ?? result.rect
      if case .blend(let blend) = steps[place].pass {
        steps[place].pass = .blend(blend.cropped(to: target))
      }
      let step = steps[place]
      for (index, source) in step.sources.enumerated() {
        let read = source.footprint(of: step.pass.sourceRect(for: target, of: index))
        needed[source.slot] = needed[source.slot]?.union(read) ?? read
      }
    }
    for index in slots.indices {
      if let domain = needed[index] { slots[index].domain = domain }
    }
  }
}

extension Plan {
  /// Gives steps that read in place an image of all they read, where that lies beyond the edges of
  /// their source.
  ///
  /// A shadow that falls far outside the image, for example, asks for columns of a blur that lie
  /// wholly beyond what was blurred. The blur's last pass, along y, takes columns as they lie in
  /// memory, where of its source there is only the border. So what is beyond is copied first, by a pass
  /// that resolves edges.
  mutating func resolveEdges() {
    var resolved: [Step] = []
    for var step in steps {
      let target = step.target.map { slots[$0].domain } ?? result.rect
      for (place, source) in step.sources.enumerated() {
        let wanted = step.pass.sourceRect(for: target, of: place)
        guard !step.pass.finds(wanted, in: source, of: place, for: target) else { continue }
        let read = slots[source.slot]
        let copy = Step(
          pass: .resample(Resample(x: .identity, y: .identity)), sources: [source],
          target: slots.count)
        slots.append(
          Slot(domain: wanted, layout: read.layout, precision: read.precision, error: read.error))
        resolved.append(copy)
        step.sources[place] = Source(slot: slots.count - 1)
      }
      resolved.append(step)
    }
    steps = resolved
  }
}

extension Pass {
  /// Returns true if all of a source's samples are where this pass looks for them: inside the source's edges, or along
  /// axes where the pass resolves them.
  ///
  /// - Parameter wanted: the part that is read for `target`, before edges.
  func finds(_ wanted: Rect, in source: Source, of place: Int, for target: Rect) -> Bool {
    // Do not search for hidden pixels.
    guard reads(place, for: target.rows) else { return true }
    let beyond = kind.readsBeyondEdges(of: place)
    let read = source.footprint(of: wanted)
    return (beyond.x || read.columns == wanted.columns) && (beyond.y || read.rows == wanted.rows)
  }
}

// Blurs whose strength differs from pixel to pixel.
extension Planner {
  /// Blurs with standard deviations of `most × coverage` at each pixel.
  ///
  /// The image is blurred with a few standard deviations, from 0 to `most`, and what lies between
  /// two of them is their mix with the same variance, see `BlurWindow`. Each of the images is
  /// computed only where it shows.
  ///
  /// - Parameters:
  ///   - mostX: along x, in pixels, 0…1000.
  ///   - mostY: along y; as along x when left out.
  ///   - edge: the edge mode, for what lies beyond the image; `nil` means the options'.
  mutating func gaussian(
    _ source: Surface, upTo mostX: Double, _ mostY: Double? = nil, by coverage: Coverage,
    edge: EdgeMode? = nil
  ) -> Surface {
    usedStrength = true
    let mostY = mostY ?? mostX
    let most = max(mostX, mostY)
    guard most > GaussianDesign.weakestSigma else { return source }
    // Once for all of the images that are mixed.
    let source = (edge ?? options.edge) == .transparent ? covered(source) : source
    let scales = BlurScales(upTo: most)
    var result = source
    for (low, high) in zip(scales.sigmas, scales.sigmas.dropFirst()) {
      var part = coverage
      part.window = BlurWindow(from: low, to: high, most: most)
      result = masked(
        result, gaussian(source, x: high * mostX / most, y: high * mostY / most, edge: edge),
        by: part)
    }
    return result.adding(model: BlurScales.worstError)
  }
}

/// The standard deviations that a variable blur mixes.
package struct BlurScales {
  /// The deviations from 0 to the largest: each is at most 5/4 of the one before, except for the first two.
  package let sigmas: [Double]

  /// The ratio of neighbors.
  private static let ratio = 1.25
  /// The ratio of neighbors where kernels are a few pixels wide and differ more in their shapes, and the largest σ of
  /// these.
  private static let (smallRatio, largestSmall) = (1.21, 0.92)
  /// Up to here three taps are nearly all of the kernel, and a mix of it with the image itself is
  /// nearly the kernel of any smaller σ.
  private static let first = 0.46

  package init(upTo most: Double) {
    guard most > 0 else {
      sigmas = []
      return
    }
    var sigmas = [most]
    while let last = sigmas.last, last > BlurScales.first {
      sigmas.append(
        last / (last > BlurScales.largestSmall ? BlurScales.ratio : BlurScales.smallRatio))
    }
    self.sigmas = [0] + sigmas.reversed()
  }

  /// The most that a mix of two scales differs from the Gaussian between them, in levels of 255, for any
  /// image: 127.5 times the sum of the kernels' absolute difference, in two dimensions.
  ///
  /// For an image that is 255 where the difference is positive, and 0 elsewhere, it is just that. Of all mixes
  /// of two neighbors that there can be, the largest is 4.02, between 1.33 and 1.66; it is under 3.9 for large
  /// ones, where kernels are as smooth as the bell itself.
  package static let worstError = 4.1
}

/// A blur of an image that is made up, such as the fill of a hole: on a grid that is just fine enough for it,
/// by a few taps. What it does is what it is meant to do; there is no true Gaussian that it has to be near to.
struct CoarseBlur {
  /// Growing by more has more phases than devices hold.
  static let mostLevels = 7

  /// The grid along one axis, and what is left to blur there.
  struct Axis {
    /// The number of times samples are halved.
    private(set) var levels = 0
    /// The standard deviation of the taps, in samples of the grid.
    private(set) var sigma = 0.0

    /// Samples as they are, and no blur.
    init() {}

    /// - Parameters:
    ///   - sigma: the standard deviation of all of it, in samples of the image.
    ///   - most: levels at most.
    ///   - shrinking: the variance that a way to the grid has, in samples of the grid; `nil` is halving by
    ///     `[1 3 3 1]`. Growing by it has another ¼ (1 − 4⁻ˡ), halving as much.
    init(_ sigma: Double, most: Int = CoarseBlur.mostLevels, shrinking: Double? = nil) {
      while levels < most, sigma / Double(2 << levels) >= Self.leastSigma { levels += 1 }
      guard levels > 0 else {
        self.sigma = sigma
        return
      }
      let factor = Double(1 << levels)
      let growing = 0.25 * (1 - 1 / (factor * factor))
      let variance = (sigma / factor) * (sigma / factor)
      self.sigma = (variance - growing - (shrinking ?? growing)).squareRoot()
    }

    /// A blur is no narrower on its grid, so that the grid does not show.
    private static let leastSigma = 1.25

    /// Samples of the image for one of the grid.
    var factor: Int { 1 << levels }

    fileprivate func taps(_ precision: Precision) -> [Float] {
      let radius = max(Int((3 * sigma).rounded(.up)), 1)
      return TapForm(precision).normalized(GaussianKernel(sigma: sigma).cut(at: radius))
    }
  }

  var x = Axis()
  var y = Axis()
}

extension Planner {
  /// Shrunk to the grid of a blur.
  mutating func shrunk(_ surface: Surface, for blur: CoarseBlur) -> Surface {
    var small = surface
    for level in 0..<max(blur.x.levels, blur.y.levels) {
      small = halve(small, x: level < blur.x.levels, y: level < blur.y.levels)
    }
    return small
  }

  /// Blurred on its grid.
  mutating func blurred(_ small: Surface, by blur: CoarseBlur) -> Surface {
    var surface = small
    if blur.x.sigma > GaussianDesign.weakestSigma {
      surface = convolve(surface, .x, .taps(blur.x.taps(precision)))
    }
    if blur.y.sigma > GaussianDesign.weakestSigma {
      surface = convolve(surface, .y, .taps(blur.y.taps(precision)))
    }
    return surface.extended(x: nil, y: nil)
  }

  /// Grown from the grid of one blur to that of another, which is as fine or finer.
  mutating func grown(
    _ surface: Surface, from blur: CoarseBlur, to finer: CoarseBlur = CoarseBlur()
  ) -> Surface {
    let (x, y) = (blur.x.levels - finer.x.levels, blur.y.levels - finer.y.levels)
    guard x > 0 || y > 0 else { return surface }
    return resample(
      surface, x: PyramidKernel(levels: x).growing, y: PyramidKernel(levels: y).growing
    ).extended(x: nil, y: nil)
  }
}
