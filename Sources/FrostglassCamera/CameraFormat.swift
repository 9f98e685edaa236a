internal import CV4L2
internal import Frostglass
internal import FrostglassCore
internal import FrostglassStills

/// Formats of cameras that are taken, the least work first.
package enum CameraFormat: String, Sendable, Hashable, CaseIterable {
  case yuv420, nv12, yuyv, grey, mjpeg

  /// True if the number of bytes varies from frame to frame.
  var isCompressed: Bool { self == .mjpeg }

  /// The kernel's code for the format.
  var code: UInt32 {
    switch self {
    case .yuv420: fgk_v4l2_YUV420()
    case .nv12: fgk_v4l2_NV12()
    case .yuyv: fgk_v4l2_YUYV()
    case .grey: fgk_v4l2_GREY()
    case .mjpeg: fgk_v4l2_MJPEG()
    }
  }

  /// The layout of unpacked frames: planes, with the chroma resolution of the stored format.
  ///
  /// MJPEG frames become 4:4:4, as the decoder delivers colors.
  var layout: FrameLayout? {
    let name =
      switch self {
      case .yuv420, .nv12: "yuv420p"
      case .yuyv: "yuv422p"
      case .grey: "gray"
      case .mjpeg: "yuv444p"
      }
    return FrameLayout.raw.first { $0.name == name }
  }

  /// Bytes from one row to the next, where the device does not say.
  func bytesPerRow(_ width: Int) -> Int { self == .yuyv ? (width + 1) / 2 * 4 : width }

  /// Bytes that a frame has at least.
  func byteCount(_ size: Size, bytesPerRow: Int) -> Int {
    let half = (size.height + 1) / 2
    return switch self {
    case .yuyv, .grey: bytesPerRow * size.height
    case .nv12: bytesPerRow * (size.height + half)
    case .yuv420: bytesPerRow * size.height + (bytesPerRow + 1) / 2 * half * 2
    case .mjpeg: 2
    }
  }

  /// Unpacks a frame into planes without gaps.
  ///
  /// - Parameters:
  ///   - bytes: `byteCount(_:bytesPerRow:)` or more.
  ///   - target: as many as `layout` has.
  /// - Returns: true if that is a frame; it always is unless it is compressed.
  func unpack(
    _ bytes: UnsafeRawBufferPointer, _ size: Size, bytesPerRow: Int,
    into target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let (width, height) = (size.width, size.height)
    let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
    func copy(_ from: Int, _ stride: Int, _ count: Int, _ rows: Int, to start: Int) {
      for y in 0..<rows {
        let row = UnsafeRawBufferPointer(
          rebasing: bytes[from + y * stride..<from + y * stride + count])
        UnsafeMutableRawBufferPointer(rebasing: target[(start + y * count)...]).copyMemory(
          from: row)
      }
    }
    switch self {
    case .grey: copy(0, bytesPerRow, width, height, to: 0)
    case .yuv420:
      let half = (bytesPerRow + 1) / 2
      copy(0, bytesPerRow, width, height, to: 0)
      copy(bytesPerRow * height, half, columns, 2 * rows, to: width * height)
    case .nv12:
      copy(0, bytesPerRow, width, height, to: 0)
      for y in 0..<rows {
        let row = bytes[(bytesPerRow * (height + y))...]
        let (u, v) = (width * height + y * columns, width * height + (rows + y) * columns)
        for x in 0..<columns {
          target[u + x] = row[row.startIndex + 2 * x]
          target[v + x] = row[row.startIndex + 2 * x + 1]
        }
      }
    case .yuyv:
      for y in 0..<height {
        let row = y * bytesPerRow
        let (u, v) = (width * height + y * columns, width * height + (height + y) * columns)
        for x in 0..<width { target[y * width + x] = bytes[row + 2 * x] }
        for x in 0..<columns {
          target[u + x] = bytes[row + 4 * x + 1]
          target[v + x] = bytes[row + 4 * x + 3]
        }
      }
    case .mjpeg: return decode(bytes, size, into: target)
    }
    return true
  }

  /// A JPEG as brightness and differences in JFIF's way, rounded to the nearest code.
  private func decode(
    _ bytes: UnsafeRawBufferPointer, _ size: Size, into target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let options = DecodeOptions(maxPixels: size.area)
    guard let image = try? StillDecoder(options).decode(.bytes(Array(bytes))).image,
      image.size == size, image.format.depth == .uint8, image.format.layout != .rgba
    else { return false }
    let (area, isGray) = (size.area, image.format.layout == .gray)
    image.withUnsafeBytes { pixels in
      for y in 0..<size.height {
        let (row, start) = (y * image.bytesPerRow, y * size.width)
        for x in 0..<size.width {
          if isGray {
            target[start + x] = pixels[row + x]
            (target[area + start + x], target[2 * area + start + x]) = (128, 128)
            continue
          }
          let red = Int32(pixels[row + 3 * x])
          let green = Int32(pixels[row + 3 * x + 1])
          let blue = Int32(pixels[row + 3 * x + 2])
          // ITU-T T.871 in units of 1/65536; differences have their zero at 128.
          let luma = 19595 * red + 38470 * green + 7471 * blue + 32768
          let cb = 32768 * blue - 11059 * red - 21709 * green + 8_421_375
          let cr = 32768 * red - 27439 * green - 5329 * blue + 8_421_375
          target[start + x] = UInt8(truncatingIfNeeded: luma >> 16)
          target[area + start + x] = UInt8(truncatingIfNeeded: cb >> 16)
          target[2 * area + start + x] = UInt8(truncatingIfNeeded: cr >> 16)
        }
      }
    }
    return true
  }
}
