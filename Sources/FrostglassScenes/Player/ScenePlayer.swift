public import Frostglass
public import FrostglassBackends
internal import FrostglassCore
public import FrostglassStills
internal import Glibc
internal import Synchronization

/// Plays a scene file: renders what it looks like at one time after another.
public struct ScenePlayer: Sendable {
  private var storyboard: Storyboard
  private var pictures: SceneImages
  private let selection: BackendSelector.Selection
  private let selector: BackendSelector
  private var backend: any Backend
  private var renderer: SceneRenderer
  private var luminance: SceneLuminance
  /// Tenths of a second that were looked at, where there are videos.
  private var tenths = 0
  /// The failures that were recovered from.
  public private(set) var recoveries: [Recovery] = []

  /// Loads what the scene needs, and chooses where it is rendered.
  ///
  /// - Parameter frames: the number of frames to render.
  /// - Throws: `FrostglassError` for what is missing or wrong.
  public init(
    _ file: SceneFile, on selector: BackendSelector, frames: Int = 1,
    decoding: DecodeOptions = DecodeOptions()
  ) async throws(FrostglassError) {
    try await self.init(file, on: selector, frames: frames, decoding: decoding, videos: nil)
  }

  /// - Parameter videos: opens videos that are not y4m.
  init(
    _ file: SceneFile, on selector: BackendSelector, frames: Int, decoding: DecodeOptions,
    videos: (any VideoFiles)?
  ) async throws(FrostglassError) {
    storyboard = try mapped({ FrostglassError($0, in: file.path) }, Storyboard(file.document))
    let assets = SceneAssets(
      file: file, decoder: StillDecoder(decoding), selector: selector, videos: videos)
    pictures = try await assets.load(storyboard)
    do {
      try storyboard.begin(pictures.images.map { Plan.Input($0) })
    } catch { throw FrostglassError(error, in: file.path) }
    var compiler = SceneCompiler()
    let plan = try mapped(FrostglassError.plan, compiler.plan(storyboard.scene))
    self.selector = selector
    selection = try await mapped(
      FrostglassError.execute, async: await selector.selection(for: plan, times: frames))
    backend = selection.backend
    renderer = SceneRenderer(backend: backend)
    luminance = SceneLuminance(backend: selector.cpu)
  }

  /// The name of the backend that renders.
  public var backendName: String { backend.name }
  /// Why that one was chosen, in words.
  public var reason: String { selection.reason }

  /// Returns the plan of the present moment.
  public func plan() throws(FrostglassError) -> Plan {
    var compiler = SceneCompiler()
    return try mapped(FrostglassError.plan, compiler.plan(storyboard.scene))
  }

  /// Lets time pass and renders the scene.
  ///
  /// - Parameter time: in seconds, not before that of the last frame; where it is no finite number, or is
  ///   past, no time passes.
  public mutating func frame(at time: Double) async throws(FrostglassError) -> SceneFrame {
    try await advance(to: time)
    let rendered: SceneRenderer.Frame
    do { rendered = try await render(storyboard.scene) } catch {
      throw FrostglassError(error)
    }
    return SceneFrame(
      time: time, image: rendered.image, damage: rendered.damage,
      trace: storyboard.trace.map { SceneFrame.Entry(column: $0.column, value: $0.value) })
  }

  /// Lets time pass without rendering.
  public mutating func advance(to time: Double) async throws(FrostglassError) {
    // As the storyboard has it, so that videos are asked for nothing else.
    guard time.isFinite else { return }
    let time = min(time, Storyboard.longest)
    // How bright a video is, is measured ten times a second, in the frame that is shown then.
    while pictures.areMoving, Double(tenths) < time * 10 {
      try await pass(to: Double(tenths) / 10)
      tenths += 1
    }
    try await pass(to: time)
  }

  private mutating func pass(to time: Double) async throws(FrostglassError) {
    if pictures.areMoving, try await pictures.move(to: time) { renderer.forget() }
    var (luminance, pictures) = (luminance, pictures.images)
    do {
      try await storyboard.advance(to: time) { scene, rect throws(SceneError) in
        try await luminance.measure(scene, pictures, in: rect)
      }
    } catch { throw FrostglassError(error) }
    self.luminance = luminance
  }

  private mutating func render(_ scene: Scene) async throws(SceneError) -> SceneRenderer.Frame {
    do { return try await renderer.render(scene, pictures.images) } catch {
      guard case .backend(let failure) = error, failure.mayAnotherHelp,
        let fallback = selection.fallback, backend.name != fallback.name
      else { throw error }
      await selector.failed(failure)
      recoveries.append(
        Recovery(
          backend: backend.name, failure: failure.reason, remedy: .otherBackend(fallback.name)))
      backend = fallback
      renderer = SceneRenderer(backend: fallback)
      return try await renderer.render(scene, pictures.images)
    }
  }
}

/// A moment of a scene, rendered.
public struct SceneFrame: Sendable {
  /// An entry of the trace.
  public struct Entry: Sendable, Hashable {
    /// The name of the entry's column, such as `bar.progress`.
    public var column: String
    /// The entry's text.
    public var value: String
  }

  /// In seconds.
  public var time: Double
  /// The rendered image of the scene.
  public var image: Image
  /// The pixels that were recomputed for it.
  public var damage: Damage
  /// The trace of the moment, by column.
  public var trace: [Entry]
}

/// Measures the luminance of a part of a scene.
struct SceneLuminance: Sendable {
  let backend: any Backend
  private var compiler = SceneCompiler()

  init(backend: any Backend) { self.backend = backend }

  /// Cells along the longer side of what is measured; they are about square.
  private static let mostCells = 16

  /// The relative luminance of cells of a part of the canvas.
  mutating func measure(
    _ scene: Scene, _ pictures: [Image], in rect: Rect
  ) async throws(SceneError) -> BackdropLuminance {
    let plan = try mapped(SceneError.plan, compiler.plan(scene).cropped(to: rect))
    let image = try await mapped(SceneError.backend, async: await backend.execute(plan, pictures))
    do { return try BackdropLuminance(cells: cells(of: image)) } catch {
      throw .backend(.failed(backend: backend.name, what: "\(error)"))
    }
  }

  /// The mean luminance of each cell, row after row.
  private func cells(of image: Image) -> [Double] {
    let side = max(1, (max(image.size.width, image.size.height) - 1) / Self.mostCells + 1)
    let light = (0...255).map { Double(TransferCurve.decode(Float($0) / 255)) }
    let channels = image.format.layout.channels
    var cells: [Double] = []
    for top in stride(from: 0, to: image.size.height, by: side) {
      for left in stride(from: 0, to: image.size.width, by: side) {
        let rows = top..<min(top + side, image.size.height)
        let columns = left..<min(left + side, image.size.width)
        var sum = 0.0
        for y in rows {
          for x in columns {
            let pixel = y * image.bytesPerRow + x * channels
            sum +=
              0.2126 * light[Int(image.bytes[pixel])] + 0.7152 * light[Int(image.bytes[pixel + 1])]
              + 0.0722 * light[Int(image.bytes[pixel + 2])]
          }
        }
        cells.append(sum / Double(rows.count * columns.count))
      }
    }
    return cells
  }
}

/// A video in a scene, y4m: which of its frames is shown when. It is read once, from its beginning, so that it
/// may come through a pipe.
final class SceneClip: VideoShow {
  private let name: String
  private let reader: FrameReader
  private let rate: Double
  /// From planes to colors, one after the other.
  private let plans: [Plan]
  /// Color differences that are none, of videos that have brightness alone.
  private let neutral: [Image]
  private let backend: any Backend
  private let threads = ThreadPool()
  private let state = Mutex(State())

  private struct State {
    /// Frames that were read.
    var read = 0
    /// The last one's planes.
    var bytes: [UInt8] = []
    var hasEnded = false
  }

  /// Returns true if a file name is that of a video.
  static func isNamed(_ name: String) -> Bool { name.lowercased().hasSuffix(".y4m") }

  /// Opens a video.
  ///
  /// - Parameters:
  ///   - name: for messages.
  ///   - backend: makes images of frames.
  /// - Throws: `FrostglassError.decode` for what is no video, or not taken.
  init(
    _ path: String, named name: String, maxPixels: Int, on backend: any Backend
  ) throws(FrostglassError) {
    (self.name, self.backend) = (name, backend)
    let file = open(path.systemPath, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      let code = errno
      throw .decode(
        code == ENOENT
          ? .missing(path: name) : .unreadable(path: name, reason: systemWords(code)))
    }
    do { reader = try FrameReader(y4m: file) } catch {
      close(file)
      throw .decode(Self.failure(error, name))
    }
    guard reader.size.area <= maxPixels else {
      close(file)
      throw .decode(.tooManyPixels(name: name, size: reader.size, limit: maxPixels))
    }
    rate = reader.header?.rate.map { Double($0.frames) / Double($0.seconds) } ?? Self.usualRate
    let layout = reader.layout.with(
      matrix: reader.size.height >= 720 ? .bt709 : .bt601,
      range: reader.header?.range ?? reader.layout.range)
    let format: YCbCrFormat
    switch layout.content {
    case .planes(let own), .planesWithAlpha(let own):
      (format, neutral) = (own, [])
    case .luma(let own):
      format = NeutralPlanes.format(of: own)
      neutral = NeutralPlanes.images(format, reader.size)
    case .colors:
      close(file)
      throw .decode(.unsupportedKind(name: name, found: "frames as \(layout.name)"))
    }
    do {
      // What changes no color makes colors of planes.
      var plans = try FilterChain([.saturation(1)]).plan(for: format, size: reader.size).toImage
      if let last = plans.popLast() { plans.append(last.storing(as: .rgb8, on: .black)) }
      self.plans = plans
    } catch {
      close(file)
      throw .plan(error)
    }
  }

  deinit { close(reader.descriptor) }

  var size: Size { reader.size }

  /// For videos that do not say theirs.
  private static let usualRate = 25.0

  private static func failure(_ error: VideoError, _ name: String) -> DecodeError {
    switch error {
    case .unsupported(let what): .unsupportedKind(name: name, found: what)
    case .badStream(let what): .damaged(name: name, reason: what)
    case .truncated(let frame, _, _):
      .damaged(name: name, reason: "it ends within frame \(frame)")
    case .unreadable(let reason): .unreadable(path: name, reason: reason)
    default: .damaged(name: name, reason: "\(error)")
    }
  }

  func picture(at time: Double) async throws(FrostglassError) -> Image? {
    let wanted = Int(min((time * rate + 1e-6).rounded(.down), 1e15)) + 1
    let isNew: Bool
    do {
      isNew = try await threads.run { [self] () throws(VideoError) in try read(to: wanted) }
    } catch { throw .decode(Self.failure(error, name)) }
    guard isNew else { return nil }
    var images: [Image] = []
    let bytes = state.withLock { $0.bytes }
    var start = 0
    do {
      for plane in reader.layout.planes(of: reader.size) {
        let end = start + plane.bytesPerRow * plane.size.height
        images.append(
          try Image(
            size: plane.size, format: plane.format, alpha: plane.alpha, transfer: plane.transfer,
            bytes: Array(bytes[start..<end])))
        start = end
      }
    } catch { throw .decode(.damaged(name: name, reason: "\(error)")) }
    // What lies behind the planes of colors is alpha, which videos in scenes do not show.
    images = Array((images + neutral).prefix(plans.first?.inputs.count ?? 0))
    do {
      for plan in plans { images = [try await backend.execute(plan, images)] }
    } catch { throw FrostglassError(error) }
    return images[0]
  }

  /// - Returns: true if there is another frame than before.
  private func read(to wanted: Int) throws(VideoError) -> Bool {
    // Taken out, so that its bytes are changed where they are.
    var (read, bytes, hasEnded) = state.withLock { state in
      defer { state.bytes = [] }
      return (state.read, state.bytes, state.hasEnded)
    }
    let before = read
    if bytes.isEmpty {
      bytes = [UInt8](repeating: 0, count: reader.layout.byteCount(of: reader.size))
    }
    while read < wanted, !hasEnded {
      var isThere = false
      var failure: VideoError?
      bytes.withUnsafeMutableBytes { target in
        do throws(VideoError) { isThere = try reader.next(read + 1, into: target) != nil } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      if isThere { read += 1 } else { hasEnded = true }
    }
    guard read > 0 else { throw .badStream("there is no frame in it") }
    state.withLock { ($0.read, $0.bytes, $0.hasEnded) = (read, bytes, hasEnded) }
    return read > before
  }
}
