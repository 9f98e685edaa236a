internal import FrostglassCore
internal import Synchronization

/// Colors of a GIF that are to stay as they are where it is written again, and what became of them.
package final class KeptColors: Sendable, Hashable {
  /// The colors that may first appear on the canvas with each frame, as 0xRRGGBB.
  private let tables: [[UInt32]]
  private let lost = Atomic(false)

  /// - Parameters:
  ///   - tables: of each frame in the file, the colors that none before it has.
  ///   - first: the first frame that is written, counted from 0.
  ///   - count: frames that are written.
  package init(_ tables: [[UInt32]], first: Int, count: Int) {
    let before = tables.prefix(first + 1).flatMap { $0 }
    self.tables = [before] + tables.dropFirst(first + 1).prefix(count - 1)
  }

  /// True once a frame had more of them than fit into it, so that some were changed.
  package var areLost: Bool { lost.load(ordering: .relaxed) }

  /// Notes that some were changed.
  func lose() { lost.store(true, ordering: .relaxed) }

  /// Colors that are new with a frame, counted from 0.
  func new(with frame: Int) -> [UInt32] { frame < tables.count ? tables[frame] : [] }

  /// True for the same object.
  package static func == (one: KeptColors, other: KeptColors) -> Bool { one === other }

  /// Goes by identity.
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Counts the colors of frames as their rows pass.
package final class ColorCount: Sendable {
  private struct State {
    var rows = 0
    var colors = Set<UInt32>()
    var isExceeded = false
  }

  private let rowsPerFrame: Int
  private let state = Mutex(State())

  /// Colors that libvips writes as they are into a frame of a GIF; one more is for what stays.
  private static let most = 255

  /// A count for frames of so many rows.
  package init(rowsPerFrame: Int) { self.rowsPerFrame = rowsPerFrame }

  /// True once a frame had more colors than a GIF holds.
  package var isExceeded: Bool { state.withLock { $0.isExceeded } }

  /// Looks through the next row of 8-bit RGB or RGBA.
  package func look(at row: UnsafeRawPointer, pixels: Int, channels: Int) {
    state.withLock { state in
      if state.rows % rowsPerFrame == 0 { state.colors.removeAll(keepingCapacity: true) }
      state.rows += 1
      guard !state.isExceeded else { return }
      var last: UInt32?
      for x in 0..<pixels {
        let color = gifColor(row + x * channels, channels)
        if color != last { state.colors.insert(color) }
        last = color
      }
      state.isExceeded = state.colors.count > Self.most
    }
  }
}

/// The value for all transparent pixels.
let transparentGIFColor: UInt32 = 1 << 24

/// The color of a pixel of 8-bit RGB or RGBA as a GIF has it: opaque as 0xRRGGBB, or transparent.
func gifColor(_ pixel: UnsafeRawPointer, _ channels: Int) -> UInt32 {
  let samples = pixel.assumingMemoryBound(to: UInt8.self)
  if channels == 4, samples[3] < 128 { return transparentGIFColor }
  return UInt32(samples[0]) << 16 | UInt32(samples[1]) << 8 | UInt32(samples[2])
}
