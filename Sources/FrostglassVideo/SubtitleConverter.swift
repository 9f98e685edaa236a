internal import CAV
internal import Frostglass

/// Subtitles in words for containers that hold them in another form: when they are shown stays, and so do
/// words, lines, and what both forms have of italics and the like.
///
/// Only the thread that reads the video uses it.
final class SubtitleConverter: @unchecked Sendable {
  private var decoder: UnsafeMutablePointer<AVCodecContext>?
  private var encoder: UnsafeMutablePointer<AVCodecContext>?
  /// The buffer for encoded subtitles.
  private var room = [UInt8](repeating: 0, count: 1 << 18)

  /// The container's format for a stream's subtitles; `nil` if they are not text, or it has none.
  static func form(
    for stream: UnsafeMutablePointer<AVStream>, in container: UnsafePointer<AVOutputFormat>
  ) -> AVCodecID? {
    let own = stream.pointee.codecpar.pointee
    guard own.codec_type == AVMEDIA_TYPE_SUBTITLE, fgk_av_is_text(own.codec_id),
      avcodec_find_decoder(own.codec_id) != nil
    else { return nil }
    let form: AVCodecID? =
      switch String(cString: container.pointee.name) {
      case "mp4", "mov", "ipod": AV_CODEC_ID_MOV_TEXT
      case "matroska": AV_CODEC_ID_SUBRIP
      case "webm": AV_CODEC_ID_WEBVTT
      default: nil
      }
    return form.flatMap { avcodec_find_encoder($0) == nil ? nil : $0 }
  }

  /// - Throws: `VideoFileError.failed` where libavcodec does not begin.
  init(
    _ stream: UnsafeMutablePointer<AVStream>, to form: AVCodecID, _ path: String
  ) throws(VideoFileError) {
    let own = stream.pointee.codecpar
    decoder = avcodec_alloc_context3(nil)
    encoder = avcodec_alloc_context3(nil)
    guard let own, let decoder, let encoder else { throw .failed(path: path, "out of memory") }
    avcodec_parameters_to_context(decoder, own)
    decoder.pointee.pkt_timebase = stream.pointee.time_base
    var code = avcodec_open2(decoder, avcodec_find_decoder(own.pointee.codec_id), nil)
    if code >= 0 {
      // How its styles look, which encoders read.
      let count = Int(decoder.pointee.subtitle_header_size)
      if let header = decoder.pointee.subtitle_header, let copy = av_mallocz(count + 1) {
        copy.copyMemory(from: header, byteCount: count)
        encoder.pointee.subtitle_header = copy.assumingMemoryBound(to: UInt8.self)
        encoder.pointee.subtitle_header_size = Int32(count)
      }
      encoder.pointee.time_base = fgk_av_microseconds()
      code = avcodec_open2(encoder, avcodec_find_encoder(form), nil)
    }
    guard code >= 0 else {
      throw .failed(
        path: path, "\(VideoSelection.words(stream)) cannot be converted (\(words(ofAV: code)))")
    }
  }

  deinit {
    avcodec_free_context(&decoder)
    avcodec_free_context(&encoder)
  }

  /// Tells a stream of the new file what its packets are like.
  func describe(_ stream: UnsafeMutablePointer<AVStream>) {
    guard let encoder else { return }
    avcodec_parameters_from_context(stream.pointee.codecpar, encoder)
    stream.pointee.codecpar.pointee.codec_tag = 0
  }

  /// Converts a packet's subtitles to the other codec and keeps their times.
  ///
  /// - Returns: false if there are none, or they cannot be converted.
  func convert(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    var (words, isThere) = (AVSubtitle(), Int32(0))
    guard let decoder, let encoder, packet.pointee.size > 0,
      avcodec_decode_subtitle2(decoder, &words, &isThere, packet) >= 0, isThere != 0
    else { return false }
    defer { avsubtitle_free(&words) }
    guard words.num_rects > 0 else { return false }
    let count = avcodec_encode_subtitle(encoder, &room, Int32(room.count), &words)
    var made = av_packet_alloc()
    defer { av_packet_free(&made) }
    guard count > 0, let made, av_new_packet(made, count) >= 0, let bytes = made.pointee.data else {
      return false
    }
    bytes.update(from: room, count: Int(count))
    let shown = packet.pointee
    (made.pointee.pts, made.pointee.dts) = (shown.pts, shown.dts)
    (made.pointee.duration, made.pointee.flags) = (shown.duration, shown.flags)
    made.pointee.stream_index = shown.stream_index
    av_packet_unref(packet)
    av_packet_move_ref(packet, made)
    return true
  }
}
