internal import FrostglassCore
internal import Glibc

/// Frames that come one after another through a descriptor: y4m, or raw.
///
/// One thread at a time reads. Nothing is read that is not asked for.
package final class FrameReader: Sendable {
  /// The descriptor that frames are read from.
  package let descriptor: Int32
  /// The stream's first line; `nil` for raw frames.
  package let header: Y4MHeader?
  /// Width and height in pixels.
  package let size: Size
  /// The layout of frames.
  package let layout: FrameLayout

  /// Reads a y4m stream's first line.
  ///
  /// - Throws: `VideoError`.
  package init(y4m descriptor: Int32) throws(VideoError) {
    self.descriptor = descriptor
    guard let line = try Self.line(descriptor, after: []) else {
      throw .badStream("there is nothing in it")
    }
    let header = try Y4MHeader(line)
    self.header = header
    (size, layout) = (header.size, header.layout)
  }

  /// Takes frames without a first line.
  package init(raw descriptor: Int32, size: Size, layout: FrameLayout) {
    self.descriptor = descriptor
    header = nil
    self.size = size
    self.layout = layout
  }

  /// Reads the next frame.
  ///
  /// - Parameters:
  ///   - number: of the frame, from 1, for messages.
  ///   - target: as many bytes as a frame has.
  /// - Returns: the line before a y4m frame, without its end; empty for raw frames; `nil` at the end.
  /// - Throws: `VideoError`.
  package func next(
    _ number: Int, into target: UnsafeMutableRawBufferPointer
  ) throws(VideoError) -> [UInt8]? {
    var line: [UInt8] = []
    if header != nil {
      guard let found = try frameLine(number) else { return nil }
      line = found
    }
    let count = try Self.read(descriptor, into: target)
    if count == 0, header == nil { return nil }
    guard count == target.count else {
      throw .truncated(frame: number, bytes: count, of: target.count)
    }
    return line
  }

  private static let word = Array("FRAME".utf8)

  private func frameLine(_ number: Int) throws(VideoError) -> [UInt8]? {
    // Nearly all lines are this word and nothing else: one call to the system.
    let start = try Self.read(descriptor, atMost: Self.word.count + 1)
    if start.isEmpty { return nil }
    guard zip(start, Self.word).allSatisfy({ $0 == $1 }) else {
      throw .badStream("frame \(number) does not begin with FRAME")
    }
    guard start.count > Self.word.count else {
      throw .truncated(frame: number, bytes: 0, of: layout.byteCount(of: size))
    }
    if start.last == UInt8(ascii: "\n") { return Self.word }
    guard start.last == UInt8(ascii: " ") else {
      throw .badStream("frame \(number) does not begin with FRAME")
    }
    guard let line = try Self.line(descriptor, after: start) else {
      throw .truncated(frame: number, bytes: 0, of: layout.byteCount(of: size))
    }
    return line
  }

  /// Reads up to the end of a line, a byte at a time, so that nothing after it is taken.
  private static func line(
    _ descriptor: Int32, after start: [UInt8]
  ) throws(VideoError) -> [UInt8]? {
    var line = start
    while true {
      guard let byte = try read(descriptor, atMost: 1).first else {
        guard line.count > start.count else { return nil }
        throw .badStream("it ends within a line")
      }
      if byte == UInt8(ascii: "\n") { return line }
      line.append(byte)
      guard line.count <= Y4MHeader.longest else {
        throw .badStream("a line has more than \(Y4MHeader.longest) bytes")
      }
    }
  }

  private static func read(_ descriptor: Int32, atMost count: Int) throws(VideoError) -> [UInt8] {
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { room.deallocate() }
    return Array(room.prefix(try read(descriptor, into: room)))
  }

  /// Reads until the target is full or the stream ends.
  private static func read(
    _ descriptor: Int32, into target: UnsafeMutableRawBufferPointer
  ) throws(VideoError) -> Int {
    var done = 0
    while done < target.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: target[done...])
      let count = Glibc.read(descriptor, rest.baseAddress, rest.count)
      if count > 0 {
        done += count
      } else if count == 0 {
        return done
      } else if errno == EAGAIN {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = Glibc.poll(&poll, 1, -1)
      } else if errno != EINTR {
        throw .unreadable(systemWords(errno))
      }
    }
    return done
  }
}

/// Writes frames to a descriptor, one after another.
///
/// One thread at a time writes.
package struct FrameSender: Sendable {
  /// The descriptor that frames are written to.
  package let descriptor: Int32
  /// The first line of a y4m stream; `nil` for raw frames.
  package let header: Y4MHeader?

  package init(_ descriptor: Int32, header: Y4MHeader?) {
    self.descriptor = descriptor
    self.header = header
  }

  /// Writes the first line, where there is one.
  ///
  /// - Throws: `VideoError.unwritable`.
  package func begin() throws(VideoError) {
    guard let header else { return }
    try write(header.line + [UInt8(ascii: "\n")])
  }

  /// Writes a frame.
  ///
  /// - Parameter line: that came before the frame; empty where it came without one.
  /// - Throws: `VideoError.unwritable`.
  package func send(_ line: [UInt8], _ frame: UnsafeRawBufferPointer) throws(VideoError) {
    if header != nil {
      try write((line.isEmpty ? Array("FRAME".utf8) : line) + [UInt8(ascii: "\n")])
    }
    try check(writeAll(frame, to: descriptor))
  }

  private func write(_ bytes: [UInt8]) throws(VideoError) {
    try check(bytes.withUnsafeBytes { writeAll($0, to: descriptor) })
  }

  private func check(_ error: Int32?) throws(VideoError) {
    if let error { throw .unwritable(systemWords(error)) }
  }
}

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
