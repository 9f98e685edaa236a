internal import FrostglassCore

/// A scene's frames as y4m: what films are handed from program to program in, without compression.
///
/// Colors are BT.709 in narrow range, 4:2:0, each pair of differences in the middle of the four pixels
/// that it belongs to (`C420jpeg`). The form has no word for the weights; whoever reads it has to be
/// told BT.709, as of any film in high definition.
struct SceneFilm: Sendable {
  /// How frames are laid out.
  static let format = YCbCrFormat(matrix: .bt709, range: .narrow, siting: .center)

  private let plans: [Plan]
  private let backend: any Backend

  /// - Parameter size: of a frame.
  /// - Throws: `FrostglassError.plan`.
  init(_ size: Size, on backend: any Backend) throws(FrostglassError) {
    self.backend = backend
    // What planes are made of after filters; here are none.
    plans = try mapped(FrostglassError.plan, FilterChain([]).plan(for: Self.format, size: size))
      .toPlanes
  }

  /// A frame's planes, one after another, as one gray row.
  ///
  /// - Parameter picture: 8-bit RGB.
  func frame(_ picture: Image) async throws(FrostglassError) -> Image {
    let wide = try widened(picture)
    var bytes: [UInt8] = []
    for plan in plans {
      let plane: Image
      do throws(BackendError) { plane = try await backend.execute(plan, [wide]) } catch {
        throw .execute(error)
      }
      let samples = plane.bytes
      for row in 0..<plane.size.height {
        let start = row * plane.bytesPerRow
        bytes += samples[start..<start + plane.size.width]
      }
    }
    return try image(Size(width: bytes.count, height: 1), .gray8, bytes)
  }

  /// The same picture with 16 bits a color: each byte twice.
  private func widened(_ picture: Image) throws(FrostglassError) -> Image {
    let row = 3 * picture.size.width
    var bytes = [UInt8](repeating: 0, count: 2 * row * picture.size.height)
    picture.withUnsafeBytes { source in
      for y in 0..<picture.size.height {
        for x in 0..<row {
          let (value, place) = (source[y * picture.bytesPerRow + x], 2 * (y * row + x))
          bytes[place] = value
          bytes[place + 1] = value
        }
      }
    }
    return try image(picture.size, PixelFormat(.rgb, .uint16), bytes)
  }

  private func image(
    _ size: Size, _ format: PixelFormat, _ bytes: [UInt8]
  ) throws(FrostglassError) -> Image {
    do throws(ImageError) { return try Image(size: size, format: format, bytes: bytes) } catch {
      throw .execute(.failed(backend: backend.name, what: "\(error)"))
    }
  }

  /// The first line of a film, with its end.
  static func header(_ size: Size, rate: Double) -> [UInt8] {
    let (frames, seconds) = fraction(of: rate)
    let words = [
      "YUV4MPEG2 W\(size.width) H\(size.height) F\(frames):\(seconds)",
      "Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n",
    ]
    return Array(words.joined(separator: " ").utf8)
  }

  /// The line before each frame, with its end.
  static let frameLine = Array("FRAME\n".utf8)

  /// Frames, and the whole seconds that they take; 29.97 and its like are what television means by
  /// that, 30000 in 1001 seconds.
  private static func fraction(of rate: Double) -> (frames: Int, seconds: Int) {
    if rate == rate.rounded() { return (Int(rate), 1) }
    let television = (rate * 1.001).rounded()
    if abs(rate - television / 1.001) < 0.005 { return (Int(television) * 1000, 1001) }
    return (max(1, Int((rate * 1000).rounded())), 1000)
  }
}
