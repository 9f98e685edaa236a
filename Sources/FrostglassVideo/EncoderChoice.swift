internal import CAV
internal import Frostglass

/// An encoder for a video's frames that keeps their depth and sampling.
struct EncoderChoice: Sendable {
  /// libav's name of the encoder.
  let name: String
  /// The format of the samples that it takes.
  let form: SampleForm
  /// True if it needs a device, such as a graphics card.
  let usesDevice: Bool

  /// Encoders of a codec, the best first. libavcodec has others for many, which need hardware.
  private static let preferred: [(codec: AVCodecID, encoders: [String])] = [
    (AV_CODEC_ID_H264, ["libx264", "libx264rgb"]), (AV_CODEC_ID_HEVC, ["libx265"]),
    (AV_CODEC_ID_VP8, ["libvpx"]), (AV_CODEC_ID_VP9, ["libvpx-vp9"]),
    (AV_CODEC_ID_AV1, ["libsvtav1", "libaom-av1"]), (AV_CODEC_ID_PRORES, ["prores_ks"]),
    (AV_CODEC_ID_THEORA, ["libtheora"]), (AV_CODEC_ID_WEBP, ["libwebp_anim"]),
  ]

  /// Fallback codecs by container, in order of preference, for when the video's own codec does not fit. For MPEG
  /// containers, which libavformat has no list for, these are all the codecs that are written.
  private static let others: [(containers: [String], codecs: [AVCodecID])] = [
    (["webm"], [AV_CODEC_ID_VP9, AV_CODEC_ID_AV1]),
    (["mov"], [AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_PRORES, AV_CODEC_ID_QTRLE]),
    (
      ["mp4", "ipod", "matroska", "flv", "3gp", "3g2", "nut"],
      [AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1, AV_CODEC_ID_FFV1]
    ),
    (["mpegts"], [AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4]),
    (["avi"], [AV_CODEC_ID_H264, AV_CODEC_ID_MPEG4, AV_CODEC_ID_FFV1]),
    (["ogg", "ogv"], [AV_CODEC_ID_THEORA]),
    (["mpeg", "vob", "svcd", "dvd"], [AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG1VIDEO]),
  ]

  /// Codecs that libavformat writes into a container and does not read out of it again.
  private static let unread: [String: [AVCodecID]] = [
    "matroska": [AV_CODEC_ID_QTRLE], "flv": [AV_CODEC_ID_MPEG4, AV_CODEC_ID_H263],
  ]

  /// Names that people know codecs by, and libav does not.
  private static let aliases = [
    "h265": "hevc", "x264": "libx264", "x265": "libx265", "avc": "h264", "vpx": "vp9",
    "aom": "libaom-av1", "svt": "libsvtav1", "mpeg2": "mpeg2video",
  ]

  /// Returns encoders to try, in order.
  ///
  /// - Parameters:
  ///   - asked: a codec or an encoder; `nil` takes the video's own codec, else one that fits the container.
  ///   - form: the sample format of decoded frames.
  ///   - isFull: true if samples are in full range.
  /// - Throws: `VideoFileError.usage` for an unknown encoder, or one that does not fit the container; `.unsupported` if
  ///   none keeps the samples.
  static func candidates(
    _ asked: String?, own: AVCodecID, _ form: SampleForm, isFull: Bool,
    in container: UnsafePointer<AVOutputFormat>, input: String
  ) throws(VideoFileError) -> [EncoderChoice] {
    let name = VideoOutput.name(of: container)
    if let asked {
      let encoders = try encoders(named: asked)
      guard encoders.contains(where: { fits($0.pointee.id, container) }) else {
        throw .usage(
          "--codec is \(asked), which \(name) does not hold; give another codec, or another ending")
      }
      guard encoders.contains(where: { holdsAlpha(of: form, $0.pointee.id, container) }) else {
        throw .unsupported(
          path: input,
          "its frames have alpha, which \(name) does not hold with \(asked); an ending such as .webm does"
        )
      }
      let found = encoders.compactMap { choice($0, form, isFull: isFull) }
      if found.isEmpty, encoders.allSatisfy({ usesDevice($0) }) {
        throw .unavailable(
          "--codec is \(asked), which takes no frames like these from memory; of encoders that use a "
            + "device, those of NVIDIA do, such as h264_nvenc")
      }
      guard !found.isEmpty else {
        throw .unsupported(
          path: input,
          "its frames are \(form.words), which no encoder of \(asked) keeps; give another --codec")
      }
      return found
    }
    let codecs = ([own] + others(in: container) + [container.pointee.video_codec]).filter {
      $0 != AV_CODEC_ID_NONE && fits($0, container) && holdsAlpha(of: form, $0, container)
    }
    let found = codecs.flatMap { codec in
      encoders(of: codec).compactMap { choice($0, form, isFull: isFull) }
    }
    guard !found.isEmpty else {
      let form = form.hasAlpha ? "\(form.words), with alpha" : form.words
      throw .unsupported(
        path: input,
        "its frames are \(form), for which there is no encoder whose videos \(name) holds; give "
          + VideoOutput.anotherEnding(than: container))
    }
    var names: Set<String> = []
    return found.filter { names.insert($0.name).inserted }
  }

  private static func others(in container: UnsafePointer<AVOutputFormat>) -> [AVCodecID] {
    let name = VideoOutput.name(of: container)
    return others.first { $0.containers.contains(name) }?.codecs ?? []
  }

  /// Returns true if a container can hold a codec, as far as its name tells.
  private static func fits(_ codec: AVCodecID, _ container: UnsafePointer<AVOutputFormat>) -> Bool {
    if unread[VideoOutput.name(of: container)]?.contains(codec) == true { return false }
    let answer = avformat_query_codec(container, codec, FF_COMPLIANCE_EXPERIMENTAL)
    return answer == 1 || answer < 0 && others(in: container).contains(codec)
  }

  /// True unless frames have alpha and a container loses that of a codec.
  private static func holdsAlpha(
    of form: SampleForm, _ codec: AVCodecID, _ container: UnsafePointer<AVOutputFormat>
  ) -> Bool {
    guard form.hasAlpha else { return true }
    let name = VideoOutput.name(of: container)
    switch codec {
    // Their alpha is a side stream, which only these containers can hold.
    case AV_CODEC_ID_VP8, AV_CODEC_ID_VP9: return ["webm", "matroska"].contains(name)
    default: return true
    }
  }

  private static func encoders(named asked: String) throws(VideoFileError) -> [UnsafePointer<
    AVCodec
  >] {
    let word = aliases[asked.lowercased()] ?? asked.lowercased()
    if let descriptor = avcodec_descriptor_get_by_name(word),
      descriptor.pointee.type == AVMEDIA_TYPE_VIDEO
    {
      let found = encoders(of: descriptor.pointee.id)
      if !found.isEmpty { return found }
    }
    if let encoder = avcodec_find_encoder_by_name(word), encoder.pointee.type == AVMEDIA_TYPE_VIDEO
    {
      return [encoder]
    }
    throw .usage(
      "--codec is \(asked), for which there is no encoder here; it must be such as h264, hevc, vp9, av1, "
        + "prores, ffv1 or libx264")
  }

  private static func encoders(of codec: AVCodecID) -> [UnsafePointer<AVCodec>] {
    if let row = preferred.first(where: { $0.codec == codec }) {
      return row.encoders.compactMap { avcodec_find_encoder_by_name($0) }
    }
    return avcodec_find_encoder(codec).map { [$0] } ?? []
  }

  /// Returns an encoder with the sample format that loses nothing.
  private static func choice(
    _ encoder: UnsafePointer<AVCodec>, _ form: SampleForm, isFull: Bool
  ) -> EncoderChoice? {
    var forms: [SampleForm] = []
    var next = encoder.pointee.pix_fmts
    while let place = next, place.pointee != AV_PIX_FMT_NONE {
      if let form = SampleForm(place.pointee) { forms.append(form) }
      next = place + 1
    }
    var fitting = forms.filter { $0.holdsSame(as: form) }
    // The only ones there are for ProRes take 10 of its 12 bits.
    if fitting.isEmpty, encoder.pointee.id == AV_CODEC_ID_PRORES, form.bits == 12 {
      fitting = forms.filter { $0.holdsSameButBits(as: form) }
    }
    // What loses nothing may have more bits than are needed.
    if fitting.isEmpty, losesNothing(encoder) {
      let wider = forms.filter { $0.holdsSameButBits(as: form) && $0.bits > form.bits }
      fitting = wider.filter { form in wider.allSatisfy { $0.bits >= form.bits } }
    }
    // The kinds of old that say full range by themselves; one encoder wants them for it.
    let isMJPEG = encoder.pointee.id == AV_CODEC_ID_MJPEG
    let best =
      fitting.first { $0.name.hasPrefix("yuvj") == (isMJPEG && isFull) } ?? fitting.first
    return best.map {
      EncoderChoice(
        name: String(cString: encoder.pointee.name), form: $0, usesDevice: usesDevice(encoder))
    }
  }

  private static func losesNothing(_ encoder: UnsafePointer<AVCodec>) -> Bool {
    let all = avcodec_descriptor_get(encoder.pointee.id)?.pointee.props ?? 0
    return all & AV_CODEC_PROP_LOSSLESS != 0 && all & AV_CODEC_PROP_LOSSY == 0
  }

  private static func usesDevice(_ encoder: UnsafePointer<AVCodec>) -> Bool {
    encoder.pointee.capabilities & AV_CODEC_CAP_HARDWARE != 0
  }
}
