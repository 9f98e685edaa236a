internal import FrostglassBackends
internal import FrostglassCPU
internal import FrostglassCore
internal import FrostglassGL

/// Compares what a stage of the GPU makes with what the CPU makes.
struct GPUCheck {
  static let heading = """
    | stage | pictures | worst, levels of 255 | Gaussians against truth | beyond their bound, or failed |
    |---|---:|---:|---:|---|
    """
  /// A sample between two levels may be rounded to either.
  private static let allowed = 1.001
  /// Nothing is rounded there but light near black, where floats cannot be drawn to.
  private static let allowedOfDeep = 0.6
  private static let sigmas = [1.5, 4, 5.2, 9, 24, 70]

  private static let windows = [
    "bilateral(1px)", "bilateral(5px)", "bilateral-separable(9px)", "lens(5px)", "lens(12px)",
  ]

  private var options: GLOptions
  private var pictures = 0
  private var worst = 0.0
  private var wrong: [String] = []
  private var worstOfTruth = 0.0

  /// Runs every filter with its defaults, every format with every edge in both kinds of light, images
  /// in planes, frames in bands and in tiles, and Gaussians in floats against direct sums.
  ///
  /// - Parameter options: with a stage, and for specialized programs.
  init(_ options: GLOptions) async throws {
    self.options = options
    let backend = try await GLBackend.start(options)
    await checkFilters(backend)
    await checkMedians(backend)
    await checkWindows(backend)
    await checkFormats(backend)
    await checkPlanes(backend)
    try await checkLarge(backend)
    await checkGaussians(backend)
  }

  var isRight: Bool { wrong.isEmpty }

  /// A row of the table.
  var row: String {
    "| \(options.stage) | \(pictures) | \(worst.text(places: 3)) | \(worstOfTruth.text(places: 3)) | "
      + "\(wrong.isEmpty ? "none" : wrong.joined(separator: ", ")) |"
  }

  /// Counts an image that was compared; one without a difference has failed.
  private mutating func note(
    _ difference: Double?, _ name: String, within allowed: Double = GPUCheck.allowed
  ) {
    pictures += 1
    worst = max(worst, difference ?? 0)
    if difference.map({ $0 > allowed }) ?? true { wrong.append(name) }
  }

  private mutating func checkFilters(_ backend: GLBackend) async {
    let image = Image.textured(Size(width: 257, height: 131), .rgba8, alpha: .straight)
    for filter in Catalog.filters {
      let plan = try? FilterChain(filter).plan(for: Plan.Input(image))
      note(await difference(plan, image, backend), filter.name)
    }
  }

  /// Checks medians of unconverted samples of 8 bits, which have a program of their own.
  private mutating func checkMedians(_ backend: GLBackend) async {
    let image = Image.textured(Size(width: 131, height: 77), .rgba8, alpha: .premultiplied)
    for radius in [1, 4, 15] {
      for edge in EdgeMode.allCases {
        let plan = try? FilterChain([.median(radius: radius)]).plan(
          for: Plan.Input(image), options: PlanOptions(edge: edge))
        note(await difference(plan, image, backend), "median(\(radius)), \(edge)", within: 0)
      }
    }
  }

  /// Windows whose samples groups share, as they are of any kind and edge.
  private mutating func checkWindows(_ backend: GLBackend) async {
    for (format, alpha) in [
      (PixelFormat.rgba8, AlphaMode.straight), (.rgba8, .premultiplied), (.gray8, .opaque),
      (PixelFormat(.rgb, .float32), .opaque),
    ] {
      let image = Image.textured(Size(width: 131, height: 77), format, alpha: alpha)
      for edge in EdgeMode.allCases {
        for text in GPUCheck.windows {
          let plan = try? FilterChain(text: text).plan(
            for: Plan.Input(image), options: PlanOptions(edge: edge))
          note(await difference(plan, image, backend), "\(text), \(format) \(alpha), \(edge)")
        }
      }
    }
  }

  private mutating func checkFormats(_ backend: GLBackend) async {
    let chain: FilterChain = [.gaussian(sigma: 9), .saturation(1.8)]
    for format in PixelFormat.all {
      let image = Image.textured(
        Size(width: 131, height: 77), format, alpha: format.layout.hasAlpha ? .straight : .opaque)
      for edge in EdgeMode.allCases {
        for linear in [false, true] {
          let options = PlanOptions(edge: edge, linearLight: linear)
          let plan = try? chain.plan(for: Plan.Input(image), options: options)
          note(
            await difference(plan, image, backend),
            "\(format), \(edge)\(linear ? ", linear light" : "")",
            within: format.depth == .uint8 ? GPUCheck.allowed : GPUCheck.allowedOfDeep)
        }
      }
    }
  }

  /// Levels of 255; `nil` where a backend fails, or there is no plan.
  private func difference(_ plan: Plan?, _ image: Image, _ backend: GLBackend) async -> Double? {
    guard let plan, let expected = try? await ReferenceBackend().execute(plan, [image]),
      let actual = try? await backend.execute(plan, [image])
    else { return nil }
    return try? ImageComparison(expected, actual).maximum
  }

  /// A frame whose long passes run in bands, beside what the CPU makes of it; and in tiles.
  private mutating func checkLarge(_ backend: GLBackend) async throws {
    let image = Image.textured(Size(width: 3840, height: 2160), .rgba8)
    var small = options
    small.longestSide = 1100
    let tiles = try await GLBackend.start(small)
    for sigma in [2.0, 20] {
      let plan = try? FilterChain([.gaussian(sigma: Sigma(sigma))]).plan(for: Plan.Input(image))
      let expected = await result(plan, image, FastBackend())
      for (backend, how) in [(backend, "whole"), (tiles, "in tiles")] {
        let actual = await result(plan, image, backend)
        var difference: Double?
        if let expected, let actual {
          difference = try? ImageComparison(expected, actual).maximum
        }
        note(difference, "σ \(sigma) of \(image.size), \(how)")
      }
    }
  }

  private func result(_ plan: Plan?, _ image: Image, _ backend: any Backend) async -> Image? {
    guard let plan else { return nil }
    return try? await backend.execute(plan, [image])
  }

  /// Planes of every sampling and arrangement, through a filter and back.
  private mutating func checkPlanes(_ backend: GLBackend) async {
    let size = Size(width: 257, height: 131)
    for format in [
      YCbCrFormat(), .jpeg, YCbCrFormat(arrangement: .interleaved),
      YCbCrFormat(matrix: .bt2020, sampling: .columns, bits: .sixteen),
      YCbCrFormat(sampling: .none, arrangement: .interleaved),
    ] {
      let planes = format.planes(of: size).map {
        Image.textured($0.size, $0.format, alpha: .opaque)
      }
      let plan = try? FilterChain([.gaussian(sigma: 4)]).plan(for: format, size: size)
      note(await difference(plan, planes, backend), "planes, \(format)")
    }
  }

  /// Levels of 255, of the largest plane's; `nil` where a backend fails, or there is no plan.
  private func difference(
    _ plan: YCbCrPlan?, _ planes: [Image], _ backend: GLBackend
  ) async -> Double? {
    guard let plan,
      let picture = try? YCbCrImage(size: plan.size, format: plan.format, planes: planes),
      let expected = try? await ReferenceBackend().execute(plan, picture),
      let actual = try? await backend.execute(plan, picture)
    else { return nil }
    return zip(expected.planes, actual.planes).compactMap { try? ImageComparison($0, $1).maximum }
      .max()
  }

  private mutating func checkGaussians(_ backend: GLBackend) async {
    let image = Image.textured(Size(width: 161, height: 143), .rgba8, alpha: .straight)
    for sigma in GPUCheck.sigmas {
      let chain: FilterChain = [.gaussian(sigma: Sigma(sigma))]
      guard
        let plan = try? chain.plan(for: Plan.Input(image)).storing(
          as: PixelFormat(.rgba, .float32)),
        let truth = try? Truth(options: PlanOptions()).run(chain, on: image, like: plan),
        let actual = try? await backend.execute(plan, [image]),
        let comparison = try? ImageComparison(truth, actual)
      else {
        wrong.append("σ \(sigma)")
        continue
      }
      worstOfTruth = max(worstOfTruth, comparison.maximum)
      if comparison.maximum > plan.certifiedError.total { wrong.append("σ \(sigma)") }
    }
  }
}
