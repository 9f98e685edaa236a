internal import CAV
internal import Frostglass
internal import FrostglassStills

/// The streams and tags of a video that are kept. Nothing else decides that.
struct VideoSelection: Sendable {
  /// Videos that are rendered, the one that players show first being first.
  private(set) var rendered: [Int] = []
  /// Streams whose packets are copied.
  private(set) var copied: Set<Int> = []
  /// The kept subtitle streams that the container holds in another codec, with that codec.
  private(set) var converted: [Int: AVCodecID] = [:]
  /// The streams and tags that are left out, with the reason where that was not asked for.
  private(set) var leftOut: [(what: String, why: String?)] = []
  /// Descriptions of what is converted to another form.
  private var changed: [String] = []
  private let keeping: VideoKeeping

  /// - Parameter container: the new video's container.
  /// - Throws: `VideoFileError.badFile` where there is no video.
  init(
    _ input: VideoInput, _ keeping: VideoKeeping, in container: UnsafePointer<AVOutputFormat>
  ) throws(VideoFileError) {
    self.keeping = keeping
    guard let first = Self.mainVideo(of: input) else {
      throw .badFile(path: input.path, "there is no video in it")
    }
    rendered = [first]
    for index in 0..<input.streamCount where index != first {
      let stream = input.stream(index)
      // What containers hold for themselves, such as a track with the names of chapters.
      if stream.pointee.discard == AVDISCARD_ALL { continue }
      let words = Self.words(stream)
      if stream.pointee.disposition & AV_DISPOSITION_TIMED_THUMBNAILS != 0 {
        if !keeping.covers { leftOut.append((words, nil)) }
        continue
      }
      guard isKept(stream) else {
        leftOut.append((words, nil))
        continue
      }
      if Self.isVideo(stream) {
        rendered.append(index)
      } else if VideoOutput.accepts(stream, container) {
        copied.insert(index)
      } else if let form = SubtitleConverter.form(for: stream, in: container) {
        copied.insert(index)
        converted[index] = form
        changed.append("\(words) becomes \(String(cString: avcodec_get_name(form)))")
      } else if stream.pointee.codecpar.pointee.codec_tag != Self.timecode {
        let name = String(cString: container.pointee.name)
        leftOut.append((words, "as \(name) does not hold it"))
      }
    }
    guard !keeping.tags else { return }
    let own = Self.keys(input.context.pointee.metadata)
    let ofStreams = (rendered + copied.sorted()).flatMap { index in
      Self.keys(input.stream(index).pointee.metadata)
    }
    let ofPrograms = (0..<Int(input.context.pointee.nb_programs)).flatMap { index in
      Self.keys(input.context.pointee.programs[index]?.pointee.metadata)
    }
    let names = Set(own + ofStreams + ofPrograms).subtracting(Self.technical).subtracting(
      VideoOutput.neutral)
    for name in names.sorted() { leftOut.append(("tag \(name)", nil)) }
  }

  /// Tags of the file that was, which say nothing of the video.
  private static let technical: Set = [
    "major_brand", "minor_version", "compatible_brands", "encoder", "vendor_id", "handler_name",
    "BPS", "DURATION", "NUMBER_OF_FRAMES", "NUMBER_OF_BYTES",
  ]

  /// The video that players show first; `nil` where there is none.
  static func mainVideo(of input: VideoInput) -> Int? {
    let main = Int(av_find_best_stream(input.context, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0))
    let videos = (0..<input.streamCount).filter { isVideo(input.stream($0)) }
    return videos.first { $0 == main } ?? videos.first
  }

  /// QuickTime's time code, which is written anew from a tag of that name.
  static let timecode: UInt32 = 0x6463_6D74

  /// Returns true if a stream holds a sequence of frames, and no attached image.
  private static func isVideo(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
    stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
      && stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
      && stream.pointee.discard != AVDISCARD_ALL
  }

  private func isKept(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
    if stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 { return keeping.covers }
    switch stream.pointee.codecpar.pointee.codec_type {
    case AVMEDIA_TYPE_VIDEO: return keeping.otherVideos
    case AVMEDIA_TYPE_AUDIO: return true
    case AVMEDIA_TYPE_SUBTITLE: return keeping.subtitles
    default: return keeping.data
    }
  }

  /// Descriptions of what is left out and what is changed.
  var notes: [String] {
    changed + leftOut.map { "\($0.what) is left out" + ($0.why.map { ", \($0)" } ?? "") }
  }

  /// A stream in words: its number, kind, codec and language.
  static func words(_ stream: UnsafeMutablePointer<AVStream>) -> String {
    let own = stream.pointee.codecpar.pointee
    let isCover = stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
    let kind =
      isCover
      ? "cover" : av_get_media_type_string(own.codec_type).map { String(cString: $0) } ?? "unknown"
    var words = [kind, String(cString: avcodec_get_name(own.codec_id))]
    if let language = av_dict_get(stream.pointee.metadata, "language", nil, 0) {
      words.append(String(cString: language.pointee.value))
    }
    return "stream \(stream.pointee.index) (\(words.joined(separator: ", ")))"
  }

  /// Copies what the file says of itself, and its chapters.
  func copyTags(from input: VideoInput, to output: VideoOutput) {
    if keeping.tags {
      av_dict_copy(&output.context.pointee.metadata, input.context.pointee.metadata, 0)
      // Of the file that was.
      for key in ["major_brand", "minor_version", "compatible_brands", "encoder"] {
        av_dict_set(&output.context.pointee.metadata, key, nil, 0)
      }
      // So AVI calls what wrote the file.
      if let entry = av_dict_get(input.context.pointee.metadata, "software", nil, 0),
        String(cString: entry.pointee.value).hasPrefix("Lavf")
      {
        av_dict_set(&output.context.pointee.metadata, "software", nil, 0)
      }
    }
    guard keeping.chapters else { return }
    for index in 0..<Int(input.context.pointee.nb_chapters) {
      guard let chapter = input.context.pointee.chapters[index] else { continue }
      let base = chapter.pointee.time_base
      let shift = av_rescale_q(input.shift, fgk_av_microseconds(), base)
      let last = input.spanEnd.map { av_rescale_q($0, fgk_av_microseconds(), base) } ?? .max
      let start = max(chapter.pointee.start - shift, 0)
      let end = min(chapter.pointee.end - shift, last)
      guard start < end else { continue }
      _ = fgk_av_add_chapter(output.context, chapter, start, end)
    }
  }

  /// Copies the programs of a transport stream, each with those of its streams that go out.
  ///
  /// - Parameter streams: the numbers in the new file, by those in the old one.
  /// - Returns: a note if several programs are merged because the new file has none.
  func copyPrograms(
    from input: VideoInput, to output: VideoOutput, _ streams: [Int: Int]
  ) -> String? {
    let all = (0..<Int(input.context.pointee.nb_programs)).compactMap { index in
      input.context.pointee.programs[index]
    }
    let kept = all.map { program in
      (0..<Int(program.pointee.nb_stream_indexes)).compactMap { index in
        streams[Int(program.pointee.stream_index[index])]
      }
    }
    guard kept.count(where: { !$0.isEmpty }) > 0 else { return nil }
    guard output.name == "mpegts" else {
      return kept.count(where: { !$0.isEmpty }) > 1
        ? "its \(all.count) programs become one, as \(output.name) has none" : nil
    }
    var missing = Set(streams.values).subtracting(kept.joined())
    for (program, own) in zip(all, kept) where !own.isEmpty {
      guard let made = av_new_program(output.context, program.pointee.id) else { continue }
      if keeping.tags { av_dict_copy(&made.pointee.metadata, program.pointee.metadata, 0) }
      for index in (own + missing).sorted() {
        av_program_add_stream_index(output.context, program.pointee.id, UInt32(index))
      }
      missing = []
    }
    return nil
  }

  /// Returns descriptions of metadata that a finished file lacks, as its container has no place for it.
  static func lost(in output: VideoOutput, _ path: String) -> [String] {
    var opened: UnsafeMutablePointer<AVFormatContext>?
    guard avformat_open_input(&opened, "file:" + path, nil, nil) >= 0, let written = opened else {
      return []
    }
    defer { avformat_close_input(&opened) }
    let name = output.name
    var words: [String] = []
    let tags = keys(output.context.pointee.metadata).filter {
      !["encoder", "ISFT"].contains($0) && av_dict_get(written.pointee.metadata, $0, nil, 0) == nil
    }
    if !tags.isEmpty {
      words.append("\(name) has no place for the tags \(tags.joined(separator: ", "))")
    }
    let isTurned = (0..<Int(output.context.pointee.nb_streams)).contains { index in
      index < Int(written.pointee.nb_streams)
        && av_stream_get_side_data(output.stream(index), AV_PKT_DATA_DISPLAYMATRIX, nil) != nil
        && av_stream_get_side_data(
          written.pointee.streams[index], AV_PKT_DATA_DISPLAYMATRIX, nil) == nil
    }
    if isTurned {
      words.append(
        "\(name) has no place for how frames are turned, which players will show as they are coded")
    }
    let chapters = Int(output.context.pointee.nb_chapters)
    if written.pointee.nb_chapters < chapters {
      words.append("\(name) has no place for \(chapters) chapters")
    }
    return words + changedAspects(from: output.context, to: written, name)
  }

  /// Shapes of pixels that a finished file has in place of others, as its codec holds certain ones and its container
  /// none.
  private static func changedAspects(
    from output: UnsafeMutablePointer<AVFormatContext>,
    to written: UnsafeMutablePointer<AVFormatContext>, _ name: String
  ) -> [String] {
    func videos(
      _ file: UnsafeMutablePointer<AVFormatContext>
    ) -> [UnsafeMutablePointer<AVStream>] {
      (0..<Int(file.pointee.nb_streams)).compactMap { file.pointee.streams[$0] }.filter(isVideo)
    }
    let limited = [
      AV_CODEC_ID_H261, AV_CODEC_ID_H263, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO,
    ]
    let wanted = videos(output)
    guard wanted.contains(where: { limited.contains($0.pointee.codecpar.pointee.codec_id) }),
      avformat_find_stream_info(written, nil) >= 0
    else { return [] }
    return zip(wanted, videos(written)).compactMap { stream, made in
      let own = stream.pointee.sample_aspect_ratio
      let aspect = own.num > 0 && own.den > 0 ? own : AVRational(num: 1, den: 1)
      let shown = av_guess_sample_aspect_ratio(written, made, nil)
      guard shown.num > 0, abs(av_q2d(shown) / av_q2d(aspect) - 1) > 0.005 else { return nil }
      return
        "its pixels are \(aspect.num):\(aspect.den), width to height, and players take them for "
        + "\(shown.num):\(shown.den), as \(String(cString: avcodec_get_name(made.pointee.codecpar.pointee.codec_id))) in \(name) "
        + "holds no other"
    }
  }

  private static func keys(_ dictionary: OpaquePointer?) -> [String] {
    var keys: [String] = []
    var entry: UnsafeMutablePointer<AVDictionaryEntry>?
    while let next = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
      keys.append(String(cString: next.pointee.key))
      entry = next
    }
    return keys
  }
}

/// A video's length, counted by its packets before anything is decoded.
struct VideoSurvey {
  /// The video that players show first; `nil` where packets do not tell how many frames there are.
  let extent: VideoExtent?
  /// The number of times the clock jumps within the file.
  let jumps: Int
  /// The end of the latest packet, in microseconds of the video's own clock.
  private let latest: Int64
  /// True if the last packet of a stream is not whole.
  private let isTorn: Bool
  private let input: VideoInput

  /// Goes through a video.
  ///
  /// - Returns: `nil` for what is no video, or cannot be read twice.
  init?(_ path: String, in version: FileVersion?) {
    guard
      let input = try? VideoInput(path, in: version, span: VideoSpan(), hidesBeginning: false),
      let video = VideoSelection.mainVideo(of: input), version != nil || VideoEnd.isFile(path)
    else { return nil }
    self.input = input
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    guard let packet else { return nil }
    var (clock, latest, failures) = (VideoClock(), Int64.min, 0)
    var (times, first, end) = (Set<Int64>(), Int64?.none, Int64.min)
    var torn: [Int: Bool] = [:]
    var isCounted = !Self.hidesFrames(input.stream(video).pointee.codecpar.pointee.codec_id)
    while failures < 50 {
      let code = av_read_frame(input.context, packet)
      if code == fgk_av_end() { break }
      guard code >= 0 else {
        failures += 1
        continue
      }
      defer { av_packet_unref(packet) }
      let index = Int(packet.pointee.stream_index)
      let stream = input.stream(index)
      torn[index] = packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0
      if input.isArbitrary { clock.set(packet, stream) }
      let ends = VideoClock.end(of: packet, stream)
      latest = max(latest, ends ?? .min)
      guard index == video else { continue }
      let own = packet.pointee
      // Decoding begins at a keyframe.
      if first == nil, own.flags & AV_PKT_FLAG_KEY == 0 { continue }
      guard let ends, own.pts != fgk_av_no_time() else {
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
      ? VideoExtent(frames: times.count, seconds: Double(end - input.shift) / 1e6) : nil
  }

  /// True for codecs whose packets may hold frames that are not shown, or several.
  private static func hidesFrames(_ codec: AVCodecID) -> Bool {
    [AV_CODEC_ID_VP8, AV_CODEC_ID_MPEG4, AV_CODEC_ID_GIF, AV_CODEC_ID_APNG].contains(codec)
  }

  /// Refuses a video that is shorter than its header says.
  ///
  /// - Throws: `VideoFileError.badFile`.
  func check() throws(VideoFileError) {
    guard case .open = input.end.finding else { return }
    if isTorn {
      throw .badFile(
        path: input.path, "it is cut off: its last packet is not whole; \(VideoEnd.advice)")
    }
    try Self.check(input.context, latest, input.path)
  }

  /// Compares what a video's head says of its length with the end of its last packet.
  ///
  /// - Parameter latest: in microseconds of the video's own clock.
  /// - Throws: `VideoFileError.badFile` where half a second or more is missing.
  static func check(
    _ context: UnsafeMutablePointer<AVFormatContext>, _ latest: Int64, _ path: String
  ) throws(VideoFileError) {
    let promised = context.pointee.duration
    guard context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM,
      promised != fgk_av_no_time(), latest != .min, promised - latest >= 500_000
    else { return }
    func seconds(_ time: Int64) -> Double { (Double(time) / 1e3).rounded() / 1e3 }
    throw .badFile(
      path: path,
      "it is cut off: its head says \(seconds(promised)) s, and it ends after \(seconds(latest)); \(VideoEnd.advice)"
    )
  }
}
