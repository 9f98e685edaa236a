internal import CAV
internal import Glibc
internal import Synchronization

/// Counts packets of transport streams whose size differs from their header's. libavformat reports these in its log
/// alone.
enum FilmLog {
  /// The number of such packets, by the address of their file's context.
  private static let short = Mutex<[UInt: Int]>([:])

  /// Listens from now on, and writes nothing.
  static func listen() {
    av_log_set_callback { owner, _, format, _ in
      guard let owner, let format, strcmp(format, "PES packet size mismatch\n") == 0 else { return }
      FilmLog.short.withLock { $0[UInt(bitPattern: owner), default: 0] += 1 }
    }
  }

  /// Returns how many packets of a file were too short, and forgets them.
  static func takeShortPackets(of file: UnsafeMutablePointer<AVFormatContext>) -> Int {
    short.withLock { $0.removeValue(forKey: UInt(bitPattern: file)) ?? 0 }
  }
}
