internal import Frostglass

/// Measures on request: one line in, one round, one line out, with memory and threads kept warm.
///
/// Another program can so measure this one and others in turn, on the same frame.
struct BenchDialogue {
  /// `SIGMA`, or `SIGMA FILE` to have the blurred samples written to a new file.
  private struct Request {
    var sigma: Double
    var file: String?

    init(_ line: String) throws(Failure) {
      let words = line.split(separator: " ", maxSplits: 1)
      guard let word = words.first, let sigma = Double(word), Sigma.range.contains(sigma) else {
        throw .usage(
          "the request is \"\(line)\"; it must be a sigma from 0 to 1000, and may end with the "
            + "name of a file to make")
      }
      self.sigma = sigma
      file = words.count > 1 ? String(words[1]) : nil
    }
  }

  var bench: FrameBench

  /// Answers until standard input ends.
  ///
  /// - Throws: `Failure`: 64 for a request that cannot be meant.
  mutating func run() async throws(Failure) {
    while let line = readLine() {
      let request = try Request(line)
      let round = try await round(sigma: request.sigma)
      if let file = request.file {
        do throws(RawFile.Failure) { try RawFile.write(bench.result.bytes, to: file) } catch {
          throw error.failure
        }
      }
      Console.print(BenchText.json(round, sigma: request.sigma))
    }
  }

  /// One round, after one that does not count unless it is long: whoever asks is still busy for a
  /// moment, on a core that is wanted here.
  private mutating func round(sigma: Double) async throws(Failure) -> BenchRound {
    do throws(BenchError) {
      let round = try await bench.round(sigma: sigma)
      return round.blur < .milliseconds(100) ? try await bench.round(sigma: sigma) : round
    } catch { throw error.failure }
  }
}
