internal import FrostglassCore

/// The times of frames in an animated WebP.
///
/// libvips 8.14 writes 100 ms for frames that are shown 10 ms or less, as old browsers do. The format has any
/// number of milliseconds, and so have players that know nothing of that.
struct WebPDelays {
  /// The duration of each frame, in milliseconds.
  let delays: [Int]

  /// Returns the delay that libvips writes for `delay`.
  private static func written(_ delay: Int) -> Int { delay <= 10 ? 100 : delay }

  /// Has frames shown as long as they are to be.
  func mend(_ file: EncodedBytes) {
    guard delays.contains(where: { $0 != Self.written($0) }), file.count > 12 else { return }
    var next = 0
    var mended: [(Range<Int>, [UInt8])] = []
    var place = 12
    while place + 8 <= file.count {
      let head = file.bytes(place..<min(place + 24, file.count))
      guard let length = ByteOrder.little.number(head, at: 4, bytes: 4) else { return }
      if head.starts(with: "ANMF".utf8) {
        guard let written = ByteOrder.little.number(head, at: 20, bytes: 3) else { return }
        // Frames that are alike are one, shown as long as all of them.
        var (sum, wanted) = (0, 0)
        while next < delays.count, sum < written {
          sum += Self.written(delays[next])
          wanted += delays[next]
          next += 1
        }
        guard sum == written else { return }
        if wanted != written {
          mended.append((place + 20..<place + 23, ByteOrder.little.bytes(wanted, 3)))
        }
      }
      // What is odd is filled up.
      place += 8 + length + length % 2
    }
    for (range, bytes) in mended { file.replace(range, with: bytes) }
  }
}
