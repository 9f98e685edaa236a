import FrostglassCPU
import FrostglassCore
package import FrostglassGL
import TestSupport

/// Everything that must hold for a case, whatever it is.
///
/// One and the same image comes from the fast backend with every instruction set and number of
/// threads, from its rows one after another, from its parts, and with any bytes in memory that was not
/// written yet; the same as the reference's within the plan's own bound; and from the GPU likewise.
package struct ChainChecks: Sendable {
  /// A rule that a case broke.
  package struct Finding: Sendable, CustomStringConvertible {
    /// The rule; stays the same while a case is made smaller.
    package var rule: String
    package var detail: String

    package var description: String { "\(rule): \(detail)" }
  }

  /// The outcome of a case.
  package enum Outcome: Sendable {
    /// All rules hold.
    case agreed
    /// The chain or the mask was refused in words, as values out of an image's range are.
    case refused
    /// More arithmetic than `mostWork`.
    case tooDear
    case found(Finding)
  }

  /// A GPU backend, and the same with so little memory that plans run in tiles.
  package struct GPU: Sendable {
    package var name: String
    package var backend: GLBackend
    package var tiled: GLBackend?
    /// True if it has only the limits that OpenGL ES 3.1 guarantees, so that some chains need larger textures for one
    /// pixel than it has.
    package var isSmall: Bool

    package init(name: String, options: GLOptions, tiles: Bool) async throws {
      self.name = name
      isSmall = options.restrictToES31Minimum
      backend = try await GLBackend.start(options)
      var small = options
      small.longestSide = GPU.side
      tiled = tiles ? try await GLBackend.start(small) : nil
    }

    private static let side = 128

    /// The result; `nil` where the device is too small, and says so.
    func result(_ plan: Plan, _ image: Image) async throws -> Image? {
      do { return try await backend.execute(plan, [image]) } catch BackendError.unsupported
        where isSmall
      { return nil }
    }

    /// The result made in tiles; `nil` where it fits one, or where a pixel reaches farther than a tile.
    func inTiles(_ plan: Plan, _ image: Image) async throws -> Image? {
      let size = plan.result.rect.size
      guard let tiled, max(size.width, size.height) > GPU.side else { return nil }
      do { return try await tiled.execute(plan, [image]) } catch BackendError.unsupported {
        return nil
      }
    }
  }

  /// Multiply-adds of all samples of a case, at most.
  package var mostWork = 2e7
  private let gpus: [GPU]
  private let plain = FastBackend(threads: 1, instructions: .best)
  private let variants: [(name: String, backend: FastBackend)] = [
    ("portable, 3 threads", FastBackend(threads: 3, instructions: .portable)),
    ("baseline", FastBackend(threads: 1, instructions: .baseline)),
    ("3 threads, guarded", FastBackend(threads: 3, instructions: .best, guardedWith: 0x7F)),
  ]
  /// The backend for passes without kernels of their own.
  private let rows = FastBackend(
    threads: 3, instructions: .best, usesReference: true, guardedWith: 0xFF)

  package init(gpus: [GPU] = []) { self.gpus = gpus }

  /// Runs a case in every way.
  package func run(_ test: ChainCase) async throws -> Outcome {
    let plan: Plan
    do { plan = try test.plan() } catch let error as PlanError {
      if case .malformed = error { return .found(Finding(rule: "plan", detail: "\(error)")) }
      return .refused
    } catch {
      // A text that was made of the catalog's own table reads.
      return error is RegionTextError
        ? .refused : .found(Finding(rule: "text", detail: "\(error)"))
    }
    do { try plan.validate(for: .none) } catch {
      return .found(Finding(rule: "validation", detail: "\(error)"))
    }
    let work = plan.steps.reduce(0.0) { sum, step in
      let domain = step.target.map { plan.slots[$0].domain } ?? plan.result.rect
      return sum + Double(domain.area) * Double(step.pass.multiplyAdds + 4)
    }
    guard work < mostWork else { return .tooDear }
    let image = test.image()
    let finding: Finding?
    do { finding = try await firstFinding(test, plan, image) } catch {
      finding = Finding(rule: "error", detail: "\(error)")
    }
    return finding.map { .found($0) } ?? .agreed
  }

  private func firstFinding(
    _ test: ChainCase, _ plan: Plan, _ image: Image
  ) async throws -> Finding? {
    let reference = try await ReferenceBackend().execute(plan, [image])
    let fast = try await plain.execute(plan, [image])
    let certain = try await certainty(test, plan, image)
    if let found = try far(fast, reference, plan, "fast is the reference", where: certain) {
      return found
    }
    for variant in variants {
      let made = try await variant.backend.execute(plan, [image])
      if let found = differs(made, fast, "fast, \(variant.name)") { return found }
    }
    let inRows = try await rows.execute(plan, [image])
    if let found = differs(inRows, reference, "reference kernels on rows") { return found }
    let stream = try await plain.executeRows(plan, image)
    if let found = differs(stream, fast, "rows one after another") { return found }
    let shared = try await variants[2].backend.executeRows(plan, image)
    if let found = differs(shared, fast, "rows one after another, 3 threads") { return found }
    if let part = test.part, plan.result.rect.contains(part) {
      if let found = try await differs(plan, part, image, fast, plain) { return found }
      if let found = try await differs(plan, part, image, reference, ReferenceBackend()) {
        return found
      }
    }
    for gpu in gpus {
      guard let made = try await gpu.result(plan, image) else { continue }
      let rule = "\(gpu.name) is the reference"
      if let found = try far(made, reference, plan, rule, where: certain) { return found }
      if let parts = try await gpu.inTiles(plan, image) {
        if let found = differs(parts, made, "\(gpu.name) in tiles") { return found }
      }
      if let part = test.part, plan.result.rect.contains(part) {
        if let found = try await differs(plan, part, image, made, gpu.backend) { return found }
      }
    }
    return nil
  }

  private func differs(
    _ plan: Plan, _ part: Rect, _ image: Image, _ whole: Image, _ backend: any Backend
  ) async throws -> Finding? {
    let cropped = try plan.cropped(to: part)
    try cropped.validate(for: .none)
    let made = try await backend.execute(cropped, [image])
    let expected = whole.bytes(of: part)
    return made.bytes == expected
      ? nil : Finding(rule: "\(backend.name), a part", detail: "\(part) of \(whole.size)")
  }

  private func differs(_ made: Image, _ expected: Image, _ rule: String) -> Finding? {
    guard made.bytes != expected.bytes else { return nil }
    let count = zip(made.bytes, expected.bytes).filter { $0 != $1 }.count
    let levels = (try? ImageComparison(made, expected).maximum) ?? 255
    return Finding(rule: rule, detail: "\(count) bytes differ, by up to \(levels) levels")
  }

  /// Returns a finding if two images are farther apart than the plan's arithmetic and the last rounding allow.
  private func far(
    _ made: Image, _ reference: Image, _ plan: Plan, _ rule: String,
    where isCertain: (_ x: Int, _ y: Int) -> Bool
  ) throws -> Finding? {
    guard made.size == reference.size, made.format == reference.format else {
      return Finding(rule: rule, detail: "another size or format")
    }
    // Straight colors and their alpha are rounded apart, which counts twice premultiplied.
    let rounding: Double =
      switch plan.result.format.depth {
      case .uint8: plan.result.alpha == .straight ? 2.0 : 1
      case .uint16: 2.0 / 257
      case .float32: 0
      }
    let allowed = rounding + 0.02 + plan.certifiedError.arithmetic
    guard try ImageComparison(made, reference).maximum > allowed else { return nil }
    for y in 0..<made.size.height {
      for x in 0..<made.size.width where isCertain(x, y) {
        let difference =
          made.premultipliedPixel(x: x, y: y) - reference.premultipliedPixel(x: x, y: y)
        let levels = (0..<4).map { 255 * abs(difference[$0]) }.max() ?? 0
        // Also what is no number.
        guard !(levels <= allowed) else { continue }
        return Finding(rule: rule, detail: "\(levels) levels at \(x), \(y), allowed \(allowed)")
      }
    }
    return nil
  }

  /// Returns where a plan's bound is promised: everywhere, except for a confined chain of means only. There at least
  /// a quarter of the weight must be covered, see `Planner.normalized`.
  private func certainty(
    _ test: ChainCase, _ plan: Plan, _ image: Image
  ) async throws -> (Int, Int) -> Bool {
    let division = plan.steps.last { step in
      guard case .blend(let blend) = step.pass else { return false }
      return switch blend.mode {
      case .normalize, .normalizeAbove: true
      default: false
      }
    }
    guard test.mask?.use == Mask.Use.confine.rawValue, let division,
      case .blend(let blend) = division.pass, blend.mode == .normalize,
      case let slot = division.sources[0].slot,
      let maker = plan.steps.firstIndex(where: { $0.target == slot })
    else { return { _, _ in true } }
    let prefix = plan.prefix(maker + 1)
    let weights = try await ReferenceBackend().execute(prefix, [image])
    let domain = prefix.result.rect
    return { x, y in
      guard domain.columns.contains(x), domain.rows.contains(y) else { return true }
      return weights.sample(x: x - domain.x, y: y - domain.y, channel: 3) >= 0.25
    }
  }
}

extension Image {
  /// The bytes of a part, without gaps.
  fileprivate func bytes(of rect: Rect) -> [UInt8] {
    rect.rows.flatMap { y in
      let start = y * bytesPerRow + rect.x * format.bytesPerPixel
      return bytes[start..<start + rect.width * format.bytesPerPixel]
    }
  }
}
