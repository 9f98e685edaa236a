/// The stage that runs a device's passes, and the reason.
package struct StageChoice: Sendable, Hashable, CustomStringConvertible {
  /// Never `automatic`.
  package var stage: GLOptions.Stage
  /// Why, in words.
  package var reason: String

  package var description: String { "\(stage) (\(reason))" }

  private init(_ stage: GLOptions.Stage, _ reason: String) {
    self.stage = stage
    self.reason = reason
  }

  /// Goes by what the device is: the pages in `Benchmarks/results` have the times that this follows from.
  package init(_ options: GLOptions, _ capabilities: GLCapabilities) {
    if options.stage != .automatic {
      self.init(options.stage, "asked for")
    } else if capabilities.isZinkOnCPU {
      // Its compute programs are wrong there, see docs/operate/gpu.md.
      self.init(.fragment, "zink on a software renderer")
    } else if !capabilities.computes {
      self.init(.fragment, "all that the device has")
    } else if capabilities.isSoftware {
      // Fetches are what costs there, in all versions of all of them.
      self.init(.blocked, "a software renderer")
    } else {
      self.init(.compute, "a GPU that computes")
    }
  }
}
