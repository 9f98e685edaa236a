internal import FrostglassCore

/// Where an input of a run is.
enum RunInput {
  /// In memory: uploaded when a pass needs it.
  case image(Image)
  /// On the device.
  case resident(ResidentTexture)
}
