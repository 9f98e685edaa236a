internal import CGLES
public import FrostglassCore

/// Pictures in memory that others have too, without a copy: where the driver offers it.
///
/// Neither side is told when the other is done: let whoever writes the memory finish before a plan
/// reads it, and call `finish` before others read what a plan has made.
extension GLBackend {
  /// A picture on shared memory, for plans to read.
  ///
  /// - Parameters:
  ///   - buffer: may go after this call; its memory is kept as long as the picture is.
  ///   - alpha: ignored where the format has no alpha.
  /// - Throws: `BackendError.unsupported`, naming the extensions that the driver lacks, or what
  ///   of the memory's size, format or arrangement it does not take.
  public func picture(
    sharing buffer: DMABuffer, alpha: AlphaMode = .straight, transfer: Transfer = .encoded
  ) throws(BackendError) -> GLPicture {
    try keep { pictures throws(GLFailure) in
      try pictures.share(buffer, alpha: alpha, transfer: transfer)
    }
  }

  /// The memory of a picture, for others to read; plans go on using it.
  ///
  /// - Returns: memory of four channels: a picture without alpha has alpha 1 there.
  /// - Throws: `BackendError.unsupported`, naming the extensions that the driver lacks, for pictures
  ///   of more than 8 bits, and for pictures of another backend.
  public func buffer(sharing picture: GLPicture) throws(BackendError) -> DMABuffer {
    let texture = try texture(of: picture)
    guard let session else { throw hopeless }
    do throws(GLFailure) {
      let buffer = try session.pictures.buffer(of: texture)
      session.pictures.keepForOthers(picture.id)
      // What is still waiting to be drawn into it has to be on its way.
      glFlush()
      return buffer
    } catch { throw surrender(to: error) }
  }

  /// Another picture on the same texture by way of an image of EGL: what import and export have in
  /// common, for tests where there is no memory to share.
  package func reflection(of picture: GLPicture) throws(BackendError) -> GLPicture {
    let texture = try texture(of: picture)
    return try keep { pictures throws(GLFailure) in try pictures.reflect(texture) }
  }
}
