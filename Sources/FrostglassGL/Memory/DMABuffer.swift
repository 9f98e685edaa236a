internal import CGLES
public import FrostglassCore
internal import Glibc

/// Picture memory that devices and processes share by file descriptors (Linux dma-buf).
///
/// It owns its descriptors: it takes over those it is made with and closes them when its last
/// reference goes. The memory itself lives as long as anyone has a descriptor of it or a picture
/// on it. To give it to another process, send the descriptors while this object exists: sending
/// duplicates them; so does `dup`, for one that is to be kept.
public final class DMABuffer: Sendable {
  /// One of the memory's planes: compressed layouts keep extra data beside the pixels.
  public struct Plane: Sendable, Hashable {
    /// Planes in one piece of memory may have the same descriptor.
    public var descriptor: Int32
    /// Bytes before the first row.
    public var offset: Int
    /// Bytes from one row to the next.
    public var stride: Int

    /// A plane; it does not take the descriptor over.
    public init(descriptor: Int32, offset: Int = 0, stride: Int) {
      self.descriptor = descriptor
      self.offset = offset
      self.stride = stride
    }
  }

  /// Width and height in pixels.
  public let size: Size
  /// How pixels are laid out.
  public let format: DMAFormat
  /// How pixels are arranged in memory, as the driver that made it says: 0 is rows one after
  /// another; `nil` is not told, and the drivers agree by themselves.
  public let modifier: UInt64?
  /// 1 to 4.
  public let planes: [Plane]

  /// Takes over memory that another driver, process or decoder has handed out.
  ///
  /// - Parameter planes: their descriptors are this object's from now on, and closed by it alone.
  public init(taking planes: [Plane], size: Size, format: DMAFormat, modifier: UInt64? = nil) {
    self.planes = planes
    self.size = size
    self.format = format
    self.modifier = modifier
  }

  deinit {
    for descriptor in Set(planes.map(\.descriptor)) where descriptor >= 0 { close(descriptor) }
  }
}

/// How the samples of shared memory are arranged in a pixel.
public enum DMAFormat: Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// Bytes of red, green, blue, alpha.
  case rgba8
  /// Bytes of red, green, blue, and one that means nothing.
  case rgbx8
  /// Bytes of blue, green, red, alpha.
  case bgra8
  /// Bytes of blue, green, red, and one that means nothing.
  case bgrx8
  /// One byte.
  case gray8

  /// The code that drivers know it by: four letters, the first in the low byte.
  public var code: UInt32 { letters.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) } }

  /// By its code; `nil` for one that is not among these.
  public init?(code: UInt32) {
    guard let format = DMAFormat.allCases.first(where: { $0.code == code }) else { return nil }
    self = format
  }

  /// Its four letters, as DRM has them.
  public var description: String { letters }

  /// What a plan sees.
  public var pixelFormat: PixelFormat {
    switch self {
    case .rgba8, .bgra8: .rgba8
    case .rgbx8, .bgrx8: .rgb8
    case .gray8: .gray8
    }
  }

  /// Bytes of a pixel in memory.
  public var bytesPerPixel: Int { self == .gray8 ? 1 : 4 }

  // Named after a word of the four bytes, high byte first: the reverse of memory.
  private var letters: String {
    switch self {
    case .rgba8: "AB24"
    case .rgbx8: "XB24"
    case .bgra8: "AR24"
    case .bgrx8: "XR24"
    case .gray8: "R8  "
    }
  }
}

// What goes to and comes from EGL.
extension DMABuffer {
  /// Planes in memory that an earlier one has given the descriptor of come without one.
  package static func planes(
    _ descriptors: [Int32], _ offsets: [Int32], _ strides: [Int32]
  ) -> [DMABuffer.Plane] {
    var last: Int32 = -1
    return descriptors.indices.map { index in
      if descriptors[index] >= 0 { last = descriptors[index] }
      return DMABuffer.Plane(
        descriptor: last, offset: Int(offsets[index]), stride: Int(strides[index]))
    }
  }

  /// What EGL is told of shared memory whose numbers fit 32 bits.
  package var attributes: [Int32] {
    let names = [
      [EGL_DMA_BUF_PLANE0_FD_EXT, EGL_DMA_BUF_PLANE0_OFFSET_EXT, EGL_DMA_BUF_PLANE0_PITCH_EXT],
      [EGL_DMA_BUF_PLANE1_FD_EXT, EGL_DMA_BUF_PLANE1_OFFSET_EXT, EGL_DMA_BUF_PLANE1_PITCH_EXT],
      [EGL_DMA_BUF_PLANE2_FD_EXT, EGL_DMA_BUF_PLANE2_OFFSET_EXT, EGL_DMA_BUF_PLANE2_PITCH_EXT],
      [EGL_DMA_BUF_PLANE3_FD_EXT, EGL_DMA_BUF_PLANE3_OFFSET_EXT, EGL_DMA_BUF_PLANE3_PITCH_EXT],
    ]
    let modifiers = [
      [EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT],
      [EGL_DMA_BUF_PLANE1_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE1_MODIFIER_HI_EXT],
      [EGL_DMA_BUF_PLANE2_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE2_MODIFIER_HI_EXT],
      [EGL_DMA_BUF_PLANE3_MODIFIER_LO_EXT, EGL_DMA_BUF_PLANE3_MODIFIER_HI_EXT],
    ]
    var list = [
      EGL_WIDTH, EGLint(size.width), EGL_HEIGHT, EGLint(size.height),
      EGL_LINUX_DRM_FOURCC_EXT, EGLint(bitPattern: format.code),
    ]
    for (index, plane) in planes.enumerated() {
      let values = [plane.descriptor, EGLint(plane.offset), EGLint(plane.stride)]
      for (name, value) in zip(names[index], values) { list += [name, value] }
      guard let modifier = modifier else { continue }
      let halves = [modifier, modifier >> 32].map { EGLint(truncatingIfNeeded: $0) }
      for (name, value) in zip(modifiers[index], halves) { list += [name, value] }
    }
    return list
  }
}
