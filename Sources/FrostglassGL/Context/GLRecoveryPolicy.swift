internal import FrostglassCore

/// Decides how a job goes on after a failure. One per job; what it learns outlives it.
struct GLRecoveryPolicy {
  /// What a failing job was run with.
  struct Circumstances {
    var stage: GLOptions.Stage
    /// Whether the other stage may be taken: it exists, and the caller did not choose.
    var maySwitchStage: Bool
    /// Whether passes draw to textures of float.
    var drawsFloat: Bool
    /// What the largest of the job's tiles takes.
    var largestTile: TileLimits
  }

  /// Shorter sides and fewer bytes than these are not worth trying.
  private static let least = TileLimits(longestSide: 64, bytes: 1 << 14)
  /// A device that refuses so often has another problem than size.
  private static let mostCuts = 8

  private var cuts = 0
  private var hasRetried = false
  private var hasFreed = false
  private(set) var hasLost = false

  /// What to do, noted in `history`; `nil` where the job is to be given up.
  mutating func remedy(
    for failure: GLFailure, _ now: Circumstances, _ history: inout GLDeviceHistory
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
        TileLimits(longestSide: .max, bytes: now.largestTile.bytes / 2), now, &history)
    case .texture(let size, _):
      let side = min(max(size.width, size.height), now.largestTile.longestSide)
      return smaller(TileLimits(longestSide: side / 2, bytes: .max), now, &history)
    case .framebuffer:
      if now.drawsFloat {
        history.drawsNoFloat = true
        return .integerTextures
      }
      return smaller(
        TileLimits(longestSide: now.largestTile.longestSide / 2, bytes: .max), now, &history)
    case .shader:
      return otherStage(now, &history)
    case .gl:
      guard hasRetried else {
        hasRetried = true
        return .freshContext
      }
      return otherStage(now, &history)
    case .unsupported, .image, .stopped: return nil
    }
  }

  /// - Parameter learned: what failed has told, no more: what this job happens to take otherwise is no
  ///   limit of the device.
  private mutating func smaller(
    _ learned: TileLimits, _ now: Circumstances, _ history: inout GLDeviceHistory
  ) -> Recovery.Remedy? {
    cuts += 1
    let limits = now.largestTile.limited(to: learned)
    guard cuts <= GLRecoveryPolicy.mostCuts,
      limits.longestSide >= GLRecoveryPolicy.least.longestSide,
      limits.bytes >= GLRecoveryPolicy.least.bytes
    else { return nil }
    history.learn(learned)
    return .smallerTiles(side: limits.longestSide, bytes: limits.bytes)
  }

  private func otherStage(
    _ now: Circumstances, _ history: inout GLDeviceHistory
  ) -> Recovery.Remedy? {
    // Once per backend: the other one has failed as well.
    guard now.maySwitchStage, history.stage == nil else { return nil }
    let other: GLOptions.Stage = now.stage == .fragment ? .compute : .fragment
    history.stage = other
    return .otherStage("\(other)")
  }
}

/// What a device has been found not to do, for the next contexts on it.
struct GLDeviceHistory: Hashable {
  /// What textures have turned out to take, where that is less than the device claims. Sides hold
  /// for good; memory may only have been short, as others use it too.
  private(set) var limits = TileLimits(longestSide: .max, bytes: .max)
  /// Jobs that ended well since memory was last short.
  private var endedWellSinceShortage = 0
  /// The stage that works, where the chosen one did not.
  var stage: GLOptions.Stage?
  /// Whether float cannot be drawn to, whatever the device says.
  var drawsNoFloat = false
  /// Contexts lost since a job last ended without losing one.
  var losses = 0
  /// Jobs given up since one last ended well.
  var givenUp = 0

  /// Whether it is pointless to go on with this device.
  var isHopeless: Bool {
    losses >= GLDeviceHistory.patience || givenUp >= GLDeviceHistory.patience
  }

  private static let patience = 3
  /// Jobs after which more memory is tried again: few enough for a shortage to pass soon, and enough
  /// for one that lasts to cost little.
  private static let memoryOfShortages = 32

  /// Notes what textures are to take from now on, because they cannot take more.
  mutating func learn(_ limits: TileLimits) {
    self.limits = self.limits.limited(to: limits)
    endedWellSinceShortage = 0
  }

  /// Notes that a job ended with a result.
  ///
  /// - Returns: whether textures may take more bytes again from now on.
  mutating func endedWell(afterLoss: Bool) -> Bool {
    givenUp = 0
    if !afterLoss { losses = 0 }
    guard limits.bytes < .max else { return false }
    endedWellSinceShortage += 1
    return endedWellSinceShortage >= GLDeviceHistory.memoryOfShortages && forgetShortages()
  }

  /// Lets textures take as many bytes as ever; whether that is more than before.
  mutating func forgetShortages() -> Bool {
    guard limits.bytes < .max else { return false }
    limits.bytes = .max
    endedWellSinceShortage = 0
    return true
  }
}
