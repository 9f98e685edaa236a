internal import CAV
internal import Frostglass

/// A video's decoder.
final class VideoDecoder {
  /// The stream that it decodes.
  let stream: UnsafeMutablePointer<AVStream>
  /// The index of this video among those that are rendered.
  let video: Int
  /// Frames that are shown so far.
  var count = 0
  /// The last frame, until the next one tells how long it is shown.
  var held: VideoFrame?
  /// True once a frame came that is shown after the selected span.
  var isPastEnd = false
  private var context: UnsafeMutablePointer<AVCodecContext>?
  private var shape: Shape?

  /// The properties of the first frame, which all others must share.
  private struct Shape {
    let width, height, format: Int32
    /// The width of pixels to their height, 1 where nothing is said.
    let aspect: AVRational
    let range: AVColorRange

    init(_ frame: UnsafePointer<AVFrame>) {
      (width, height) = (frame.pointee.width, frame.pointee.height)
      format = frame.pointee.format
      let own = frame.pointee.sample_aspect_ratio
      aspect = own.num > 0 && own.den > 0 ? own : AVRational(num: 1, den: 1)
      let said = frame.pointee.color_range
      range = said == AVCOL_RANGE_UNSPECIFIED ? AVCOL_RANGE_MPEG : said
    }
  }

  init(
    _ stream: UnsafeMutablePointer<AVStream>, _ video: Int, _ path: String
  ) throws(VideoFileError) {
    (self.stream, self.video) = (stream, video)
    guard let parameters = stream.pointee.codecpar, let codec = Self.codec(for: stream),
      let context = avcodec_alloc_context3(codec)
    else {
      let name = stream.pointee.codecpar.map {
        String(cString: avcodec_get_name($0.pointee.codec_id))
      }
      throw .unsupported(path: path, "there is no decoder for \(name ?? "this") video")
    }
    self.context = context
    avcodec_parameters_to_context(context, parameters)
    context.pointee.pkt_timebase = stream.pointee.time_base
    context.pointee.thread_count = 0
    let code = avcodec_open2(context, codec, nil)
    guard code >= 0 else {
      throw .unsupported(
        path: path,
        "its \(String(cString: codec.pointee.name)) video cannot be decoded (\(words(ofAV: code)))")
    }
  }

  deinit { avcodec_free_context(&context) }

  /// The decoder of a stream. Only libvpx reads the alpha of VP8 and VP9.
  private static func codec(
    for stream: UnsafeMutablePointer<AVStream>
  ) -> UnsafePointer<AVCodec>? {
    guard let id = stream.pointee.codecpar?.pointee.codec_id else { return nil }
    if let mode = av_dict_get(stream.pointee.metadata, "alpha_mode", nil, 0),
      String(cString: mode.pointee.value) == "1"
    {
      let name = [AV_CODEC_ID_VP8: "libvpx", AV_CODEC_ID_VP9: "libvpx-vp9"][id]
      if let name, let codec = avcodec_find_decoder_by_name(name) { return codec }
    }
    return avcodec_find_decoder(id)
  }

  /// Sends the decoder a packet, or `nil` for the end.
  ///
  /// - Returns: the number of packets that it could not use.
  func send(_ packet: UnsafeMutablePointer<AVPacket>?) -> Int {
    let code = avcodec_send_packet(context, packet)
    return code < 0 && code != fgk_av_end() && code != fgk_av_again() ? 1 : 0
  }

  /// Takes a frame, which is the caller's.
  ///
  /// - Returns: `nil` where a packet is needed first, or none will come.
  func receive(damaged: inout Int) -> UnsafeMutablePointer<AVFrame>? {
    var failures = 0
    while failures < 100 {
      var frame = av_frame_alloc()
      let code = avcodec_receive_frame(context, frame)
      if code >= 0 { return frame }
      av_frame_free(&frame)
      if code == fgk_av_again() || code == fgk_av_end() { return nil }
      damaged += 1
      failures += 1
    }
    return nil
  }

  /// Returns the duration of the last frame: its own, or the average frame duration.
  func lastDuration(_ frame: VideoFrame) -> Int64 {
    if frame.duration > 0 { return frame.duration }
    if frame.frame.pointee.pkt_duration > 0 { return frame.frame.pointee.pkt_duration }
    let rate = stream.pointee.avg_frame_rate
    guard rate.num > 0, rate.den > 0 else { return 0 }
    return av_rescale_q(1, AVRational(num: rate.den, den: rate.num), stream.pointee.time_base)
  }

  /// Refuses frames that cannot be rendered as the first one is.
  func check(_ frame: UnsafeMutablePointer<AVFrame>, _ path: String) throws(VideoFileError) {
    if frame.pointee.interlaced_frame != 0 { throw .interlaced(path) }
    let own = Shape(frame)
    guard let shape else {
      shape = own
      return
    }
    func refuse(_ what: String, _ advice: String) throws(VideoFileError) {
      throw .unsupported(path: path, "\(what) at frame \(count + 1); \(advice)")
    }
    if shape.width != own.width || shape.height != own.height {
      try refuse(
        "its frames change from \(shape.width)×\(shape.height) to \(own.width)×\(own.height) pixels",
        "make parts of one size each, or scale it first")
    }
    if shape.format != own.format {
      try refuse("its frames change to another pixel format", "make parts of one format each")
    }
    if av_cmp_q(shape.aspect, own.aspect) != 0 {
      try refuse(
        "its pixels change from \(shape.aspect.num):\(shape.aspect.den) to \(own.aspect.num):\(own.aspect.den), "
          + "width to height,", "make parts of one shape of pixels each, or scale it first")
    }
    if shape.range != own.range {
      let isFull = own.range == AVCOL_RANGE_JPEG
      try refuse(
        "its color range changes from \(isFull ? "narrow to full" : "full to narrow")",
        "make parts of one range each, or convert it first, as with ffmpeg's -vf scale")
    }
  }
}
