internal import CAV
internal import Glibc
internal import Synchronization

/// What libavformat says in its log alone: that a packet of a transport stream is not as long as its head says.
enum FilmLog {
  /// How often, by the file that it was said of.
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
