internal import FrostglassCore

/// The layout of a video's frames in bytes: one plane after another, rows without gaps.
package struct FrameLayout: Sendable, Hashable {
  /// The content of the planes.
  package enum Content: Sendable, Hashable {
    /// Brightness and color differences.
    case planes(YCbCrFormat)
    /// Brightness and color differences, and alpha of the image's size.
    case planesWithAlpha(YCbCrFormat)
    /// Brightness alone.
    case luma(YCbCrFormat)
    /// Pixels of red, green and blue, maybe with straight alpha.
    case colors(PixelFormat)
  }

  /// The name: a y4m color space without its letter, or ffmpeg's pixel format.
  package let name: String
  /// The content of the planes.
  package private(set) var content: Content

  package init(name: String, content: Content) {
    self.name = name
    self.content = content
  }

  /// Returns the planes of a frame, in order.
  package func planes(of size: Size) -> [Plan.Input] {
    switch content {
    case .planes(let format): format.planes(of: size)
    case .planesWithAlpha(let format):
      format.planes(of: size) + format.planes(of: size).prefix(1)
    case .luma(let format): Array(format.planes(of: size).prefix(1))
    case .colors(let format):
      [Plan.Input(size: size, format: format, alpha: .straight, transfer: .encoded)]
    }
  }

  /// The codes of black and white, where nothing else is specified.
  package var range: YCbCrFormat.Levels {
    switch content {
    case .planes(let format), .planesWithAlpha(let format), .luma(let format): format.range
    case .colors: .full
    }
  }

  /// Bytes of a frame.
  package func byteCount(of size: Size) -> Int {
    planes(of: size).reduce(0) { $0 + $1.bytesPerRow * $1.size.height }
  }

  /// Returns the same layout with another matrix and range. A layout of RGB colors has neither.
  package func with(matrix: YCbCrFormat.Matrix, range: YCbCrFormat.Levels) -> FrameLayout {
    func changed(_ format: YCbCrFormat) -> YCbCrFormat {
      var format = format
      (format.matrix, format.range) = (matrix, range)
      return format
    }
    var layout = self
    switch content {
    case .planes(let format): layout.content = .planes(changed(format))
    case .planesWithAlpha(let format): layout.content = .planesWithAlpha(changed(format))
    case .luma(let format): layout.content = .luma(changed(format))
    case .colors: break
    }
    return layout
  }
}

extension FrameLayout {
  /// The color spaces of y4m, as ffmpeg and mjpegtools write them.
  package static let y4m: [FrameLayout] =
    [
      planar("420jpeg", .both, .center), planar("420mpeg2", .both, .left),
      planar("420paldv", .both, .topLeft), planar("420", .both, .center),
      planar("411", .quarterColumns, .left), planar("422", .columns, .left),
      planar("444", .none, .left),
      FrameLayout(
        name: "444alpha", content: .planesWithAlpha(YCbCrFormat(sampling: .none))),
      FrameLayout(name: "mono", content: .luma(YCbCrFormat())),
    ]
    + deep.flatMap { bits in
      [
        planar("420p\(bits.rawValue)", .both, .left, bits),
        planar("422p\(bits.rawValue)", .columns, .left, bits),
        planar("444p\(bits.rawValue)", .none, .left, bits),
        FrameLayout(name: "mono\(bits.rawValue)", content: .luma(YCbCrFormat(bits: bits))),
      ]
    }

  /// The pixel formats of raw frames, by ffmpeg's names.
  package static let raw: [FrameLayout] =
    [
      planar("yuv420p", .both, .left), planar("yuv411p", .quarterColumns, .left),
      planar("yuv422p", .columns, .left), planar("yuv444p", .none, .left),
      FrameLayout(name: "nv12", content: .planes(YCbCrFormat(arrangement: .interleaved))),
      FrameLayout(
        name: "yuva444p", content: .planesWithAlpha(YCbCrFormat(sampling: .none))),
      FrameLayout(name: "gray", content: .luma(YCbCrFormat(range: .full))),
      FrameLayout(name: "rgb24", content: .colors(.rgb8)),
      FrameLayout(name: "rgba", content: .colors(.rgba8)),
      FrameLayout(name: "rgb48le", content: .colors(PixelFormat(.rgb, .uint16))),
      FrameLayout(name: "rgba64le", content: .colors(PixelFormat(.rgba, .uint16))),
      FrameLayout(
        name: "p010le",
        content: .planes(YCbCrFormat(bits: .sixteen, arrangement: .interleaved))),
    ]
    + deep.flatMap { bits in
      [
        planar("yuv420p\(bits.rawValue)le", .both, .left, bits),
        planar("yuv422p\(bits.rawValue)le", .columns, .left, bits),
        planar("yuv444p\(bits.rawValue)le", .none, .left, bits),
        FrameLayout(
          name: "gray\(bits.rawValue)le", content: .luma(YCbCrFormat(range: .full, bits: bits))),
      ]
    }

  /// The layout of y4m whose frames have the same bytes, for frames that are given another head.
  package var inY4M: FrameLayout? {
    Self.y4m.first { Self.plain($0.content) == Self.plain(content) }
  }

  private static let deep: [YCbCrFormat.Bits] = [.ten, .twelve, .sixteen]

  private static func planar(
    _ name: String, _ sampling: YCbCrFormat.Sampling, _ siting: YCbCrFormat.Siting,
    _ bits: YCbCrFormat.Bits = .eight
  ) -> FrameLayout {
    FrameLayout(
      name: name, content: .planes(YCbCrFormat(sampling: sampling, siting: siting, bits: bits)))
  }

  /// Without what a color space's name does not say.
  private static func plain(_ content: Content) -> Content {
    FrameLayout(name: "", content: content).with(matrix: .bt709, range: .narrow).content
  }
}
