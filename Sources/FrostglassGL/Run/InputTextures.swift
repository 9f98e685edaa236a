internal import FrostglassCore
internal import FrostglassShaders

/// Gives a run the textures of its inputs.
///
/// Every texture that was asked for is taken back by `takeBack`, wherever it came from.
struct InputTextures {
  let inputs: [RunInput]
  let pool: TexturePool
  let transfer: GLTransfer
  /// Returns the texture format of an input of a size.
  let format: (PixelFormat, Size) -> TextureFormat

  /// A texture with at least a part of an input. Only the part is uploaded: the picture itself may
  /// be larger than any texture.
  func texture(of input: Int, covering part: Rect) throws(GLFailure) -> InputTexture {
    switch inputs[input] {
    case .image(let image): return try upload(image, part)
    case .resident(let picture):
      return InputTexture(
        texture: picture.texture, kind: picture.kind, domain: picture.domain,
        channels: picture.input.format.layout.channels, isLent: false)
    }
  }

  /// A part of an image, uploaded.
  func upload(_ image: Image, _ part: Rect) throws(GLFailure) -> InputTexture {
    let texture = try pool.lend(part.size, format(image.format, part.size))
    do throws(GLFailure) { try transfer.upload(image, part, to: texture) } catch {
      pool.takeBack(texture)
      throw error
    }
    return InputTexture(
      texture: texture, kind: SampleKind(input: image.format, in: texture), domain: part,
      channels: image.format.layout.channels, isLent: true)
  }

  func takeBack(_ input: InputTexture) {
    if input.isLent { pool.takeBack(input.texture) }
  }
}

/// The location of a run's input.
enum RunInput {
  /// In memory: uploaded when a pass needs it.
  case image(Image)
  /// On the device.
  case resident(ResidentTexture)
}

/// A texture that passes read an input picture from.
struct InputTexture {
  var texture: GLTexture
  var kind: SampleKind
  /// The rectangle that the texture holds, in the image's grid: the requested part, or more.
  var domain: Rect
  /// Samples per pixel of the picture; the texture may have more.
  var channels: Int
  /// True if the texture goes back to the pool after its last use.
  var isLent: Bool
}
