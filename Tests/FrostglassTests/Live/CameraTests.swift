import CV4L2
import Frostglass
import FrostglassCamera
import FrostglassCore
import FrostglassStills
import Glibc
import TestSupport
import Testing

/// Cameras through Video4Linux, without one.
@Suite struct CameraTests {
  private let path = "/dev/video0"
  private let small = Size(width: 6, height: 4)

  private func camera(
    _ system: FakeCameras, _ request: Camera.Request = Camera.Request()
  ) throws(CameraError) -> Camera {
    try Camera(path, request, on: system)
  }

  private func frame(of camera: Camera, _ number: Int = 1) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: camera.layout.byteCount(of: camera.size))
    let line = try bytes.withUnsafeMutableBytes { try camera.next(number, into: $0) }
    #expect(line == [])
    return bytes
  }

  /// Returns the error of opening a camera.
  private func refusal(
    _ system: FakeCameras, _ request: Camera.Request = Camera.Request()
  ) -> String {
    do throws(CameraError) {
      _ = try camera(system, request)
      return "nothing"
    } catch { return "\(error)" }
  }

  private func offer(_ code: UInt32, _ rate: UInt32 = 30) -> FakeCameras.Offer {
    FakeCameras.Offer(code: code, sizes: [small, Size(width: 12, height: 8)], rate: rate)
  }

  @Test func whereNoCameraIs() {
    func words(_ change: (inout FakeCameras.State) -> Void) -> String {
      refusal(FakeCameras([offer(fgk_v4l2_YUYV())], [], change))
    }
    for code in [ENOENT, ENODEV, ENXIO] {
      #expect(words { $0.openError = code }.contains("there is no such device"))
    }
    #expect(words { $0.openError = EACCES }.contains("the group video"))
    let notVideo = words { $0.errors[fgk_v4l2_capabilities()] = ENOTTY }
    #expect(notVideo == "/dev/video0: it is no Video4Linux device")
    #expect(words { $0.capabilities = UInt32(V4L2_CAP_VIDEO_OUTPUT) }.contains("no images"))
    let planes = UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE) | UInt32(V4L2_CAP_STREAMING)
    #expect(words { $0.capabilities = planes }.contains("planes of separate memory"))
    #expect(
      words { $0.capabilities = UInt32(V4L2_CAP_VIDEO_CAPTURE) }.contains("share its buffers"))
    #expect(words { $0.errors[fgk_v4l2_set_format()] = EBUSY }.contains("another program uses it"))
    #expect(words { $0.errors[fgk_v4l2_start()] = EBUSY }.contains("another program uses it"))
    #expect(words { $0.field = V4L2_FIELD_INTERLACED.rawValue }.contains("interlaced"))
    let full = words { $0.errors[fgk_v4l2_request_buffers()] = ENOMEM }
    #expect(full.hasPrefix("/dev/video0: asking for buffers failed ("))
  }

  @Test func nothingStaysOpen() throws {
    let system = FakeCameras([offer(fgk_v4l2_GREY())])
    var camera: Camera? = try camera(system)
    #expect(system.state.withLock { $0.open == 1 && $0.mapped == 3 && $0.isStreaming })
    #expect(camera?.size == small)
    camera = nil
    #expect(system.state.withLock { $0.open == 0 && $0.mapped == 0 && !$0.isStreaming })
    let broken = FakeCameras([offer(fgk_v4l2_GREY())], []) { $0.errors[fgk_v4l2_start()] = EIO }
    #expect(refusal(broken).contains("starting it failed"))
    #expect(broken.state.withLock { $0.open == 0 && $0.mapped == 0 })
  }

  /// Rows with gaps between them become planes without.
  @Test(arguments: [0, 10] as [UInt32]) func framesAreUnpacked(_ padding: UInt32) throws {
    func taken(_ code: UInt32, _ bytes: [UInt8]) throws -> (bytes: [UInt8], name: String) {
      let system = FakeCameras([offer(code)], [.frame(bytes)]) { $0.padding = padding }
      let camera = try camera(system)
      return (try frame(of: camera), camera.layout.name)
    }
    let gap = [UInt8](repeating: 255, count: Int(padding))
    func rows(_ rows: [[UInt8]], _ gap: [UInt8]) -> [UInt8] { rows.flatMap { $0 + gap } }
    func codes(_ first: Int, _ columns: Int, _ rows: Int) -> [[UInt8]] {
      (0..<rows).map { y in (0..<columns).map { x in UInt8(first + 10 * y + x) } }
    }
    func joined(_ rows: [[UInt8]]) -> [UInt8] { Array(rows.joined()) }
    let luma = codes(0, 6, 4)
    let (u, v) = (codes(100, 3, 2), codes(200, 3, 2))

    let gray = try taken(fgk_v4l2_GREY(), rows(luma, gap))
    #expect(gray.bytes == joined(luma))
    #expect(gray.name == "gray")
    let halfGap = Array(gap.prefix(Int(padding) / 2))
    let planar = try taken(fgk_v4l2_YUV420(), rows(luma, gap) + rows(u + v, halfGap))
    #expect(planar.bytes == joined(luma + u + v))
    #expect(planar.name == "yuv420p")
    var pairs = codes(0, 6, 2)
    for y in 0..<2 {
      for x in 0..<3 { (pairs[y][2 * x], pairs[y][2 * x + 1]) = (u[y][x], v[y][x]) }
    }
    let paired = try taken(fgk_v4l2_NV12(), rows(luma + pairs, gap))
    #expect(paired.bytes == joined(luma + u + v))
    #expect(paired.name == "yuv420p")

    let (all, others) = (codes(100, 3, 4), codes(200, 3, 4))
    var packed = codes(0, 12, 4)
    for y in 0..<4 {
      for x in 0..<3 {
        packed[y][4 * x] = luma[y][2 * x]
        packed[y][4 * x + 1] = all[y][x]
        packed[y][4 * x + 2] = luma[y][2 * x + 1]
        packed[y][4 * x + 3] = others[y][x]
      }
    }
    let wide = try taken(fgk_v4l2_YUYV(), rows(packed, gap))
    #expect(wide.bytes == joined(luma + all + others))
    #expect(wide.name == "yuv422p")
  }

  /// Also without the tables that cameras leave out, as they are always the same.
  @Test(arguments: [true, false]) func imagesAreDecoded(_ hasTables: Bool) throws {
    var image = Image(zeros: Size(width: 12, height: 8), format: .rgb8)
    for y in 0..<8 { for x in 0..<12 { image.setSample(1, x: x, y: y, channel: 0) } }
    let file = try StillEncoder(EncodeOptions(quality: 95)).encode(image, as: .jpeg)
    let bytes = hasTables ? file : try withoutTables(file)
    #expect(hasTables || bytes.count < file.count - 300)
    let events: [FakeCameras.Event] = [.frame(Array(bytes.prefix(bytes.count / 3))), .frame(bytes)]
    let camera = try camera(
      FakeCameras([offer(fgk_v4l2_MJPEG())], events), Camera.Request(size: image.size))
    #expect(camera.layout.name == "yuv444p" && camera.layout.range == .full)
    let frame = try frame(of: camera)
    // Red in JFIF's way.
    for (plane, code) in [76, 85, 255].enumerated() {
      for place in 0..<96 { #expect(abs(Int(frame[96 * plane + place]) - code) <= 2) }
    }
    #expect(camera.broken == 1)
  }

  /// A JPEG without its Huffman tables.
  private func withoutTables(_ file: [UInt8]) throws -> [UInt8] {
    var result = Array(file.prefix(2))
    var at = 2
    while at + 4 <= file.count {
      let end = at + 2 + Int(file[at + 2]) << 8 + Int(file[at + 3])
      if file[at + 1] == 0xDA { return result + file[at...] }
      if file[at + 1] != 0xC4 { result += file[at..<end] }
      at = end
    }
    return []
  }

  @Test func whatIsNotOfferedIsAnsweredWithWhatIs() throws {
    let system = FakeCameras([offer(fgk_v4l2_YUYV()), offer(fgk_v4l2_MJPEG())])
    let large = refusal(system, Camera.Request(size: Size(width: 1920, height: 1080)))
    #expect(
      large == "/dev/video0: it does not give 1920×1080; it offers YUYV 6x4, 12x8; MJPG 6x4, 12x8")
    let other = refusal(system, Camera.Request(format: .nv12))
    #expect(other == "/dev/video0: it gives no NV12; it offers YUYV, MJPG")
    let fast = refusal(system, Camera.Request(size: small, rate: FrameRate(60, in: 1)))
    #expect(
      fast
        == "/dev/video0: it does not give 60 frames a second at 6×4; it offers 30 as YUYV, 30 as MJPG"
    )
    let strange = FakeCameras([offer(0x3436_3248)])
    #expect(refusal(strange).hasSuffix("it offers H264"))
  }

  @Test func theFastestFormatIsTaken() throws {
    let slow = FakeCameras([offer(fgk_v4l2_YUYV(), 5), offer(fgk_v4l2_MJPEG(), 30)])
    let camera = try camera(slow, Camera.Request(size: small))
    #expect(camera.format == .mjpeg && camera.rate == FrameRate(30, in: 1))
    // Where all are as fast, what is the least work.
    let equal = FakeCameras([
      offer(fgk_v4l2_MJPEG()), offer(fgk_v4l2_YUYV()), offer(fgk_v4l2_NV12()),
    ])
    #expect(try self.camera(equal).format == .nv12)
    #expect(try self.camera(equal, Camera.Request(format: .yuyv)).format == .yuyv)
    let able = FakeCameras([offer(fgk_v4l2_NV12())], []) { $0.rates = [60] }
    #expect(try self.camera(able, Camera.Request(rate: FrameRate(60, in: 1))).rate?.frames == 60)
  }

  @Test func brokenFramesAreLeftOut() throws {
    let frames = (0..<3).map { [UInt8](repeating: UInt8($0), count: 24) }
    let system = FakeCameras(
      [offer(fgk_v4l2_GREY())],
      [
        .frame(frames[0]), .broken(frames[2]), .error(EIO), .frame([1, 2, 3]), .frame(frames[1]),
        .error(EAGAIN), .frame(frames[2]), .error(ENODEV),
      ])
    let camera = try camera(system)
    for (number, expected) in frames.enumerated() {
      #expect(try frame(of: camera, number + 1) == expected)
    }
    #expect(camera.broken == 3)
    #expect(throws: VideoError.device("/dev/video0: the camera is gone")) {
      try frame(of: camera)
    }
    // All buffers are with the camera again.
    #expect(system.state.withLock { $0.queued.count } == 3)
    #expect(throws: VideoError.device("/dev/video0: no frame has come for 5 seconds")) {
      try frame(of: camera)
    }
  }

  @Test func onlySoManyBrokenFramesInARowAreBorne() throws {
    let system = FakeCameras(
      [offer(fgk_v4l2_GREY())], (0..<200).map { _ in .broken([UInt8](repeating: 0, count: 24)) })
    let camera = try camera(system)
    #expect(throws: VideoError.device("/dev/video0: 100 frames in a row were broken")) {
      try frame(of: camera)
    }
  }

  @Test func colorsAreTheCameras() throws {
    func format(_ change: (inout FakeCameras.State) -> Void) throws -> YCbCrFormat {
      let camera = try camera(FakeCameras([offer(fgk_v4l2_NV12())], [], change))
      guard case .planes(let format) = camera.layout.content else { return .jpeg }
      return format
    }
    let plain = try format { _ in }
    #expect(plain.matrix == .bt601 && plain.range == .narrow)
    #expect(try format { $0.colorspace = V4L2_COLORSPACE_REC709.rawValue }.matrix == .bt709)
    #expect(try format { $0.colorspace = V4L2_COLORSPACE_JPEG.rawValue }.range == .full)
  }
}
