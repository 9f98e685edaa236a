internal import CVips
internal import FrostglassCore
internal import Synchronization

/// A frame of an animation: where it goes, and what becomes of its place.
struct AnimationFrame {
  /// The treatment of its area before the next frame.
  enum Disposal: Int { case none, background, previous }

  /// A part of the canvas; may be empty.
  let place: Rect
  let disposal: Disposal
  /// True if it is blended over the canvas by its alpha instead of replacing it.
  let isOver: Bool

  /// True if it covers a whole canvas, as far as it is opaque.
  func covers(_ size: Size) -> Bool {
    place == Rect(x: 0, y: 0, width: size.width, height: size.height)
  }

  /// True if its place is transparent once it is gone: there is nothing to come back to after a first frame.
  func clears(isFirst: Bool) -> Bool {
    disposal == .background || isFirst && disposal == .previous
  }
}

/// An animation whose frames are put together here.
protocol ComposedAnimation: Sendable {
  /// Some of its frames as an image, one below the other, composed when they are asked for.
  ///
  /// - Parameters:
  ///   - base: the image that libvips reads of the file, with its metadata.
  ///   - bytes: the file.
  ///   - first: counted from 0.
  func picture(
    _ base: VipsImageHandle, from bytes: ByteSource, first: Int, count: Int
  ) throws(VipsFailure) -> VipsImageHandle
}

extension ComposedAnimation {
  /// The same with errors that name the file.
  func frames(
    of base: VipsImageHandle, from bytes: ByteSource, first: Int, count: Int, name: String
  ) throws(DecodeError) -> VipsImageHandle {
    do {
      return try picture(base, from: bytes, first: first, count: count)
    } catch { throw .damaged(name: name, reason: error.reason) }
  }
}

/// Encoded bytes that stay where they are as long as their source does.
struct FileBytes: @unchecked Sendable {
  let bytes: UnsafeRawBufferPointer
  let source: ByteSource
}

extension VipsImageHandle {
  /// Opens the file of a frame, which is made here.
  static func frame(_ file: [UInt8]) throws(VipsFailure) -> VipsImageHandle {
    let source: ByteSource
    do { source = try ByteSource(.bytes(file)) } catch {
      throw VipsFailure(log: error.description)
    }
    return try source.load()
  }
}

/// The image that an animation's frames are put together on.
final class AnimationCanvas: Sendable {
  private struct State {
    /// Frames that are on the canvas.
    var shown = 0
    var canvas: [UInt8] = []
    /// The earlier content of the last frame's area, where that is to be restored.
    var saved: [UInt8] = []
  }

  private let size: Size
  private let frames: [AnimationFrame]
  /// The first frame that is shown.
  private let first: Int
  private let channels: Int
  private let bytesPerSample: Int
  /// Decodes a frame by its number from 0; what it gives may be larger than the frame's place.
  private let decode: @Sendable (Int) throws(VipsFailure) -> VipsImageHandle
  private let state = Mutex(State())

  init(
    _ size: Size, _ frames: [AnimationFrame], first: Int, channels: Int, bytesPerSample: Int,
    decode: @escaping @Sendable (Int) throws(VipsFailure) -> VipsImageHandle
  ) {
    (self.size, self.frames, self.first) = (size, frames, first)
    (self.channels, self.bytesPerSample) = (channels, bytesPerSample)
    self.decode = decode
  }

  /// Frames as an image, one below the other, composed when they are asked for.
  ///
  /// - Parameter base: the image with the other metadata.
  func picture(_ base: VipsImageHandle, count: Int) throws(VipsFailure) -> VipsImageHandle {
    guard size.height <= Int(VIPS_MAX_COORD) / count else {
      throw VipsFailure(log: "its frames are higher together than \(VIPS_MAX_COORD) pixels")
    }
    let picture = try VipsImageHandle.making(
      Size(width: size.width, height: size.height * count), bands: channels, over: base,
      filledBy: fill)
    picture.setNumber("page-height", size.height)
    return picture
  }

  private var pixel: Int { channels * bytesPerSample }

  /// Fills rows, which may be those of several frames.
  private func fill(_ region: UnsafeMutablePointer<VipsRegion>) throws(VipsFailure) {
    let area = region.pointee.valid
    try state.withLock { state throws(VipsFailure) in
      for y in Int(area.top)..<Int(area.top) + Int(area.height) {
        try show(first + y / size.height, &state)
        let start = (y % size.height * size.width + Int(area.left)) * pixel
        state.canvas.withUnsafeBytes { canvas in
          let row = UnsafeRawBufferPointer(
            rebasing: canvas[start..<start + Int(area.width) * pixel])
          UnsafeMutableRawBufferPointer(
            start: fgk_region_place(region, area.left, Int32(y)), count: row.count
          ).copyMemory(from: row)
        }
      }
    }
  }

  /// Brings the canvas to a frame.
  private func show(_ frame: Int, _ state: inout State) throws(VipsFailure) {
    if state.canvas.isEmpty || state.shown > frame + 1 {
      state.canvas = [UInt8](repeating: 0, count: size.area * pixel)
      state.shown = 0
    }
    while state.shown <= frame {
      if state.shown > 0 { dispose(frames[state.shown - 1], state.shown == 1, &state) }
      try draw(state.shown, &state)
      state.shown += 1
    }
  }

  private func range(_ place: Rect, row: Int) -> Range<Int> {
    let start = ((place.y + row) * size.width + place.x) * pixel
    return start..<start + place.width * pixel
  }

  private func dispose(_ frame: AnimationFrame, _ isFirst: Bool, _ state: inout State) {
    let width = frame.place.width * pixel
    for row in 0..<frame.place.height {
      let range = range(frame.place, row: row)
      switch frame.disposal {
      case .none: return
      // There is nothing to come back to after the first one.
      case .background,
        .previous where isFirst:
        state.canvas.withUnsafeMutableBytes { canvas in
          for index in range { canvas[index] = 0 }
        }
      case .previous:
        state.canvas.replaceSubrange(range, with: state.saved[row * width..<(row + 1) * width])
      }
    }
  }

  private func draw(_ index: Int, _ state: inout State) throws(VipsFailure) {
    let frame = frames[index]
    let place = frame.place
    state.saved.removeAll(keepingCapacity: true)
    if frame.disposal == .previous {
      for row in 0..<place.height { state.saved += state.canvas[range(place, row: row)] }
    }
    guard !place.isEmpty else { return }
    let picture = try decode(index)
    let bands = picture.bands
    guard picture.size.width >= place.width, picture.size.height >= place.height,
      bands == channels || bands == channels - 1,
      (picture.bandFormat == VIPS_FORMAT_USHORT) == (bytesPerSample == 2)
    else { throw VipsFailure(log: "a frame has other samples than the image") }
    let samples = try picture.pixels()
    let hasAlpha = bands % 2 == 0
    let stored = bands * bytesPerSample
    for row in 0..<place.height {
      let target = range(place, row: row)
      let source = row * picture.size.width * stored
      if bands == channels, !frame.isOver || !hasAlpha {
        state.canvas.replaceSubrange(target, with: samples[source..<source + place.width * stored])
        continue
      }
      for x in 0..<place.width {
        blend(
          samples, source + x * stored, hasAlpha, frame.isOver, &state.canvas,
          target.lowerBound + x * pixel)
      }
    }
  }

  /// Puts one pixel over another, or in its place; alpha is straight.
  private func blend(
    _ samples: [UInt8], _ source: Int, _ hasAlpha: Bool, _ isOver: Bool, _ canvas: inout [UInt8],
    _ target: Int
  ) {
    let full = bytesPerSample == 2 ? 65535.0 : 255.0
    func sample(_ bytes: [UInt8], _ place: Int, _ channel: Int) -> Double {
      let index = place + channel * bytesPerSample
      return bytesPerSample == 2
        ? Double(UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8) : Double(bytes[index])
    }
    func set(_ channel: Int, _ value: Double) {
      let index = target + channel * bytesPerSample
      let level = UInt16(min(max(value + 0.5, 0), full))
      canvas[index] = UInt8(truncatingIfNeeded: level)
      if bytesPerSample == 2 { canvas[index + 1] = UInt8(level >> 8) }
    }
    let colors = channels % 2 == 0 ? channels - 1 : channels
    let above = hasAlpha ? sample(samples, source, colors) / full : 1
    let below = channels % 2 == 0 ? sample(canvas, target, colors) / full : 1
    if !isOver || above == 1 || below == 0 {
      for channel in 0..<colors { set(channel, sample(samples, source, channel)) }
      if channels > colors { set(colors, above * full) }
      return
    }
    guard above > 0 else { return }
    let alpha = above + below * (1 - above)
    for channel in 0..<colors {
      let mixed =
        sample(samples, source, channel) * above
        + sample(canvas, target, channel) * below * (1 - above)
      set(channel, mixed / alpha)
    }
    if channels > colors { set(colors, alpha * full) }
  }
}
