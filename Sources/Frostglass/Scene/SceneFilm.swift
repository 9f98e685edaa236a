package import FrostglassCore

/// A scene's frames as y4m: what videos are handed from program to program in, without compression.
///
/// Colors are BT.709 in narrow range, 4:2:0, each pair of differences in the middle of the four pixels
/// that it belongs to (`C420jpeg`). The form has no word for the weights; whoever reads it has to be
/// told BT.709, as of any video in high definition.
package struct SceneFilm: Sendable {
  /// The layout of frames.
  static let format = YCbCrFormat(matrix: .bt709, range: .narrow, siting: .center)

  private let plans: [Plan]
  private let backend: any Backend

  /// - Parameter size: of a frame.
  package init(_ size: Size, on backend: any Backend) {
    self.backend = backend
    let picture = Plan.Input(size: size, format: .rgb8, alpha: .opaque, transfer: .encoded)
    plans = Self.format.planes(of: size).indices.map { index in
      Plan(plane: index, of: Self.format, from: picture)
    }
  }

  /// A frame's planes, one after another, as one gray row.
  ///
  /// - Parameter picture: 8-bit RGB.
  package func frame(_ picture: Image) async throws(FrostglassError) -> Image {
    var bytes: [UInt8] = []
    for plan in plans {
      let plane = try await mapped(
        FrostglassError.execute, async: await backend.execute(plan, [picture]))
      let samples = plane.bytes
      for row in 0..<plane.size.height {
        let start = row * plane.bytesPerRow
        bytes += samples[start..<start + plane.size.width]
      }
    }
    do {
      return try Image(size: Size(width: bytes.count, height: 1), format: .gray8, bytes: bytes)
    } catch { throw .execute(.failed(backend: backend.name, what: "\(error)")) }
  }

  /// The first line of a video, with its end.
  ///
  /// - Throws: `FrostglassError.frames` for a rate that no video has.
  static func header(_ size: Size, rate: Double) throws(FrostglassError) -> [UInt8] {
    guard let fraction = FrameRate(rate) else { throw .frames(.badFilmRate(rate)) }
    let header = Y4MHeader(
      size: size, layout: FrameLayout(name: "420jpeg", content: .planes(format)), rate: fraction,
      range: format.range, squarePixels: true)
    return header.line + [UInt8(ascii: "\n")]
  }

  /// The line before each frame, with its end.
  static let frameLine = Array("FRAME\n".utf8)
}
