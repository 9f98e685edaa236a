internal import FrostglassCore
internal import FrostglassShaders

/// Which part of the GPU runs a device's passes, and why.
public struct StageChoice: Sendable, Hashable, CustomStringConvertible {
  /// Never `automatic`.
  public var stage: GLOptions.Stage
  /// Why, in words.
  public var reason: String
  /// How long was measured for it just now, in seconds; 0 where that was clear.
  package var secondsSpent = 0.0

  public var description: String { "\(stage) (\(reason))" }

  package init(_ stage: GLOptions.Stage, _ reason: String) {
    self.stage = stage
    self.reason = reason
  }

  /// What is clear without a measurement, or was measured before; `nil` where it is not.
  package init?(_ options: GLOptions, _ capabilities: GLCapabilities) {
    let ways = capabilities.stages
    if options.stage != .automatic {
      self.init(options.stage, "asked for")
    } else if capabilities.isSoftware {
      self.init(.fragment, "a software renderer")
    } else if ways.count == 1 {
      self.init(ways[0], "all that the device has")
    } else if options.restrictToES31Minimum || options.cacheDirectory == nil {
      // A measurement takes longer than it would save, if it is not remembered.
      self.init(.compute, "not measured, as nothing is kept")
    } else if let times = StageTimes.remembered(for: capabilities, options) {
      self.init(times)
    } else {
      return nil
    }
  }

  /// The fastest; the earlier of two that are as good as equal, as their order will not change with
  /// the next measurement then.
  package init(_ times: StageTimes) {
    let fastest = times.seconds.map(\.seconds).min() ?? 0
    let best = times.seconds.first { $0.seconds <= fastest * 1.03 }
    let numbers = times.seconds.map { way in
      "\(way.stage) \((way.seconds * 100_000).rounded() / 100) ms"
    }
    self.init(best?.stage ?? .fragment, "measured: \(numbers.joined(separator: ", "))")
  }
}

extension GLCapabilities {
  /// The stages that the device can run passes in.
  var stages: [GLOptions.Stage] {
    GLOptions.Stage.allCases.filter { stage in
      switch stage {
      case .automatic: false
      case .fragment: true
      // Groups are 8 × 8; a device that takes none reports 0.
      case .compute: maxComputeInvocations >= 64
      case .blocked: maxComputeInvocations >= 64
      case .tiled: maxComputeInvocations >= ShaderBlock.invocations
      }
    }
  }
}
