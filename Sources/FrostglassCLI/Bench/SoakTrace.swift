internal import Frostglass
internal import FrostglassBackends
internal import FrostglassGL

/// `frostglass bench --soak`: many jobs on one backend, and a table of the memory they leave taken.
struct SoakTrace {
  static let heading = "job,seconds,rss_bytes,gpu_bytes,gpu_peak_bytes,textures,made,reused"

  var jobs: Int
  var selector: BackendSelector

  /// - Throws: `Failure` at the first job that fails.
  func run() async throws(Failure) {
    do throws(BenchError) {
      var soak = try await Soak(on: selector)
      Console.print(SoakTrace.heading)
      // Some 200 lines, the first and the last job among them.
      let every = max(jobs / 200, 1)
      for job in 1...jobs {
        let row = try await soak.next()
        if job % every == 0 || job == 1 || job == jobs { Console.print(line(row)) }
      }
    } catch { throw error.failure }
  }

  private func line(_ row: Soak.Row) -> String {
    let seconds = Double(row.elapsed / .milliseconds(1)) / 1000
    let gpu = row.gpu
    let numbers = [
      row.resident, gpu.heldBytes + gpu.bufferBytes, gpu.peakBytes, gpu.textures, gpu.made,
      gpu.reused,
    ]
    return "\(row.job),\(seconds)," + numbers.map { "\($0)" }.joined(separator: ",")
  }
}
