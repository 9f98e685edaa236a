import Foundation
import Testing

/// Films of tests: ffmpeg makes them.
extension Scratch {
  /// Whether there is an ffmpeg that can.
  static let hasFFmpeg = FileManager.default.isExecutableFile(atPath: "/usr/bin/ffprobe")

  /// A folder with what ffmpeg makes of some lines of words, one after another.
  convenience init(ffmpeg lines: [String]) throws {
    try self.init()
    for line in lines {
      let made = try shell("ffmpeg -v error -y -nostdin \(line)")
      try #require(made.exitCode == 0, "\(line)\n\(made)")
    }
  }

  /// The same of lines that are given one by one.
  convenience init(ffmpeg lines: String...) throws { try self.init(ffmpeg: lines) }

  /// Runs a line of words as a command of films on the CPU, which is to exit with a code.
  func film(
    _ words: String, exit: Int32 = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> CommandRun {
    let run = try shell("\"$frostglass\" \(words) --backend fast")
    #expect(run.exitCode == exit, "\(words)\n\(run)", sourceLocation: sourceLocation)
    return run
  }
}
