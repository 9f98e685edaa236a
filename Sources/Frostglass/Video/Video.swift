package import FrostglassCore
package import FrostglassStills
internal import Synchronization

/// A video file from where it is to where it goes.
package struct VideoJob: Sendable {
  /// The file with the video.
  package var input: String
  /// The state that the file must be in when it is opened, as it was when it was searched; `nil` takes any. Other
  /// files that it names are not read then.
  package var version: FileVersion?
  /// The file that is to be, whose name says what kind of file.
  package var output: String
  /// True if an existing file may be replaced.
  package var overwrite = false
  /// The filters applied to the frames of all videos in the file.
  package var recipe: Recipe
  /// Larger frames are refused.
  package var maxPixels: Int
  /// The weights of brightness; `nil` takes what the file says, or what its size suggests.
  package var matrix: YCbCrFormat.Matrix?
  /// The codes of black and white; `nil` takes what the file says, or narrow.
  package var range: YCbCrFormat.Levels?
  /// The encoding options of frames.
  package var encoding = VideoEncoding()
  /// The part that is taken.
  package var span = VideoSpan()
  /// The part by its frames; `nil` where `span` and `moment` say it.
  package var frames: FrameSpan?
  /// The moment that becomes an image, in seconds; `nil` for a video.
  package var moment: Double?
  /// The streams and tags of the file to keep next to the frames.
  package var keeping = VideoKeeping()
  /// Makes the masks of the recipe for each frame, from the size of upright frames and their usual rate; `nil` if
  /// the mask is the same in all of them. With masks only the first of several videos is written.
  package var masks: Masks?
  /// True if a video with uncertain frame positions is refused: one that is damaged, or has frames to be shown at
  /// the time of another.
  package var isStrict = false
  /// Looks at what was made before it has its name, which it gets unless this throws; `nil` takes anything.
  package var accepting: (@Sendable (VideoReport) throws(VideoFileError) -> Void)?
  /// Told of the video once it is whole, before it has its name; `nil` tells nobody.
  package var telling: Telling?

  /// The canvas that upright frames are put on; the recipe does nothing then.
  package var letterbox: Letterbox?

  /// Makes the masks of a video.
  package typealias Masks =
    @Sendable (_ size: Size, _ rate: FrameRate?) throws(VideoError) -> TrackMasks

  /// Makes what tells of a video at a path where its bytes are, and gets its name with it; there is no video
  /// where it throws.
  package typealias Telling =
    @Sendable (_ report: VideoReport, _ path: String) throws(VideoFileError) -> Sidecar

  package init(_ input: String, to output: String, _ recipe: Recipe, maxPixels: Int) {
    self.input = input
    self.output = output
    self.recipe = recipe
    self.maxPixels = maxPixels
  }
}

/// The options for encoding a video's frames.
package struct VideoEncoding: Sendable, Hashable {
  /// A codec such as `hevc`, or an encoder such as `libx265`; `nil` takes the video's own where the file to
  /// be can hold it.
  package var codec: String?
  /// The encoder's own measure of constant quality, smaller being better; `nil` is one at which the loss
  /// is hard to see.
  package var quality: Double?
  /// The trade of encoding time for smaller frames.
  package var speed: Speed?

  /// The speeds of x264 and x265, which other encoders' are likened to.
  package enum Speed: String, Sendable, Hashable, CaseIterable {
    case ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow
  }

  package init(codec: String? = nil, quality: Double? = nil, speed: Speed? = nil) {
    self.codec = codec
    self.quality = quality
    self.speed = speed
  }
}

/// A part of a video, in seconds from its beginning.
package struct VideoSpan: Sendable, Hashable {
  /// The start of the part, in seconds; `nil` for the video's beginning.
  package var start: Double?
  /// The end of the part, in seconds; `nil` for the video's end.
  package var end: Double?

  package init(from start: Double? = nil, to end: Double? = nil) {
    self.start = start
    self.end = end
  }

  /// Reads `10..20`, `10s..20s`, `1:30..`, `..2:00.5`; `nil` for anything else.
  package init?(text: String) {
    guard let dots = text.firstRange(of: "..") else { return nil }
    let (before, after) = (text[..<dots.lowerBound], text[dots.upperBound...])
    let (start, end) = (Self.seconds(before), Self.seconds(after))
    guard before.isEmpty == (start == nil), after.isEmpty == (end == nil),
      start != nil || end != nil,
      start ?? 0 < end ?? .infinity
    else { return nil }
    self.init(from: start, to: end)
  }

  /// Reads `3.5`, `3.5s`, `1:03.5` or `1:00:03.5`; `nil` for anything else.
  package static func seconds(_ text: some StringProtocol) -> Double? {
    let plain = text.hasSuffix("s") ? text.dropLast() : text[...]
    let parts = plain.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count), !(text.hasSuffix("s") && parts.count > 1) else {
      return nil
    }
    var seconds = 0.0
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      guard let number = Double(part), number >= 0, number < 1e7,
        part.utf8.allSatisfy({ (48...57).contains($0) || isLast && $0 == UInt8(ascii: ".") }),
        index == 0 || number < 60
      else { return nil }
      seconds = seconds * 60 + number
    }
    return seconds
  }
}

/// A part of a video by the numbers of frames, as they are shown, from 0.
package struct FrameSpan: Sendable, Hashable {
  /// The first one that is taken.
  package var start: Int
  /// The first one behind that is not; `nil` takes all.
  package var end: Int?
  /// The text as it was given.
  package let text: String

  /// Reads `250..500`, `250..`, `..500`, and `250`, which is one frame; `nil` for anything else.
  package init?(text: String) {
    func number(_ digits: Substring) -> Int? {
      digits.utf8.allSatisfy { (48...57).contains($0) } ? Int(digits) : nil
    }
    self.text = text
    guard let dots = text.firstRange(of: "..") else {
      guard let only = number(text[...]), only < .max else { return nil }
      (start, end) = (only, only + 1)
      return
    }
    let (before, after) = (text[..<dots.lowerBound], text[dots.upperBound...])
    guard let start = before.isEmpty ? 0 : number(before), !(before.isEmpty && after.isEmpty) else {
      return nil
    }
    self.start = start
    guard !after.isEmpty else { return }
    guard let end = number(after), start < end else { return nil }
    self.end = end
  }

  /// True if it is a single frame, from which an image is made.
  package var isOne: Bool { !text.contains("..") }
}

/// The parts of a video to keep next to its frames. Each can show what a redaction is to hide.
package struct VideoKeeping: Sendable, Hashable {
  /// Images of the cover.
  package var covers = true
  /// Video streams other than the one that players show first.
  package var otherVideos = true
  /// Subtitles, and closed captions within frames.
  package var subtitles = true
  /// Streams of data, such as where a camera was, and attached files.
  package var data = true
  /// Titles, dates, places and the like, of the file and its streams.
  package var tags = true
  /// Chapters with their names.
  package var chapters = true

  /// Keeps everything.
  package init() {}

  /// The streams kept next to redacted frames: audio, subtitles, chapters, and what players need. Covers, other
  /// videos, thumbnails, data such as locations, and tags are left out.
  package static let redacted: VideoKeeping = {
    var keeping = VideoKeeping()
    (keeping.covers, keeping.otherVideos, keeping.data, keeping.tags) = (false, false, false, false)
    return keeping
  }()
}

/// The progress of a video.
package struct VideoProgress: Sendable, Hashable {
  /// Frames that this pass is done with: in the last one they are written.
  package var frames: Int
  /// Frames that there will be in this pass, where the file tells.
  package var total: Int?
  /// Bytes that are written; `nil` where that is not known before the end.
  package var bytes: Int?
  /// The number of this pass, from 1.
  package var pass: Int
  /// The number of passes.
  package var passes: Int

  package init(frames: Int, total: Int?, bytes: Int?, pass: Int = 1, of passes: Int = 1) {
    self.frames = frames
    self.total = total
    self.bytes = bytes
    self.pass = pass
    self.passes = passes
  }
}

/// The result of processing a video.
package struct VideoReport: Sendable {
  /// Frames that were written, of all videos.
  package var frames: Int
  /// Packets and frames that were damaged. What could be read of them was written.
  package var damaged: Int
  /// Bytes of the file; `nil` of images.
  package var bytes: Int?
  /// The encoders that wrote the videos.
  package var encoders: [String]
  /// The backend that rendered frames.
  package var backend: String
  /// The device failures that did not stop it.
  package var recoveries: [Recovery]
  /// The size of the first video's upright frames.
  package var size: Size?
  /// The times of all frames written of the first video, in order.
  package var moments: [FrameMoment] = []
  /// The masks of the frames, where they differ.
  package var masks: TrackMasks?
  /// Streams and tags that are left out, in words.
  package var leftOut: [String] = []

  package init(
    frames: Int, damaged: Int, bytes: Int?, encoders: [String], backend: String,
    recoveries: [Recovery]
  ) {
    self.frames = frames
    self.damaged = damaged
    self.bytes = bytes
    self.encoders = encoders
    self.backend = backend
    self.recoveries = recoveries
  }
}

/// Reads videos from files and writes them to files.
package protocol VideoFiles: Sendable {
  /// The libraries that do it, with their versions.
  var libraries: String { get }

  /// Renders a video. The output appears whole, or not at all.
  ///
  /// - Parameters:
  ///   - progress: told after each frame, of each pass.
  ///   - note: told what a person should know: what is left out, and why.
  /// - Throws: `VideoFileError`; then nothing was written.
  func run(
    _ job: VideoJob, on pipeline: Pipeline, progress: @escaping @Sendable (VideoProgress) -> Void,
    note: @escaping @Sendable (String) -> Void
  ) async throws(VideoFileError) -> VideoReport

  /// Opens a video for display over time.
  ///
  /// - Throws: `VideoFileError` for what is no video, or not taken.
  func show(
    _ path: String, maxPixels: Int, on pipeline: Pipeline
  ) async throws(VideoFileError) -> any VideoShow

  /// Visits the frames of a file's first video as upright images of 8-bit red, green and blue.
  ///
  ///   - version: the state that the file must be in; `nil` takes any.
  ///   - wants: returns true for frames, counted from 0, whose images are needed.
  ///   - progress: told after each frame.
  ///   - take: gets the images in order, each before the next frame is read.
  /// - Throws: `VideoFileError`, also for a video whose frames cannot be identified.
  func view(
    _ path: String, in version: FileVersion?, maxPixels: Int, on pipeline: Pipeline,
    wants: (Int) -> Bool,
    progress: (VideoProgress) -> Void, note: (String) -> Void,
    take: (Int, Image) async throws(VideoFileError) -> Void
  ) async throws(VideoFileError)
}

/// A video that is displayed over time.
package protocol VideoShow: Sendable {
  /// Width and height of what is shown, upright and with square pixels.
  var size: Size { get }

  /// The image that is shown at a moment, in 8 bits of red, green and blue; it may have another size. Behind
  /// the end the last one stays.
  ///
  /// - Parameter time: in seconds from the beginning, not before that of the last image.
  /// - Returns: `nil` where it is as it was.
  /// - Throws: `FrostglassError` where there is none, or the video is broken.
  func picture(at time: Double) async throws(FrostglassError) -> Image?
}

/// An error in processing a video file.
package enum VideoFileError: Error, Sendable, CustomStringConvertible {
  /// The file is not there, or may not be read.
  case unreadable(path: String, reason: String)
  /// The file is no video, or broken beyond use.
  case badFile(path: String, String)
  /// A video of a kind that is not taken.
  case unsupported(path: String, String)
  /// The options do not fit the files.
  case usage(String)
  /// The output cannot be written.
  case unwritable(EncodeError)
  /// The filters or the backend failed.
  case renderer(FrostglassError)
  /// An encoder or a container failed.
  case failed(path: String, String)
  /// It is not known what to cover in the video.
  case tracks(String)
  /// An encoder needs a device that is not here.
  case unavailable(String)

  /// - Parameter path: of the video whose frames it is about.
  package init(_ error: VideoError, of path: String) {
    self =
      switch error {
      case .renderer(let error): .renderer(error)
      case .tracks(let what): .tracks(what)
      case .unsupported(let what): .unsupported(path: path, what)
      case .badStream, .truncated, .unreadable, .device, .unwritable:
        .failed(path: path, "\(error)")
      }
  }

  /// A user-facing description of the error.
  package var description: String {
    switch self {
    case .unreadable(let path, let reason): "\(path): cannot be read (\(reason))"
    case .badFile(let path, let what), .unsupported(let path, let what),
      .failed(let path, let what):
      "\(path): \(what)"
    case .usage(let what), .tracks(let what), .unavailable(let what): what
    case .unwritable(let error): "\(error)"
    case .renderer(let error): "\(error)"
    }
  }
}

/// The file extensions of videos.
package enum VideoName {
  /// The extensions of common containers that hold videos and nothing else.
  private static let endings: Set = [
    "3g2", "3gp", "asf", "avi", "flv", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts",
    "mxf",
    "nut", "ogv", "ts", "vob", "webm", "wmv",
  ]

  /// Returns true if a file's name has the extension of a video.
  package static func isVideo(_ path: String) -> Bool {
    guard let file = path.split(separator: "/").last, let dot = file.lastIndex(of: "."),
      dot != file.startIndex
    else { return false }
    return endings.contains(file[file.index(after: dot)...].lowercased())
  }
}

/// Frames of a stream through a renderer: read, rendered and written side by side, in order, in memory
/// for a few of them.
package final class VideoRun: Sendable {
  private let reader: FrameReader
  private let renderer: VideoRenderer
  private let sender: FrameSender
  private let rate: FrameRate?
  private let slots: [FrameSlot]
  private let callers = ThreadPool()
  private let outcome = Mutex(Outcome())

  /// A frame on its way.
  private struct Frame: Sendable {
    /// From 0.
    let index: Int
    /// Came before it.
    let line: [UInt8]
    let slot: FrameSlot
  }

  private struct Outcome {
    var frames = 0
    var recoveries: [Recovery] = []
  }

  /// - Parameters:
  ///   - rate: the frame rate; `nil` takes it from the stream's first line.
  ///   - atOnce: frames that are on their way together: one is read, one is written, and the others are
  ///     rendered.
  package init(
    _ reader: FrameReader, _ renderer: VideoRenderer, _ sender: FrameSender,
    rate: FrameRate? = nil, atOnce: Int = 3
  ) {
    self.rate = rate ?? reader.header?.rate
    self.reader = reader
    self.renderer = renderer
    self.sender = sender
    let bytes = renderer.layout.byteCount(of: renderer.size)
    slots = (0..<max(atOnce, 1)).map { _ in FrameSlot(bytes, renderer.resultBytes) }
  }

  /// Runs to the end of the stream, or to the first failure; frames before it are written.
  ///
  /// - Parameter progress: told the number of frames that are written, after each.
  /// - Returns: the number of frames, and the device failures that were recovered from.
  /// - Throws: `VideoError`.
  package func run(
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws(VideoError) -> (frames: Int, recoveries: [Recovery]) {
    try await callers.run { [sender] () throws(VideoError) in try sender.begin() }
    try await FrameLoop(atOnce: slots.count).run { [self] index throws(VideoError) in
      let slot = slots[index % slots.count]
      return try await callers.run { [reader] () throws(VideoError) in
        try reader.next(index + 1, into: slot.frame).map { line in
          Frame(index: index, line: line, slot: slot)
        }
      }
    } work: { [self] frame throws(VideoError) in
      try await renderer.render(
        UnsafeRawBufferPointer(frame.slot.frame), into: frame.slot.result,
        at: FrameMoment(index: frame.index, rate: rate))
    } write: { [self] frame, recoveries throws(VideoError) in
      try await callers.run { [sender] () throws(VideoError) in
        let slot = frame.slot
        try sender.send(
          frame.line, UnsafeRawBufferPointer(rebasing: slot.result[..<slot.frame.count]))
      }
      outcome.withLock {
        $0.frames += 1
        $0.recoveries += recoveries
      }
      progress(frame.index + 1)
    }
    let (frames, recoveries) = outcome.withLock { ($0.frames, $0.recoveries) }
    try renderer.masks?.finish(
      after: frames > 0 ? FrameMoment(index: frames - 1, rate: rate) : nil)
    return (frames, recoveries)
  }
}
