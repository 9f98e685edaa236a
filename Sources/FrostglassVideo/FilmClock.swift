internal import CAV

/// One clock for packets of a container whose own may start anew on the way, as that of MPEG-TS does.
///
/// Sound and video go on where they were when a time is far from the one that is due; all streams make the same
/// jump, so they stay together.
struct FilmClock {
  /// The jumps found so far, each subtracted from the times that follow it, in microseconds.
  private(set) var jumps: [Int64] = []
  private var streams: [Int32: Place] = [:]
  /// The end of the packet before, whatever its stream, in microseconds.
  private var latest: Int64?

  private struct Place {
    /// Jumps that this stream has made.
    var made: Int
    /// The time that its next packet is due at.
    var next: Int64
  }

  /// A time is far from the one that is due from so many microseconds on; ffmpeg has the same limits.
  private static let (ahead, back) = (Int64(10_000_000), Int64(-100_000))

  /// Changes a packet's times to those of the one clock. Packets come in the order of the file.
  ///
  /// - Returns: true for the first packet of its stream behind a jump.
  @discardableResult mutating func set(
    _ packet: UnsafeMutablePointer<AVPacket>, _ stream: UnsafeMutablePointer<AVStream>
  ) -> Bool {
    let none = fg_av_no_time()
    let (own, base) = (packet.pointee, stream.pointee.time_base)
    let start = own.dts != none ? own.dts : own.pts
    guard start != none else { return false }
    let time = av_rescale_q(start, base, fg_av_microseconds())
    let kind = stream.pointee.codecpar.pointee.codec_type
    let isSteady = kind == AVMEDIA_TYPE_VIDEO || kind == AVMEDIA_TYPE_AUDIO
    var place = streams[own.stream_index] ?? Place(made: 0, next: latest ?? time)
    let isFirst = streams[own.stream_index] == nil
    let before = place.made
    var taken = jumps[..<place.made].reduce(0, &+)
    if isSteady, !isFirst {
      func isFar(_ taken: Int64) -> Bool {
        let off = time - taken - place.next
        return off > Self.ahead || off < Self.back
      }
      while isFar(taken), place.made < jumps.count {
        taken += jumps[place.made]
        place.made += 1
      }
      if isFar(taken) {
        jumps.append(time - taken - place.next)
        taken = time - place.next
        place.made += 1
      }
    } else {
      // Sparse and late streams follow the majority of the others.
      while place.made < jumps.count {
        let (now, then) = (time - taken, time - taken - jumps[place.made])
        guard let latest, abs(then - latest) < abs(now - latest) else { break }
        taken += jumps[place.made]
        place.made += 1
      }
    }
    let length = max(av_rescale_q(own.duration, base, fg_av_microseconds()), 0)
    place.next = time - taken + length
    streams[own.stream_index] = place
    if isSteady { latest = place.next }
    let steps = av_rescale_q(taken, fg_av_microseconds(), base)
    if own.pts != none { packet.pointee.pts -= steps }
    if own.dts != none { packet.pointee.dts -= steps }
    return place.made > before
  }

  /// Returns when a packet ends, in microseconds; `nil` where it has no time.
  static func end(
    of packet: UnsafeMutablePointer<AVPacket>, _ stream: UnsafeMutablePointer<AVStream>
  ) -> Int64? {
    let own = packet.pointee
    let start = own.pts != fg_av_no_time() ? own.pts : own.dts
    guard start != fg_av_no_time() else { return nil }
    return av_rescale_q(
      start &+ max(own.duration, 0), stream.pointee.time_base, fg_av_microseconds())
  }
}
