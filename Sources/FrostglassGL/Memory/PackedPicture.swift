internal import CGLES
internal import FrostglassCore
internal import FrostglassShaders

/// How the bytes of a picture's rows are laid out in a texture, four in each texel.
struct PackedPicture {
  /// Texels per row where there are enough: short enough for every device.
  private static let width = 2048

  let format: PixelFormat
  /// The picture's.
  let size: Size
  /// The texture's; its last row may have texels that are of no matter.
  let texels: Size

  /// - Parameter longestSide: of a texture.
  init(_ size: Size, _ format: PixelFormat, longestSide: Int) {
    self.size = size
    self.format = format
    let count = (size.area * format.bytesPerPixel + 3) / 4
    // Wider where there would be too many rows.
    let width = min(count, max(PackedPicture.width, (count + longestSide - 1) / longestSide))
    texels = Size(width: width, height: (count + width - 1) / width)
  }
}

extension PassRunner {
  /// Packs a result into a texture of `picture.texels`.
  func pack(
    _ picture: PackedPicture, from texture: GLTexture, into target: GLTexture
  ) throws(GLFailure) {
    let source = PassCall.Source(
      texture: texture, kind: WorkFormat(result: picture.format.depth).sample,
      domain: Rect(picture.size))
    let call = PassCall(
      parts: [], sources: [source], target: target, targetKind: .unorm8,
      rect: Rect(picture.texels), isSpecialized: false)
    let variant = ShaderVariant(
      stage: stage.plain, sources: [.init(kind: source.kind)],
      target: .unorm8, targetIsOpaque: false)
    let shader = Shader([ShaderPart(packing: picture.format)], variant: variant)
    let program = try programs.program(for: shader)
    glUseProgram(program.name)
    glUniform2i(program.location("targetOrigin"), 0, 0)
    glUniform2i(
      program.location(ShaderPart.uniform("shape", of: 0)), GLint(picture.size.width),
      GLint(picture.texels.width))
    bind(source, 0, program)
    try execute(call, program, shader)
    try context.check("pack of \(picture.size) (\(stage))")
  }
}
