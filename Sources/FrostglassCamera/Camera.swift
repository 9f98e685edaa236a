internal import CV4L2
package import Frostglass
package import FrostglassCore
internal import Glibc
internal import Synchronization

/// A camera that delivers frames through Video4Linux.
///
/// Only one thread at a time may ask for frames.
package final class Camera: LiveSource {
  /// The requested frame size, rate and format.
  package struct Request: Sendable {
    /// The size of a frame; `nil` takes the device's own.
    package var size: Size?
    /// Frames per second; `nil` takes the device's, the highest where formats differ.
    package var rate: FrameRate?
    /// The format in which the device stores frames; `nil` takes the one that fits best.
    package var format: CameraFormat?

    package init(size: Size? = nil, rate: FrameRate? = nil, format: CameraFormat? = nil) {
      (self.size, self.rate, self.format) = (size, rate, format)
    }
  }

  /// Width and height in pixels.
  package let size: Size
  /// The layout of the delivered frames, colors included.
  package let layout: FrameLayout
  /// Frames per second; `nil` where the device does not say.
  package let rate: FrameRate?
  /// The format in which the device stores frames.
  package let format: CameraFormat
  private let device: CameraDevice
  private let bytesPerRow: Int
  private let buffers: Buffers
  private let lost = Atomic(0)

  /// The number of buffers that the device fills in rotation.
  private static let bufferCount: UInt32 = 4
  /// The longest wait for a frame, in milliseconds.
  private static let patience: Int32 = 5000
  /// The number of broken frames in a row after which the camera gives up.
  private static let mostBroken = 100

  /// Memory that the device writes to.
  private final class Buffers: Sendable {
    /// Filled before the first frame, and as it is from then on.
    nonisolated(unsafe) var all: [UnsafeRawBufferPointer] = []
    private let system: any CameraSystem

    init(_ system: any CameraSystem) { self.system = system }

    deinit { for buffer in all { system.unmap(buffer) } }
  }

  /// Opens a camera and has it give frames.
  ///
  /// - Throws: `CameraError`.
  package init(
    _ path: String, _ request: Request = Request(), on system: any CameraSystem = KernelCameras()
  ) throws(CameraError) {
    device = try CameraDevice(path, system)
    let grant = try device.grant(request)
    guard !grant.isInterlaced else {
      throw .noCamera(path: path, "its frames are interlaced, and a blur would mix the two fields")
    }
    guard let layout = grant.format.layout else {
      throw .noCamera(path: path, "its frames are \(grant.format), which are not taken")
    }
    size = grant.size
    rate = grant.rate
    format = grant.format
    bytesPerRow = grant.bytesPerRow
    self.layout = layout.with(matrix: grant.matrix, range: grant.range)
    buffers = Buffers(system)
    try begin()
  }

  deinit {
    var type = captureType
    _ = device.call(fgk_v4l2_stop(), &type)
  }

  /// Frames that were broken and are left out.
  package var broken: Int { lost.load(ordering: .relaxed) }

  private func begin() throws(CameraError) {
    var request = v4l2_requestbuffers()
    (request.count, request.type) = (Self.bufferCount, captureType)
    request.memory = V4L2_MEMORY_MMAP.rawValue
    try check("asking for buffers", device.call(fgk_v4l2_request_buffers(), &request))
    for index in 0..<request.count {
      var buffer = buffer(index)
      try check("asking for a buffer", device.call(fgk_v4l2_query_buffer(), &buffer))
      guard
        let memory = device.system.map(
          device.descriptor, Int(buffer.length), at: Int(buffer.m.offset))
      else {
        throw .failed(path: device.path, call: "mapping a buffer", reason: systemWords(errno))
      }
      buffers.all.append(memory)
      try check("giving it a buffer", device.call(fgk_v4l2_queue(), &buffer))
    }
    guard !buffers.all.isEmpty else {
      throw .failed(path: device.path, call: "asking for buffers", reason: systemWords(ENOMEM))
    }
    var type = captureType
    try check("starting it", device.call(fgk_v4l2_start(), &type))
  }

  private func buffer(_ index: UInt32 = 0) -> v4l2_buffer {
    var buffer = v4l2_buffer()
    (buffer.index, buffer.type) = (index, captureType)
    buffer.memory = V4L2_MEMORY_MMAP.rawValue
    return buffer
  }

  private func check(_ call: String, _ code: Int32) throws(CameraError) {
    switch code {
    case 0: return
    case EBUSY: throw .unreadable(path: device.path, reason: "another program uses it")
    default: throw .failed(path: device.path, call: call, reason: systemWords(code))
    }
  }

  /// Waits for the next frame that is whole.
  ///
  /// - Throws: `VideoError.device` where the camera is gone or gives none.
  package func next(
    _ number: Int, into target: UnsafeMutableRawBufferPointer
  ) throws(VideoError) -> [UInt8]? {
    for _ in 0..<Self.mostBroken {
      let ready = device.system.wait(device.descriptor, milliseconds: Self.patience)
      if ready == 0 {
        throw .device("\(device.path): no frame has come for \(Self.patience / 1000) seconds")
      }
      var buffer = buffer()
      let code = ready < 0 ? -ready : device.call(fgk_v4l2_dequeue(), &buffer)
      switch code {
      case 0: break
      case EAGAIN: continue
      case EIO:
        lost.add(1, ordering: .relaxed)
        continue
      case ENODEV: throw .device("\(device.path): the camera is gone")
      default: throw .device("\(device.path): taking a frame failed (\(systemWords(code)))")
      }
      let isWhole = take(buffer, into: target)
      _ = device.call(fgk_v4l2_queue(), &buffer)
      if isWhole { return [] }
      lost.add(1, ordering: .relaxed)
    }
    throw .device("\(device.path): \(Self.mostBroken) frames in a row were broken")
  }

  private func take(
    _ buffer: v4l2_buffer, into target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let (index, used) = (Int(buffer.index), Int(buffer.bytesused))
    guard buffer.flags & UInt32(V4L2_BUF_FLAG_ERROR) == 0, buffers.all.indices.contains(index)
    else { return false }
    let memory = buffers.all[index]
    guard used <= memory.count, used >= format.byteCount(size, bytesPerRow: bytesPerRow) else {
      return false
    }
    return format.unpack(
      UnsafeRawBufferPointer(rebasing: memory[..<used]), size, bytesPerRow: bytesPerRow,
      into: target)
  }
}

extension CameraDevice {
  /// Sets what was asked for, or what comes nearest where nothing was.
  ///
  /// - Throws: `CameraError`; what the camera does not give is said with what it does.
  fileprivate func grant(_ request: Camera.Request) throws(CameraError) -> NegotiatedFormat {
    let offered = formats()
    let candidates = CameraFormat.allCases.filter { offered.contains($0.code) }
    let usable = candidates.filter { request.format == nil || request.format == $0 }
    guard !usable.isEmpty else {
      let taken = request.format.map { [$0] } ?? CameraFormat.allCases
      throw .notOffered(
        path: path,
        "it gives no \(taken.map { letters($0.code) }.joined(separator: ", ")); it offers "
          + (offered.isEmpty ? "no format" : offered.map(letters).joined(separator: ", ")))
    }
    guard let size = request.size ?? currentSize() else {
      throw .notOffered(path: path, "it does not say its size; give --size WxH")
    }
    var grants: [NegotiatedFormat] = []
    for format in usable {
      if let grant = try set(format, size, request.rate), request.size == nil || grant.size == size
      {
        grants.append(grant)
      }
    }
    guard !grants.isEmpty else {
      let offers = usable.map { "\(letters($0.code)) \(sizes($0.code))" }
      throw .notOffered(
        path: path, "it does not give \(size); it offers \(offers.joined(separator: "; "))")
    }
    if let rate = request.rate {
      let fitting = grants.filter { $0.rate.map { $0.isNear(rate) } ?? true }
      guard !fitting.isEmpty else {
        let rates = grants.map { grant in
          "\(grant.rate?.words ?? "?") as \(letters(grant.format.code))"
        }
        throw .notOffered(
          path: path,
          "it does not give \(rate.words) frames a second at \(size); it offers "
            + rates.joined(separator: ", "))
      }
      grants = fitting
    }
    func speed(_ grant: NegotiatedFormat) -> Double { grant.rate?.perSecond ?? 0 }
    // Of those that are as fast the first, which is the least work.
    var best = grants[0]
    for grant in grants where speed(grant) > speed(best) * 1.01 { best = grant }
    guard let grant = try set(best.format, best.size, request.rate), grant.size == best.size else {
      throw .notOffered(path: path, "it gives \(letters(best.format.code)) no more")
    }
    return grant
  }
}

extension FrameRate {
  fileprivate var perSecond: Double { Double(frames) / Double(seconds) }

  fileprivate var words: String {
    frames % seconds == 0 ? "\(frames / seconds)" : "\((perSecond * 100).rounded() / 100)"
  }

  fileprivate func isNear(_ other: FrameRate) -> Bool {
    abs(perSecond / other.perSecond - 1) < 0.01
  }
}
