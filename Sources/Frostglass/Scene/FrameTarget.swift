package import FrostglassCore
package import FrostglassStills
internal import Synchronization

/// The destination that an output's name stands for.
struct FrameTarget: Sendable {
  /// The file; of numbered files the first.
  let sink: StillSink
  /// The names of numbered files.
  let names: FrameNames?
  private let overwrite: Bool

  init(_ sink: StillSink) throws(FrameSinkError) {
    guard case .file(let path, let overwrite) = sink else {
      (self.sink, names, self.overwrite) = (sink, nil, false)
      return
    }
    let read = try FrameNames.read(path)
    names = read.names
    self.overwrite = overwrite
    self.sink = .file(read.names?.path(1) ?? read.path, overwrite: overwrite)
  }

  /// Returns the destination of a frame: a file of its own for numbered files.
  ///
  /// - Parameter index: counted from 0.
  func sink(for index: Int) -> StillSink {
    guard let names else { return sink }
    return .file(names.path(index + 1), overwrite: overwrite)
  }

  func form(
    frames: Int, rate: Double, as format: StillFormat
  ) throws(FrostglassError) -> FrameForm {
    if names != nil { return .numbered }
    if frames == 1 { return .still }
    guard format.canAnimate else {
      throw .frames(.holdsOneFrame(path: path, format: format, frames: frames))
    }
    let accepted = FrameTimes.rates(of: format)
    guard accepted.contains(rate) else {
      throw .frames(.badFrameRate(rate, format: format, accepted: accepted))
    }
    return .animation
  }

  /// Finds files that are there already, and folders that cannot be written to.
  func preflight(frames: Int) throws(EncodeError) {
    guard let names else { return try sink.preflight() }
    guard Folder.isThere(names.folder) else { return }
    for index in 0..<frames { try sink(for: index).preflight() }
  }

  /// Makes the folder of numbered files if it is not there.
  func makeFolder() throws(EncodeError) {
    guard let names else { return }
    if let failure = Folder.make(names.folder) {
      throw .unwritable(
        path: failure.path, reason: "this folder cannot be made: \(failure.reason)")
    }
  }

  private var path: String {
    switch sink {
    case .file(let path, _): path
    case .standardOutput: "standard output"
    case .memory: "memory"
    }
  }
}

/// The form in which frames are written.
public enum FrameForm: Sendable, Hashable {
  /// A single image.
  case still
  /// A file for each, numbered from 1.
  case numbered
  /// An animation in one file.
  case animation
  /// A video: all frames in one y4m file or stream.
  case video
}

/// A path with a place for a number: `frames/%04d.png`.
package struct FrameNames: Sendable, Hashable {
  /// The text before and after the number.
  private var before: String
  private var after: String
  /// Digits at least, with zeros in front.
  private var digits: Int

  /// Reads a path.
  ///
  /// `%d` is the number, `%04d` one with at least four digits, `%%` a percent sign.
  ///
  /// - Returns: `nil`, and the path that is meant, where there is no place for a number.
  /// - Throws: `FrameSinkError` when a percent sign is something else, or there are several numbers.
  package static func read(_ path: String) throws(FrameSinkError) -> (
    names: FrameNames?, path: String
  ) {
    var parts = [""]
    var digits = 0
    var rest = path[...]
    while let character = rest.popFirst() {
      guard character == "%" else {
        parts[parts.count - 1].append(character)
        continue
      }
      if rest.first == "%" {
        rest.removeFirst()
        parts[parts.count - 1].append("%")
        continue
      }
      digits = try readNumber(&rest, path)
      parts.append("")
    }
    guard parts.count > 1 else { return (nil, parts[0]) }
    guard parts.count == 2 else { throw .severalNumbers(path: path) }
    guard !parts[1].contains("/") else { throw .numberInFolder(path: path) }
    return (FrameNames(before: parts[0], after: parts[1], digits: digits), path)
  }

  /// Reads what follows the percent sign: nothing, or 0 and a count from 1 to 9, then d.
  private static func readNumber(
    _ rest: inout Substring, _ path: String
  ) throws(FrameSinkError) -> Int {
    let number = rest.prefix { $0.isASCII && $0.isNumber }
    let end = rest.dropFirst(number.count)
    let isWidth = number.count == 2 && number.first == "0" && number != "00"
    guard end.first == "d", number.isEmpty || isWidth else {
      throw .badNumber(path: path, found: "%\(number)\(end.prefix(1))")
    }
    rest = end.dropFirst()
    return number.isEmpty ? 1 : Int(number) ?? 1
  }

  /// The path of a frame.
  ///
  /// - Parameter number: 0 or more.
  package func path(_ number: Int) -> String {
    let text = String(number)
    return before + String(repeating: "0", count: max(0, digits - text.count)) + text + after
  }

  /// The folder of all, without a slash at the end; empty for the current one.
  package var folder: String {
    guard let slash = before.lastIndex(of: "/") else { return "" }
    return slash == before.startIndex ? "/" : String(before[..<slash])
  }
}

/// The frame rates of animations.
package enum FrameTimes {
  /// Frames per second that are shown as fast as they should.
  ///
  /// Browsers show a frame of 10 ms or less for 100 ms. A GIF counts in hundredths of a second, so its
  /// shortest frame is 20 ms long; in a WebP, at 90 frames per second, none is below 11 ms.
  package static func rates(of format: StillFormat) -> ClosedRange<Double> {
    format == .gif ? 0.01...50 : 0.01...90
  }

  /// Milliseconds for each frame, whole hundredths of a second for a GIF.
  ///
  /// Each frame ends at the step that is nearest to its true end, so the whole is as long as it should
  /// be to half a step.
  package static func delays(frames: Int, rate: Double, format: StillFormat) -> [Int] {
    let step = format == .gif ? 10 : 1
    let perFrame = 1000 / rate / Double(step)
    let ends = (0...frames).map { Int((Double($0) * perFrame).rounded()) }
    return zip(ends, ends.dropFirst()).map { ($1 - $0) * step }
  }
}

/// A bounded producer/consumer queue of frames.
///
/// The producer waits without a thread. Each consumer waits in a thread of its own.
package final class FrameQueue: Sendable {
  package struct Frame: Sendable {
    /// Counted from 0.
    package var index: Int
    package var image: Image

    package init(index: Int, image: Image) {
      self.index = index
      self.image = image
    }
  }

  private let frames: BoundedQueue<Frame, FrostglassError>
  private let state: Monitor<State>

  private struct State {
    var writers: Int
    /// True if the result is about to be published.
    var isCommitted = false
  }

  /// - Parameters:
  ///   - capacity: frames that may wait before no more are asked for.
  ///   - writers: threads that will take frames, and `leave`.
  package init(capacity: Int, writers: Int) {
    frames = BoundedQueue(capacity: capacity)
    state = Monitor(State(writers: writers))
  }

  /// Gives a frame, and waits until another may be made; one caller at a time.
  ///
  /// - Throws: what a writer met with.
  package func put(_ frame: Frame) async throws(FrostglassError) {
    frames.put(frame)
    _ = try await frames.waitForRoom()
  }

  /// Waits until the writers have written everything and left.
  ///
  /// - Throws: what a writer met with.
  package func finish() async throws(FrostglassError) {
    frames.finish()
    await state.suspend { $0.writers == 0 }
    try frames.check()
  }

  /// The next frame; `nil` when there are no more.
  ///
  /// - Throws: what has stopped everything.
  package func take() throws(FrostglassError) -> Frame? { try frames.takeBlocking() }

  /// Asks for the last time before the result has its place: who stops everything afterward is too late.
  ///
  /// For the only writer of one file. Numbered ones have their places one by one, and are stopped until
  /// the last writer has left.
  ///
  /// - Throws: what has stopped everything.
  package func commit() throws(FrostglassError) {
    state.withLock { $0.isCommitted = true }
    try frames.check()
  }

  /// Stops everything; the first error counts.
  package func fail(_ error: FrostglassError) { frames.close(.failure(error)) }

  /// Gives up what is not written yet.
  package func stop() {
    state.withLock { if !$0.isCommitted, $0.writers > 0 { fail(.cancelled) } }
  }

  /// A writer is done.
  package func leave() { state.change { $0.writers -= 1 } }
}

/// A scene's frames as y4m: what videos are handed from program to program in, without compression.
///
/// Colors are BT.709 in narrow range, 4:2:0, each pair of differences in the middle of the four pixels
/// that it belongs to (`C420jpeg`). The form has no word for the weights; whoever reads it has to be
/// told BT.709, as of any video in high definition.
package struct SceneVideo: Sendable {
  /// The layout of frames.
  static let format = YCbCrFormat(matrix: .bt709, range: .narrow, siting: .center)

  private let plans: [Plan]
  private let backend: any Backend

  /// - Parameter size: of a frame.
  package init(_ size: Size, on backend: any Backend) {
    self.backend = backend
    let picture = Plan.Input(size: size, format: .rgb8, alpha: .opaque, transfer: .encoded)
    plans = Self.format.planes(of: size).indices.map { index in
      Plan(plane: index, of: Self.format, from: picture)
    }
  }

  /// A frame's planes, one after another, as one gray row.
  ///
  /// - Parameter picture: 8-bit RGB.
  package func frame(_ picture: Image) async throws(FrostglassError) -> Image {
    var bytes: [UInt8] = []
    for plan in plans {
      let plane = try await mapped(
        FrostglassError.execute, async: await backend.execute(plan, [picture]))
      let samples = plane.bytes
      for row in 0..<plane.size.height {
        let start = row * plane.bytesPerRow
        bytes += samples[start..<start + plane.size.width]
      }
    }
    do {
      return try Image(size: Size(width: bytes.count, height: 1), format: .gray8, bytes: bytes)
    } catch { throw .execute(.failed(backend: backend.name, what: "\(error)")) }
  }

  /// The first line of a video, with its end.
  ///
  /// - Throws: `FrostglassError.frames` for a rate that no video has.
  static func header(_ size: Size, rate: Double) throws(FrostglassError) -> [UInt8] {
    guard let fraction = FrameRate(rate) else { throw .frames(.badVideoRate(rate)) }
    let header = Y4MHeader(
      size: size, layout: FrameLayout(name: "420jpeg", content: .planes(format)), rate: fraction,
      range: format.range, squarePixels: true)
    return header.line + [UInt8(ascii: "\n")]
  }

  /// The line before each frame, with its end.
  static let frameLine = Array("FRAME\n".utf8)
}
