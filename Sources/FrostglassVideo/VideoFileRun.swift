internal import CAV
package import Frostglass
package import FrostglassCore
package import FrostglassStills
internal import Glibc
internal import Synchronization

/// A video from file to file: read, rendered and written side by side, in order, in memory for a few frames.
final class VideoFileRun: Sendable {
  private let job: VideoJob
  private let pipeline: Pipeline
  private let progress: @Sendable (VideoProgress) -> Void
  private let note: @Sendable (String) -> Void
  private let callers = ThreadPool()
  private let slots: [FrameSlot]
  private let outcome = Mutex(Outcome())

  /// One of the videos: what renders and encodes its frames.
  private final class Track: Sendable {
    /// The conversion between decoded frames, planes and frames for the encoder.
    let packing: FramePacking
    let renderer: any FrameRenderer
    let encoder: VideoEncoder
    /// The stream's index in the new file.
    let stream: Int

    init(
      _ packing: FramePacking, _ renderer: any FrameRenderer, _ encoder: VideoEncoder, _ stream: Int
    ) {
      (self.packing, self.renderer) = (packing, renderer)
      (self.encoder, self.stream) = (encoder, stream)
    }
  }

  /// A frame on its way.
  private struct Passage: Sendable {
    let frame: VideoFrame
    let track: Track
    let slot: FrameSlot
  }

  private struct Outcome {
    var frames = 0
    /// The times of the first video's frames.
    var moments: [FrameMoment] = []
    var recoveries: [Recovery] = []
  }

  /// - Parameter atOnce: frames that are on their way together.
  init(
    _ job: VideoJob, _ pipeline: Pipeline, atOnce: Int = 3,
    progress: @escaping @Sendable (VideoProgress) -> Void,
    note: @escaping @Sendable (String) -> Void
  ) {
    (self.job, self.pipeline, self.progress, self.note) = (job, pipeline, progress, note)
    slots = (0..<atOnce).map { _ in FrameSlot() }
  }

  /// Runs to the end of the video, or to the first failure, after which there is no file.
  func run() async throws(VideoFileError) -> VideoReport {
    let job = job
    let (input, output, selection, extent) = try await callers.run {
      () throws(VideoFileError) -> (VideoInput, VideoOutput, VideoSelection, VideoExtent?) in
      let hides = VideoOutput.hasEditLists(job.output)
      let input = try VideoInput(
        job.input, in: job.version, span: job.span, hidesBeginning: hides)
      let file = try mapped(
        VideoFileError.unwritable, FileInProgress(job.output, overwrite: job.overwrite))
      let output = try VideoOutput(job.output, file)
      let selection = try VideoSelection(input, job.keeping, in: output.context.pointee.oformat)
      for index in selection.rendered { try Self.check(input.stream(index), job) }
      try input.begin(rendering: selection.rendered, copying: selection.copied)
      selection.copyTags(from: input, to: output)
      return (input, output, selection, try Self.extent(input, job))
    }
    for words in selection.notes { note(words) }
    var converters: [Int: SubtitleConverter] = [:]
    for (index, form) in selection.converted {
      converters[index] = try SubtitleConverter(input.stream(index), to: form, job.input)
    }
    let streams = try addStreams(selection, converters, input, output)
    if let words = selection.copyPrograms(from: input, to: output, streams) { note(words) }
    let tracks = try await render(selection, converters, input, output, streams, extent)
    guard let first = tracks.values.min(by: { $0.stream < $1.stream }) else {
      if input.damaged == 0 { try Self.checkLength(job) }
      throw .badFile(path: job.input, "no frame of its video can be decoded")
    }
    if job.isStrict {
      try Self.checkNumbers(of: input, damaged: input.damaged + output.refused)
    }
    try await callers.run { () throws(VideoFileError) in try input.checkEnd() }
    if let masks = first.renderer.masks {
      let last = outcome.withLock(\.moments.last)
      do { try masks.finish(after: last) } catch {
        throw VideoFileError(error, of: job.input)
      }
    }
    return try await callers.run { [self] () throws(VideoFileError) in
      for (_, track) in tracks.sorted(by: { $0.key < $1.key }) {
        try track.encoder.finish { packet throws(VideoFileError) in
          packet.pointee.stream_index = Int32(track.stream)
          try output.write(packet, track.encoder.streamBase)
        }
        for what in track.encoder.lost.sorted() {
          note("left out, as \(track.encoder.name) takes none: \(what)")
        }
      }
      for words in input.remarks { note(words) }
      return try output.finish { path throws(VideoFileError) in
        for words in VideoSelection.lost(in: output, path) { note(words) }
        var report = outcome.withLock { outcome in
          var report = VideoReport(
            frames: outcome.frames, damaged: input.damaged + output.refused,
            bytes: output.byteCount,
            encoders: tracks.sorted { $0.key < $1.key }.map(\.value.encoder.name),
            backend: first.renderer.backend, recoveries: outcome.recoveries)
          report.moments = outcome.moments
          return report
        }
        report.size = first.renderer.size
        report.masks = first.renderer.masks as? TrackMasks
        report.leftOut = selection.leftOut.map(\.what)
        try job.accepting?(report)
        return (report, try job.telling?(report, path))
      }
    }
  }

  /// Counts a whole video's frames where tracks are compared with that, or its container does not tell where it ends.
  ///
  /// - Returns: `nil` where it is not counted.
  /// - Throws: `VideoFileError.badFile` for one that is cut off.
  private static func extent(_ input: VideoInput, _ job: VideoJob) throws(VideoFileError)
    -> VideoExtent?
  {
    guard job.span == VideoSpan(), job.masks != nil || input.end.finding == .open,
      let survey = VideoSurvey(job.input, in: job.version)
    else { return nil }
    try survey.check()
    return survey.extent
  }

  /// Refuses a video whose frames cannot be identified.
  ///
  /// - Parameter damaged: packets and frames that are.
  static func checkNumbers(of input: VideoInput, damaged: Int) throws(VideoFileError) {
    guard damaged == 0 else {
      throw .badFile(
        path: input.path,
        "\(damaged) of its packets or frames are damaged, so which frame is which is in doubt; repair it "
          + "first, as by encoding it anew, and find its regions in that")
    }
    guard input.timeless == 0 else {
      throw .badFile(
        path: input.path,
        "\(input.timeless) of its frames are to be shown when another is, so which frame is which is in doubt; "
          + "encode it anew first, and find its regions in that")
    }
  }

  /// Refuses a part without frames because it begins after the end.
  static func checkLength(_ job: VideoJob) throws(VideoFileError) {
    guard let start = job.span.start, start > 0 else { return }
    throw .usage("--time begins at \(start) s, and \(job.input) is not as long")
  }

  /// Refuses by what the head says, before anything is decoded.
  static func check(
    _ stream: UnsafeMutablePointer<AVStream>, _ job: VideoJob
  ) throws(VideoFileError) {
    let own = stream.pointee.codecpar.pointee
    let size = Size(width: Int(own.width), height: Int(own.height))
    guard size.area <= job.maxPixels else {
      throw .unsupported(
        path: job.input,
        "\(size) pixels are more than the allowed \(job.maxPixels); --max-pixels \(size.area) allows "
          + "them")
    }
    if [AV_FIELD_TT, AV_FIELD_BB, AV_FIELD_TB, AV_FIELD_BT].contains(own.field_order) {
      throw .interlaced(job.input)
    }
  }

  /// Gives the new file a stream for each that goes out, in their order.
  ///
  /// - Returns: the numbers that they have there.
  private func addStreams(
    _ selection: VideoSelection, _ converters: [Int: SubtitleConverter], _ input: VideoInput,
    _ output: VideoOutput
  ) throws(VideoFileError) -> [Int: Int] {
    var streams: [Int: Int] = [:]
    for index in 0..<input.streamCount {
      if let converter = converters[index] {
        streams[index] = try output.add(
          converter, of: input.stream(index), keepsTags: job.keeping.tags)
      } else if selection.copied.contains(index) {
        if output.add(coverOf: input.stream(index)) { continue }
        streams[index] = try output.add(
          copyOf: input.stream(index), keepsTags: job.keeping.tags)
      } else if selection.rendered.contains(index) {
        streams[index] = try output.add(
          encoded: input.stream(index), keepsTags: job.keeping.tags,
          isUpright: job.letterbox != nil)
      }
    }
    return streams
  }

  /// Takes frames to the end of the video.
  ///
  /// - Returns: the tracks by the index of their video.
  private func render(
    _ selection: VideoSelection, _ converters: [Int: SubtitleConverter], _ input: VideoInput,
    _ output: VideoOutput, _ streams: [Int: Int], _ extent: VideoExtent?
  ) async throws(VideoFileError) -> [Int: Track] {
    var tracks: [Int: Track] = [:]
    let counts = selection.rendered.map { input.frameCount($0) }
    let total = counts.reduce(Optional(0)) { sum, count in
      sum.flatMap { sum in count.map { sum + $0 } }
    }
    let loop = FrameLoop<VideoFileError>(atOnce: slots.count)
    try await loop.run { number throws(VideoFileError) -> Passage? in
      let next = try await callers.run { () throws(VideoFileError) in
        try input.next { packet throws(VideoFileError) in
          let index = Int(packet.pointee.stream_index)
          guard let stream = streams[index] else { return }
          if let converter = converters[index], !converter.convert(packet) { return }
          let base = input.stream(index).pointee.time_base
          packet.pointee.stream_index = Int32(stream)
          try output.write(packet, base)
        }
      }
      guard let frame = next else { return nil }
      if tracks[frame.video] == nil {
        let index = selection.rendered[frame.video]
        tracks[frame.video] = try await track(
          for: frame, input.stream(index), streams[index] ?? 0, output, extent)
        if tracks.count == selection.rendered.count {
          // Queued packets are written first; no other thread may write meanwhile.
          await loop.drain()
          try await begin(output)
        }
      }
      guard let track = tracks[frame.video] else { return nil }
      guard output.waitingBytes < 1 << 28 else {
        throw .unsupported(path: job.input, "one of its videos begins too late after the others")
      }
      return Passage(frame: frame, track: track, slot: slots[number % slots.count])
    } work: { [self] passage throws(VideoFileError) in
      try await rendered(passage)
    } write: { [self] passage, recoveries throws(VideoFileError) in
      try await write(passage, recoveries, output, total)
    }
    if !tracks.isEmpty, tracks.count < selection.rendered.count {
      for (video, index) in selection.rendered.enumerated() where tracks[video] == nil {
        let stream = output.stream(streams[index] ?? 0)
        avcodec_parameters_copy(stream.pointee.codecpar, input.stream(index).pointee.codecpar)
        stream.pointee.codecpar.pointee.codec_tag = 0
        note("\(VideoSelection.words(input.stream(index))) has no frames that can be decoded")
      }
      try await begin(output)
    }
    return tracks
  }

  private func begin(_ output: VideoOutput) async throws(VideoFileError) {
    try await callers.run { () throws(VideoFileError) in try output.begin() }
  }

  /// Makes renderer and encoder for a video, by its first frame.
  private func track(
    for first: VideoFrame, _ stream: UnsafeMutablePointer<AVStream>, _ index: Int,
    _ output: VideoOutput, _ extent: VideoExtent?
  ) async throws(VideoFileError) -> Track {
    let isCanvas = job.letterbox != nil
    let format = UnsafePointer(output.context.pointee.oformat) ?? UnsafePointer(bitPattern: 8)
    guard let format else { preconditionFailure("the container was chosen") }
    let (look, choices) = try encoders(for: first, stream, in: format)
    let renderer = try await renderer(of: look, first.frame, stream, extent)
    if renderer.usesMatrix { try look.demandMatrix(note) }
    let encoder = try VideoEncoder.open(
      choices,
      { choice in
        FramePacking(
          source: look.form, target: choice.form, layout: look.layout,
          size: isCanvas ? renderer.size : look.size, turn: isCanvas ? .none : look.turn)
      }, first.frame, stream, job, matrix: isCanvas && !look.form.isRGB ? look.matrix : nil,
      in: format)
    let (bits, own) = (encoder.packing.target.bits, look.form.bits)
    if bits < own { note("\(encoder.name) takes \(bits) of the \(own) bits of samples") }
    if bits > own { note("\(encoder.name) holds the \(own) bits of samples in \(bits)") }
    encoder.describe(output.stream(index))
    addLight(of: first, stream, to: index, output)
    let packing = FramePacking(
      source: look.form, target: look.form, layout: look.layout, size: look.size, turn: look.turn)
    return Track(packing, renderer, encoder, index)
  }

  /// Looks at the first frame for encoders that keep its samples.
  ///
  /// Decoders give alpha to all frames of some kinds, such as GIF. That of an opaque frame is not looked at where the
  /// new video has no place for it; frames that come later have to be opaque too.
  private func encoders(
    for first: VideoFrame, _ stream: UnsafeMutablePointer<AVStream>,
    in format: UnsafePointer<AVOutputFormat>
  ) throws(VideoFileError) -> (FrameLook, [EncoderChoice]) {
    let use: FrameLook.Use = job.letterbox == nil ? .filters : .canvas
    func found(_ look: FrameLook) throws(VideoFileError) -> (FrameLook, [EncoderChoice]) {
      let choices = try EncoderChoice.candidates(
        job.encoding.codec, own: stream.pointee.codecpar.pointee.codec_id, look.form,
        isFull: look.range == .full, in: format, input: job.input)
      return (look, choices)
    }
    let look = try FrameLook(first.frame, stream, job, use)
    guard look.form.hasAlpha, look.form.isOpaque(first.frame) else { return try found(look) }
    let opaque = try FrameLook(first.frame, stream, job, use, usesAlpha: false)
    if use == .canvas { return try found(opaque) }
    do { return try found(look) } catch {
      guard case .unsupported = error else { throw error }
      return try found(opaque)
    }
  }

  /// Makes what makes new frames.
  private func renderer(
    of look: FrameLook, _ frame: UnsafePointer<AVFrame>, _ stream: UnsafeMutablePointer<AVStream>,
    _ extent: VideoExtent?
  ) async throws(VideoFileError) -> any FrameRenderer {
    let size = look.turn.size(of: look.size)
    do {
      if let letterbox = job.letterbox {
        return try await CanvasRenderer(
          letterbox, for: look.layout, frame: size,
          aspect: VideoEncoder.aspect(of: frame, stream, look.turn),
          maxPixels: job.maxPixels, on: pipeline)
      }
      let rate = stream.pointee.avg_frame_rate
      var masks = try job.masks?(size, FrameRate(Int(rate.num), in: Int(rate.den)))
      if let extent { try masks?.expect(extent) }
      for remark in masks?.remarks ?? [] { note(remark) }
      return try await VideoRenderer(
        job.recipe, for: look.layout, size: size, masks: masks, on: pipeline)
    } catch {
      if case .unsupported = error, job.letterbox == nil {
        throw .unsupported(
          path: job.input,
          "its frames have alpha beside planes, for which only blurs that leave colors alone are done"
        )
      }
      throw VideoFileError(error, of: job.input)
    }
  }

  /// Tells the container what frames say of the display the video was made on.
  private func addLight(
    of first: VideoFrame, _ stream: UnsafeMutablePointer<AVStream>, to index: Int,
    _ output: VideoOutput
  ) {
    let light = MasteringLight(first.frame, stream)
    if let display = light.display {
      withUnsafeBytes(of: display) {
        output.add(AV_PKT_DATA_MASTERING_DISPLAY_METADATA, $0, to: index)
      }
    }
    if let level = light.light {
      withUnsafeBytes(of: level) { output.add(AV_PKT_DATA_CONTENT_LIGHT_LEVEL, $0, to: index) }
    }
  }

  private func rendered(_ passage: Passage) async throws(VideoFileError) -> [Recovery] {
    let (frame, track, slot) = (passage.frame, passage.track, passage.slot)
    let packing = track.packing
    let bytes = packing.layout.byteCount(of: packing.uprightSize)
    let isWhole = await callers.run {
      slot.reserve(bytes, track.renderer.resultBytes)
      packing.unpack(frame.frame, into: slot.frame)
      return packing.isWhole(frame.frame)
    }
    guard isWhole else {
      throw .unsupported(
        path: job.input,
        "its frames are opaque before frame \(frame.index + 1), whose alpha would be lost in \(job.output); give an "
          + "ending such as .mkv")
    }
    do {
      return try await track.renderer.render(
        UnsafeRawBufferPointer(rebasing: slot.frame[..<bytes]), into: slot.result,
        at: frame.moment)
    } catch { throw VideoFileError(error, of: job.input) }
  }

  /// Encodes and writes a frame.
  private func write(
    _ passage: Passage, _ recoveries: [Recovery], _ output: VideoOutput, _ total: Int?
  ) async throws(VideoFileError) {
    let (frame, track) = (passage.frame, passage.track)
    try await callers.run { () throws(VideoFileError) in
      try track.encoder.encode(UnsafeRawBufferPointer(passage.slot.result), frame) {
        packet throws(VideoFileError) in
        packet.pointee.stream_index = Int32(track.stream)
        try output.write(packet, track.encoder.streamBase)
      }
    }
    let frames = outcome.withLock {
      $0.frames += 1
      $0.recoveries += recoveries
      if frame.video == 0 { $0.moments.append(frame.moment) }
      return $0.frames
    }
    progress(VideoProgress(frames: frames, total: total, bytes: output.byteCount))
  }
}

/// Videos by way of libavformat and libavcodec.
package struct AVVideos: VideoFiles {
  package init() {
    // Errors have our own messages.
    VideoLog.listen()
    // x264 decides by memory that it has not written: the same video is to give the same bytes.
    ClearedMemory.fill(with: 0)
  }

  package var libraries: String {
    func version(_ number: UInt32) -> String {
      "\(number >> 16).\(number >> 8 & 0xFF).\(number & 0xFF)"
    }
    return "libavformat \(version(avformat_version())), libavcodec \(version(avcodec_version()))"
  }

  package func run(
    _ job: VideoJob, on pipeline: Pipeline, progress: @escaping @Sendable (VideoProgress) -> Void,
    note: @escaping @Sendable (String) -> Void
  ) async throws(VideoFileError) -> VideoReport {
    let job = try await ThreadPool().run { () throws(VideoFileError) in try job.byTimes() }
    if let format = try? StillFormat.toWrite(path: job.output) {
      guard job.masks == nil, job.letterbox == nil, !job.isStrict else {
        throw .usage(
          "\(job.output): images are made of whole videos and by filters alone; give a name such as film.mp4, "
            + "and make the image of that")
      }
      guard job.encoding == VideoEncoding() else {
        throw .usage(
          "--codec, --crf and --speed are for the encoders of videos, and \(job.output) is an image; leave them "
            + "out")
      }
      return try await VideoImages(job, pipeline, format, note: note).run(progress)
    }
    return try await VideoFileRun(job, pipeline, progress: progress, note: note).run()
  }

  package func show(
    _ path: String, maxPixels: Int, on pipeline: Pipeline
  ) async throws(VideoFileError) -> any VideoShow {
    try await VideoScreen(path, maxPixels: maxPixels, on: pipeline)
  }

  package func view(
    _ path: String, in version: FileVersion?, maxPixels: Int, on pipeline: Pipeline,
    wants: (Int) -> Bool,
    progress: (VideoProgress) -> Void, note: (String) -> Void,
    take: (Int, Image) async throws(VideoFileError) -> Void
  ) async throws(VideoFileError) {
    try await VideoView(path, in: version, maxPixels: maxPixels, on: pipeline)
      .run(wants: wants, progress: progress, note: note, take: take)
  }
}

extension VideoJob {
  /// The same job with times in place of numbers of frames.
  ///
  /// A file says when frames are shown and not how many were before, so those of the video that players show first
  /// are decoded and counted, up to the last one that is asked for.
  ///
  /// - Throws: `VideoFileError.usage` for a video that has fewer, or what reading it throws.
  fileprivate func byTimes() throws(VideoFileError) -> VideoJob {
    guard let frames else { return self }
    var job = self
    (job.frames, job.span, job.moment) = (nil, VideoSpan(), nil)
    let (input, stream) = try VideoImages.open(job)
    let second = av_q2d(input.stream(stream).pointee.time_base)
    var count = 0
    while let frame = try input.next(copy: { _ in }) {
      defer { count += 1 }
      let time = Double(frame.time) * second
      if count == frames.start {
        job.span.start = time
        if frames.isOne {
          // Its middle, which is no other's.
          (job.span, job.moment) = (VideoSpan(), time + Double(frame.duration) * second / 2)
          return job
        }
        if frames.end == nil { return job }
      }
      if count == frames.end {
        job.span.end = time
        return job
      }
    }
    guard count > frames.start else {
      if count == 0 { throw .badFile(path: job.input, "no frame of its video can be decoded") }
      throw .usage(
        "--frames is \(frames.text), and \(job.input) has \(count) frame\(count == 1 ? "" : "s"), which count from 0"
      )
    }
    return job
  }
}
