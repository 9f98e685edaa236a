public import FrostglassGL

/// Which backend runs plans, how it is set up, and what it is for.
public struct BackendOptions: Sendable, Hashable {
  public var choice: BackendChoice
  /// Workers of the fast backend; `nil` means one per core.
  public var threads: Int?
  /// The GPUs of the gl backend, by their numbers in `frostglass doctor`'s list or parts of their
  /// names, separated by commas, or `all`; several share the work. `nil` means what `gl` says.
  public var devices: String?
  /// How many pictures will come, as far as is known: 1 or more. `auto` starts a GPU only where
  /// that pays for them together.
  public var expectedJobs: Int
  /// How many of them run at the same time, each on `threads` workers: 1 or more.
  public var jobsAtOnce: Int
  /// How GPUs are used.
  public var gl: GLOptions

  public init(
    _ choice: BackendChoice = .auto, threads: Int? = nil, devices: String? = nil,
    expectedJobs: Int = 1, jobsAtOnce: Int = 1, gl: GLOptions = GLOptions()
  ) {
    self.choice = choice
    self.threads = threads
    self.devices = devices
    self.expectedJobs = expectedJobs
    self.jobsAtOnce = jobsAtOnce
    self.gl = gl
  }
}
