internal import FrostglassBackends
internal import FrostglassCPU
internal import FrostglassGL

/// Whether a stage of the GPU makes the pictures that the CPU makes.
struct GPUCheck {
  /// A sample between two levels may be rounded to either.
  private static let allowed = 1.001
  private static let sigmas = [1.5, 4, 5.2, 9, 24, 70]

  private let stage: GLOptions.Stage
  private var filters = 0
  private var worst = 0.0
  private var wrong: [String] = []
  private var worstOfTruth = 0.0

  /// Runs every filter with its defaults, pictures in planes, and Gaussians in floats against direct sums.
  init(_ stage: GLOptions.Stage) async throws(BackendError) {
    self.stage = stage
    let backend = try await GLBackend.start(GLOptions(stage: stage, programs: .specialized))
    do throws(PlanError) {
      try await checkFilters(backend)
      try await checkPlanes(backend)
      try await checkGaussians(backend)
    } catch { throw .failed(backend: "gl", what: "\(error)") }
  }

  var isRight: Bool { wrong.isEmpty }

  /// A row of the table.
  var row: String {
    "| \(stage) | \(filters) | \(GPUText.fixed(worst, 3)) | \(GPUText.fixed(worstOfTruth, 3)) | "
      + "\(wrong.isEmpty ? "none" : wrong.joined(separator: ", ")) |"
  }

  private mutating func checkFilters(_ backend: GLBackend) async throws(PlanError) {
    let image = Image.textured(Size(width: 257, height: 131), .rgba8, alpha: .straight)
    for filter in Catalog.filters {
      let plan = try FilterChain(filter).plan(for: Plan.Input(image))
      filters += 1
      let difference = await self.difference(plan, image, backend)
      worst = max(worst, difference ?? 0)
      if difference.map({ $0 > GPUCheck.allowed }) ?? true { wrong.append(filter.name) }
    }
  }

  /// Levels of 255; `nil` where a backend fails.
  private func difference(_ plan: Plan, _ image: Image, _ backend: GLBackend) async -> Double? {
    guard let expected = try? await ReferenceBackend().execute(plan, [image]),
      let actual = try? await backend.execute(plan, [image])
    else { return nil }
    return try? ImageComparison(expected, actual).maximum
  }

  /// Planes of every sampling and arrangement, through a filter and back.
  private mutating func checkPlanes(_ backend: GLBackend) async throws(PlanError) {
    let size = Size(width: 257, height: 131)
    for format in [
      YCbCrFormat(), .jpeg, YCbCrFormat(arrangement: .interleaved),
      YCbCrFormat(matrix: .bt2020, sampling: .columns, bits: .sixteen),
      YCbCrFormat(sampling: .none, arrangement: .interleaved),
    ] {
      let planes = format.planes(of: size).map {
        Image.textured($0.size, $0.format, alpha: .opaque)
      }
      let plan = try FilterChain([.gaussian(sigma: 4)]).plan(for: format, size: size)
      let difference = await self.difference(plan, planes, backend)
      worst = max(worst, difference ?? 0)
      if difference.map({ $0 > GPUCheck.allowed }) ?? true { wrong.append("planes, \(format)") }
    }
  }

  /// Levels of 255, of the largest plane's; `nil` where a backend fails.
  private func difference(
    _ plan: YCbCrPlan, _ planes: [Image], _ backend: GLBackend
  ) async -> Double? {
    guard let picture = try? YCbCrPicture(size: plan.size, format: plan.format, planes: planes),
      let expected = try? await ReferenceBackend().execute(plan, picture),
      let actual = try? await backend.execute(plan, picture)
    else { return nil }
    return zip(expected.planes, actual.planes).compactMap { try? ImageComparison($0, $1).maximum }
      .max()
  }

  private mutating func checkGaussians(_ backend: GLBackend) async throws(PlanError) {
    let image = Image.textured(Size(width: 161, height: 143), .rgba8, alpha: .straight)
    for sigma in GPUCheck.sigmas {
      let chain: FilterChain = [.gaussian(sigma: Sigma(sigma))]
      let plan = try chain.plan(for: Plan.Input(image))
        .storing(as: PixelFormat(.rgba, .float32))
      guard let truth = try? Truth(options: PlanOptions()).run(chain, on: image, like: plan),
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
