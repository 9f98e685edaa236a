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

    public init(descriptor: Int32, offset: Int = 0, stride: Int) {
      self.descriptor = descriptor
      self.offset = offset
      self.stride = stride
    }
  }

  public let size: Size
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
