internal import CAV
internal import Frostglass
internal import FrostglassCore
internal import FrostglassStills
internal import Glibc
internal import Synchronization

/// A video file that is read: the frames of videos that are rendered, and packets of what is copied.
///
/// One thread at a time reads.
final class VideoInput: @unchecked Sendable {
  /// The file's name, for messages.
  let path: String
  /// libavformat's context of the file.
  let context: UnsafeMutablePointer<AVFormatContext>
  /// The number of damaged packets and frames.
  private(set) var damaged = 0
  /// Frames that were left out, as they are to be shown when another is.
  private(set) var timeless = 0
  /// The decoders by stream index.
  private(set) var decoders: [Int: VideoDecoder] = [:]
  /// Streams whose packets are copied.
  private var copied: Set<Int> = []
  /// True if the new file can hide the packets that audio decoders need to begin.
  private let hidesBeginning: Bool
  private let span: VideoSpan
  private let version: FileVersion?
  /// Open as long as libavformat may read it.
  private let file: SearchedFile?
  private var packet: UnsafeMutablePointer<AVPacket>?
  private var ready: [VideoFrame] = []
  private var failures = 0
  private var hasEnded = false

  /// Streams with a packet that libavformat just marked as damaged, and the number of packets since.
  private var doubtful: [Int: Int] = [:]
  /// Puts times that start anew on the way on one clock.
  private var clock = VideoClock()
  /// The end of the latest packet, in microseconds of the video's own clock.
  private var latest = Int64.min
  /// The file's end, according to the lengths in the file.
  let end: VideoEnd

  /// Opens a file and looks at its beginning and its end.
  ///
  /// - Throws: `VideoFileError.unreadable` or `.badFile`, also for one that is cut off.
  ///
  /// - Parameter version: the state that the file must be in; `nil` takes any.
  init(
    _ path: String, in version: FileVersion? = nil, span: VideoSpan, hidesBeginning: Bool
  ) throws(VideoFileError) {
    self.path = path
    self.version = version
    self.hidesBeginning = hidesBeginning
    self.span = span
    var opened: UnsafeMutablePointer<AVFormatContext>?
    if let version {
      let file = try SearchedFile(path, version)
      self.file = file
      end = VideoEnd(of: "/proc/self/fd/\(file.descriptor)")
      // Without a context of ours libavformat would make one, and open the path.
      guard let reading = fgk_av_reading(file.descriptor) else {
        throw .unreadable(path: path, reason: systemWords(ENOMEM))
      }
      opened = reading
    } else {
      file = nil
      end = VideoEnd(of: path)
    }
    do throws(VideoFileError) { try end.check(path) } catch {
      avformat_free_context(opened)
      throw error
    }
    // A name with a colon is a file too.
    let code = avformat_open_input(&opened, ("file:" + path).systemPath, nil, nil)
    guard code >= 0, let context = opened else {
      let system = fgk_av_system_error(code)
      if [ENOENT, EACCES, EPERM, EISDIR, ENOTDIR, ELOOP, ENAMETOOLONG].contains(system) {
        throw .unreadable(path: path, reason: systemWords(system))
      }
      throw .badFile(path: path, "this is no video that can be read (\(words(ofAV: code)))")
    }
    // Such a list opens its files by itself, whatever they are by then.
    if version != nil, String(cString: context.pointee.iformat.pointee.name) == "concat" {
      avformat_close_input(&opened)
      throw .badFile(
        path: path, "it is a list of other files, which may change meanwhile; give one video")
    }
    self.context = context
    packet = av_packet_alloc()
    context.pointee.flags |= AVFMT_FLAG_GENPTS
    let found = avformat_find_stream_info(context, nil)
    guard found >= 0 else {
      throw .badFile(path: path, "this is no video that can be read (\(words(ofAV: found)))")
    }
  }

  deinit {
    _ = VideoLog.takeShortPackets(of: context)
    av_packet_free(&packet)
    var context: UnsafeMutablePointer<AVFormatContext>? = context
    avformat_close_input(&context)
  }

  /// A stream of the file.
  func stream(_ index: Int) -> UnsafeMutablePointer<AVStream> {
    guard let stream = context.pointee.streams[index] else {
      preconditionFailure("libavformat has as many streams as it says")
    }
    return stream
  }

  /// The number of streams.
  var streamCount: Int { Int(context.pointee.nb_streams) }

  /// Starts decoders for some streams, and says which others are to be copied.
  ///
  /// - Throws: `VideoFileError.unsupported` where libav has no decoder.
  func begin(rendering rendered: [Int], copying copied: Set<Int>) throws(VideoFileError) {
    self.copied = copied
    for (video, index) in rendered.enumerated() {
      decoders[index] = try VideoDecoder(stream(index), video, path)
    }
    for index in 0..<streamCount where decoders[index] == nil && !copied.contains(index) {
      stream(index).pointee.discard = AVDISCARD_ALL
    }
    guard let start = span.start, start > 0 else { return }
    // What is shown before is left out, and so is its damage.
    seek(to: start)
    _ = VideoLog.takeShortPackets(of: context)
  }

  /// Goes to a frame that is shown at a moment or before it, from which on frames come.
  ///
  /// - Parameter moment: in seconds from the video's beginning.
  func seek(to moment: Double) {
    // Where the clock starts anew on the way, times do not lead to places.
    if isArbitrary, VideoSurvey(path, in: version)?.jumps ?? 0 > 0 { return }
    let time = Int64(moment * 1e6) + origin
    var back: Int64 = 0
    // Of files without an index libavformat finds a time, and not where decoding can begin.
    while time - back > origin {
      let target = time - back
      if avformat_seek_file(context, -1, .min, target, target, 0) >= 0, canBeginHere(before: time) {
        avformat_seek_file(context, -1, .min, target, target, 0)
        return
      }
      back = max(2 * back, 1_000_000)
    }
    if isArbitrary || avformat_seek_file(context, -1, .min, origin, .max, 0) < 0 {
      avformat_seek_file(context, -1, 0, 0, 0, AVSEEK_FLAG_BYTE)
    }
  }

  /// Returns true if the first keyframe of each video is shown at or before a time. The packets read for this are
  /// read again later.
  private func canBeginHere(before time: Int64) -> Bool {
    guard let packet else { return true }
    var open = Set(decoders.keys)
    for _ in 0..<2000 where !open.isEmpty {
      guard av_read_frame(context, packet) >= 0 else { return false }
      defer { av_packet_unref(packet) }
      let index = Int(packet.pointee.stream_index)
      guard open.contains(index), packet.pointee.flags & AV_PKT_FLAG_KEY != 0 else { continue }
      let (pts, none) = (packet.pointee.pts, fgk_av_no_time())
      let base = stream(index).pointee.time_base
      if pts != none, av_rescale_q(pts, base, fgk_av_microseconds()) > time { return false }
      open.remove(index)
    }
    return true
  }

  /// True if timestamps start at an arbitrary value.
  var isArbitrary: Bool {
    context.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0
  }

  /// The video's start, in microseconds of its own clock: the file's start time if its clock is arbitrary, otherwise
  /// 0.
  private var origin: Int64 {
    let start = context.pointee.start_time
    return isArbitrary && start != fgk_av_no_time() ? start : 0
  }

  /// The offset subtracted from all times so that the video begins at 0, in microseconds.
  var shift: Int64 { origin + Int64((span.start ?? 0) * 1e6) }

  /// The end of the selected span in the new video, in microseconds; `nil` for the video's end.
  var spanEnd: Int64? { span.end.map { Int64(($0 - (span.start ?? 0)) * 1e6) } }

  /// The duration of the selected span in seconds; `nil` if the file does not tell.
  var seconds: Double? {
    let duration = context.pointee.duration
    guard duration != fgk_av_no_time(), duration > 0 else { return nil }
    let end = min(span.end ?? .infinity, Double(duration) / 1e6)
    return max(end - (span.start ?? 0), 0)
  }

  /// Frames of a stream, as far as the file tells.
  func frameCount(_ index: Int) -> Int? {
    let stream = stream(index).pointee
    if span == VideoSpan(), stream.nb_frames > 0 { return Int(stream.nb_frames) }
    guard let seconds, stream.avg_frame_rate.num > 0, stream.avg_frame_rate.den > 0 else {
      return nil
    }
    return Int(min((seconds * av_q2d(stream.avg_frame_rate)).rounded(), 1e15))
  }

  /// Reads up to the next frame that is rendered.
  ///
  /// - Parameter copy: takes packets of streams that are copied, as they come; their times are those of the
  ///   new video.
  /// - Returns: `nil` at the end.
  func next(
    copy: (UnsafeMutablePointer<AVPacket>) throws(VideoFileError) -> Void
  ) throws(VideoFileError) -> VideoFrame? {
    while true {
      if !ready.isEmpty { return ready.removeFirst() }
      if hasEnded { return nil }
      try step(copy)
    }
  }

  /// Takes a packet.
  private func step(_ copy: (UnsafeMutablePointer<AVPacket>) throws(VideoFileError) -> Void)
    throws(VideoFileError)
  {
    guard let packet else { return }
    let code = av_read_frame(context, packet)
    guard code >= 0 else {
      if code == fgk_av_end() { return try drain() }
      if code == fgk_av_again() { return }
      damaged += 1
      failures += 1
      // Some files go on behind a hole; none has this many in a row.
      if failures > 50 { try drain() }
      return
    }
    failures = 0
    defer { av_packet_unref(packet) }
    let index = Int(packet.pointee.stream_index)
    let begins = isArbitrary && clock.set(packet, stream(index))
    latest = max(latest, VideoClock.end(of: packet, stream(index)) ?? .min)
    countDamage(packet, begins: begins)
    if let decoder = decoders[index] {
      try take(decoder, packet)
      if decoders.values.allSatisfy(\.isPastEnd) { try drain() }
    } else if copied.contains(index) {
      guard isShown(packet, of: stream(index)) else { return }
      let base = stream(index).pointee.time_base
      let shift = av_rescale_q(shift, fgk_av_microseconds(), base)
      if packet.pointee.pts != fgk_av_no_time() { packet.pointee.pts -= shift }
      if packet.pointee.dts != fgk_av_no_time() { packet.pointee.dts -= shift }
      try copy(packet)
    }
  }

  /// Counts damaged packets.
  ///
  /// Where transport streams are concatenated, their counters start anew, and the last packet before that, or the
  /// parser's previous one, is marked damaged. Its decoder, or its length, tells whether it is.
  ///
  /// - Parameter begins: true if the stream's clock starts anew with the packet.
  private func countDamage(_ packet: UnsafeMutablePointer<AVPacket>, begins: Bool) {
    let index = Int(packet.pointee.stream_index)
    let isMarked = packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0
    if let count = doubtful[index] {
      if !begins, count == 1 || isMarked { damaged += 1 }
      doubtful[index] = begins || count == 1 ? nil : count + 1
    }
    if isMarked { doubtful[index] = 0 }
  }

  /// Returns true if a copied packet belongs to the part that is shown.
  ///
  /// Packets outside the selected span, or hidden by an edit list, do not. The exception is the tenth of a second
  /// that audio decoders need to begin, where the new file can hide it.
  private func isShown(
    _ packet: UnsafeMutablePointer<AVPacket>, of stream: UnsafeMutablePointer<AVStream>
  ) -> Bool {
    let none = fgk_av_no_time()
    let time = packet.pointee.pts != none ? packet.pointee.pts : packet.pointee.dts
    guard time != none else { return true }
    let start = av_rescale_q(time, stream.pointee.time_base, fgk_av_microseconds()) - shift
    let end =
      start
      + av_rescale_q(packet.pointee.duration, stream.pointee.time_base, fgk_av_microseconds())
    if packet.pointee.flags & AV_PKT_FLAG_DISCARD != 0, !hidesBeginning || end < -100_000 {
      return false
    }
    if stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 { return true }
    if span.start != nil, end <= 0 { return false }
    if let end = spanEnd, start >= end { return false }
    return true
  }

  /// Looks at the end of a whole video once more, when all of it has been read.
  ///
  /// - Throws: `VideoFileError.badFile` where the file ends before the video does.
  func checkEnd() throws(VideoFileError) {
    guard span == VideoSpan() else { return }
    let end = VideoEnd(of: path)
    try end.check(path)
    let isAllRead = (0..<streamCount).allSatisfy { stream($0).pointee.discard != AVDISCARD_ALL }
    if case .open = end.finding, isAllRead { try VideoSurvey.check(context, latest, path) }
  }

  /// Warnings about the times of frames.
  var remarks: [String] {
    var remarks: [String] = []
    if timeless > 0 {
      remarks.append("\(timeless) frames are left out that were to be shown when another is")
    }
    if clock.jumps.count > 0 {
      let times = clock.jumps.count == 1 ? "once" : "\(clock.jumps.count) times"
      remarks.append("its timestamps jump \(times) on the way; frames go on there without a gap")
    }
    return remarks
  }

  /// Takes what decoders still have.
  private func drain() throws(VideoFileError) {
    hasEnded = true
    damaged += doubtful.count
    damaged = max(damaged, VideoLog.takeShortPackets(of: context))
    for decoder in decoders.values.sorted(by: { $0.video < $1.video }) {
      try take(decoder, nil)
      if let held = decoder.held {
        held.duration = decoder.lastDuration(held)
        held.isLast = true
        decoder.held = nil
        ready.append(held)
      }
    }
  }

  private func take(
    _ decoder: VideoDecoder, _ packet: UnsafeMutablePointer<AVPacket>?
  ) throws(VideoFileError) {
    damaged += decoder.send(packet)
    while let frame = decoder.receive(damaged: &damaged) {
      try add(frame, decoder)
    }
  }

  /// Gives a frame its place in time. It is let go when the next one tells how long it is shown.
  private func add(
    _ frame: UnsafeMutablePointer<AVFrame>, _ decoder: VideoDecoder
  ) throws(VideoFileError) {
    var owned: UnsafeMutablePointer<AVFrame>? = frame
    defer { av_frame_free(&owned) }
    try decoder.check(frame, path)
    if frame.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0 || frame.pointee.decode_error_flags != 0 {
      damaged += 1
    }
    let base = decoder.stream.pointee.time_base
    var time = frame.pointee.best_effort_timestamp
    if time == fgk_av_no_time() {
      time = decoder.held.map { $0.time + decoder.lastDuration($0) } ?? 0
    } else {
      time -= av_rescale_q(shift, fgk_av_microseconds(), base)
    }
    if span.start != nil, time < 0 { return }
    if let end = spanEnd.map({ av_rescale_q($0, fgk_av_microseconds(), base) }) {
      if time >= end {
        if decoder.held?.duration == 0 {
          decoder.held?.duration = end - (decoder.held?.time ?? end)
        }
        decoder.isPastEnd = true
        return
      }
    }
    if let held = decoder.held {
      guard time > held.time else {
        timeless += 1
        return
      }
      if held.duration == 0 { held.duration = time - held.time }
      ready.append(held)
    }
    owned = nil
    let next = VideoFrame(decoder.video, decoder.count, time, base, frame)
    next.previous = decoder.held?.time
    decoder.held = next
    decoder.count += 1
  }
}

/// libav's words for an error.
func words(ofAV code: Int32) -> String {
  var text = [CChar](repeating: 0, count: 128)
  av_strerror(code, &text, text.count)
  return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

extension VideoFileError {
  /// Frames of two fields each.
  static func interlaced(_ path: String) -> VideoFileError {
    .unsupported(
      path: path,
      "its frames are interlaced, and a blur would mix the two fields; deinterlace it first, as with "
        + "ffmpeg's -vf bwdif")
  }
}

/// A file that is open in the state in which it was searched, whatever its path leads to.
private final class SearchedFile {
  let descriptor: Int32

  /// - Throws: `VideoFileError.unreadable`, or `.badFile` for a file in another state.
  init(_ path: String, _ version: FileVersion) throws(VideoFileError) {
    descriptor = open(path.systemPath, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .unreadable(path: path, reason: systemWords(errno)) }
    guard FileVersion(of: descriptor, path) == version else {
      throw .badFile(path: path, FileVersion.changed)
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }
}

/// A frame of a video, decoded, with its place in time.
///
/// One thread at a time has it: the one that decodes, then the one that renders it.
final class VideoFrame: @unchecked Sendable {
  /// The index of its video among those that are rendered.
  let video: Int
  /// Its number among the frames of its video that are shown, from 0.
  let index: Int
  /// The presentation time, in the stream's time base.
  let time: Int64
  /// The duration, in the stream's time base; 0 if unknown.
  var duration: Int64 = 0
  /// The presentation time of the previous frame; `nil` if there is none.
  var previous: Int64?
  /// True if no frame of its video comes after it.
  var isLast = false
  /// Its stream's time base.
  let base: AVRational
  /// libav's frame.
  let frame: UnsafeMutablePointer<AVFrame>

  init(
    _ video: Int, _ index: Int, _ time: Int64, _ base: AVRational,
    _ frame: UnsafeMutablePointer<AVFrame>
  ) {
    (self.video, self.index, self.frame) = (video, index, frame)
    (self.time, self.base) = (time, base)
  }

  /// The frame's place in the new video; times are in seconds.
  var moment: FrameMoment {
    let second = av_q2d(base)
    return FrameMoment(
      index: index, seconds: Double(time) * second,
      duration: duration > 0 ? Double(duration) * second : nil,
      previous: previous.map { Double($0) * second }, isLast: isLast)
  }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = frame
    av_frame_free(&frame)
  }
}

/// Counts packets of transport streams whose size differs from their header's. libavformat reports these in its log
/// alone.
enum VideoLog {
  /// The number of such packets, by the address of their file's context.
  private static let short = Mutex<[UInt: Int]>([:])

  /// Listens from now on, and writes nothing.
  static func listen() {
    av_log_set_callback { owner, _, format, _ in
      guard let owner, let format, strcmp(format, "PES packet size mismatch\n") == 0 else { return }
      VideoLog.short.withLock { $0[UInt(bitPattern: owner), default: 0] += 1 }
    }
  }

  /// Returns how many packets of a file were too short, and forgets them.
  static func takeShortPackets(of file: UnsafeMutablePointer<AVFormatContext>) -> Int {
    short.withLock { $0.removeValue(forKey: UInt(bitPattern: file)) ?? 0 }
  }
}
