internal import CVips
internal import FrostglassCore

/// The frames of a GIF: where they are, and what they do to the canvas.
///
/// libnsgif, which libvips 8.14 reads GIF files with, clears a place to the background color, and libvips leaves
/// alpha out where no frame declares a transparent color. Browsers show such places transparent. Where that
/// makes a difference, each frame becomes a small GIF here, which libvips decodes, and frames are put together
/// as their disposal says.
struct AnimatedGIF: ComposedAnimation {
  /// A frame.
  private struct Frame {
    let shown: AnimationFrame
    /// The ranges of its image in the file, and of the control block for it.
    let image: Range<Int>
    let control: Range<Int>?
    let isTransparent: Bool
  }

  private let size: Size
  private let frames: [Frame]

  /// - Parameters:
  ///   - file: all of it.
  ///   - size: of its frames, as libvips sees them.
  private init?(_ file: UnsafeRawBufferPointer, _ size: Size) {
    guard let blocks = GIFBlocks(file) else { return nil }
    var frames: [Frame] = []
    var control: Range<Int>?
    for block in blocks {
      switch block.content {
      case .extension(GIF.control) where block.parts.count >= 6: control = block.whole
      case .extension: break
      case .image(let own):
        let corner = [1, 3].map {
          ByteOrder.little.number(file, at: block.whole.lowerBound + $0, bytes: 2) ?? 0
        }
        let place = Rect(x: corner[0], y: corner[1], width: own.width, height: own.height)
          .intersection(Rect(x: 0, y: 0, width: size.width, height: size.height))
        let flags = control.map { file[$0.lowerBound + 3] } ?? 0
        let disposal: AnimationFrame.Disposal =
          switch flags >> 2 & 7 {
          case 2: .background
          // Some programs write 4 for it.
          case 3, 4: .previous
          default: .none
          }
        frames.append(
          Frame(
            shown: AnimationFrame(place: place, disposal: disposal, isOver: true),
            image: block.whole, control: control, isTransparent: flags & 1 == 1))
        control = nil
      }
    }
    guard !frames.isEmpty else { return nil }
    (self.size, self.frames) = (size, frames)
  }

  /// True if parts are transparent that libvips makes opaque.
  private var needsAlpha: Bool {
    let hasAlpha = frames.contains(where: \.isTransparent)
    return !hasAlpha && !frames[0].shown.covers(size)
      || frames.dropLast().enumerated().contains { index, frame in
        frame.shown.clears(isFirst: index == 0)
          && (!frame.isTransparent || frame.shown.disposal == .previous)
      }
  }

  /// The frames of a file; `nil` where libvips shows them as they are.
  ///
  /// - Parameter picture: the image that libvips reads of the file.
  static func found(in bytes: ByteSource, _ picture: VipsPicture) -> AnimatedGIF? {
    bytes.withContents { file in
      guard let found = AnimatedGIF(file, picture.size), found.needsAlpha,
        found.frames.count == picture.number("n-pages") ?? 1
      else { return nil }
      return found
    }
  }

  func picture(
    _ base: VipsPicture, from bytes: ByteSource, first: Int, count: Int
  ) throws(VipsFailure) -> VipsPicture {
    let contents = bytes.withContents { FileBytes(bytes: $0, source: bytes) }
    let canvas = AnimationCanvas(
      size, frames.map(\.shown), first: first, channels: 4, bytesPerSample: 1
    ) { [self] index throws(VipsFailure) in
      guard let contents else { throw VipsFailure(log: "it cannot be read") }
      return try .frame(file(of: frames[index], contents.bytes))
    }
    return try canvas.picture(base, count: count)
  }

  /// A frame's own GIF, as large as its place.
  private func file(of frame: Frame, _ file: UnsafeRawBufferPointer) -> [UInt8] {
    let size = frame.shown.place.size
    let sides = ByteOrder.little.bytes(size.width, 2) + ByteOrder.little.bytes(size.height, 2)
    var made = Array(file[..<6]) + sides + file[10..<13 + GIF.colorBytes(file[10])]
    if let control = frame.control {
      var block = Array(file[control])
      // Nothing comes after it.
      block[3] &= 1
      made += block
    }
    var image = Array(file[frame.image])
    image.replaceSubrange(1..<5, with: [0, 0, 0, 0])
    return made + image + [0x3B]
  }
}
