internal import FrostglassCore

/// An estimate of where plans of one kind run faster: it compares the bytes that go to a GPU and come back, the
/// arithmetic, and the number of images to come.
///
/// Images are in memory, so nearly all the time of a frame on a GPU is the transfer there and back, whatever the
/// card. A core needs about as long to move the same bytes through a light filter. The arithmetic per byte, and the
/// number of cores that share it, therefore decide.
package struct BackendRule: Sendable, Hashable {
  /// Seconds for 10⁶ bytes there or back: 3.8 ms for 66.4 MB on an H200, while other frames move as well.
  private static let way = 57e-6
  /// Seconds for a picture, however small: asking for its draws and waiting for them.
  private static let asking = 100e-6
  /// Seconds before the first picture: the driver, and the programs.
  private static let start = 0.5
  /// Seconds of a core for 10⁶ bytes, and for 10⁹ multiply-adds of each channel: between what was measured with
  /// AVX-512 (0.03) and without.
  private static let core = (bytes: 50e-6, sums: 0.05)

  /// Seconds on the CPU, for all pictures.
  package let fast: Double
  /// Seconds on the GPU, for all pictures, its start included.
  package let gl: Double
  /// Seconds of the start in `gl`.
  package let startUp: Double
  /// Pictures that are to come.
  package let jobs: Int
  /// Seconds that earlier pictures would have saved on the GPU.
  package let regret: Double

  /// - Parameters:
  ///   - megabytes: that go in and come out, for each picture.
  ///   - sums: 10⁹ multiply-adds per channel, for each picture.
  ///   - jobs: pictures that are to come, this one included; 1 or more.
  ///   - threads: workers on the CPU, for all pictures together; 1 or more.
  ///   - regret: seconds that earlier pictures would have saved. When they would have paid for the start, more may
  ///     come, so the GPU is started then: that costs at most twice what knowing the future would.
  ///   - isStarted: true if the GPU has started, so that its start costs nothing more.
  package init(
    megabytes: Double, sums: Double, jobs: Int, threads: Int, regret: Double = 0,
    isStarted: Bool = false
  ) {
    let one = BackendRule.core
    fast = Double(jobs) * (megabytes * one.bytes + sums * one.sums) / Double(threads)
    startUp = isStarted ? 0 : BackendRule.start
    gl = startUp + Double(jobs) * (BackendRule.asking + megabytes * BackendRule.way)
    self.jobs = jobs
    self.regret = regret
  }

  /// - Parameter plan: `nil` is a full HD frame of RGBA in 8 bits, with a chain of a few blurs.
  package init(
    _ plan: Plan?, jobs: Int, threads: Int, regret: Double = 0, isStarted: Bool = false
  ) {
    let inputs = plan?.inputs.reduce(0) { $0 + $1.size.area * $1.format.bytesPerPixel }
    self.init(
      megabytes: plan.map { Double((inputs ?? 0) + $0.resultBytes) / 1e6 } ?? 16.6,
      sums: plan.map { $0.multiplyAddsPerPixel * Double($0.result.rect.area) / 1e9 } ?? 0.1,
      jobs: jobs, threads: threads, regret: regret, isStarted: isStarted)
  }

  /// True if the GPU is to run them.
  package var usesGL: Bool { gl < fast + regret }

  /// Seconds that each picture would save on a started GPU; 0 where it would save none.
  package var savings: Double { max(0, (fast - (gl - startUp)) / Double(jobs)) }

  /// The numbers in words.
  package var words: String {
    var text = "fast: \(Self.milliseconds(fast)) expected; gl: \(Self.milliseconds(gl))"
    if startUp > 0 { text += ", of which \(Self.milliseconds(startUp)) start-up" }
    if jobs > 1 { text += "; for \(jobs) images" }
    if regret > 0 && usesGL && gl >= fast {
      text += "; earlier ones would have saved \(Self.milliseconds(regret))"
    }
    return text
  }

  private static func milliseconds(_ seconds: Double) -> String {
    let value = seconds * 1000
    return value >= 9.95 ? "\(Int(value.rounded())) ms" : "\((value * 10).rounded() / 10) ms"
  }
}
