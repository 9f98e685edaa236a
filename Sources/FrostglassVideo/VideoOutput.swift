internal import CAV
internal import Frostglass
internal import FrostglassCore
internal import FrostglassStills
internal import Glibc
internal import Synchronization

/// A video file that is written: packets of all streams in the order of time, behind a head that is written
/// when every encoder is open.
final class VideoOutput: Sendable {
  /// The name that the file will have, for messages.
  let path: String
  /// libavformat's context of the file.
  ///
  /// One thread adds the streams; from the header on, changes require the lock of `state`.
  nonisolated(unsafe) let context: UnsafeMutablePointer<AVFormatContext>
  private let file: FileInProgress
  /// One thread at a time.
  private let state = Mutex(State())

  private struct State {
    var hasBegun = false
    /// Packets that came before the head was written, with their time base.
    var waiting: [Waiting] = []
    var waitingBytes = 0
    /// The last decoding time of each stream.
    var last: [Int: Int64] = [:]
    /// Packets of sound that make no sense to the container.
    var refused = 0
  }

  private struct Waiting: Sendable {
    /// This file's own packet, until it is written.
    nonisolated(unsafe) let packet: UnsafeMutablePointer<AVPacket>
    let base: AVRational
  }

  /// Chooses the container by the name.
  ///
  /// - Throws: `VideoFileError.usage` for a name that says none.
  init(_ path: String, _ file: FileInProgress) throws(VideoFileError) {
    self.path = path
    self.file = file
    guard !path.lowercased().hasSuffix(".y4m") else {
      throw .usage(
        "\(path): frames as y4m go between pipes, as from `ffmpeg -i FILM -f yuv4mpegpipe -strict -1 - | frostglass "
          + "video - - … > \(path)`; videos end with such as .mp4, .mov, .mkv or .webm")
    }
    guard let format = Self.format(of: path) else {
      throw .usage(
        "\(path): the name's ending says no kind of video; give one such as .mp4, .mov, .mkv or .webm"
      )
    }
    var made: UnsafeMutablePointer<AVFormatContext>?
    let code = avformat_alloc_output_context2(&made, format, nil, file.path)
    guard code >= 0, let context = made else {
      throw .failed(path: path, "libavformat cannot write it (\(words(ofAV: code)))")
    }
    self.context = context
    // The same video gives the same bytes.
    context.pointee.flags |= AVFMT_FLAG_BITEXACT
  }

  deinit {
    state.withLock { state in
      for waiting in state.waiting {
        var packet: UnsafeMutablePointer<AVPacket>? = waiting.packet
        av_packet_free(&packet)
      }
    }
    if context.pointee.pb != nil { avio_closep(&context.pointee.pb) }
    avformat_free_context(context)
  }

  /// The container that a name's ending stands for.
  static func format(of path: String) -> UnsafePointer<AVOutputFormat>? {
    guard let name = path.split(separator: "/").last, name.contains(".") else { return nil }
    let format = av_guess_format(nil, path, nil).map { UnsafePointer($0) }
    // Others are numbered images, or no files.
    return format.flatMap { $0.pointee.flags & AVFMT_NOFILE == 0 ? $0 : nil }
  }

  /// Returns true if files with this name can hide packets through edit lists.
  static func hasEditLists(_ path: String) -> Bool {
    format(of: path).map { ["mp4", "mov", "ipod", "3gp", "3g2"].contains(name(of: $0)) } ?? false
  }

  /// libav's name of the container, such as `matroska`.
  var name: String { Self.name(of: context.pointee.oformat) }

  /// Returns libav's name of a container.
  static func name(of format: UnsafePointer<AVOutputFormat>) -> String {
    String(cString: format.pointee.name)
  }

  /// Advice where a container does not hold a video.
  static func anotherEnding(than format: UnsafePointer<AVOutputFormat>) -> String {
    "an ending such as \(name(of: format) == "matroska" ? ".mov" : ".mkv")"
  }

  /// Returns true if a container can hold a stream's packets. To find out, it writes a header with this stream alone.
  static func accepts(
    _ stream: UnsafeMutablePointer<AVStream>, _ format: UnsafePointer<AVOutputFormat>
  ) -> Bool {
    guard let parameters = stream.pointee.codecpar else { return false }
    let name = String(cString: format.pointee.name)
    if stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 {
      return ["mp4", "ipod", "matroska", "mp3", "flac"].contains(name)
    }
    // It wants a video first, so a trial without one says nothing.
    if name.hasPrefix("mxf"), parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO {
      return [AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S24LE].contains(parameters.pointee.codec_id)
        && parameters.pointee.sample_rate == 48_000
    }
    if parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO {
      let codec = parameters.pointee.codec_id
      // These heads are written, and read by nothing.
      if avformat_query_codec(format, codec, FF_COMPLIANCE_EXPERIMENTAL) == 0 { return false }
      if name == "mpegts", !transported.contains(codec) { return false }
      if unread[name]?.contains(codec) == true { return false }
      if name == "avi", frameLength(parameters) == 0 { return false }
    }
    // Written anew from a tag of that name.
    if parameters.pointee.codec_tag == VideoSelection.timecode { return false }
    return holds(format) { trial in
      guard let copy = Self.add(stream, to: trial) else { return false }
      copy.pointee.time_base = stream.pointee.time_base
      // Attached files are refused without a name.
      copyWords(of: stream, to: copy)
      return true
    }
  }

  /// True if a container holds what an encoder makes.
  static func accepts(_ encoder: VideoEncoder, _ format: UnsafePointer<AVOutputFormat>) -> Bool {
    holds(format) { trial in
      guard let made = avformat_new_stream(trial, nil) else { return false }
      encoder.describe(made)
      return true
    }
  }

  /// Writes the head of a file that has nothing else, to nowhere.
  private static func holds(
    _ format: UnsafePointer<AVOutputFormat>,
    _ addStream: (UnsafeMutablePointer<AVFormatContext>) -> Bool
  ) -> Bool {
    var made: UnsafeMutablePointer<AVFormatContext>?
    guard avformat_alloc_output_context2(&made, format, nil, nil) >= 0, let trial = made else {
      return false
    }
    defer { avformat_free_context(trial) }
    guard addStream(trial) else { return false }
    trial.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
    guard avio_open_dyn_buf(&trial.pointee.pb) >= 0 else { return false }
    defer {
      var bytes: UnsafeMutablePointer<UInt8>?
      avio_close_dyn_buf(trial.pointee.pb, &bytes)
      av_free(bytes)
      trial.pointee.pb = nil
    }
    guard avformat_write_header(trial, nil) >= 0 else { return false }
    // MXF trailers cannot be written without frames.
    return av_write_trailer(trial) >= 0 || name(of: format).hasPrefix("mxf")
  }

  /// Sound that libavformat 5.1 writes without what its decoders need.
  private static let unread: [String: Set] = [
    "matroska": [AV_CODEC_ID_ADPCM_SWF], "nut": [AV_CODEC_ID_WMAV1, AV_CODEC_ID_WMAV2],
  ]

  /// Samples of a packet of sound, by which AVI counts time; 0 where they differ or are not known.
  private static func frameLength(_ sound: UnsafeMutablePointer<AVCodecParameters>) -> Int32 {
    sound.pointee.frame_size > 0
      ? sound.pointee.frame_size
      : av_get_audio_frame_duration2(sound, sound.pointee.block_align)
  }

  /// Sound that MPEG-TS has names for.
  private static let transported: Set = [
    AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3, AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM,
    AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_DTS, AV_CODEC_ID_OPUS, AV_CODEC_ID_S302M,
  ]

  /// Adds a stream whose packets are copied.
  ///
  /// - Parameter keepsTags: true to keep the stream's tags; its language is always kept.
  func add(
    copyOf stream: UnsafeMutablePointer<AVStream>, keepsTags: Bool
  ) throws(VideoFileError) -> Int {
    guard let copy = Self.add(stream, to: context) else {
      throw .failed(path: path, "out of memory")
    }
    copy.pointee.time_base = stream.pointee.time_base
    Self.copyWords(of: stream, to: copy)
    if !keepsTags { Self.dropTags(of: copy) }
    copySideData(of: stream, to: copy)
    return Int(copy.pointee.index)
  }

  /// Adds an image of the cover where the container has it as an attached file; as a stream of packets it
  /// would be a video there.
  ///
  /// - Returns: true if it was added.
  func add(coverOf stream: UnsafeMutablePointer<AVStream>) -> Bool {
    let (own, packet) = (stream.pointee.codecpar.pointee, stream.pointee.attached_pic)
    let file: (name: String, kind: String)? =
      switch own.codec_id {
      case AV_CODEC_ID_PNG: ("cover.png", "image/png")
      case AV_CODEC_ID_MJPEG: ("cover.jpg", "image/jpeg")
      default: nil
      }
    guard name == "matroska", stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0,
      let file, let bytes = packet.data, packet.size > 0,
      let copy = av_mallocz(Int(packet.size) + Int(AV_INPUT_BUFFER_PADDING_SIZE)),
      let made = avformat_new_stream(context, nil)
    else { return false }
    copy.copyMemory(from: bytes, byteCount: Int(packet.size))
    made.pointee.codecpar.pointee.codec_type = AVMEDIA_TYPE_ATTACHMENT
    made.pointee.codecpar.pointee.codec_id = own.codec_id
    made.pointee.codecpar.pointee.extradata = copy.assumingMemoryBound(to: UInt8.self)
    made.pointee.codecpar.pointee.extradata_size = packet.size
    av_dict_set(&made.pointee.metadata, "filename", file.name, 0)
    av_dict_set(&made.pointee.metadata, "mimetype", file.kind, 0)
    return true
  }

  /// Adds a stream whose subtitles are put in another form.
  func add(
    _ converter: SubtitleConverter, of stream: UnsafeMutablePointer<AVStream>, keepsTags: Bool
  ) throws(VideoFileError) -> Int {
    guard let made = avformat_new_stream(context, nil) else {
      throw .failed(path: path, "out of memory")
    }
    converter.describe(made)
    made.pointee.time_base = stream.pointee.time_base
    Self.copyWords(of: stream, to: made)
    if !keepsTags { Self.dropTags(of: made) }
    return Int(made.pointee.index)
  }

  /// Adds a stream that an encoder will fill.
  ///
  /// - Parameters:
  ///   - keepsTags: as for copies.
  ///   - isUpright: true if its frames are upright, even if their sources were not.
  func add(
    encoded stream: UnsafeMutablePointer<AVStream>, keepsTags: Bool, isUpright: Bool
  ) throws(VideoFileError) -> Int {
    guard let made = avformat_new_stream(context, nil) else {
      throw .failed(path: path, "out of memory")
    }
    made.pointee.codecpar.pointee.codec_type = AVMEDIA_TYPE_VIDEO
    made.pointee.avg_frame_rate = stream.pointee.avg_frame_rate
    made.pointee.sample_aspect_ratio = stream.pointee.sample_aspect_ratio
    Self.copyWords(of: stream, to: made)
    // These describe frames as they were encoded.
    for key in ["encoder", "BPS", "DURATION", "NUMBER_OF_FRAMES", "NUMBER_OF_BYTES", "vendor_id"] {
      av_dict_set(&made.pointee.metadata, key, nil, 0)
      av_dict_set(&made.pointee.metadata, "\(key)-eng", nil, 0)
    }
    if !keepsTags { Self.dropTags(of: made) }
    copySideData(of: stream, to: made, isUpright: isUpright)
    return Int(made.pointee.index)
  }

  private static func add(
    _ stream: UnsafeMutablePointer<AVStream>, to context: UnsafeMutablePointer<AVFormatContext>
  ) -> UnsafeMutablePointer<AVStream>? {
    guard let copy = avformat_new_stream(context, nil),
      avcodec_parameters_copy(copy.pointee.codecpar, stream.pointee.codecpar) >= 0
    else { return nil }
    if name(of: context.pointee.oformat) == "avi",
      copy.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
    {
      copy.pointee.codecpar.pointee.frame_size = frameLength(copy.pointee.codecpar)
    }
    // The code that the other container has for the codec, unless this one knows it for the same.
    let id = stream.pointee.codecpar.pointee.codec_id
    let tag = stream.pointee.codecpar.pointee.codec_tag
    let tags = context.pointee.oformat.pointee.codec_tag
    var own: UInt32 = 0
    let isKnown = av_codec_get_id(tags, tag) == id
    if tags != nil, !isKnown, av_codec_get_tag2(tags, id, &own) != 0 {
      copy.pointee.codecpar.pointee.codec_tag = 0
    }
    return copy
  }

  private static func copyWords(
    of stream: UnsafeMutablePointer<AVStream>, to copy: UnsafeMutablePointer<AVStream>
  ) {
    copy.pointee.id = stream.pointee.id
    copy.pointee.disposition = stream.pointee.disposition
    av_dict_copy(&copy.pointee.metadata, stream.pointee.metadata, 0)
  }

  /// Tags of streams that players need: in which language it is, and how pixels are to be taken.
  static let neutral: Set = ["language", "alpha_mode", "stereo_mode"]

  private static func dropTags(of stream: UnsafeMutablePointer<AVStream>) {
    var kept: OpaquePointer?
    for key in neutral {
      if let entry = av_dict_get(stream.pointee.metadata, key, nil, 0) {
        av_dict_set(&kept, key, entry.pointee.value, 0)
      }
    }
    av_dict_free(&stream.pointee.metadata)
    stream.pointee.metadata = kept
  }

  /// Copies what players are told of a whole stream, such as how to turn it.
  private func copySideData(
    of stream: UnsafeMutablePointer<AVStream>, to copy: UnsafeMutablePointer<AVStream>,
    isUpright: Bool = false
  ) {
    let isVideo = stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
    for index in 0..<Int(stream.pointee.nb_side_data) {
      guard let data = stream.pointee.side_data?[index] else { continue }
      if isUpright, data.type == AV_PKT_DATA_DISPLAYMATRIX { continue }
      // Of the packets that were.
      if isVideo,
        ![
          AV_PKT_DATA_DISPLAYMATRIX, AV_PKT_DATA_STEREO3D, AV_PKT_DATA_SPHERICAL,
          AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
        ].contains(data.type)
      {
        continue
      }
      guard let room = av_stream_new_side_data(copy, data.type, data.size) else { continue }
      memcpy(room, data.data, data.size)
    }
  }

  /// A stream of the file.
  func stream(_ index: Int) -> UnsafeMutablePointer<AVStream> {
    guard let stream = context.pointee.streams[index] else {
      preconditionFailure("this stream was added")
    }
    return stream
  }

  /// Gives a stream side data, unless it has some of the kind.
  func add(_ type: AVPacketSideDataType, _ bytes: UnsafeRawBufferPointer, to index: Int) {
    let stream = stream(index)
    guard av_stream_get_side_data(stream, type, nil) == nil,
      let room = av_stream_new_side_data(stream, type, bytes.count), let start = bytes.baseAddress
    else { return }
    memcpy(room, start, bytes.count)
  }

  /// Writes the head, and what waited for it.
  func begin() throws(VideoFileError) {
    try check(avio_open(&context.pointee.pb, file.path, AVIO_FLAG_WRITE))
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
    let code = avformat_write_header(context, &options)
    if code < 0, !Self.isOfSystem(code) {
      throw .unsupported(
        path: path,
        "\(name) does not hold such streams together (\(words(ofAV: code))); give "
          + Self.anotherEnding(than: context.pointee.oformat))
    }
    try check(code)
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      state.hasBegun = true
      return state.waiting
    }
    for (place, one) in waiting.enumerated() {
      var packet: UnsafeMutablePointer<AVPacket>? = one.packet
      defer { av_packet_free(&packet) }
      do { try write(one.packet, one.base) } catch {
        for rest in waiting[(place + 1)...] {
          var packet: UnsafeMutablePointer<AVPacket>? = rest.packet
          av_packet_free(&packet)
        }
        throw error
      }
    }
  }

  /// Packets of sound that the container did not take, as those of a damaged video.
  var refused: Int { state.withLock { $0.refused } }

  /// Bytes that wait for the head.
  var waitingBytes: Int { state.withLock { $0.waitingBytes } }

  /// Writes a packet, or keeps it until the head is written.
  ///
  /// - Parameters:
  ///   - packet: the packet, whose contents are moved out; its stream is one of this file.
  ///   - base: the time base of its times.
  func write(
    _ packet: UnsafeMutablePointer<AVPacket>, _ base: AVRational
  ) throws(VideoFileError) {
    let keeps = state.withLock { state in
      guard !state.hasBegun, let kept = av_packet_alloc() else { return false }
      av_packet_move_ref(kept, packet)
      state.waitingBytes += Int(kept.pointee.size)
      state.waiting.append(Waiting(packet: kept, base: base))
      return true
    }
    if keeps { return }
    // Only this thread has the packet.
    nonisolated(unsafe) let packet = packet
    try check(
      state.withLock { state in
        let isSound =
          stream(Int(packet.pointee.stream_index)).pointee.codecpar.pointee.codec_type
          == AVMEDIA_TYPE_AUDIO
        let code = place(packet, base, &state.last)
        guard isSound, code == fgk_av_invalid() else { return code }
        state.refused += 1
        return 0
      })
  }

  /// Hands a packet to libavformat, which puts those of all streams in order.
  private func place(
    _ packet: UnsafeMutablePointer<AVPacket>, _ base: AVRational, _ last: inout [Int: Int64]
  ) -> Int32 {
    let index = Int(packet.pointee.stream_index)
    let none = fgk_av_no_time()
    av_packet_rescale_ts(packet, base, stream(index).pointee.time_base)
    packet.pointee.pos = -1
    let delay = delay(of: index)
    if packet.pointee.pts != none { packet.pointee.pts += delay }
    if packet.pointee.dts != none { packet.pointee.dts += delay }
    setDuration(of: packet, after: last[index])
    // Times of decoding that are rounded may meet; containers want each behind the one before.
    let flags = context.pointee.oformat.pointee.flags
    let kind = stream(index).pointee.codecpar.pointee.codec_type
    let isStrict = kind == AVMEDIA_TYPE_AUDIO || kind == AVMEDIA_TYPE_VIDEO
    if isStrict, flags & AVFMT_NOTIMESTAMPS == 0, packet.pointee.dts != none {
      if let before = last[index] {
        let least = flags & AVFMT_TS_NONSTRICT == 0 ? before + 1 : before
        if packet.pointee.dts < least {
          packet.pointee.dts = least
          if packet.pointee.pts != none, packet.pointee.pts < least { packet.pointee.pts = least }
        }
      }
      last[index] = packet.pointee.dts
    }
    return av_interleaved_write_frame(context, packet)
  }

  /// Sets how long a packet of sound is heard, where that is not what it says: containers that tell no more of a
  /// video's end would make it longer, or leave its last packet out.
  ///
  /// - Parameter before: the decoding time of the packet before.
  private func setDuration(of packet: UnsafeMutablePointer<AVPacket>, after before: Int64?) {
    let stream = stream(Int(packet.pointee.stream_index))
    let own = stream.pointee.codecpar.pointee
    let (dts, pts, none) = (packet.pointee.dts, packet.pointee.pts, fgk_av_no_time())
    guard own.codec_type == AVMEDIA_TYPE_AUDIO, own.sample_rate > 0 else { return }
    func length(_ samples: UInt32) -> Int64 {
      av_rescale_q(
        Int64(samples), AVRational(num: 1, den: own.sample_rate), stream.pointee.time_base)
    }
    // NUT has none.
    if packet.pointee.duration == 0, let before, dts != none, dts > before {
      packet.pointee.duration = dts - before
    }
    var size = 0
    // Matroska has a place for samples that are left out at the end.
    if !["matroska", "webm"].contains(name),
      let data = av_packet_get_side_data(packet, AV_PKT_DATA_SKIP_SAMPLES, &size), size >= 10
    {
      let left = packet.pointee.duration - length(Self.number(data, at: 4))
      if left > 0 { packet.pointee.duration = left }
    }
    // The last of TTA, whose readers count the samples of a whole video in Matroska.
    if own.codec_id == AV_CODEC_ID_TTA, own.extradata_size >= 18, let head = own.extradata,
      pts != none
    {
      let left = length(Self.number(head, at: 14)) - pts
      if left > 0, left < packet.pointee.duration { packet.pointee.duration = left }
    }
  }

  private static func number(_ bytes: UnsafePointer<UInt8>, at place: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) }
  }

  /// Returns what Matroska's times of Opus have more than those of what is heard, in the stream's time base: readers
  /// take off the samples that decoders need to begin with, and libavformat 5.1 does not put them on.
  private func delay(of index: Int) -> Int64 {
    let own = stream(index).pointee.codecpar.pointee
    guard ["matroska", "webm"].contains(name), own.codec_id == AV_CODEC_ID_OPUS,
      own.extradata_size >= 12, let head = own.extradata
    else { return 0 }
    let samples = Int64(head[10]) | Int64(head[11]) << 8
    return av_rescale_q(
      samples, AVRational(num: 1, den: 48_000), stream(index).pointee.time_base)
  }

  /// Writes what is left and the end, and gives the file its name.
  ///
  /// - Parameter checked: called with the whole file before it has its name, and it has none where this
  ///   throws. What it tells of the video gets its name with it.
  /// - Returns: the value that `checked` returns.
  func finish<Value>(
    checked: (String) throws(VideoFileError) -> (value: Value, sidecar: Sidecar?)
  ) throws(VideoFileError) -> Value {
    let finished = state.withLock { _ in
      let code = av_write_trailer(context)
      let closed = avio_closep(&context.pointee.pb)
      return code < 0 ? code : closed
    }
    try check(finished)
    try mapped(VideoFileError.unwritable, file.sync())
    let (value, sidecar) = try checked(file.path)
    if sidecar != nil { try mapped(VideoFileError.unwritable, file.prepare()) }
    try mapped(
      VideoFileError.unwritable,
      Sidecar.publish(sidecar, isPrompt: true) { () throws(EncodeError) in try file.publish() })
    return value
  }

  /// Bytes that are written.
  var byteCount: Int { file.count }

  private func check(_ code: Int32) throws(VideoFileError) {
    guard code < 0 else { return }
    if Self.isOfSystem(code) {
      throw .unwritable(.unwritable(path: path, reason: systemWords(fgk_av_system_error(code))))
    }
    throw .failed(
      path: path, "\(name) cannot be written with these streams (\(words(ofAV: code)))")
  }

  /// True for an error of the system that writes the file, not of what is written.
  private static func isOfSystem(_ code: Int32) -> Bool {
    [ENOSPC, EIO, EDQUOT, EFBIG, EROFS].contains(fgk_av_system_error(code))
  }
}
