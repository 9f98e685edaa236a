package import FrostglassBackends
package import FrostglassCore
package import FrostglassGL
internal import Glibc

/// Runs many jobs of all kinds on one backend and watches what they leave behind.
package struct Soak: Sendable {
  /// The process's state after a job.
  package struct Row: Sendable {
    /// Counted from 1.
    package var job: Int
    package var elapsed: Duration
    /// Bytes that the process holds in memory.
    package var resident: Int
    /// The GPU memory of images; zeros on other backends.
    package var gpu: TexturePoolStatistics
  }

  private let runner: any Backend
  private let start = ContinuousClock.now
  private var mix: JobMix
  private var job = 0

  /// Starts the backend.
  ///
  /// - Parameter seed: the same for the same jobs.
  package init(on selector: BackendSelector, seed: UInt64 = 1) async throws {
    runner = try await selector.selection().backend
    mix = JobMix(seed: seed)
  }

  /// Runs the next job.
  ///
  /// - Throws: `PlanError` or `BackendError`, also where the backend had to make something good.
  package mutating func next() async throws -> Row {
    let (image, plan) = try mix.next()
    let recoveries = RecoveryLog()
    _ = try await runner.execute(plan, [image]) { recoveries.add($0) }
    if let recovery = recoveries.all.first {
      throw BackendError.failed(
        backend: recovery.backend, what: "\(recovery.failure); \(recovery.remedy)")
    }
    job += 1
    let gpu = await (runner as? GLBackend)?.textureStatistics ?? TexturePoolStatistics()
    return Row(
      job: job, elapsed: start.duration(to: .now), resident: Soak.residentBytes(), gpu: gpu)
  }

  private static func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 256)
    guard fgets(&text, 256, file) != nil else { return 0 }
    // All pages, then those in memory.
    let words = String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
      separator: " ")
    return words.count > 1 ? (Int(words[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
  }
}

/// Images of many sizes and formats with filters of all kinds, the same for the same seed.
package struct JobMix: Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  /// An image of up to half a megapixel and what to do with it.
  package mutating func next() throws(PlanError) -> (Image, Plan) {
    let format = PixelFormat.all[below(PixelFormat.all.count)]
    // Mostly small, some large, so that large textures come and go.
    let longest = [160, 160, 160, 700][below(4)]
    let size = Size(width: 8 + below(longest), height: 8 + below(longest))
    let image = Image.textured(size, format, alpha: format.layout.hasAlpha ? .straight : .opaque)
    let filters = Catalog.filters
    let chain: FilterChain =
      below(2) == 0
      ? [.gaussian(sigma: Sigma(Double(1 + below(60)))), .saturation(1.8)]
      : FilterChain(filters[below(filters.count)])
    let options = PlanOptions(
      edge: EdgeMode.allCases[below(EdgeMode.allCases.count)], linearLight: below(3) == 0)
    return (image, try chain.plan(for: Plan.Input(image), options: options))
  }

  private mutating func below(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state >> 33) % bound
  }
}
