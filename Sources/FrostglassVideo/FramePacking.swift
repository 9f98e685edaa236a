internal import CAV
internal import Frostglass
internal import FrostglassCore
internal import Glibc

/// libav's sample format of a frame, and its layout in the bytes that filters take.
///
/// Filters take planes one after another without gaps, in native byte order; samples of more than 8 bits are in the
/// low bits of words. Most decoders' output differs from that in its row length alone.
struct SampleForm: Sendable, Equatable {
  /// libav's number of the kind.
  let format: AVPixelFormat
  /// libav's name of it, such as `yuv420p10le`.
  let name: String
  /// True if its samples are red, green and blue.
  let isRGB: Bool
  /// True if it has alpha.
  private(set) var hasAlpha: Bool
  /// Bits of a sample.
  let bits: Int
  /// Pixels to a sample of the color differences, along rows and columns, as powers of two.
  let shift: (x: Int, y: Int)
  /// Brightness and differences, or red, green and blue; then alpha.
  private(set) var components: Int

  static func == (one: SampleForm, other: SampleForm) -> Bool { one.format == other.format }

  /// - Returns: `nil` for kinds that are not held in memory sample by sample: palettes, bits, floats.
  init?(_ format: AVPixelFormat) {
    guard let descriptor = av_pix_fmt_desc_get(format)?.pointee else { return nil }
    let flags = Int32(truncatingIfNeeded: descriptor.flags)
    let unfit =
      AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL
      | AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BAYER
    guard flags & unfit == 0 else { return nil }
    let parts = [descriptor.comp.0, descriptor.comp.1, descriptor.comp.2, descriptor.comp.3]
      .prefix(Int(descriptor.nb_components))
    guard let first = parts.first, parts.allSatisfy({ $0.depth == first.depth }) else { return nil }
    self.format = format
    name = String(cString: descriptor.name)
    isRGB = flags & AV_PIX_FMT_FLAG_RGB != 0
    hasAlpha = flags & AV_PIX_FMT_FLAG_ALPHA != 0
    bits = Int(first.depth)
    shift = (Int(descriptor.log2_chroma_w), Int(descriptor.log2_chroma_h))
    components = parts.count
  }

  /// The same format with alpha ignored.
  var withoutAlpha: SampleForm {
    var form = self
    if hasAlpha { (form.hasAlpha, form.components) = (false, components - 1) }
    return form
  }

  /// True unless a frame has alpha that is less than the largest code.
  func isOpaque(_ frame: UnsafePointer<AVFrame>) -> Bool {
    guard hasAlpha else { return true }
    let (full, pointers) = (UInt16(1 << bits - 1), FramePacking.pointers(of: frame))
    return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: Int(frame.pointee.width)) {
      line in
      guard let start = line.baseAddress else { return true }
      return (0..<Int(frame.pointee.height)).allSatisfy { y in
        FramePacking.read(self, pointers, y, components - 1, line.count, start)
        return line.allSatisfy { $0 == full }
      }
    }
  }

  /// Returns true if another format holds the same samples with the same bits, in any order.
  func holdsSame(as other: SampleForm) -> Bool {
    holdsSameButBits(as: other) && bits == other.bits
  }

  /// Returns true if another format holds the same samples, with any number of bits.
  func holdsSameButBits(as other: SampleForm) -> Bool {
    isRGB == other.isRGB && hasAlpha == other.hasAlpha && shift == other.shift
      && components == other.components
  }

  /// Returns the layout that filters need.
  ///
  /// - Parameter byPlanes: true if filters work on each plane alone, where colors do not matter.
  /// - Returns: `nil` for depths and samplings that filters do not take.
  func layout(
    _ matrix: YCbCrFormat.Matrix, _ range: YCbCrFormat.Levels, _ siting: YCbCrFormat.Siting,
    byPlanes: Bool
  ) -> FrameLayout? {
    if isRGB, !byPlanes {
      guard bits >= 8, bits <= 16 else { return nil }
      let depth: PixelFormat.Depth = bits == 8 ? .uint8 : .uint16
      return FrameLayout(
        name: name, content: .colors(PixelFormat(hasAlpha ? .rgba : .rgb, depth)))
    }
    guard let bits = YCbCrFormat.Bits(rawValue: bits), let sampling else { return nil }
    let format = YCbCrFormat(
      matrix: matrix, range: range, sampling: sampling, siting: siting, bits: bits)
    if components < 3 {
      return hasAlpha ? nil : FrameLayout(name: name, content: .luma(format))
    }
    return FrameLayout(
      name: name, content: hasAlpha ? .planesWithAlpha(format) : .planes(format))
  }

  private var sampling: YCbCrFormat.Sampling? {
    switch shift {
    case (0, 0): YCbCrFormat.Sampling.none
    case (1, 0): .columns
    case (1, 1): .both
    case (2, 0): .quarterColumns
    default: nil
    }
  }

  /// The kind in words, for messages.
  var words: String { name }
}

/// A plane of samples in the bytes that filters take.
private struct PackedPlane {
  /// The offset of its first sample, in bytes.
  var offset: Int
  /// Samples of a row, and rows.
  var size: Size
  /// Bytes from a sample to the next.
  var step: Int
  /// Bytes from a row to the next.
  var rowBytes: Int
  /// Bits of a sample; those of colors fill their words.
  var bits: Int
}

extension SampleForm {
  /// Returns the places of the components' samples among the bytes of an upright frame.
  fileprivate func packed(_ size: Size, _ layout: FrameLayout) -> [PackedPlane] {
    if case .colors(let format) = layout.content {
      let step = format.bytesPerPixel
      let bytes = step / format.layout.channels
      return (0..<components).map { index in
        PackedPlane(
          offset: index * bytes, size: size, step: step, rowBytes: step * size.width,
          bits: bytes * 8)
      }
    }
    var offset = 0
    return layout.planes(of: size).map { plane in
      let bytes = plane.format.bytesPerPixel
      let packed = PackedPlane(
        offset: offset, size: plane.size, step: bytes, rowBytes: plane.bytesPerRow, bits: bits)
      offset += plane.bytesPerRow * plane.size.height
      return packed
    }
  }
}

/// The quarter turns and mirroring that make a coded frame upright.
struct Turn: Sendable, Equatable {
  /// The direction in the upright frame of a step along a coded row (`along`) and down a coded column (`down`).
  private let along: (x: Int, y: Int)
  private let down: (x: Int, y: Int)

  static func == (one: Turn, other: Turn) -> Bool {
    one.along == other.along && one.down == other.down
  }

  /// As it is.
  static let none = Turn((1, 0), (0, 1))

  private init(_ along: (x: Int, y: Int), _ down: (x: Int, y: Int)) {
    (self.along, self.down) = (along, down)
  }

  /// Reads a display matrix, nine numbers of which the first four of the left two columns turn; angles
  /// other than quarter turns are left to players.
  init(_ matrix: UnsafePointer<Int32>) {
    let one = 1 << 16
    let parts = [matrix[0], matrix[1], matrix[3], matrix[4]].map { Int($0) }
    guard parts.allSatisfy({ [0, one, -one].contains($0) }),
      abs(parts[0]) + abs(parts[1]) == one, abs(parts[2]) + abs(parts[3]) == one,
      abs(parts[0]) == abs(parts[3])
    else {
      self = .none
      return
    }
    self.init((parts[0] / one, parts[1] / one), (parts[2] / one, parts[3] / one))
  }

  /// True if rows become columns.
  var swapsSides: Bool { along.x == 0 }

  /// The size of what is turned.
  func size(of coded: Size) -> Size {
    swapsSides ? Size(width: coded.height, height: coded.width) : coded
  }

  /// The siting of what is turned.
  func siting(of coded: YCbCrFormat.Siting) -> YCbCrFormat.Siting {
    swapsSides ? YCbCrFormat.Siting(x: coded.y, y: coded.x) : coded
  }

  /// Returns the start of a coded row in a plane of an upright frame, and the distance between its samples, in bytes.
  fileprivate func row(_ y: Int, in plane: PackedPlane) -> (start: Int, step: Int) {
    let (width, height) = (plane.size.width, plane.size.height)
    let x0 = along.x < 0 || down.x < 0 ? width - 1 : 0
    let y0 = along.y < 0 || down.y < 0 ? height - 1 : 0
    return (
      plane.offset + (x0 + down.x * y) * plane.step + (y0 + down.y * y) * plane.rowBytes,
      along.x * plane.step + along.y * plane.rowBytes
    )
  }

  /// Samples of a coded row, and coded rows, of a plane of the upright frame.
  fileprivate func coded(_ plane: PackedPlane) -> Size { size(of: plane.size) }
}

/// Takes samples out of libav's frames into the bytes that filters take, and puts them into others.
struct FramePacking: Sendable {
  /// The sample format of decoded frames.
  let source: SampleForm
  /// The sample format of frames for the encoder.
  let target: SampleForm
  /// The layout that filters get.
  let layout: FrameLayout
  /// The size of coded frames.
  let size: Size
  /// The turn that makes frames upright; none where that does not matter to the filters.
  let turn: Turn

  /// The size of frames as filters see them.
  var uprightSize: Size { turn.size(of: size) }

  /// Copies a decoded frame's samples.
  func unpack(
    _ frame: UnsafePointer<AVFrame>, into bytes: UnsafeMutableRawBufferPointer
  ) {
    guard let base = bytes.baseAddress else { return }
    let line = UnsafeMutablePointer<UInt16>.allocate(capacity: size.width)
    defer { line.deallocate() }
    let pointers = Self.pointers(of: frame)
    for (index, plane) in source.packed(uprightSize, layout).enumerated() {
      let coded = turn.coded(plane)
      if isPlain(source, plane), let from = Self.plane(of: source, index, frame) {
        for y in 0..<coded.height {
          memcpy(
            base + plane.offset + y * plane.rowBytes,
            from.start + y * from.rowBytes, coded.width * plane.step)
        }
        continue
      }
      for y in 0..<coded.height {
        Self.read(source, pointers, y, index, coded.width, line)
        let row = turn.row(y, in: plane)
        Self.scatter(line, coded.width, bytes, row, plane.bits, from: source.bits)
      }
    }
  }

  /// Returns false if a frame has alpha that is ignored and not opaque.
  func isWhole(_ frame: UnsafePointer<AVFrame>) -> Bool {
    source.hasAlpha || SampleForm(source.format)?.isOpaque(frame) != false
  }

  /// Copies samples into a frame for the encoder.
  func pack(_ bytes: UnsafeRawBufferPointer, into frame: UnsafeMutablePointer<AVFrame>) {
    guard let base = bytes.baseAddress else { return }
    let line = UnsafeMutablePointer<UInt16>.allocate(capacity: size.width)
    defer { line.deallocate() }
    let pointers = Self.pointers(of: UnsafePointer(frame))
    let planes = source.packed(uprightSize, layout)
    // libavutil merges samples with existing ones, as others may share their bytes.
    let isCopied = planes.enumerated().allSatisfy { index, plane in
      target.bits == source.bits && isPlain(target, plane)
        && Self.plane(of: target, index, UnsafePointer(frame)) != nil
    }
    if !isCopied { Self.clear(frame) }
    for (index, plane) in planes.enumerated() {
      let coded = turn.coded(plane)
      if target.bits == source.bits, isPlain(target, plane),
        let to = Self.plane(of: target, index, UnsafePointer(frame))
      {
        for y in 0..<coded.height {
          memcpy(
            UnsafeMutableRawPointer(mutating: to.start) + y * to.rowBytes,
            base + plane.offset + y * plane.rowBytes,
            coded.width * plane.step)
        }
        continue
      }
      for y in 0..<coded.height {
        let row = turn.row(y, in: plane)
        Self.gather(
          bytes, row, plane.bits, coded.width, line, to: target.bits, fills: fills(index))
        Self.write(target, pointers, y, index, coded.width, line)
      }
    }
  }

  /// Returns true if a component's largest value stays the largest at a higher depth: alpha, red, green and blue, and
  /// white in full range. Values in narrow range, and color differences, are only shifted.
  private func fills(_ component: Int) -> Bool {
    if source.isRGB || source.hasAlpha && component == source.components - 1 { return true }
    return component == 0 && layout.range == .full
  }

  private static func clear(_ frame: UnsafeMutablePointer<AVFrame>) {
    let buffers = frame.pointee.buf
    for buffer in [buffers.0, buffers.1, buffers.2, buffers.3] {
      if let buffer { memset(buffer.pointee.data, 0, buffer.pointee.size) }
    }
  }

  /// Returns true if rows can be copied unchanged.
  private func isPlain(_ form: SampleForm, _ plane: PackedPlane) -> Bool {
    turn == .none && plane.bits == form.bits && plane.step == (form.bits > 8 ? 2 : 1)
  }

  /// Returns the start and row length of a component; `nil` if its rows hold anything else, or words in foreign byte
  /// order.
  private static func plane(
    of form: SampleForm, _ index: Int, _ frame: UnsafePointer<AVFrame>
  ) -> (start: UnsafeRawPointer, rowBytes: Int)? {
    guard let descriptor = av_pix_fmt_desc_get(form.format)?.pointee else { return nil }
    let parts = [descriptor.comp.0, descriptor.comp.1, descriptor.comp.2, descriptor.comp.3]
    let part = parts[index]
    guard part.step == (form.bits > 8 ? 2 : 1), part.shift == 0, part.offset == 0,
      form.bits <= 8 || Int32(truncatingIfNeeded: descriptor.flags) & AV_PIX_FMT_FLAG_BE == 0
    else { return nil }
    let data = [
      frame.pointee.data.0, frame.pointee.data.1, frame.pointee.data.2, frame.pointee.data.3,
    ]
    let rows = [
      frame.pointee.linesize.0, frame.pointee.linesize.1, frame.pointee.linesize.2,
      frame.pointee.linesize.3,
    ]
    guard let start = data[Int(part.plane)] else { return nil }
    return (UnsafeRawPointer(start), Int(rows[Int(part.plane)]))
  }

  /// Pointers to a frame's planes, in libavutil's form.
  fileprivate struct Pointers {
    var data: [UnsafeMutablePointer<UInt8>?]
    var rowBytes: [Int32]
  }

  fileprivate static func pointers(of frame: UnsafePointer<AVFrame>) -> Pointers {
    let (data, rows) = (frame.pointee.data, frame.pointee.linesize)
    return Pointers(
      data: [data.0, data.1, data.2, data.3], rowBytes: [rows.0, rows.1, rows.2, rows.3])
  }

  fileprivate static func read(
    _ form: SampleForm, _ pointers: Pointers, _ y: Int, _ component: Int, _ count: Int,
    _ line: UnsafeMutablePointer<UInt16>
  ) {
    var data = pointers.data.map { UnsafePointer($0) }
    av_read_image_line2(
      line, &data, pointers.rowBytes, av_pix_fmt_desc_get(form.format), 0, Int32(y),
      Int32(component), Int32(count), 0, 2)
  }

  private static func write(
    _ form: SampleForm, _ pointers: Pointers, _ y: Int, _ component: Int, _ count: Int,
    _ line: UnsafeMutablePointer<UInt16>
  ) {
    var data = pointers.data
    av_write_image_line2(
      line, &data, pointers.rowBytes, av_pix_fmt_desc_get(form.format), 0, Int32(y),
      Int32(component), Int32(count), 2)
  }

  /// Puts samples where they belong; those that get more bits fill them.
  private static func scatter(
    _ line: UnsafePointer<UInt16>, _ count: Int, _ bytes: UnsafeMutableRawBufferPointer,
    _ row: (start: Int, step: Int), _ bits: Int, from given: Int
  ) {
    let more = bits - given
    for x in 0..<count {
      let place = row.start + x * row.step
      if bits <= 8 {
        bytes[place] = UInt8(truncatingIfNeeded: line[x])
      } else {
        let code = Int(line[x])
        let wide = more > 0 ? code << more | code >> (given - more) : code
        bytes.storeBytes(of: UInt16(truncatingIfNeeded: wide), toByteOffset: place, as: UInt16.self)
      }
    }
  }

  /// Takes samples from where they are; those that lose bits are rounded.
  ///
  /// - Parameter fills: true if samples that get more bits are scaled to fill them.
  private static func gather(
    _ bytes: UnsafeRawBufferPointer, _ row: (start: Int, step: Int), _ bits: Int, _ count: Int,
    _ line: UnsafeMutablePointer<UInt16>, to wanted: Int, fills: Bool
  ) {
    let (fewer, more) = (bits - wanted, wanted - bits)
    for x in 0..<count {
      let place = row.start + x * row.step
      var code =
        bits <= 8
        ? Int(bytes[place]) : Int(bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self))
      if fewer > 0 { code = min((code + 1 << (fewer - 1)) >> fewer, 1 << wanted - 1) }
      if more > 0 { code = code << more | (fills ? code >> (bits - more) : 0) }
      line[x] = UInt16(truncatingIfNeeded: code)
    }
  }
}
