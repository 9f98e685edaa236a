internal import CGLES
public import FrostglassCore
internal import FrostglassShaders
internal import Synchronization

/// The images that are kept on the device. Lives where their context is current.
final class ResidentImages {
  let released = ReleasedImages()
  private let runner: PlanRunner
  private var pictures: [Int: ResidentTexture] = [:]
  private var uploadMemory: [Int: UploadSource] = [:]
  private var lastID = 0

  init(runner: PlanRunner) { self.runner = runner }

  /// Keeps an image until its id is released.
  func add(_ picture: ResidentTexture) -> Int {
    lastID += 1
    pictures[lastID] = picture
    return lastID
  }

  subscript(id: Int) -> ResidentTexture? { pictures[id] }

  /// Gives back the textures of those that nobody refers to any more.
  func freeReleased() {
    for id in released.take() {
      uploadMemory[id] = nil
      guard let picture = pictures.removeValue(forKey: id) else { continue }
      runner.pool.takeBack(picture.texture)
    }
  }

  /// Gives back the texture of an image that nobody else knows.
  func free(_ picture: ResidentTexture) { runner.pool.takeBack(picture.texture) }

  /// Brings an image to the device.
  func upload(_ image: Image) throws(GLFailure) -> ResidentTexture {
    try upload(Plan.Input(image)) { texture throws(GLFailure) in
      try runner.transfer.upload(image, Rect(image.size), to: texture)
    }
  }

  /// Brings what somebody has filled memory with to the device.
  func upload(
    _ input: Plan.Input, from source: UploadSource
  ) throws(GLFailure) -> ResidentTexture {
    try upload(input) { texture throws(GLFailure) in try source.load(texture) }
  }

  /// - Parameter load: copies the samples into a texture of as many channels.
  private func upload(
    _ input: Plan.Input, _ load: (GLTexture) throws(GLFailure) -> Void
  ) throws(GLFailure) -> ResidentTexture {
    let isWidened = input.format.layout != .rgba
    // It is on the device twice for a moment.
    let extra =
      isWidened
      ? runner.format(ofInput: input.format, input.size).bytesPerTexel * input.size.area : 0
    return try make(input, beside: extra) { texture throws(GLFailure) in
      if isWidened { try widen(input, load, into: texture) } else { try load(texture) }
    }
  }

  /// Runs a plan on images that match its inputs, wherever they are.
  ///
  /// - Returns: its results in order.
  func run(_ run: PlanRun) throws(GLFailure) -> [ResidentTexture] {
    var sinks: [ResidentResult] = []
    do throws(GLFailure) {
      for result in run.plan.results {
        try check(result.rect.size, result.format, beside: lentBytes)
        sinks.append(try ResidentResult(result, runner: runner))
      }
      try runner.run(run, into: sinks)
    } catch {
      for sink in sinks { runner.pool.takeBack(sink.texture) }
      throw error
    }
    return zip(sinks, run.plan.results).map { ResidentTexture($0.texture, Plan.Input($1)) }
  }

  /// Brings an image into memory.
  func download(_ picture: ResidentTexture) throws(GLFailure) -> Image {
    let input = picture.input
    let rect = Rect(input.size)
    let sink = HostResult(
      Plan.Result(rect: rect, format: input.format, alpha: input.alpha, transfer: input.transfer),
      runner: runner)
    try sink.read(rect, from: picture.texture)
    return try sink.finish()
  }

  /// Copies an image on the device.
  func copy(_ picture: ResidentTexture) throws(GLFailure) -> ResidentTexture {
    try make(picture.input) { texture throws(GLFailure) in
      try runner.copy(Rect(texture.size), of: picture.texture, to: texture, x: 0, y: 0)
    }
  }

  /// A new image, filled by `fill`.
  ///
  /// - Parameter extra: bytes that filling it takes.
  private func make(
    _ input: Plan.Input, beside extra: Int = 0, _ fill: (GLTexture) throws(GLFailure) -> Void
  ) throws(GLFailure) -> ResidentTexture {
    try check(input.size, input.format, beside: lentBytes + extra)
    let format = runner.format(ofResult: input.format.depth, input.size)
    let texture = try runner.pool.lend(input.size, format)
    do throws(GLFailure) { try fill(texture) } catch {
      runner.pool.takeBack(texture)
      throw error
    }
    return ResidentTexture(texture, input)
  }

  /// Has an image of one or three channels loaded, and spreads it to four.
  private func widen(
    _ input: Plan.Input, _ load: (GLTexture) throws(GLFailure) -> Void, into texture: GLTexture
  ) throws(GLFailure) {
    let narrow = try runner.pool.lend(
      input.size, runner.format(ofInput: input.format, input.size))
    defer { runner.pool.takeBack(narrow) }
    try load(narrow)
    let source = InputTexture(
      texture: narrow, kind: SampleKind(input: input.format, in: narrow),
      domain: Rect(input.size),
      channels: input.format.layout.channels, isLent: true)
    try spread(source, input, into: texture)
  }

  /// Copies samples as they are to a texture of four channels, by a pass.
  private func spread(
    _ input: InputTexture, _ picture: Plan.Input, into texture: GLTexture
  ) throws(GLFailure) {
    try runner.passes.run(ResidentImages.spreading(input, picture, into: texture))
  }

  /// A pass that does nothing but read and write.
  static func spreading(
    _ input: InputTexture, _ picture: Plan.Input, into texture: GLTexture
  ) -> PassCall {
    // Premultiplied is what passes work on, so nothing is computed.
    let load = Load(
      input: 0, alpha: picture.format.layout.hasAlpha ? .premultiplied : .opaque,
      decodesToLinear: false)
    return PassCall(
      parts: [.init(.load(load), inputs: [.picture(0)], picture.format.layout)],
      sources: [
        PassCall.Source(
          texture: input.texture, kind: input.kind,
          loading: .init(load, channels: input.channels), domain: input.domain)
      ],
      target: texture, targetKind: WorkFormat(result: picture.format.depth, in: texture).target,
      rect: input.domain, isSpecialized: false)
  }
}

/// Memory that images are uploaded from.
extension ResidentImages {
  /// Keeps memory for images until its id is released.
  func addUploadMemory(
    _ input: Plan.Input
  ) throws(GLFailure) -> (id: Int, memory: UploadSource) {
    try check(input.size, input.format)
    let memory = try UploadSource(
      input.size.area * input.format.bytesPerPixel,
      staysMapped: runner.transfer.buffers?.staysMapped ?? false, in: runner.context,
      runner.pool.ledger)
    lastID += 1
    uploadMemory[lastID] = memory
    return (lastID, memory)
  }

  func uploadMemory(_ id: Int) -> UploadSource? { uploadMemory[id] }
}

/// Checks for room before an image is kept.
extension ResidentImages {
  /// Bytes of the images that are kept.
  var lentBytes: Int { runner.pool.statistics.lentBytes }

  /// Refuses an image that the device has no room for.
  ///
  /// - Parameter taken: bytes that are of no use to it.
  private func check(
    _ size: Size, _ format: PixelFormat, beside taken: Int = 0
  ) throws(GLFailure) {
    let side = runner.limits.longestSide
    guard max(size.width, size.height) <= side else {
      throw .unsupported(
        "an image of \(size) kept on the device, which takes \(side)×\(side) at most; "
          + "images in memory can be larger")
    }
    let bytes = size.area * WorkFormat(result: format.depth).texture.bytesPerTexel
    guard bytes <= runner.limits.bytes - taken else {
      let others = taken > 0 ? ", of which \(taken) are taken" : ""
      throw .unsupported(
        "an image of \(size) and \(bytes) bytes kept on the device, which takes "
          + "\(runner.limits.bytes) bytes at most\(others); images in memory can be larger")
    }
  }
}

/// The texture of a resident image, in the format that results have: four channels.
struct ResidentTexture {
  var texture: GLTexture
  var kind: SampleKind
  var input: Plan.Input
  /// The part of the image that the texture holds: all of it, unless plans need less.
  var domain: Rect

  init(_ texture: GLTexture, _ input: Plan.Input) {
    self.texture = texture
    kind = WorkFormat(result: input.format.depth, in: texture).sample
    self.input = input
    domain = Rect(texture.size)
  }
}

/// A result that stays on the device.
final class ResidentResult: ResultSink {
  /// The whole result; lent by the pool.
  let texture: GLTexture
  private let rect: Rect
  private let runner: PlanRunner

  init(_ result: Plan.Result, runner: PlanRunner) throws(GLFailure) {
    rect = result.rect
    texture = try runner.pool.lend(
      rect.size, runner.format(ofResult: result.format.depth, rect.size))
    self.runner = runner
  }

  func write(
    _ part: Rect, _ draw: (GLTexture) throws(GLFailure) -> Void
  ) throws(GLFailure) {
    guard part != rect else { return try draw(texture) }
    let tile = try runner.pool.lend(part.size, texture.format)
    defer { runner.pool.takeBack(tile) }
    try draw(tile)
    try runner.copy(
      Rect(part.size), of: tile, to: texture, x: part.x - rect.x, y: part.y - rect.y)
  }
}

/// An image that is kept on the device: what `GLBackend.upload` gives, and what plans make of it.
///
/// It is a ticket: it can be passed around and shared freely, while the samples stay where they
/// are. They are held in four channels of the format's depth, so that every result can be the
/// next plan's input as it is; bytes that come down are those that went up. When the last reference
/// goes, the memory goes back to the backend. Until then the image keeps its backend alive.
public final class GLImage: ResidentImage {
  /// Width and height in pixels.
  public let size: Size
  /// Channels and their depth.
  public let format: PixelFormat
  /// The alpha mode of the samples.
  public let alpha: AlphaMode
  /// The transfer of the samples: encoded or linear light.
  public let transfer: PixelFormat.Transfer
  /// Bytes it takes on the device: at least those of an image of its format.
  public let bytes: Int
  let backend: GLBackend
  let id: Int
  private let released: ReleasedImages

  init(
    _ description: Plan.Input, bytes: Int, id: Int, of released: ReleasedImages,
    on backend: GLBackend
  ) {
    size = description.size
    format = description.format
    alpha = description.alpha
    transfer = description.transfer
    self.bytes = bytes
    self.id = id
    self.released = released
    self.backend = backend
  }

  deinit {
    guard released.add(id) else { return }
    // The next call frees it anyway; there may be none.
    Task.detached { [backend] in await backend.freeReleasedImages() }
  }

  /// The input that a plan has to be made for to take this image.
  public var input: Plan.Input {
    Plan.Input(size: size, format: format, alpha: alpha, transfer: transfer)
  }

  /// Returns true if the image is one of those kept in `pictures`.
  func belongs(to pictures: ResidentImages) -> Bool { released === pictures.released }
}

/// Images that nobody refers to any more, on their way to the thread that can free them.
///
/// One per set of resident images, so it also tells to which set an image belongs.
final class ReleasedImages: Sendable {
  private let ids = Mutex<[Int]>([])

  /// Notes an image that has gone.
  ///
  /// - Returns: whether it is the first since the last `take`.
  func add(_ id: Int) -> Bool {
    ids.withLock { ids in
      ids.append(id)
      return ids.count == 1
    }
  }

  /// All that have gone since the last time.
  func take() -> [Int] {
    ids.withLock { ids in
      defer { ids = [] }
      return ids
    }
  }
}

/// The layout of an image's bytes, row by row, in a texture of four bytes per texel.
struct PackedImage: Hashable {
  /// Texels per row where there are enough: short enough for every device.
  private static let width = 2048

  let format: PixelFormat
  /// The image's.
  let size: Size
  /// The texture's; its last row may have texels that are of no matter.
  let texels: Size

  /// - Parameter longestSide: of a texture.
  init(_ size: Size, _ format: PixelFormat, longestSide: Int) {
    self.size = size
    self.format = format
    let count = (size.area * format.bytesPerPixel + 3) / 4
    // Wider where there would be too many rows.
    let width = min(count, max(PackedImage.width, (count + longestSide - 1) / longestSide))
    texels = Size(width: width, height: (count + width - 1) / width)
  }
}

/// Images made from numbers alone, which stay on the device from plan to plan: most shapes of a
/// scene's layers are the same from frame to frame.
final class GeneratedImages {
  private struct Key: Hashable {
    var generate: Generate
    var domain: Rect
    var layout: PixelFormat.Layout
  }

  private struct Entry {
    var kept: KeptTexture
    var lastRun: Int
  }

  /// Runs after which an image that nobody wanted goes.
  private static let idleRuns = 16

  private let pool: TexturePool
  private var entries: [Key: Entry] = [:]
  private var bytes = 0
  private var runs = 0

  init(pool: TexturePool) {
    self.pool = pool
    pool.ledger.whenShort { [weak self] in self?.trim() }
  }

  /// The texture with an image's samples as floats.
  ///
  /// - Parameter upload: brings an image to a texture that the pool lends.
  func texture(
    _ generate: Generate, _ domain: Rect, _ layout: PixelFormat.Layout,
    upload: (Image) throws(GLFailure) -> GLTexture
  ) throws(GLFailure) -> KeptTexture {
    let key = Key(generate: generate, domain: domain, layout: layout)
    if let entry = entries[key] {
      entries[key]?.lastRun = runs
      return entry.kept
    }
    let kept = KeptTexture(try upload(Image(generate, domain, layout)), of: pool)
    // An eighth of the memory, so that plans have the rest.
    if bytes + kept.lent.texture.bytes <= pool.ledger.ceiling / 8 {
      bytes += kept.lent.texture.bytes
      entries[key] = Entry(kept: kept, lastRun: runs)
    }
    return kept
  }

  /// Marks the end of a plan, and lets go of what the last ones had no use for.
  func endRun() {
    runs += 1
    for (key, entry) in entries where entry.lastRun + GeneratedImages.idleRuns < runs {
      bytes -= entry.kept.lent.texture.bytes
      entries[key] = nil
    }
  }

  /// Lets go of all of them.
  func trim() {
    entries = [:]
    bytes = 0
  }
}

/// A texture that is kept for later plans: it does not count as one that is lent.
final class KeptTexture {
  let lent: PooledTexture
  private let pool: TexturePool

  /// - Parameter texture: lent by the pool.
  init(_ texture: GLTexture, of pool: TexturePool) {
    lent = PooledTexture(texture, backTo: pool)
    self.pool = pool
    pool.keep(texture)
  }

  deinit { pool.unkeep(lent.texture) }
}

extension Image {
  /// Samples of a generated image as floats.
  fileprivate init(_ generate: Generate, _ rect: Rect, _ layout: PixelFormat.Layout) {
    self.init(
      zeros: rect.size, format: PixelFormat(layout, .float32),
      alpha: layout.hasAlpha ? .premultiplied : .opaque, transfer: .linear)
    let length = rect.width * layout.channels
    let make = generate.rows(of: rect)
    withUnsafeMutableBytes { bytes in
      let samples = bytes.bindMemory(to: Float.self)
      for (index, y) in rect.rows.enumerated() {
        let place = index * length
        make(
          y, rect.columns,
          UnsafeMutableBufferPointer(rebasing: samples[place..<place + length]))
      }
    }
  }
}
