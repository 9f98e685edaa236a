package import FrostglassStills

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
  case film
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
