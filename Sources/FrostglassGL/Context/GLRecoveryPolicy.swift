internal import CGLES
internal import FrostglassCore

/// Decides how a job goes on after a failure. One per job; what it learns outlives it.
struct GLRecoveryPolicy {
  /// Shorter sides and fewer bytes than these are not worth trying.
  private static let least = TileLimits(longestSide: 64, bytes: 1 << 14)
  /// A device that refuses so often has another problem than size.
  private static let mostCuts = 8

  private var cuts = 0
  private var hasRetried = false
  private var hasFreed = false
  private(set) var hasLost = false

  /// Returns the remedy for a failure and records it in `history`; `nil` if the job is to be given up.
  ///
  /// - Parameter tile: the limits that the largest of the job's tiles needs.
  mutating func remedy(
    for failure: GLFailure, _ tile: TileLimits, _ history: inout GLDeviceHistory
  ) -> Recovery.Remedy? {
    switch failure {
    case .lost:
      hasLost = true
      history.losses += 1
      return history.isHopeless ? nil : .freshContext
    case .outOfMemory:
      // What is kept for later may be what is missing, and less of it than the half of a job.
      guard hasFreed else {
        hasFreed = true
        return .freedMemory
      }
      return smaller(
        TileLimits(longestSide: .max, bytes: tile.bytes / 2), tile, &history, .forAWhile)
    case .texture(let size, _):
      let side = min(max(size.width, size.height), tile.longestSide)
      return smaller(TileLimits(longestSide: side / 2, bytes: .max), tile, &history, .forGood)
    case .framebuffer:
      // Drivers do not say whether it is the size or the format that they refuse.
      return smaller(
        TileLimits(longestSide: tile.longestSide / 2, bytes: .max), tile, &history,
        .forAWhile)
    case .gl:
      guard !hasRetried else { return nil }
      hasRetried = true
      return .freshContext
    case .shader(_, isBlock: true, _) where !history.avoidsBlocks:
      history.avoidsBlocks = true
      return .freshContext
    case .shader, .unsupported, .image, .stopped: return nil
    }
  }

  /// - Parameter learned: what failed has told, no more: what this job happens to take otherwise is no
  ///   limit of the device.
  private mutating func smaller(
    _ learned: TileLimits, _ tile: TileLimits, _ history: inout GLDeviceHistory,
    _ time: GLDeviceHistory.Time
  ) -> Recovery.Remedy? {
    cuts += 1
    let limits = tile.limited(to: learned)
    guard cuts <= GLRecoveryPolicy.mostCuts,
      limits.longestSide >= GLRecoveryPolicy.least.longestSide,
      limits.bytes >= GLRecoveryPolicy.least.bytes
    else { return nil }
    history.learn(learned, time)
    return .smallerTiles(side: limits.longestSide, bytes: limits.bytes)
  }
}

/// The limits and failures found on a device, for the next contexts on it.
struct GLDeviceHistory: Hashable {
  /// The time for which a learned limit holds.
  enum Time {
    case forGood
    /// Memory may only have been short, as others use it too; and what cannot be drawn to may not
    /// have been too large.
    case forAWhile
  }

  /// The learned limits of textures, if lower than the device's own.
  var limits: TileLimits { known.limited(to: supposed) }
  private var known = GLDeviceHistory.none
  private var supposed = GLDeviceHistory.none
  /// Jobs that ended well since something was last learned for a while.
  private var endedWellSinceShortage = 0
  /// True once a program that makes blocks did not compile: drivers with few registers refuse some, and take the
  /// same passes without.
  var avoidsBlocks = false
  /// Contexts lost since a job last ended without losing one.
  var losses = 0
  /// Jobs given up since one last ended well.
  private(set) var givenUp = 0

  /// True if the device has failed too often to be used again.
  var isHopeless: Bool {
    losses >= GLDeviceHistory.patience || givenUp >= GLDeviceHistory.patience
  }

  private static let none = TileLimits(longestSide: .max, bytes: .max)
  private static let patience = 3
  /// Jobs after which more is tried again: few enough for a shortage to pass soon, and enough for one
  /// that lasts to cost little.
  private static let memoryOfShortages = 32

  /// Notes what textures are to take from now on, because they cannot take more.
  mutating func learn(_ limits: TileLimits, _ time: Time) {
    switch time {
    case .forGood: known = known.limited(to: limits)
    case .forAWhile:
      supposed = supposed.limited(to: limits)
      endedWellSinceShortage = 0
    }
  }

  /// Notes that a job ended with a result.
  ///
  /// - Returns: whether textures may take more again from now on.
  mutating func endedWell(afterLoss: Bool) -> Bool {
    givenUp = 0
    if !afterLoss { losses = 0 }
    guard supposed != GLDeviceHistory.none else { return false }
    endedWellSinceShortage += 1
    return endedWellSinceShortage >= GLDeviceHistory.memoryOfShortages && forgetShortages()
  }

  /// Notes that a job was given up. If it had shorter sides for a while, they did not help.
  mutating func gaveUp() {
    givenUp += 1
    supposed.longestSide = .max
  }

  /// Lets textures take as much as ever; whether that is more than before.
  mutating func forgetShortages() -> Bool {
    guard supposed != GLDeviceHistory.none else { return false }
    supposed = GLDeviceHistory.none
    endedWellSinceShortage = 0
    return true
  }
}

/// Why a plan stopped on the GPU; becomes a `BackendError` at the backend's door.
enum GLFailure: Error, Hashable, CustomStringConvertible {
  /// GL reported an error after a pass or a transfer.
  case gl(during: String, code: GLenum)
  /// The context is gone with all its objects: the GPU was reset, or the driver gave up.
  case lost(during: String)
  /// There is no memory left for a texture or a buffer, on the GPU or within the limit.
  case outOfMemory(during: String)
  /// A texture of a size that the device claims to take is refused.
  case texture(Size, code: GLenum)
  /// A shader did not compile or link.
  case shader(pass: String, isBlock: Bool, log: String)
  /// A framebuffer cannot be drawn to or read.
  case framebuffer(during: String, status: GLenum)
  /// The plan needs something that the device lacks.
  case unsupported(String)
  /// The result does not make an image.
  case image(ImageError)
  /// Somebody stopped the run.
  case stopped(BackendError)

  var description: String {
    switch self {
    case .gl(let activity, let code): "\(activity): \(GLFailure.name(of: code))"
    case .lost(let activity): "the context was lost during \(activity)"
    case .outOfMemory(let activity): "no memory for \(activity)"
    case .texture(let size, let code):
      "a texture of \(size) is refused: \(GLFailure.name(of: code))"
    case .shader(let pass, _, let log): "the shader of \(pass) does not compile: \(log)"
    case .framebuffer(let activity, let status):
      "\(activity): framebuffer status 0x\(String(status, radix: 16))"
    case .unsupported(let what): what
    case .image(let error): "\(error)"
    case .stopped(let error): "\(error)"
    }
  }

  /// True if the device or its driver is at fault, not the plan.
  var isOfDevice: Bool {
    switch self {
    case .unsupported, .image, .stopped: false
    default: true
    }
  }

  /// For who runs plans: a failure of the driver's or the device's, unless the plan asks too much.
  var backendError: BackendError {
    switch self {
    case .unsupported(let what): .unsupported(backend: "gl", what: what)
    case .image(let error): .failed(backend: "gl", what: "\(error)")
    case .stopped(let error): error
    default: .broken(backend: "gl", what: description)
    }
  }

  /// Throws the first error that GL has noted since the last check, and clears the others.
  static func check(_ activity: @autoclosure () -> String) throws(GLFailure) {
    let code = glGetError()
    guard code != GL_NO_ERROR else { return }
    forget()
    throw GLFailure(code, during: activity())
  }

  /// Clears all errors that GL has noted.
  static func forget() {
    // A lost context reports the same error for ever.
    var remaining = 8
    while remaining > 0, glGetError() != GL_NO_ERROR { remaining -= 1 }
  }

  private init(_ code: GLenum, during activity: String) {
    self =
      switch Int32(code) {
      case GL_CONTEXT_LOST: .lost(during: activity)
      case GL_OUT_OF_MEMORY: .outOfMemory(during: activity)
      default: .gl(during: activity, code: code)
      }
  }

  private static func name(of code: GLenum) -> String {
    switch Int32(code) {
    case GL_INVALID_ENUM: "GL_INVALID_ENUM"
    case GL_INVALID_VALUE: "GL_INVALID_VALUE"
    case GL_INVALID_OPERATION: "GL_INVALID_OPERATION"
    case GL_INVALID_FRAMEBUFFER_OPERATION: "GL_INVALID_FRAMEBUFFER_OPERATION"
    case GL_OUT_OF_MEMORY: "GL_OUT_OF_MEMORY"
    case GL_CONTEXT_LOST: "GL_CONTEXT_LOST"
    default: "GL error 0x\(String(code, radix: 16))"
    }
  }
}
