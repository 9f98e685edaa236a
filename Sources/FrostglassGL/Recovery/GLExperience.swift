internal import FrostglassCore

/// What a backend has learned about its device the hard way, for its next contexts.
struct GLExperience: Hashable {
  /// What textures have turned out to take, where that is less than the device claims.
  var limits = TileLimits(longestSide: .max, bytes: .max)
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

  /// Notes that a job ended with a result.
  mutating func endedWell(afterLoss: Bool) {
    surrenders = 0
    if !afterLoss { losses = 0 }
  }
}
