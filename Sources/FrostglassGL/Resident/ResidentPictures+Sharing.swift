internal import CGLES
internal import FrostglassCore
internal import FrostglassShaders

extension ResidentPictures {
  /// A picture on memory that others have.
  func share(
    _ buffer: DMABuffer, alpha: AlphaMode, transfer: Transfer
  ) throws(GLFailure) -> ResidentTexture {
    let format = buffer.format.pixelFormat
    try check(buffer.size, format)
    let texture = try images.texture(on: buffer)
    return ResidentTexture(
      texture, Plan.Input(size: buffer.size, format: format, alpha: alpha, transfer: transfer),
      isShared: true)
  }

  /// The memory of a picture.
  func buffer(of picture: ResidentTexture) throws(GLFailure) -> DMABuffer {
    guard picture.input.format.depth == .uint8 else {
      throw .unsupported(
        "sharing a picture of \(picture.input.format); it is possible with 8 bits per sample")
    }
    return try images.buffer(of: picture.texture)
  }

  /// A picture on another's texture.
  func reflect(_ picture: ResidentTexture) throws(GLFailure) -> ResidentTexture {
    try images.require(["EGL_KHR_gl_texture_2D_image"])
    let source = EGLClientBuffer(bitPattern: UInt(picture.texture.name))
    let texture = try images.withImage(of: EGL_GL_TEXTURE_2D_KHR, source, []) {
      image throws(GLFailure) in
      try images.texture(showing: image, picture.texture.size, picture.texture.format)
    }
    return ResidentTexture(texture, picture.input, isShared: true)
  }
}
