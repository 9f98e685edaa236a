internal import CAV
internal import Frostglass
internal import FrostglassCore
internal import Glibc

/// A video's encoder: rendered frames in, packets out.
///
/// One thread at a time uses it.
final class VideoEncoder: @unchecked Sendable {
  /// libav's name of it.
  let name: String
  /// The conversion between decoded frames, planes and frames for the encoder.
  let packing: FramePacking
  /// In which the times of packets are: as those of frames.
  let streamBase: AVRational
  /// In which the encoder counts.
  private let timeBase: AVRational
  /// Time that frames are shown later than the encoder can count, as the first one is.
  private var delay: Int64 = 0
  private let context: UnsafeMutablePointer<AVCodecContext>
  private let keepsCaptions: Bool
  /// Durations of frames by their times, kept until their packets come.
  private var durations: [Int64: Int64] = [:]
  private var lastTime = Int64.min
  /// True once it was told that no more frames come.
  private var hasEnded = false
  /// Names of metadata that frames carry and packets will not.
  private(set) var lost: Set<String> = []

  /// Opens an encoder.
  ///
  /// - Parameters:
  ///   - first: a frame like those to come.
  ///   - stream: their source.
  /// - Returns: `nil` where the encoder refuses, and `failure` says why.
  private init?(
    _ packing: FramePacking, _ choice: EncoderChoice, _ first: UnsafePointer<AVFrame>,
    _ stream: UnsafeMutablePointer<AVStream>, _ job: VideoJob, _ options: EncoderOptions,
    matrix: YCbCrFormat.Matrix?, globalHeader: Bool, failure: inout Int32
  ) {
    guard let codec = avcodec_find_encoder_by_name(choice.name),
      let context = avcodec_alloc_context3(codec)
    else { return nil }
    (name, self.packing, self.context) = (choice.name, packing, context)
    streamBase = stream.pointee.time_base
    keepsCaptions =
      job.keeping.subtitles && ["libx264", "libx264rgb", "mpeg2video"].contains(choice.name)
    context.pointee.width = Int32(packing.size.width)
    context.pointee.height = Int32(packing.size.height)
    context.pointee.pix_fmt = choice.form.format
    let rate =
      stream.pointee.avg_frame_rate.num > 0
      ? stream.pointee.avg_frame_rate : stream.pointee.r_frame_rate
    context.pointee.framerate = rate
    timeBase = Self.timeBase(of: codec.pointee.id, stream.pointee.time_base, rate)
    context.pointee.time_base = timeBase
    Self.describe(context, first, stream, choice.form)
    // Of many videos the head alone says it in a way that libavcodec understands.
    if av_stream_get_side_data(stream, AV_PKT_DATA_DOVI_CONF, nil) != nil {
      lost.insert("Dolby Vision")
    }
    if let matrix, context.pointee.colorspace == AVCOL_SPC_UNSPECIFIED {
      context.pointee.colorspace =
        switch matrix {
        case .bt601: AVCOL_SPC_SMPTE170M
        case .bt709: AVCOL_SPC_BT709
        case .bt2020: AVCOL_SPC_BT2020_NCL
        }
    }
    // Those of a canvas are square.
    context.pointee.sample_aspect_ratio =
      job.letterbox == nil ? Self.aspect(of: first, stream) : AVRational(num: 1, den: 1)
    if globalHeader { context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
    context.pointee.thread_count = 0
    context.pointee.strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL
    options.set(context, stream, first)
    var dictionary = options.dictionary
    defer { av_dict_free(&dictionary) }
    failure = avcodec_open2(context, codec, &dictionary)
    if failure < 0 { return nil }
  }

  deinit {
    if name == "libsvtav1", !hasEnded { endForClosing() }
    var context: UnsafeMutablePointer<AVCodecContext>? = context
    avcodec_free_context(&context)
  }

  /// Ends an abandoned video, as SVT-AV1 hangs if it is closed before the end, or without a frame.
  private func endForClosing() {
    var frame = av_frame_alloc()
    defer { av_frame_free(&frame) }
    if lastTime == .min, let frame, reserve(frame) {
      frame.pointee.pts = 0
      avcodec_send_frame(context, frame)
    }
    guard avcodec_send_frame(context, nil) >= 0 else { return }
    var packet = av_packet_alloc()
    while avcodec_receive_packet(context, packet) >= 0 { av_packet_unref(packet) }
    av_packet_free(&packet)
  }

  /// Opens the first encoder that works, and whose packets the container holds.
  ///
  /// - Parameter matrix: the matrix to write where the video does not name one: that of a video whose size changes,
  ///   as players guess by size.
  /// - Throws: `VideoFileError.usage` for unknown options, `.unsupported` if no encoder takes such frames.
  static func open(
    _ choices: [EncoderChoice], _ packing: (EncoderChoice) -> FramePacking,
    _ first: UnsafePointer<AVFrame>, _ stream: UnsafeMutablePointer<AVStream>, _ job: VideoJob,
    matrix: YCbCrFormat.Matrix?, in container: UnsafePointer<AVOutputFormat>
  ) throws(VideoFileError) -> VideoEncoder {
    let globalHeader = container.pointee.flags & AVFMT_GLOBALHEADER != 0
    var (failure, unheld) = (Int32(0), [String]())
    for choice in choices {
      let options = try EncoderOptions(choice.name, job.encoding, first, stream)
      let encoder = VideoEncoder(
        packing(choice), choice, first, stream, job, options, matrix: matrix,
        globalHeader: globalHeader,
        failure: &failure)
      guard let encoder else { continue }
      if VideoOutput.accepts(encoder, container) { return encoder }
      unheld.append(choice.name)
    }
    guard unheld.isEmpty else {
      throw .unsupported(
        path: job.output,
        "\(VideoOutput.name(of: container)) does not hold what \(unheld.joined(separator: " and ")) makes of "
          + "such frames; give " + VideoOutput.anotherEnding(than: container))
    }
    let names = choices.map(\.name).joined(separator: ", ")
    if choices.allSatisfy(\.usesDevice) {
      throw .unavailable(
        "\(names) encodes on a device of its own, which is not here or not free (\(words(ofAV: failure))); "
          + "leave --codec out, or give one such as libx264")
    }
    let size = choices.first.map { "\(packing($0).size)" } ?? "this size"
    let what = "no encoder takes frames of \(size) (\(names): \(words(ofAV: failure)))"
    if fgk_av_system_error(failure) == ENOMEM { throw .failed(path: job.output, what) }
    // Most want even sides, or no more than so many.
    throw .unsupported(
      path: job.output,
      what + "; give another --codec or size, or \(VideoOutput.anotherEnding(than: container))")
  }

  /// The finest steps of time that an encoder takes; most take the video's own, some count frames.
  private static func timeBase(
    of codec: AVCodecID, _ own: AVRational, _ rate: AVRational
  ) -> AVRational {
    let counting = [
      AV_CODEC_ID_MPEG4, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_THEORA,
      AV_CODEC_ID_H263, AV_CODEC_ID_MSMPEG4V3,
    ]
    guard counting.contains(codec), rate.num > 0, rate.den > 0 else { return own }
    return AVRational(num: rate.den, den: rate.num)
  }

  /// Says what colors and pixels are like, as the video does.
  private static func describe(
    _ context: UnsafeMutablePointer<AVCodecContext>, _ frame: UnsafePointer<AVFrame>,
    _ stream: UnsafeMutablePointer<AVStream>, _ form: SampleForm
  ) {
    let own = stream.pointee.codecpar.pointee
    let frame = frame.pointee
    context.pointee.color_range =
      frame.color_range != AVCOL_RANGE_UNSPECIFIED ? frame.color_range : own.color_range
    context.pointee.color_primaries =
      frame.color_primaries != AVCOL_PRI_UNSPECIFIED ? frame.color_primaries : own.color_primaries
    context.pointee.color_trc =
      frame.color_trc != AVCOL_TRC_UNSPECIFIED ? frame.color_trc : own.color_trc
    context.pointee.colorspace =
      frame.colorspace != AVCOL_SPC_UNSPECIFIED ? frame.colorspace : own.color_space
    if form.isRGB { context.pointee.colorspace = AVCOL_SPC_RGB }
    context.pointee.chroma_sample_location =
      frame.chroma_location != AVCHROMA_LOC_UNSPECIFIED
      ? frame.chroma_location : own.chroma_location
    if own.field_order == AV_FIELD_PROGRESSIVE { context.pointee.field_order = own.field_order }
  }

  /// The width of a video's pixels to their height; 0 where nothing tells.
  static func aspect(
    of frame: UnsafePointer<AVFrame>, _ stream: UnsafeMutablePointer<AVStream>
  ) -> AVRational {
    // Containers go before codecs, as for players.
    av_guess_sample_aspect_ratio(nil, stream, UnsafeMutablePointer(mutating: frame))
  }

  /// The width of its pixels to their height once frames are upright; 1 where nothing tells.
  static func aspect(
    of frame: UnsafePointer<AVFrame>, _ stream: UnsafeMutablePointer<AVStream>, _ turn: Turn
  ) -> Double {
    let own = aspect(of: frame, stream)
    let aspect = own.num > 0 && own.den > 0 ? av_q2d(own) : 1
    return turn.swapsSides ? 1 / aspect : aspect
  }

  /// Tells a stream of the new file what its packets are like.
  func describe(_ stream: UnsafeMutablePointer<AVStream>) {
    avcodec_parameters_from_context(stream.pointee.codecpar, context)
    stream.pointee.time_base = timeBase
    stream.pointee.sample_aspect_ratio = context.pointee.sample_aspect_ratio
    // What Apple's players want it to be called; its head is outside of the packets.
    if context.pointee.codec_id == AV_CODEC_ID_HEVC,
      context.pointee.flags & AV_CODEC_FLAG_GLOBAL_HEADER != 0
    {
      stream.pointee.codecpar.pointee.codec_tag = 0x3163_7668
    }
  }

  /// Encodes a rendered frame.
  ///
  /// - Parameters:
  ///   - bytes: its samples, as filters give them.
  ///   - frame: the one it was made of, for its times and what else it says.
  ///   - write: takes each packet that is done.
  func encode(
    _ bytes: UnsafeRawBufferPointer, _ frame: VideoFrame,
    _ write: (UnsafeMutablePointer<AVPacket>) throws(VideoFileError) -> Void
  ) throws(VideoFileError) {
    var made = av_frame_alloc()
    defer { av_frame_free(&made) }
    guard let made else { return }
    av_frame_copy_props(made, frame.frame)
    made.pointee.pict_type = AV_PICTURE_TYPE_NONE
    made.pointee.key_frame = 0
    made.pointee.color_range = context.pointee.color_range
    made.pointee.sample_aspect_ratio = context.pointee.sample_aspect_ratio
    dropSideData(of: made)
    guard reserve(made) else {
      throw .failed(path: name, "out of memory")
    }
    packing.pack(bytes, into: made)
    var time = av_rescale_q(frame.time, streamBase, timeBase)
    if lastTime == .min { delay = frame.time - av_rescale_q(time, timeBase, streamBase) }
    if lastTime != .min { time = max(time, lastTime + 1) }
    lastTime = time
    made.pointee.pts = time
    durations[time] = max(av_rescale_q(frame.duration, streamBase, timeBase), 0)
    try send(made, write)
  }

  /// Makes room for a frame's samples; false where there is none.
  private func reserve(_ frame: UnsafeMutablePointer<AVFrame>) -> Bool {
    frame.pointee.width = context.pointee.width
    frame.pointee.height = context.pointee.height
    frame.pointee.format = context.pointee.pix_fmt.rawValue
    return av_frame_get_buffer(frame, 0) >= 0
  }

  /// Takes what the encoder still has.
  func finish(_ write: (UnsafeMutablePointer<AVPacket>) throws(VideoFileError) -> Void)
    throws(VideoFileError)
  {
    try send(nil, write)
  }

  private func send(
    _ frame: UnsafeMutablePointer<AVFrame>?,
    _ write: (UnsafeMutablePointer<AVPacket>) throws(VideoFileError) -> Void
  ) throws(VideoFileError) {
    hasEnded = frame == nil
    var code = avcodec_send_frame(context, frame)
    if code == fgk_av_again() {
      try take(write)
      code = avcodec_send_frame(context, frame)
    }
    guard code >= 0 || code == fgk_av_end() else {
      throw .failed(path: name, "the encoder failed (\(words(ofAV: code)))")
    }
    try take(write)
  }

  private func take(
    _ write: (UnsafeMutablePointer<AVPacket>) throws(VideoFileError) -> Void
  ) throws(VideoFileError) {
    var packet = av_packet_alloc()
    defer { av_packet_free(&packet) }
    guard let packet else { return }
    while true {
      let code = avcodec_receive_packet(context, packet)
      if code == fgk_av_again() || code == fgk_av_end() { return }
      guard code >= 0 else {
        throw .failed(path: name, "the encoder failed (\(words(ofAV: code)))")
      }
      // Without it the last frame of a video is lost.
      if let duration = durations.removeValue(forKey: packet.pointee.pts), duration > 0 {
        packet.pointee.duration = duration
      }
      av_packet_rescale_ts(packet, timeBase, streamBase)
      packet.pointee.pts += delay
      packet.pointee.dts += delay
      try write(packet)
    }
  }

  /// Drops what describes pixels that were, and names what viewers may miss.
  private func dropSideData(of frame: UnsafeMutablePointer<AVFrame>) {
    for index in (0..<Int(frame.pointee.nb_side_data)).reversed() {
      guard let data = frame.pointee.side_data[index] else { continue }
      let type = data.pointee.type
      switch type {
      case AV_FRAME_DATA_A53_CC where keepsCaptions, AV_FRAME_DATA_AFD,
        AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL,
        AV_FRAME_DATA_STEREO3D, AV_FRAME_DATA_SPHERICAL, AV_FRAME_DATA_ICC_PROFILE:
        continue
      case AV_FRAME_DATA_A53_CC: lost.insert("closed captions")
      case AV_FRAME_DATA_DYNAMIC_HDR_PLUS: lost.insert("HDR10+ for each frame")
      case AV_FRAME_DATA_DOVI_RPU_BUFFER, AV_FRAME_DATA_DOVI_METADATA:
        lost.insert("Dolby Vision")
      case AV_FRAME_DATA_DYNAMIC_HDR_VIVID: lost.insert("HDR Vivid for each frame")
      default: break
      }
      av_frame_remove_side_data(frame, type)
    }
  }
}

/// Encoder settings apart from the video's properties.
struct EncoderOptions {
  private let name: String
  private var values: [(key: String, value: String)] = []
  private var bitRate: Int64?
  /// The quantizer, for encoders that have one and no constant quality.
  private var quantizer: Double?

  /// - Throws: `VideoFileError.usage` for what the encoder does not have.
  init(
    _ name: String, _ encoding: VideoEncoding, _ frame: UnsafePointer<AVFrame>,
    _ stream: UnsafeMutablePointer<AVStream>
  ) throws(VideoFileError) {
    self.name = name
    let speed = encoding.speed
    let step = speed.map { VideoEncoding.Speed.allCases.firstIndex(of: $0) ?? 5 }
    func quality(_ usual: Double, to largest: Double) throws(VideoFileError) -> String {
      let quality = encoding.quality ?? usual
      guard quality <= largest else {
        throw .usage("--crf is \(quality); \(name) has 0 to \(Int(largest))")
      }
      return quality == quality.rounded() ? "\(Int(quality))" : "\(quality)"
    }
    var hasSpeed = true
    switch name {
    case "libx264", "libx264rgb":
      values = [("crf", try quality(18, to: 51)), ("preset", (speed ?? .medium).rawValue)]
      var words = MasteringLight(frame, stream).words.map { "\($0.x264)=\($0.value)" }
      // Otherwise the finest step of time stands as the rate in the frames' head, thousands a second, and
      // frames have no length for who reads it there. Times are the file's in any case.
      let rate = stream.pointee.avg_frame_rate
      if rate.num > 0, av_cmp_q(rate, stream.pointee.r_frame_rate) == 0 {
        words.append("force-cfr=1")
      }
      if !words.isEmpty { values.append(("x264-params", words.joined(separator: ":"))) }
    case "libx265":
      values = [("crf", try quality(20, to: 51)), ("preset", (speed ?? .medium).rawValue)]
      let light = MasteringLight(frame, stream).words
      let words = ["log-level=none"] + light.map { "\($0.x265)=\($0.value)" }
      values.append(("x265-params", words.joined(separator: ":")))
    case "libvpx-vp9":
      bitRate = 0
      values = [
        ("crf", try quality(24, to: 63)), ("row-mt", "1"), ("deadline", "good"),
        ("cpu-used", "\([8, 5, 5, 4, 3, 2, 2, 1, 0][step ?? 4])"),
      ]
      if step == 0 { values[2].value = "realtime" }
    case "libvpx":
      bitRate = Int64(frame.pointee.width) * Int64(frame.pointee.height) * 8
      values = [
        ("crf", try quality(8, to: 63)), ("deadline", "good"),
        ("cpu-used", "\([5, 5, 4, 4, 3, 2, 1, 0, 0][step ?? 4])"),
      ]
    case "libsvtav1":
      values = [
        ("crf", try quality(24, to: 63)),
        ("preset", "\([12, 11, 10, 9, 8, 7, 5, 4, 2][step ?? 4])"),
      ]
    case "libaom-av1":
      bitRate = 0
      values = [
        ("crf", try quality(20, to: 63)), ("row-mt", "1"),
        ("cpu-used", "\([8, 8, 7, 7, 6, 5, 4, 3, 2][step ?? 4])"),
      ]
    case "prores_ks", "ffv1", "huffyuv", "ffvhuff", "png", "qtrle", "rawvideo":
      guard encoding.quality == nil else {
        throw .usage("--crf is for encoders of constant quality, which \(name) is none of")
      }
      hasSpeed = false
      if name == "ffv1" { values = [("level", "3")] }
    default:
      quantizer = encoding.quality ?? 2
      hasSpeed = false
    }
    guard hasSpeed || speed == nil else {
      throw .usage("--speed is for x264, x265, VP8, VP9 and AV1; \(name) has one speed alone")
    }
  }

  /// The options for `avcodec_open2`; the caller frees them.
  var dictionary: OpaquePointer? {
    var dictionary: OpaquePointer?
    for (key, value) in values { av_dict_set(&dictionary, key, value, 0) }
    return dictionary
  }

  /// Sets the options that are fields of the context.
  func set(
    _ context: UnsafeMutablePointer<AVCodecContext>, _ stream: UnsafeMutablePointer<AVStream>,
    _ frame: UnsafePointer<AVFrame>
  ) {
    if let bitRate { context.pointee.bit_rate = bitRate }
    if let quantizer {
      context.pointee.flags |= AV_CODEC_FLAG_QSCALE
      context.pointee.global_quality = Int32(quantizer * Double(FF_QP2LAMBDA))
    }
    let own = stream.pointee.codecpar.pointee
    if name == "prores_ks", own.codec_id == AV_CODEC_ID_PRORES, own.profile >= 0 {
      context.pointee.profile = own.profile
    }
  }
}

/// The mastering display and content light level of a video.
struct MasteringLight {
  /// libav's structures, if they are there.
  let display: AVMasteringDisplayMetadata?
  let light: AVContentLightMetadata?

  /// Takes them from a frame, or from its stream.
  init(_ frame: UnsafePointer<AVFrame>, _ stream: UnsafeMutablePointer<AVStream>) {
    func find<Value>(
      _ inFrame: AVFrameSideDataType, _ inStream: AVPacketSideDataType, as type: Value.Type
    ) -> Value? {
      if let data = av_frame_get_side_data(frame, inFrame),
        data.pointee.size >= MemoryLayout<Value>.size
      {
        return UnsafeRawPointer(data.pointee.data).loadUnaligned(as: Value.self)
      }
      var size = 0
      guard let data = av_stream_get_side_data(stream, inStream, &size),
        size >= MemoryLayout<Value>.size
      else { return nil }
      return UnsafeRawPointer(data).loadUnaligned(as: Value.self)
    }
    display = find(
      AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
      as: AVMasteringDisplayMetadata.self)
    light = find(
      AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
      as: AVContentLightMetadata.self)
  }

  /// As x264 and x265 take it: places in steps of 1/50000, light in steps of 1/10000 cd/m².
  var words: [(x264: String, x265: String, value: String)] {
    var words: [(x264: String, x265: String, value: String)] = []
    if let display, display.has_primaries != 0, display.has_luminance != 0 {
      func steps(_ value: AVRational, _ perUnit: Double) -> Int {
        value.den == 0 ? 0 : Int((av_q2d(value) * perUnit).rounded())
      }
      let colors = display.display_primaries
      func place(_ name: String, _ x: AVRational, _ y: AVRational) -> String {
        "\(name)(\(steps(x, 50000)),\(steps(y, 50000)))"
      }
      let text =
        place("G", colors.1.0, colors.1.1) + place("B", colors.2.0, colors.2.1)
        + place("R", colors.0.0, colors.0.1)
        + place("WP", display.white_point.0, display.white_point.1)
        + "L(\(steps(display.max_luminance, 10000)),\(steps(display.min_luminance, 10000)))"
      words.append(("mastering-display", "master-display", text))
    }
    if let light { words.append(("cll", "max-cll", "\(light.MaxCLL),\(light.MaxFALL)")) }
    return words
  }
}
