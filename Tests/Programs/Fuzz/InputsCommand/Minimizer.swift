import Foundation
import FuzzProcesses
import InputFuzzing

/// Makes an input that fails smaller and more like what it was made from, as long as it fails.
struct Minimizer {
  let kind: FuzzKind
  let folder: String
  /// Seconds that a try may take.
  let most: Double
  /// Children that may be started.
  private var tries = 400

  init(_ kind: FuzzKind, folder: String, most: Double) {
    self.kind = kind
    self.folder = folder
    self.most = most
  }

  /// - Parameter original: the sample that `bytes` were made from.
  /// - Throws: `OwnProcess.NotStarted` when the system refuses to start a child.
  mutating func minimized(
    _ bytes: [UInt8], _ original: [UInt8]
  ) throws(OwnProcess.NotStarted) -> [UInt8] {
    var best = bytes
    // Bytes as they were, in blocks that become smaller.
    if best.count == original.count {
      best = try passes(over: best) { candidate, range in
        candidate.replaceSubrange(range, with: original[range])
      }
    }
    return try passes(over: best) { candidate, range in candidate.removeSubrange(range) }
  }

  private mutating func passes(
    over bytes: [UInt8], _ change: (inout [UInt8], Range<Int>) -> Void
  ) throws(OwnProcess.NotStarted) -> [UInt8] {
    var best = bytes
    var block = max(best.count / 2, 1)
    while tries > 0 {
      var place = 0
      while place < best.count, tries > 0 {
        var candidate = best
        change(&candidate, place..<min(place + block, best.count))
        if candidate != best, try fails(candidate) { best = candidate }
        place += block
      }
      if block == 1 { break }
      block = max(block / 2, 1)
    }
    return best
  }

  private mutating func fails(_ bytes: [UInt8]) throws(OwnProcess.NotStarted) -> Bool {
    tries -= 1
    let path = "\(folder)/candidate"
    guard (try? Data(bytes).write(to: URL(fileURLWithPath: path))) != nil else { return false }
    let child = try ChildProcess(["--one", kind.rawValue, path], folder: folder)
    return child.end(most: most).failure != nil
  }
}
