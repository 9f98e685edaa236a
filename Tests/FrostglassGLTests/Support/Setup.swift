import FrostglassCore
import FrostglassGL

/// The ways of running a plan that must agree.
enum Setup: String, CaseIterable, CustomStringConvertible {
  case fragment, compute
  case restrictedFragment = "restricted fragment"
  case restrictedCompute = "restricted compute"
  case specializedFragment = "specialized fragment"
  case specializedCompute = "specialized compute"
  case blocked
  case windows = "compute with shared windows"

  var description: String { rawValue }

  /// Half of what a test goes through, by its places in a list: the other half is another setup's of the same
  /// stage. For what does not depend on the setup.
  func takes(_ index: Int) -> Bool {
    let place = Setup.allCases.firstIndex(of: self) ?? 0
    return (index + place + place / 2) % 2 == 0
  }

  var options: GLOptions {
    switch self {
    case .fragment: GLOptions(stage: .fragment)
    case .compute: GLOptions(stage: .compute)
    case .restrictedFragment: GLOptions(stage: .fragment, restrictToES31Minimum: true)
    case .restrictedCompute: GLOptions(stage: .compute, restrictToES31Minimum: true)
    case .specializedFragment: GLOptions(stage: .fragment, programs: .specialized)
    case .specializedCompute: GLOptions(stage: .compute, programs: .specialized)
    case .blocked: GLOptions(stage: .blocked, programs: .specialized)
    case .windows: Setup.windows(GLOptions(stage: .compute, programs: .specialized))
    }
  }

  /// Options with which groups share the samples of windows as on a GPU, whoever runs them.
  static func windows(_ options: GLOptions) -> GLOptions {
    var options = options
    options.sharesWindows = true
    return options
  }
}
