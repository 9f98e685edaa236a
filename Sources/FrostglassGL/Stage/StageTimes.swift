package import FrostglassCore

/// How long the same blurs took in each stage of a device, measured once per device, driver and
/// version of this library, and remembered.
package struct StageTimes: Sendable, Hashable {
  /// A stage and the median of its times, in order of `GLOptions.Stage`'s cases.
  package struct Way: Sendable, Hashable {
    package var stage: GLOptions.Stage
    package var seconds: Double

    package init(_ stage: GLOptions.Stage, seconds: Double) {
      self.stage = stage
      self.seconds = seconds
    }
  }

  package var seconds: [Way]

  package init(_ seconds: [Way]) {
    self.seconds = seconds
  }

  /// Takes the median of each stage's times; a stage without any is left out, as it did not work.
  package init(_ times: [(stage: GLOptions.Stage, times: [Double])]) {
    seconds = times.compactMap { stage, times in
      times.isEmpty ? nil : Way(stage, seconds: times.sorted()[times.count / 2])
    }
  }

  /// What was measured before; `nil` where nothing was, or not of all that there is now.
  package static func remembered(
    for capabilities: GLCapabilities, _ options: GLOptions
  ) -> StageTimes? {
    guard let cache = options.cacheDirectory.map({ CacheDirectory($0) }),
      let record = CacheRecord("stage", of: subject(capabilities), in: cache)
    else { return nil }
    let ways = capabilities.stages.compactMap { stage in
      record.number("\(stage)").map { Way(stage, seconds: $0) }
    }
    return ways.count == record.values.count && !ways.isEmpty ? StageTimes(ways) : nil
  }

  package func remember(for capabilities: GLCapabilities, _ options: GLOptions) {
    guard let cache = options.cacheDirectory.map({ CacheDirectory($0) }), !seconds.isEmpty else {
      return
    }
    var record = CacheRecord(subject: StageTimes.subject(capabilities))
    for way in seconds { record.values["\(way.stage)"] = "\(way.seconds)" }
    record.keep(as: "stage", in: cache)
  }

  /// A device that has got another stage since is measured again.
  private static func subject(_ capabilities: GLCapabilities) -> String {
    let stages = capabilities.stages.map { "\($0)" }.joined(separator: " ")
    return "\(capabilities.driverIdentity)\nfrostglass \(Version.current)\n\(stages)"
  }
}

extension StageTimes {
  /// Measures the stages of a device, without looking at what is remembered.
  ///
  /// - Parameter size: of the frame that is blurred.
  /// - Throws: `BackendError.unavailable` as a backend's start.
  package static func measured(
    _ options: GLOptions, _ size: Size
  ) async throws(BackendError) -> StageTimes {
    let executor = try GLThread()
    defer { executor.stop() }
    do throws(DisplaySearch.Failure) {
      return try await executor.start { () throws(DisplaySearch.Failure) in
        try StagedRunners(options, ContextSetup()).times(size)
      }
    } catch { throw error.backendError }
  }
}
