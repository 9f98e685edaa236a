internal import FrostglassCore
internal import FrostglassShaders

/// The texture of a resident picture, in the format that results have: four channels.
struct ResidentTexture {
  var texture: GLTexture
  var kind: SampleKind
  var input: Plan.Input
  /// Whether the memory is another's, who may have arranged it so that it can only be fetched from.
  var isShared: Bool
  /// Whether others were given the memory, so that nothing else is ever to be written to it.
  var isForOthers = false

  init(_ texture: GLTexture, _ input: Plan.Input, isShared: Bool = false) {
    self.texture = texture
    kind = WorkFormat(result: input.format.depth).sample
    self.input = input
    self.isShared = isShared
  }
}
