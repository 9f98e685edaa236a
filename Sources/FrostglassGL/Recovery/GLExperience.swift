internal import FrostglassCore

/// What a backend has learned about its device the hard way, for its next contexts.
struct GLExperience: Hashable {
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
  var surrenders = 0

  /// Whether it is pointless to go on with this device.
  var isHopeless: Bool {
    losses >= GLExperience.patience || surrenders >= GLExperience.patience
  }

  static let patience = 3
  /// Jobs after which more memory is tried again: few enough for a shortage to pass soon, and enough
  /// for one that lasts to cost little.
  static let memoryOfShortages = 32

  /// Notes what textures are to take from now on, because they cannot take more.
  mutating func learn(_ limits: TileLimits) {
    self.limits = self.limits.limited(to: limits)
    endedWellSinceShortage = 0
  }

  /// Notes that a job ended with a result.
  ///
  /// - Returns: whether textures may take more bytes again from now on.
  mutating func endedWell(afterLoss: Bool) -> Bool {
    surrenders = 0
    if !afterLoss { losses = 0 }
    guard limits.bytes < .max else { return false }
    endedWellSinceShortage += 1
    return endedWellSinceShortage >= GLExperience.memoryOfShortages && forgetShortages()
  }

  /// Lets textures take as many bytes as ever; whether that is more than before.
  mutating func forgetShortages() -> Bool {
    guard limits.bytes < .max else { return false }
    limits.bytes = .max
    endedWellSinceShortage = 0
    return true
  }
}
