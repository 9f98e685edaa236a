/// What came of asking one platform for a context.
public struct DisplayReport: Sendable, Hashable {
  public var platform: DisplayPlatform
  public var outcome: Result<GLDevice, EGLFailure>

  public init(platform: DisplayPlatform, outcome: Result<GLDevice, EGLFailure>) {
    self.platform = platform
    self.outcome = outcome
  }

  /// The device, if a context could be made.
  public var device: GLDevice? {
    if case .success(let device) = outcome { device } else { nil }
  }

  /// Why none could.
  public var failure: EGLFailure? {
    if case .failure(let failure) = outcome { failure } else { nil }
  }
}
