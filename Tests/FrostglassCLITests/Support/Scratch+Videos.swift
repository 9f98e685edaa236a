import Foundation
import Synchronization
import Testing

/// Videos of tests: ffmpeg makes them.
extension Scratch {
  /// True if ffmpeg is installed.
  static let hasFFmpeg = FileManager.default.isExecutableFile(atPath: "/usr/bin/ffprobe")

  /// A folder with what ffmpeg makes of some lines of words, one after another. The same lines make the same videos:
  /// to start it takes longer than to encode what tests need.
  convenience init(ffmpeg lines: [String]) throws {
    try self.init()
    if let videos = Self.videos.withLock({ $0[lines] }) {
      for (name, bytes) in videos { try add(name, bytes) }
      return
    }
    for line in lines {
      let made = try shell("ffmpeg -v error -y -nostdin \(line)")
      try #require(made.exitCode == 0, "\(line)\n\(made)")
    }
    let videos = try Dictionary(uniqueKeysWithValues: names.map { ($0, try contents($0)) })
    // Large ones are few, and those of one test.
    guard videos.values.reduce(0, { $0 + $1.count }) < 1 << 20 else { return }
    Self.videos.withLock { $0[lines] = videos }
  }

  /// The files made so far, by the lines that make them.
  private static let videos = Mutex<[[String]: [String: [UInt8]]]>([:])

  /// The same of lines that are given one by one.
  convenience init(ffmpeg lines: String...) throws { try self.init(ffmpeg: lines) }

  /// Runs a line of words as a command of videos on the CPU, which is to exit with a code.
  func video(
    _ words: String, exit: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> CommandRun {
    let run = try shell("\"$frostglass\" \(words) --backend fast")
    #expect(run.exitCode == exit, "\(words)\n\(run)", sourceLocation: sourceLocation)
    return run
  }
}
