import CV4L2
import Frostglass
import FrostglassCamera
import FrostglassCore
import Glibc

/// Cameras as the kernel shows them, with no kernel.
final class FakeCameras: CameraSystem {
  /// A format that a camera offers.
  struct Offer {
    var code: UInt32
    var sizes: [Size]
    /// Frames a second.
    var rate: UInt32 = 30
  }

  /// The result of a request for a frame.
  enum Event {
    case frame([UInt8])
    /// A frame with a mark that it is broken.
    case broken([UInt8])
    case error(Int32)
  }

  struct State {
    /// The error of opening the device; 0 for none.
    var openError: Int32 = 0
    /// Errors of requests.
    var errors: [UInt: Int32] = [:]
    var capabilities = UInt32(V4L2_CAP_VIDEO_CAPTURE) | UInt32(V4L2_CAP_STREAMING)
    var offers: [Offer] = []
    /// Bytes that a row has beside its pixels.
    var padding: UInt32 = 0
    var field = V4L2_FIELD_NONE.rawValue
    var colorspace = V4L2_COLORSPACE_SRGB.rawValue
    /// Rates that can be set beside the offer's own.
    var rates: [UInt32] = []
    var events: [Event] = []
    var bufferBytes = 1 << 16
    /// The format that is set.
    var code: UInt32 = 0
    var size = Size(width: 0, height: 0)
    var rate: UInt32 = 30
    var buffers: [UnsafeMutableRawBufferPointer] = []
    var queued: [UInt32] = []
    var isStreaming = false
    /// Descriptors and mappings that are open.
    var open = 0
    var mapped = 0
  }

  let state: Monitor<State>

  init(_ offers: [Offer], _ events: [Event] = [], _ change: (inout State) -> Void = { _ in }) {
    var state = State()
    (state.offers, state.events) = (offers, events)
    if let first = offers.first { (state.code, state.size) = (first.code, first.sizes[0]) }
    change(&state)
    self.state = Monitor(state)
  }

  deinit { for buffer in state.withLock({ $0.buffers }) { buffer.deallocate() } }

  func open(_ path: String) -> Int32 {
    state.withLock { state in
      guard state.openError == 0 else { return -state.openError }
      state.open += 1
      return 100
    }
  }

  func close(_ device: Int32) { state.withLock { $0.open -= 1 } }

  func map(_ device: Int32, _ length: Int, at offset: Int) -> UnsafeRawBufferPointer? {
    state.withLock { state in
      state.mapped += 1
      return UnsafeRawBufferPointer(state.buffers[offset / 4096])
    }
  }

  func unmap(_ buffer: UnsafeRawBufferPointer) { state.withLock { $0.mapped -= 1 } }

  func wait(_ device: Int32, milliseconds: Int32) -> Int32 {
    state.withLock { $0.isStreaming && !$0.events.isEmpty ? 1 : 0 }
  }

  func control(
    _ device: Int32, _ request: UInt, _ argument: UnsafeMutableRawPointer
  ) -> Int32 {
    state.withLock { state in
      if let error = state.errors[request] { return -error }
      return -state.answer(request, argument)
    }
  }
}

extension FakeCameras.State {
  /// - Returns: an error's number.
  fileprivate mutating func answer(_ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
    switch request {
    case fgk_v4l2_capabilities():
      argument.assumingMemoryBound(to: v4l2_capability.self).pointee.capabilities = capabilities
    case fgk_v4l2_next_format():
      let entry = argument.assumingMemoryBound(to: v4l2_fmtdesc.self)
      guard offers.indices.contains(Int(entry.pointee.index)) else { return EINVAL }
      entry.pointee.pixelformat = offers[Int(entry.pointee.index)].code
    case fgk_v4l2_next_size():
      let entry = argument.assumingMemoryBound(to: v4l2_frmsizeenum.self)
      let sizes = offers.first { $0.code == entry.pointee.pixel_format }?.sizes ?? []
      guard sizes.indices.contains(Int(entry.pointee.index)) else { return EINVAL }
      let size = sizes[Int(entry.pointee.index)]
      entry.pointee.type = V4L2_FRMSIZE_TYPE_DISCRETE.rawValue
      entry.pointee.discrete.width = UInt32(size.width)
      entry.pointee.discrete.height = UInt32(size.height)
    case fgk_v4l2_get_format():
      fill(argument.assumingMemoryBound(to: v4l2_format.self))
    case fgk_v4l2_set_format(): return set(argument.assumingMemoryBound(to: v4l2_format.self))
    case fgk_v4l2_get_parameters():
      let parameters = argument.assumingMemoryBound(to: v4l2_streamparm.self)
      parameters.pointee.parm.capture.timeperframe = v4l2_fract(numerator: 1, denominator: rate)
    case fgk_v4l2_set_parameters():
      let time = argument.assumingMemoryBound(to: v4l2_streamparm.self).pointee.parm.capture
        .timeperframe
      if time.numerator == 1, rates.contains(time.denominator) { rate = time.denominator }
    default: return stream(request, argument)
    }
    return 0
  }

  /// As cameras do it: what is not there becomes what is.
  private mutating func set(_ format: UnsafeMutablePointer<v4l2_format>) -> Int32 {
    let pix = format.pointee.fmt.pix
    guard let offer = offers.first(where: { $0.code == pix.pixelformat }) ?? offers.first else {
      return EINVAL
    }
    let wanted = Size(width: Int(pix.width), height: Int(pix.height))
    (code, size) = (offer.code, offer.sizes.contains(wanted) ? wanted : offer.sizes[0])
    rate = offer.rate
    fill(format)
    return 0
  }

  private func fill(_ format: UnsafeMutablePointer<v4l2_format>) {
    format.pointee.fmt.pix.pixelformat = code
    format.pointee.fmt.pix.width = UInt32(size.width)
    format.pointee.fmt.pix.height = UInt32(size.height)
    format.pointee.fmt.pix.field = field
    format.pointee.fmt.pix.colorspace = colorspace
    let row = UInt32(code == fgk_v4l2_YUYV() ? 2 * size.width : size.width)
    format.pointee.fmt.pix.bytesperline = code == fgk_v4l2_MJPEG() ? 0 : row + padding
  }

  private mutating func stream(_ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
    switch request {
    case fgk_v4l2_request_buffers():
      // Fewer than were asked for.
      argument.assumingMemoryBound(to: v4l2_requestbuffers.self).pointee.count = 3
      buffers = (0..<3).map { _ in .allocate(byteCount: bufferBytes, alignment: 16) }
    case fgk_v4l2_query_buffer():
      let buffer = argument.assumingMemoryBound(to: v4l2_buffer.self)
      buffer.pointee.length = UInt32(bufferBytes)
      buffer.pointee.m.offset = buffer.pointee.index * 4096
    case fgk_v4l2_queue():
      let index = argument.assumingMemoryBound(to: v4l2_buffer.self).pointee.index
      guard !queued.contains(index), buffers.indices.contains(Int(index)) else { return EINVAL }
      queued.append(index)
    case fgk_v4l2_dequeue():
      return fillNext(argument.assumingMemoryBound(to: v4l2_buffer.self))
    case fgk_v4l2_start(): isStreaming = true
    case fgk_v4l2_stop():
      isStreaming = false
      queued = []
    default: return ENOTTY
    }
    return 0
  }

  private mutating func fillNext(_ buffer: UnsafeMutablePointer<v4l2_buffer>) -> Int32 {
    guard !events.isEmpty else { return EAGAIN }
    let (bytes, flags): ([UInt8], UInt32)
    switch events.removeFirst() {
    case .error(let code): return code
    case .frame(let frame): (bytes, flags) = (frame, 0)
    case .broken(let frame): (bytes, flags) = (frame, UInt32(V4L2_BUF_FLAG_ERROR))
    }
    // Buffers that were not given back are not filled.
    guard !queued.isEmpty else { return EAGAIN }
    let index = queued.removeFirst()
    buffers[Int(index)].copyBytes(from: bytes)
    (buffer.pointee.index, buffer.pointee.flags) = (index, flags)
    buffer.pointee.bytesused = UInt32(bytes.count)
    return 0
  }
}
