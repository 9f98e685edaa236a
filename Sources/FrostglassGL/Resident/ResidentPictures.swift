internal import CGLES
internal import FrostglassCore
internal import FrostglassShaders

/// The pictures that are kept on the device. Lives where their context is current.
final class ResidentPictures {
  let released = ReleasedPictures()
  let runner: PlanRunner
  let images: SharedImages
  private let copiesImages: Bool
  private var pictures: [Int: ResidentTexture] = [:]
  private var lastID = 0

  init(runner: PlanRunner, capabilities: GLCapabilities) {
    self.runner = runner
    images = SharedImages(runner.context, capabilities)
    copiesImages = capabilities.extensions.contains("GL_EXT_copy_image")
  }

  /// Keeps a picture until its id is released.
  func add(_ picture: ResidentTexture) -> Int {
    lastID += 1
    pictures[lastID] = picture
    return lastID
  }

  subscript(id: Int) -> ResidentTexture? { pictures[id] }

  /// Gives back the textures of those that nobody refers to any more.
  func freeReleased() {
    for id in released.take() {
      guard let picture = pictures.removeValue(forKey: id) else { continue }
      // Shared memory was never the pool's.
      if picture.isShared { continue }
      if picture.isForOthers {
        runner.pool.forget(picture.texture)
      } else {
        runner.pool.takeBack(picture.texture)
      }
    }
  }

  /// Notes that others may read a picture's memory from now on, also when the picture has gone.
  func keepForOthers(_ id: Int) {
    pictures[id]?.isForOthers = true
  }

  /// Brings an image to the device.
  func upload(_ image: Image) throws(GLFailure) -> ResidentTexture {
    let isWidened = image.format.layout != .rgba
    // It is on the device twice for a moment.
    let extra = isWidened ? TextureFormat(input: image.format).bytesPerTexel * image.size.area : 0
    return try make(Plan.Input(image), beside: extra) { texture throws(GLFailure) in
      if isWidened {
        try widen(image, into: texture)
      } else {
        try runner.transfer.upload(image, Rect(image.size), to: texture)
      }
    }
  }

  /// Runs a plan on pictures that match its inputs, wherever they are.
  func execute(_ plan: Plan, _ inputs: [RunInput]) throws(GLFailure) -> ResidentTexture {
    let result = plan.result
    try check(result.rect.size, result.format, beside: lentBytes)
    let sink = try ResidentResult(result, passes: runner.passes, pool: runner.pool)
    do throws(GLFailure) {
      try runner.run(plan, runner.textures(of: inputs), into: sink)
    } catch {
      runner.pool.takeBack(sink.texture)
      throw error
    }
    return ResidentTexture(
      sink.texture,
      Plan.Input(
        size: result.rect.size, format: result.format, alpha: result.alpha,
        transfer: result.transfer))
  }

  /// Brings a picture into memory.
  func download(_ picture: ResidentTexture) throws(GLFailure) -> Image {
    let input = picture.input
    guard !picture.isShared else {
      let copy = try copy(picture)
      defer { runner.pool.takeBack(copy.texture) }
      return try download(copy)
    }
    let rect = Rect(input.size)
    let sink = HostResult(
      Plan.Result(rect: rect, format: input.format, alpha: input.alpha, transfer: input.transfer),
      runner: runner)
    try sink.read(rect, from: picture.texture)
    return try sink.finish()
  }

  /// Copies a picture on the device.
  func copy(_ picture: ResidentTexture) throws(GLFailure) -> ResidentTexture {
    try make(picture.input) { texture throws(GLFailure) in
      guard !picture.isShared else {
        let input = InputTexture(
          texture: picture.texture, kind: picture.kind, domain: Rect(picture.input.size),
          channels: picture.input.format.layout.channels, isLent: false)
        return try spread(input, picture.input, into: texture)
      }
      let size = texture.size
      let (width, height) = (GLsizei(size.width), GLsizei(size.height))
      if copiesImages, let copy = ResidentPictures.copyImage {
        let kind = GLenum(GL_TEXTURE_2D)
        copy(
          picture.texture.name, kind, 0, 0, 0, 0, texture.name, kind, 0, 0, 0, 0, width, height, 1)
      } else {
        try runner.passes.attach(picture.texture, "copy")
        glBindTexture(GLenum(GL_TEXTURE_2D), texture.name)
        glCopyTexSubImage2D(GLenum(GL_TEXTURE_2D), 0, 0, 0, 0, 0, width, height)
      }
      try runner.context.check("copy of \(size)")
    }
  }

  /// A new picture, filled by `fill`.
  ///
  /// - Parameter extra: bytes that filling it takes.
  private func make(
    _ input: Plan.Input, beside extra: Int = 0, _ fill: (GLTexture) throws(GLFailure) -> Void
  ) throws(GLFailure) -> ResidentTexture {
    try check(input.size, input.format, beside: lentBytes + extra)
    let format = WorkFormat(result: input.format.depth)
    let texture = try runner.pool.lend(input.size, format.texture)
    do throws(GLFailure) { try fill(texture) } catch {
      runner.pool.takeBack(texture)
      throw error
    }
    return ResidentTexture(texture, input)
  }

  /// Uploads a picture of one or three channels and spreads it to four.
  private func widen(_ image: Image, into texture: GLTexture) throws(GLFailure) {
    let inputs = runner.textures(of: [.image(image)])
    let input = try inputs.upload(image, Rect(image.size))
    defer { inputs.takeBack(input) }
    try spread(input, Plan.Input(image), into: texture)
  }

  /// Copies samples as they are to a texture of four channels, by a pass.
  private func spread(
    _ input: InputTexture, _ picture: Plan.Input, into texture: GLTexture
  ) throws(GLFailure) {
    // Premultiplied is what passes work on, so nothing is computed.
    let load = Load(
      input: 0, alpha: picture.format.layout.hasAlpha ? .premultiplied : .opaque,
      decodesToLinear: false)
    try runner.passes.run(
      PassCall(
        parts: [.init(.load(load), inputs: [.picture(0)], picture.format.layout)],
        sources: [
          PassCall.Source(
            texture: input.texture, kind: input.kind,
            loading: .init(load, channels: input.channels), domain: input.domain)
        ],
        target: texture, targetKind: WorkFormat(result: picture.format.depth).target,
        rect: input.domain, isSpecialized: false))
  }

  private typealias CopyImage =
    @convention(c) (
      GLuint, GLenum, GLint, GLint, GLint, GLint, GLuint, GLenum, GLint, GLint, GLint, GLint,
      GLsizei, GLsizei, GLsizei
    ) -> Void
  private static let copyImage = EGLClient.function(
    "glCopyImageSubDataEXT", as: CopyImage.self)
}
