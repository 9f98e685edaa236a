internal import Frostglass
internal import FrostglassCore
internal import FrostglassStills
internal import Glibc
internal import Synchronization

/// A video in a scene, y4m: which of its frames is shown when. It is read once, from its beginning, so that it
/// may come through a pipe.
final class SceneClip: FilmShow {
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
      var plans = try FilterChain([.saturation(1)]).plan(for: format, size: reader.size).toPicture
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
    // What lies behind the planes of colors is alpha, which films in scenes do not show.
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
