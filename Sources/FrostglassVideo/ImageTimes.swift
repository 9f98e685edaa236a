internal import CAV
internal import Frostglass
internal import FrostglassCore
internal import FrostglassStills

/// Durations of the images of an animation that is made from a video's frames.
///
/// An image begins at the step of its format nearest to its frame's start, so rounding errors do not add up. Where
/// frames come faster than images may, some begin a little late, and those that are over by then are left out. Of a
/// video that is too fast overall, every other frame is left out, so motion stays even.
struct ImageTimes {
  /// A frame of the video, in the time base of its stream.
  struct Frame {
    var start: Int64
    var end: Int64
  }

  /// An image of the new file.
  struct ImageEntry {
    /// The start of its frame, in the video's time base.
    let start: Int64
    /// The time it is shown, in milliseconds.
    let delay: Int
  }

  /// In the order in which they are shown; two of one frame where a format cannot say how long it is.
  private(set) var pictures: [ImageEntry] = []
  /// Frames that have no image.
  let leftOut: Int
  /// No image is shown for less, in milliseconds.
  let shortest: Int

  /// - Parameters:
  ///   - frames: all that are shown, in order.
  ///   - base: in which they are counted.
  init(_ frames: [Frame], _ base: AVRational, for format: StillFormat) {
    let step = format == .gif ? 10 : 1
    let shortest = Int(1000 / FrameTimes.rates(of: format).upperBound)
    // From here on times are in steps.
    let least = shortest / step
    let first = frames.first?.start ?? 0
    let unit = AVRational(num: Int32(step), den: 1000)
    func steps(_ time: Int64) -> Int {
      // Damaged files may have any value.
      Int(min(max(av_rescale_q(time &- first, base, unit), 0), 1 << 50))
    }
    let end = frames.last.map { steps($0.end) } ?? 0

    let pace = Self.pace(of: frames.count, in: end, least)
    var begun: [(start: Int64, step: Int)] = []
    var passed = 0
    for frame in frames {
      guard let before = begun.last?.step else {
        begun.append((frame.start, 0))
        continue
      }
      let microseconds = av_rescale_q(frame.end &- frame.start, base, fgk_av_microseconds())
      // What is shown for long is never missing.
      if passed < pace - 1, microseconds < 1000 * Int64(shortest) {
        passed += 1
        continue
      }
      let (start, free) = (steps(frame.start), before + least)
      if start < free, steps(frame.end) <= free { continue }
      begun.append((frame.start, max(start, free)))
      passed = 0
    }
    leftOut = frames.count - begun.count
    self.shortest = shortest
    for (index, picture) in begun.enumerated() {
      let isLast = index + 1 == begun.count
      let next = isLast ? max(end, picture.step + least) : begun[index + 1].step
      add(picture.start, next - picture.step, step, Self.longest(format) / step)
    }
  }

  /// Returns n where every nth frame is shown, a power of two. It is 1 for a video that is at most 5 % too fast, as
  /// few frames are left out then.
  ///
  /// - Parameters:
  ///   - end: the end of the last frame, in steps.
  ///   - least: the least steps that an image takes.
  private static func pace(of frames: Int, in end: Int, _ least: Int) -> Int {
    var pace = 1
    while 20 * max(end, 1) * pace < 19 * least * frames { pace *= 2 }
    return pace
  }

  /// The most milliseconds that a format can say: 16 bits of hundredths, as APNG is written too, or 24 bits.
  private static func longest(_ format: StillFormat) -> Int {
    format == .webp ? 0xFF_FFFF : 655_350
  }

  /// Adds an image, or several of one frame where it is shown for longer than one can be.
  ///
  /// - Parameters:
  ///   - delay: in steps, at least 1.
  ///   - step: in milliseconds.
  ///   - longest: in steps.
  private mutating func add(_ start: Int64, _ delay: Int, _ step: Int, _ longest: Int) {
    // Centuries are a broken file's.
    let delay = min(delay, 1000 * longest)
    let count = (delay - 1) / longest + 1
    let ends = (0...count).map { $0 * delay / count }
    pictures += zip(ends, ends.dropFirst()).map { begin, end in
      ImageEntry(start: start, delay: (end - begin) * step)
    }
  }
}

extension ImageTimes {
  /// Reads the times of a video's frames.
  ///
  /// The frames are decoded for that, and again to be rendered. Encoders need the number and times of all images
  /// before the first row, the file does not say which frames are shown, and memory does not hold all of them.
  ///
  /// - Parameter progress: called after each frame of this first pass of two.
  /// - Throws: errors of reading it, and `VideoFileError.unsupported` if it cannot be read twice.
  init(
    of job: VideoJob, for format: StillFormat, _ progress: (VideoProgress) -> Void
  ) throws(VideoFileError) {
    let (input, stream) = try VideoImages.open(job)
    guard input.context.pointee.pb?.pointee.seekable != 0 else {
      throw .unsupported(
        path: job.input,
        "a video is read twice for an image that moves, and this is no file; make it one before")
    }
    let base = input.stream(stream).pointee.time_base
    var frames: [Frame] = []
    let total = input.frameCount(stream)
    var last: VideoFrame?
    while let frame = try input.next(copy: { _ in }) {
      frames.append(Frame(start: frame.time, end: frame.time &+ frame.duration))
      last = frame
      progress(VideoProgress(frames: frames.count, total: total, bytes: nil, pass: 1, of: 2))
    }
    guard let last else { try VideoImages.refuse(input, job) }
    frames.removeLast()
    let usual = frames.last.map { $0.end &- $0.start } ?? 0
    frames.append(Frame(start: last.time, end: Self.end(of: last, input, usual: usual)))
    self.init(frames, base, for: format)
  }

  /// Returns the end of a video's last frame, in its stream's time base.
  ///
  /// - Parameter usual: the duration of the previous frame; 0 if there is none.
  private static func end(of frame: VideoFrame, _ input: VideoInput, usual: Int64) -> Int64 {
    func ticks(_ microseconds: Int64) -> Int64 {
      av_rescale_q(microseconds, fgk_av_microseconds(), frame.base)
    }
    var end = frame.time &+ frame.duration
    // Without a word of its own it is taken to be as long as frames are on average.
    if frame.frame.pointee.pkt_duration <= 0, let whole = input.endOfVideo.map(ticks),
      whole > frame.time
    {
      end = whole
    }
    // Where a file says nothing, 10 frames per second are usual.
    if end <= frame.time { end = frame.time &+ (usual > 0 ? usual : ticks(100_000)) }
    return min(end, input.spanEnd.map(ticks) ?? .max)
  }
}

extension VideoInput {
  /// The end of the video, in microseconds of the new video; `nil` if it is not the only video or audio stream, or if
  /// the file does not tell.
  fileprivate var endOfVideo: Int64? {
    let timed = (0..<streamCount).count { index in
      let kind = stream(index).pointee.codecpar.pointee.codec_type
      return kind == AVMEDIA_TYPE_VIDEO || kind == AVMEDIA_TYPE_AUDIO
    }
    let (start, duration) = (context.pointee.start_time, context.pointee.duration)
    // Of those that begin late, some count from their beginning, others from 0.
    guard timed == 1, start == 0, duration > 0 else { return nil }
    return duration - shift
  }

  /// The number of times a GIF or PNG animation plays, which libavformat does not report; 0 means forever, as for
  /// videos.
  var plays: Int {
    guard let name = context.pointee.iformat.pointee.name,
      ["gif", "apng"].contains(String(cString: name))
    else { return 0 }
    // Nothing is decoded.
    let decoder = StillDecoder(DecodeOptions(maxPixels: .max))
    guard let reader = try? decoder.reader(of: .file(path)),
      let all = try? decoder.allFrames(of: reader)
    else { return 0 }
    return all.metadata.animation?.loop ?? 0
  }
}

/// One clock for packets of a container whose own may start anew on the way, as that of MPEG-TS does.
///
/// Sound and video go on where they were when a time is far from the one that is due; all streams make the same
/// jump, so they stay together.
struct VideoClock {
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
    let none = fgk_av_no_time()
    let (own, base) = (packet.pointee, stream.pointee.time_base)
    let start = own.dts != none ? own.dts : own.pts
    guard start != none else { return false }
    let time = av_rescale_q(start, base, fgk_av_microseconds())
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
    let length = max(av_rescale_q(own.duration, base, fgk_av_microseconds()), 0)
    place.next = time - taken + length
    streams[own.stream_index] = place
    if isSteady { latest = place.next }
    let steps = av_rescale_q(taken, fgk_av_microseconds(), base)
    if own.pts != none { packet.pointee.pts -= steps }
    if own.dts != none { packet.pointee.dts -= steps }
    return place.made > before
  }

  /// Returns when a packet ends, in microseconds; `nil` where it has no time.
  static func end(
    of packet: UnsafeMutablePointer<AVPacket>, _ stream: UnsafeMutablePointer<AVStream>
  ) -> Int64? {
    let own = packet.pointee
    let start = own.pts != fgk_av_no_time() ? own.pts : own.dts
    guard start != fgk_av_no_time() else { return nil }
    return av_rescale_q(
      start &+ max(own.duration, 0), stream.pointee.time_base, fgk_av_microseconds())
  }
}
