/// A failure of a backend's device or driver that did not stop a job, and what was done about it.
public struct Recovery: Sendable, Hashable, CustomStringConvertible {
  /// How the job went on.
  public enum Remedy: Sendable, Hashable, CustomStringConvertible {
    /// On the same device, with everything made anew.
    case freshContext
    /// Once more as before, after memory that was kept for later jobs was given back.
    case freedMemory
    /// In parts of at most this side, with at most so many bytes of textures; later jobs
    /// too, those with more bytes again after a while.
    case smallerTiles(side: Int, bytes: Int)
    /// In another of the GPU's stages, `fragment` or `compute`; later jobs too.
    case otherStage(String)
    /// With intermediate pictures in integers, which hold the same bits; later jobs too.
    case integerTextures
    /// On another device, of those that share the work.
    case otherDevice
    /// On another backend, of this name.
    case otherBackend(String)

    public var description: String {
      switch self {
      case .freshContext: "went on in a fresh context"
      case .freedMemory: "gave back the memory that was kept for later, and went on"
      case .smallerTiles(let side, let bytes):
        "went on in parts of at most \(side) pixels per side and \(bytes) bytes"
      case .otherStage(let stage): "went on in \(stage) shaders"
      case .integerTextures: "went on with integer textures"
      case .otherDevice: "another device did the job"
      case .otherBackend(let name): "the \(name) backend did the job"
      }
    }
  }

  /// The backend that failed.
  public var backend: String
  /// What happened.
  public var failure: String
  public var remedy: Remedy

  public init(backend: String, failure: String, remedy: Remedy) {
    self.backend = backend
    self.failure = failure
    self.remedy = remedy
  }

  public var description: String { "\(backend): \(failure); \(remedy)" }
}
