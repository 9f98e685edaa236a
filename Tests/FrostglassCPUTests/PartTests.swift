import FrostglassCPU
import FrostglassCore
import TestSupport
import Testing

/// A part of an image has the bytes it has in the whole.
struct PartTests {
  static let chains = [
    "blur(20px)", "gaussian(2, 17)", "box(6, 3)", "blur(8px) saturate(1.8) tint(white, 0.3)",
    "blur(11px) mix(0.5)", "blur(5px) blur(30px)", "bilateral(2px)", "bilateral-separable(4px)",
    "median(3)", "pixelate(7px)", "blur(3px) pixelate(10px, hexagon)", "grain(0.1, 3px)",
    "blur(9px) dither()", "gpuimage-bilateral()",
    "motion(90px, 25deg)", "zoom(amount=0.4)", "spin(0.3, 0.4, 50deg)", "lens(20px)", "kawase(8px)",
    "triple-box(5px)",
    "chrome-dark(7px)", "thin-light(22px)",
    "glass(width=60px, height=50px, radius=20px, refraction=40px, depth=12px, dispersion=1)",
  ]

  @Test(arguments: chains, EdgeMode.allCases)
  func croppedBytesAreThoseOfTheWhole(text: String, edge: EdgeMode) async throws {
    let image = TestImages.noise(97, 83, .rgba8)
    let plan = try FilterChain(text: text).plan(
      for: Plan.Input(image), options: PlanOptions(edge: edge))
    let backends: [any Backend] = [ReferenceBackend(), FastBackend(threads: 2)]
    for backend in backends {
      try await expectParts(of: plan, image, on: backend)
    }
  }

  private func expectParts(of plan: Plan, _ image: Image, on backend: any Backend) async throws {
    let whole = try await backend.execute(plan, [image])
    for rect in [
      Rect(x: 0, y: 0, width: 97, height: 1), Rect(x: 13, y: 29, width: 31, height: 17),
      Rect(x: 96, y: 82, width: 1, height: 1), Rect(x: 40, y: 0, width: 3, height: 83),
    ] {
      let cropped = try plan.cropped(to: rect)
      try cropped.validate(for: .none)
      let part = try await backend.execute(cropped, [image])
      #expect(part.bytes == whole.bytes(in: rect), "\(backend.name) \(rect)")
    }
  }

  @Test(arguments: chains, [2, 3, 5])
  func stripsAreTheWhole(text: String, threads: Int) async throws {
    let image = TestImages.noise(64, 301)
    let plan = try FilterChain(text: text).plan(for: Plan.Input(image))
    let whole = try await FastBackend(threads: 1).execute(plan, [image])
    let strips = try await FastBackend(threads: threads).execute(plan, [image])
    #expect(strips.bytes == whole.bytes, "\(text)")
  }

  /// Intermediate images are in memory only as rows that are still to be read, in floats too.
  @Test(arguments: [false, true])
  func stripsTakeLittleMemory(linearLight: Bool) throws {
    let input = Plan.Input(
      size: Size(width: 500, height: 4000), format: .rgb8, alpha: .opaque, transfer: .encoded)
    let plan = try FilterChain([.gaussian(sigma: 5)]).plan(
      for: input, options: PlanOptions(linearLight: linearLight))
    let staged = StagedPlan(LoweredPlan(plan), strips: 2)
    let whole = plan.peakBytes { $0.domain.area }
    for stage in staged.stages {
      for needs in staged.strips(of: stage) {
        let schedule = RowSchedule(
          plan, target: stage.target, rows: needs.wanted, complete: stage.complete,
          rowsPerBand: RowSchedule.rowsPerBand)
        let kept = zip(plan.slots, schedule.capacity).reduce(0) { $0 + $1.0.domain.width * $1.1 }
        #expect(kept * 20 < whole)
      }
    }
  }

  /// Strips are not made if they would mostly repeat each other.
  @Test(arguments: [(1000.0, EdgeMode.clamp), (367, .clamp), (5, .wrap), (90, .mirror)])
  func stripsNeverRepeatMostOfTheWork(sigma: Double, edge: EdgeMode) throws {
    let input = Plan.Input(
      size: Size(width: 12000, height: 12000), format: .rgb8, alpha: .opaque, transfer: .encoded)
    let plan = try FilterChain([.gaussian(sigma: Sigma(sigma))]).plan(
      for: input, options: PlanOptions(edge: edge))
    let staged = StagedPlan(LoweredPlan(plan), strips: 2)
    for stage in staged.stages {
      let work = staged.strips(of: stage).reduce(0) { $0 + $1.samples }
      #expect(work <= staged.needs(stage, staged.rows(of: stage)).samples * 3 / 2)
    }
  }

  /// Filters that read little beyond a strip's border are shared among all workers.
  @Test(arguments: [2.0, 20, 200])
  func everyWorkerHasAStrip(sigma: Double) throws {
    let input = Plan.Input(
      size: Size(width: 3840, height: 2160), format: .rgb8, alpha: .opaque, transfer: .encoded)
    let plan = try FilterChain([.gaussian(sigma: Sigma(sigma))]).plan(for: input)
    let staged = StagedPlan(LoweredPlan(plan), strips: 4)
    #expect(staged.stages.allSatisfy { staged.strips(of: $0).count == 4 })
  }
}

extension Image {
  /// The bytes of a part, without gaps.
  func bytes(in rect: Rect) -> [UInt8] {
    rect.rows.flatMap { y in
      let start = y * bytesPerRow + rect.x * format.bytesPerPixel
      return bytes[start..<start + rect.width * format.bytesPerPixel]
    }
  }
}
