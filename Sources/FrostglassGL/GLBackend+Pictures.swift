internal import CGLES
public import FrostglassCore

/// Pictures that stay on the device from plan to plan.
extension GLBackend {
  /// Brings an image to the device and keeps it there.
  ///
  /// - Throws: `BackendError.unsupported` where it exceeds the texture size or what other pictures
  ///   there leave of the byte limit.
  public func upload(_ image: Image) throws(BackendError) -> GLPicture {
    try keepOne { pictures throws(GLFailure) in try pictures.upload(image) }
  }

  /// Brings a picture to the device, where it takes no more than a quarter of the memory there.
  public func resident(_ image: Image) async -> (any ResidentPicture)? {
    let bytes = 4 * image.format.depth.bytes * image.size.area
    guard let session, bytes <= session.runner.limits.bytes / 4 else { return nil }
    return try? upload(image)
  }

  /// Runs a plan with one result on pictures that are on the device, and leaves the result there.
  ///
  /// It has the same bytes as that of the images would have. Only the work is handed to the device:
  /// what takes the result waits for it.
  ///
  /// - Parameter inputs: pictures of this backend that match `plan.inputs`, in order. A picture may
  ///   be used more than once, and is not changed.
  /// - Throws: `BackendError.inputMismatch` for pictures the plan was not made for; `.unsupported`
  ///   where the result exceeds the texture size or what other pictures leave of the byte limit.
  public func execute(
    _ plan: Plan, _ inputs: [GLPicture]
  ) throws(BackendError) -> GLPicture {
    try PixelIO(inputs.map { .resident($0) }, to: [.resident(ResidentOutput())]).check(plan)
    var textures: [RunInput] = []
    for picture in inputs { textures.append(.resident(try texture(of: picture))) }
    let run = PlanRun(plan, textures)
    return try keep { pictures throws(GLFailure) in try pictures.run(run) }[0]
  }

  /// Brings a picture into memory.
  ///
  /// - Throws: `BackendError.unsupported` for a picture of another backend.
  public func download(_ picture: GLPicture) throws(BackendError) -> Image {
    let texture = try texture(of: picture)
    guard let session else { throw hopeless }
    let image = try mapped(replaceSession, session.pictures.download(texture))
    try mapped(replaceSession, session.context.confirm("a download"))
    return image
  }

  /// Copies a picture on the device: the least that any work on a whole picture can take there.
  ///
  /// - Throws: `BackendError.unsupported` for a picture of another backend, and where other pictures
  ///   leave too little of the byte limit.
  public func copy(_ picture: GLPicture) throws(BackendError) -> GLPicture {
    let texture = try texture(of: picture)
    return try keepOne { pictures throws(GLFailure) in try pictures.copy(texture) }
  }

  /// Waits until the device has done all it was given: for measurements.
  public func finish() {
    try? session?.context.finish("a measurement")
  }

  /// Gives back the memory of pictures that nobody refers to any more.
  func freeReleasedPictures() {
    session?.pictures.freeReleased()
  }

  private func keepOne(
    _ make: (ResidentPictures) throws(GLFailure) -> ResidentTexture
  ) throws(BackendError) -> GLPicture {
    try keep { pictures throws(GLFailure) in [try make(pictures)] }[0]
  }

  func keep(
    _ make: (ResidentPictures) throws(GLFailure) -> [ResidentTexture]
  ) throws(BackendError) -> [GLPicture] {
    try revive()
    guard let session else { throw hopeless }
    let pictures = session.pictures
    pictures.freeReleased()
    let made = try mapped(replaceSession, make(pictures))
    // Drivers may report the loss only now: results of a lost context are garbage.
    try mapped(replaceSession, session.context.confirm("an image that stays on the device"))
    // Buffers come back once the device has read them, which it may only begin when it is sent off.
    glFlush()
    return made.map {
      GLPicture(
        $0.input, bytes: $0.texture.bytes, id: pictures.add($0), of: pictures.released, on: self)
    }
  }

  func texture(of picture: GLPicture) throws(BackendError) -> ResidentTexture {
    guard picture.backend === self else {
      throw .unsupported(
        backend: name,
        what: "the image is on another backend, \(picture.backend.deviceDescription); "
          + "download it there and upload it here")
    }
    guard let pictures = session?.pictures else { throw hopeless }
    guard picture.belongs(to: pictures), let texture = pictures[picture.id] else {
      throw .unsupported(
        backend: name, what: "the image was lost with its context; upload it again")
    }
    return texture
  }
}
