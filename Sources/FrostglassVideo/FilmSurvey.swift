internal import CAV
internal import Frostglass
internal import FrostglassStills

/// A film's length, counted by its packets before anything is decoded.
struct FilmSurvey {
  /// The video that players show first; `nil` where packets do not tell how many frames there are.
  let extent: FilmExtent?
  /// The number of times the clock jumps within the file.
  let jumps: Int
  /// The end of the latest packet, in microseconds of the film's own clock.
  private let latest: Int64
  /// True if the last packet of a stream is not whole.
  private let isTorn: Bool
  private let input: FilmInput

  /// Goes through a film.
  ///
  /// - Returns: `nil` for what is no film, or cannot be read twice.
  init?(_ path: String, in version: FileVersion?) {
    guard
      let input = try? FilmInput(path, in: version, span: FilmSpan(), hidesBeginning: false),
      let video = FilmSelection.mainVideo(of: input), FilmEnd.isFile(path)
    else { return nil }
    self.input = input
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    guard let packet else { return nil }
    var (clock, latest, failures) = (FilmClock(), Int64.min, 0)
    var (times, first, end) = (Set<Int64>(), Int64?.none, Int64.min)
    var torn: [Int: Bool] = [:]
    var isCounted = !Self.hidesFrames(input.stream(video).pointee.codecpar.pointee.codec_id)
    while failures < 50 {
      let code = av_read_frame(input.context, packet)
      if code == fg_av_end() { break }
      guard code >= 0 else {
        failures += 1
        continue
      }
      defer { av_packet_unref(packet) }
      let index = Int(packet.pointee.stream_index)
      let stream = input.stream(index)
      torn[index] = packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0
      if input.isArbitrary { clock.set(packet, stream) }
      let ends = FilmClock.end(of: packet, stream)
      latest = max(latest, ends ?? .min)
      guard index == video else { continue }
      let own = packet.pointee
      // Decoding begins at a keyframe.
      if first == nil, own.flags & AV_PKT_FLAG_KEY == 0 { continue }
      guard let ends, own.pts != fg_av_no_time() else {
        isCounted = false
        continue
      }
      first = first ?? own.pts
      guard own.pts >= first ?? .min, own.flags & AV_PKT_FLAG_DISCARD == 0 else { continue }
      times.insert(own.pts)
      end = max(end, ends)
    }
    (jumps, self.latest) = (clock.jumps.count, latest)
    isTorn = torn.values.contains(true)
    extent =
      isCounted && failures == 0 && !times.isEmpty
      ? FilmExtent(frames: times.count, seconds: Double(end - input.shift) / 1e6) : nil
  }

  /// True for codecs whose packets may hold frames that are not shown, or several.
  private static func hidesFrames(_ codec: AVCodecID) -> Bool {
    [AV_CODEC_ID_VP8, AV_CODEC_ID_MPEG4, AV_CODEC_ID_GIF, AV_CODEC_ID_APNG].contains(codec)
  }

  /// Refuses a video that is shorter than its header says.
  ///
  /// - Throws: `FilmError.badFile`.
  func check() throws(FilmError) {
    guard case .open = input.end.finding else { return }
    if isTorn {
      throw .badFile(
        path: input.path, "it is cut off: its last packet is not whole; \(FilmEnd.advice)")
    }
    try Self.check(input.context, latest, input.path)
  }

  /// Compares what a film's head says of its length with the end of its last packet.
  ///
  /// - Parameter latest: in microseconds of the film's own clock.
  /// - Throws: `FilmError.badFile` where half a second or more is missing.
  static func check(
    _ context: UnsafeMutablePointer<AVFormatContext>, _ latest: Int64, _ path: String
  ) throws(FilmError) {
    let promised = context.pointee.duration
    guard context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM,
      promised != fg_av_no_time(), latest != .min, promised - latest >= 500_000
    else { return }
    func seconds(_ time: Int64) -> Double { (Double(time) / 1e3).rounded() / 1e3 }
    throw .badFile(
      path: path,
      "it is cut off: its head says \(seconds(promised)) s, and it ends after \(seconds(latest)); \(FilmEnd.advice)"
    )
  }
}
