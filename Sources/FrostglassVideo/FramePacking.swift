internal import CAV
internal import Frostglass
internal import FrostglassCore
internal import Glibc

/// Takes samples out of libav's frames into the bytes that filters take, and puts them into others.
struct FramePacking: Sendable {
  /// How decoded frames hold samples.
  let source: SampleForm
  /// How frames for the encoder hold them.
  let target: SampleForm
  /// What filters are told.
  let layout: FrameLayout
  /// Of frames as they are coded.
  let size: Size
  /// What makes them upright, where that matters to the filters.
  let turn: Turn

  /// Of frames as filters see them.
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

  /// Copies samples into a frame for the encoder.
  func pack(_ bytes: UnsafeRawBufferPointer, into frame: UnsafeMutablePointer<AVFrame>) {
    guard let base = bytes.baseAddress else { return }
    let line = UnsafeMutablePointer<UInt16>.allocate(capacity: size.width)
    defer { line.deallocate() }
    let pointers = Self.pointers(of: UnsafePointer(frame))
    let planes = source.packed(uprightSize, layout)
    // libavutil puts samples beside what is there, as others may share their bytes.
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

  /// Whether the largest code of a component stays the largest where there are more bits: that of alpha, and white
  /// in full range. Codes of narrow range, and differences around the middle, only get more places.
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

  /// Whether rows can be copied as they are.
  private func isPlain(_ form: SampleForm, _ plane: PackedPlane) -> Bool {
    turn == .none && plane.bits == form.bits && plane.step == (form.bits > 8 ? 2 : 1)
  }

  /// Where a component's rows are, if they hold nothing else and words in the machine's order.
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

  /// Where the planes of a frame are, as libavutil takes them.
  private struct Pointers {
    var data: [UnsafeMutablePointer<UInt8>?]
    var rowBytes: [Int32]
  }

  private static func pointers(of frame: UnsafePointer<AVFrame>) -> Pointers {
    let (data, rows) = (frame.pointee.data, frame.pointee.linesize)
    return Pointers(
      data: [data.0, data.1, data.2, data.3], rowBytes: [rows.0, rows.1, rows.2, rows.3])
  }

  private static func read(
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
  /// - Parameter fills: whether those that get more fill them.
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
