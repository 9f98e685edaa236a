internal import FrostglassCore
internal import FrostglassShaders

/// The texture of a resident picture: four channels, in the format that results have.
struct ResidentTexture {
  var texture: GLTexture
  var kind: SampleKind
  var input: Plan.Input

  init(_ texture: GLTexture, _ input: Plan.Input) {
    self.texture = texture
    kind = WorkFormat(result: input.format.depth).sample
    self.input = input
  }
}
