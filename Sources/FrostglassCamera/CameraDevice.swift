internal import CV4L2
internal import Frostglass
internal import FrostglassCore
internal import Glibc

/// An open device, and what it can be asked before frames come.
final class CameraDevice: Sendable {
  let path: String
  let system: any CameraSystem
  let descriptor: Int32

  /// The device's frame storage after a request.
  struct NegotiatedFormat {
    var format: CameraFormat
    var size: Size
    var bytesPerRow: Int
    var matrix: YCbCrFormat.Matrix
    var range: YCbCrFormat.Levels
    /// Frames a second; `nil` where the device does not say.
    var rate: FrameRate?
    var isInterlaced: Bool
  }

  /// - Throws: `CameraError` for what is no camera.
  init(_ path: String, _ system: any CameraSystem) throws(CameraError) {
    (self.path, self.system) = (path, system)
    descriptor = system.open(path)
    switch -descriptor {
    case ...0: break
    case ENOENT, ENODEV, ENXIO: throw .missing(path: path)
    case EACCES, EPERM:
      throw .unreadable(
        path: path, reason: "this user may not; mostly members of the group video may")
    case let code: throw .unreadable(path: path, reason: systemWords(code))
    }
    do { try checkCapture() } catch {
      system.close(descriptor)
      throw error
    }
  }

  deinit { if descriptor >= 0 { system.close(descriptor) } }

  private func checkCapture() throws(CameraError) {
    var capability = v4l2_capability()
    switch call(fgk_v4l2_capabilities(), &capability) {
    case 0: break
    case ENOTTY, EINVAL: throw .noCamera(path: path, "it is no Video4Linux device")
    case let code: throw .failed(path: path, call: "asking what it is", reason: systemWords(code))
    }
    func has(_ flag: some BinaryInteger, _ flags: UInt32) -> Bool {
      flags & UInt32(truncatingIfNeeded: flag) != 0
    }
    let all = capability.capabilities
    let own = has(V4L2_CAP_DEVICE_CAPS, all) ? capability.device_caps : all
    guard has(V4L2_CAP_VIDEO_CAPTURE, own) else {
      throw .noCamera(
        path: path,
        has(V4L2_CAP_VIDEO_CAPTURE_MPLANE, own)
          ? "it gives frames in planes of separate memory, which are not taken"
          : "it gives no images; a camera often has several devices, of which one does")
    }
    guard has(V4L2_CAP_STREAMING, own) else {
      throw .noCamera(path: path, "it does not share its buffers, by which frames are taken")
    }
  }

  /// Asks the device something.
  ///
  /// - Returns: an error's number, or 0.
  func call<Argument>(_ request: UInt, _ argument: inout Argument) -> Int32 {
    withUnsafeMutablePointer(to: &argument) {
      -system.control(descriptor, request, UnsafeMutableRawPointer($0))
    }
  }

  /// The codes of all formats that it offers.
  func formats() -> [UInt32] {
    var codes: [UInt32] = []
    for index in 0..<UInt32(256) {
      var format = v4l2_fmtdesc()
      format.index = index
      format.type = captureType
      guard call(fgk_v4l2_next_format(), &format) == 0 else { break }
      codes.append(format.pixelformat)
    }
    return codes
  }

  /// The sizes that it offers in a format, in words.
  func sizes(_ code: UInt32) -> String {
    var list: [String] = []
    for index in 0..<UInt32(256) {
      var entry = v4l2_frmsizeenum()
      (entry.index, entry.pixel_format) = (index, code)
      guard call(fgk_v4l2_next_size(), &entry) == 0 else { break }
      guard entry.type == V4L2_FRMSIZE_TYPE_DISCRETE.rawValue else {
        let range = entry.stepwise
        return "\(range.min_width)x\(range.min_height) to \(range.max_width)x\(range.max_height)"
      }
      list.append("\(entry.discrete.width)x\(entry.discrete.height)")
    }
    return list.isEmpty ? "sizes that it does not say" : list.joined(separator: ", ")
  }

  /// The size that it has now.
  func currentSize() -> Size? {
    var format = v4l2_format()
    format.type = captureType
    guard call(fgk_v4l2_get_format(), &format) == 0 else { return nil }
    return Size(width: Int(format.fmt.pix.width), height: Int(format.fmt.pix.height))
  }

  /// Sets format, size and rate.
  ///
  /// - Returns: the settings that the device made of them; `nil` if it has another format.
  /// - Throws: `CameraError` where it does nothing of it.
  func set(
    _ format: CameraFormat, _ size: Size, _ rate: FrameRate?
  ) throws(CameraError) -> NegotiatedFormat? {
    var request = v4l2_format()
    request.type = captureType
    request.fmt.pix.width = UInt32(size.width)
    request.fmt.pix.height = UInt32(size.height)
    request.fmt.pix.pixelformat = format.code
    request.fmt.pix.field = V4L2_FIELD_NONE.rawValue
    switch call(fgk_v4l2_set_format(), &request) {
    case 0: break
    case EBUSY: throw .unreadable(path: path, reason: "another program uses it")
    case EINVAL: return nil
    case let code: throw .failed(path: path, call: "setting its format", reason: systemWords(code))
    }
    let pix = request.fmt.pix
    guard pix.pixelformat == format.code, pix.width > 0, pix.height > 0 else { return nil }
    let granted = Size(width: Int(pix.width), height: Int(pix.height))
    let least = format.bytesPerRow(granted.width)
    return NegotiatedFormat(
      format: format, size: granted,
      bytesPerRow: pix.bytesperline == 0 ? least : max(Int(pix.bytesperline), least),
      matrix: format == .mjpeg ? .bt601 : matrix(pix), range: format == .mjpeg ? .full : range(pix),
      rate: self.rate(rate),
      isInterlaced: pix.field != V4L2_FIELD_NONE.rawValue && pix.field != V4L2_FIELD_ANY.rawValue)
  }

  /// Sets the rate, or asks for it.
  private func rate(_ wanted: FrameRate?) -> FrameRate? {
    var request = v4l2_streamparm()
    request.type = captureType
    guard call(fgk_v4l2_get_parameters(), &request) == 0 else { return nil }
    if let wanted {
      request.parm.capture.timeperframe = v4l2_fract(
        numerator: UInt32(clamping: wanted.seconds), denominator: UInt32(clamping: wanted.frames))
      // What it cannot change stays as it was, which is asked for next.
      _ = call(fgk_v4l2_set_parameters(), &request)
      request = v4l2_streamparm()
      request.type = captureType
      guard call(fgk_v4l2_get_parameters(), &request) == 0 else { return nil }
    }
    let time = request.parm.capture.timeperframe
    return FrameRate(Int(time.denominator), in: Int(time.numerator))
  }

  private func matrix(_ pix: v4l2_pix_format) -> YCbCrFormat.Matrix {
    switch pix.ycbcr_enc {
    case V4L2_YCBCR_ENC_709.rawValue, V4L2_YCBCR_ENC_XV709.rawValue: return .bt709
    case V4L2_YCBCR_ENC_BT2020.rawValue: return .bt2020
    case V4L2_YCBCR_ENC_DEFAULT.rawValue: break
    default: return .bt601
    }
    return switch pix.colorspace {
    case V4L2_COLORSPACE_REC709.rawValue, V4L2_COLORSPACE_DCI_P3.rawValue: .bt709
    case V4L2_COLORSPACE_BT2020.rawValue: .bt2020
    default: .bt601
    }
  }

  private func range(_ pix: v4l2_pix_format) -> YCbCrFormat.Levels {
    switch pix.quantization {
    case V4L2_QUANTIZATION_FULL_RANGE.rawValue: .full
    case V4L2_QUANTIZATION_LIM_RANGE.rawValue: .narrow
    default: pix.colorspace == V4L2_COLORSPACE_JPEG.rawValue ? .full : .narrow
    }
  }
}

/// The buffer type of all requests.
let captureType = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue

/// A format's four letters.
func letters(_ code: UInt32) -> String {
  let bytes = (0..<4).map { UInt8(truncatingIfNeeded: code >> (8 * $0)) & 0x7F }
  return String(decoding: bytes.filter { $0 > 32 && $0 < 127 }, as: UTF8.self)
}

/// Why a camera gives no frames.
package enum CameraError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no such device.
  case missing(path: String)
  /// The device is there and cannot be opened.
  case unreadable(path: String, reason: String)
  /// The device is something else than a camera.
  case noCamera(path: String, String)
  /// The camera does not give what was asked for.
  case notOffered(path: String, String)
  /// A call failed that should not.
  case failed(path: String, call: String, reason: String)

  /// The error message.
  package var description: String {
    switch self {
    case .missing(let path):
      "\(path): there is no such device; no camera is connected, or this system has no Video4Linux"
    case .unreadable(let path, let reason): "\(path): cannot be opened (\(reason))"
    case .noCamera(let path, let what), .notOffered(let path, let what): "\(path): \(what)"
    case .failed(let path, let call, let reason): "\(path): \(call) failed (\(reason))"
    }
  }
}

/// The system calls that cameras use, or their substitutes in tests. Calls that return a number return an error number
/// negated.
package protocol CameraSystem: Sendable {
  /// Opens a device.
  ///
  /// - Returns: its descriptor.
  func open(_ path: String) -> Int32
  /// Closes it.
  func close(_ device: Int32)
  /// ioctl(2).
  ///
  /// - Parameter argument: the data that the request reads and fills.
  func control(_ device: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32
  /// Makes a buffer of the device readable.
  func map(_ device: Int32, _ length: Int, at offset: Int) -> UnsafeRawBufferPointer?
  /// Ends that.
  func unmap(_ buffer: UnsafeRawBufferPointer)
  /// Waits for a frame.
  ///
  /// - Returns: 0 where none has come.
  func wait(_ device: Int32, milliseconds: Int32) -> Int32
}

/// The kernel's.
package struct KernelCameras: CameraSystem {
  package init() {}

  package func open(_ path: String) -> Int32 {
    let device = Glibc.open(path.systemPath, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    return device < 0 ? -errno : device
  }

  package func close(_ device: Int32) { Glibc.close(device) }

  package func control(
    _ device: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer
  ) -> Int32 {
    while true {
      if ioctl(device, request, argument) >= 0 { return 0 }
      let code = errno
      if code != EINTR { return -code }
    }
  }

  package func map(_ device: Int32, _ length: Int, at offset: Int) -> UnsafeRawBufferPointer? {
    let memory = mmap(nil, length, PROT_READ, MAP_SHARED, device, offset)
    guard let memory, memory != MAP_FAILED else { return nil }
    return UnsafeRawBufferPointer(start: memory, count: length)
  }

  package func unmap(_ buffer: UnsafeRawBufferPointer) {
    munmap(UnsafeMutableRawPointer(mutating: buffer.baseAddress), buffer.count)
  }

  package func wait(_ device: Int32, milliseconds: Int32) -> Int32 {
    var place = pollfd(fd: device, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&place, 1, milliseconds)
      if count >= 0 { return count }
      let code = errno
      if code != EINTR { return -code }
    }
  }
}
