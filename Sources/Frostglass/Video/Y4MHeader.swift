internal import FrostglassCore

/// The first line of a y4m stream, parsed. The line itself stays unchanged.
///
/// The format is that of mjpegtools, as ffmpeg reads and writes it: words of one letter and a value, separated by
/// spaces. Unknown words are passed on unchanged.
package struct Y4MHeader: Sendable, Hashable {
  /// The line without its end.
  package let line: [UInt8]
  /// Width and height in pixels.
  package let size: Size
  /// The layout of frames; 4:2:0 where nothing is said.
  package let layout: FrameLayout
  /// Frames per second; `nil` where that is unknown.
  package let rate: FrameRate?
  /// The value of `XCOLORRANGE`, if it is present.
  package let range: YCbCrFormat.Levels?

  /// The longest line that is read.
  static let longest = 4096
  private static let magic = "YUV4MPEG2"

  /// Reads a line.
  ///
  /// - Parameter line: without its end.
  /// - Throws: `VideoError.badStream` for what is no such line, `.unsupported` for frames that are not
  ///   taken.
  package init(_ line: [UInt8]) throws(VideoError) {
    self.line = line
    let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    guard words.first == Self.magic else {
      throw .badStream(
        "it does not begin with \(Self.magic); give y4m, or --pixel-format for raw frames")
    }
    guard line.last != UInt8(ascii: "\r") else {
      throw .badStream(
        "its first line ends with a carriage return, as of a pipe that takes bytes for text and changes those of "
          + "frames too; send them as they are")
    }
    try Self.checkDoubles(words)
    var (width, height): (Int?, Int?)
    var rate: FrameRate?
    var space = "420jpeg"
    var range: YCbCrFormat.Levels?
    for word in words.dropFirst() {
      let value = String(word.dropFirst())
      switch word.first {
      case "W": width = try Self.side(value, "width")
      case "H": height = try Self.side(value, "height")
      case "F": rate = try Self.rate(value)
      case "C": space = value
      case "I": try Self.check(interlacing: value)
      case "X" where value == "COLORRANGE=FULL": range = .full
      case "X" where value == "COLORRANGE=LIMITED": range = .narrow
      default: break
      }
    }
    guard let width, let height else {
      throw .badStream("its first line has no \(width == nil ? "width" : "height")")
    }
    size = Size(width: width, height: height)
    self.rate = rate
    self.range = range
    guard let layout = FrameLayout.y4m.first(where: { $0.name == space }) else {
      throw .unsupported(
        "its color space is \(space); accepted are "
          + FrameLayout.y4m.map(\.name).joined(separator: ", "))
    }
    self.layout = layout
  }

  /// A line for frames that came without one.
  ///
  /// - Parameter squarePixels: true if pixels are known to be square.
  package init(
    size: Size, layout: FrameLayout, rate: FrameRate, range: YCbCrFormat.Levels?,
    squarePixels: Bool = false
  ) {
    self.size = size
    self.layout = layout
    self.rate = rate
    self.range = range
    let color = range.map { $0 == .full ? " XCOLORRANGE=FULL" : " XCOLORRANGE=LIMITED" } ?? ""
    line = Array(
      "\(Self.magic) W\(size.width) H\(size.height) F\(rate.frames):\(rate.seconds) Ip A\(squarePixels ? "1:1" : "0:0") C\(layout.name)\(color)"
        .utf8)
  }

  /// Refuses what is said twice and differently: ffmpeg takes the last, others the first, and the line goes on as
  /// it came.
  private static func checkDoubles(_ words: [String]) throws(VideoError) {
    var known: [String: String] = [:]
    for word in words.dropFirst() {
      let name = word.hasPrefix("X") ? word.prefix { $0 != "=" } : word.prefix(1)
      guard ["W", "H", "F", "C", "I", "XCOLORRANGE"].contains(name) else { continue }
      guard let other = known.updateValue(word, forKey: String(name)), other != word else {
        continue
      }
      throw .badStream("its first line says both \(other) and \(word); leave one of them out")
    }
  }

  private static func side(_ text: String, _ what: String) throws(VideoError) -> Int {
    guard let side = Int(text), text.utf8.allSatisfy({ (48...57).contains($0) }),
      (1...longestSide).contains(side)
    else {
      throw .badStream("its \(what) is \(text); it must be from 1 to \(longestSide)")
    }
    return side
  }

  private static let longestSide = 1_000_000

  /// - Returns: `nil` for 0:0, which is unknown.
  private static func rate(_ text: String) throws(VideoError) -> FrameRate? {
    let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 2, let frames = numbers[0], let seconds = numbers[1], frames >= 0,
      seconds >= 0
    else { throw .badStream("its frame rate is \(text); it must be such as 30000:1001") }
    return FrameRate(frames, in: seconds)
  }

  private static func check(interlacing: String) throws(VideoError) {
    let kind: String
    switch interlacing {
    case "p", "?", "": return
    case "t": kind = "interlaced, the top field first"
    case "b": kind = "interlaced, the bottom field first"
    case "m": kind = "partly interlaced"
    default: throw .badStream("its interlacing is \(interlacing); it must be p, t, b, m or ?")
    }
    throw .unsupported(
      "its frames are \(kind), and a blur would mix the two fields; deinterlace it first, as with "
        + "ffmpeg's -vf bwdif")
  }
}

/// Frames per second, as a fraction.
package struct FrameRate: Sendable, Hashable {
  /// The number of frames in `seconds`.
  package let frames: Int
  /// The time that `frames` take, in seconds.
  package let seconds: Int

  /// `nil` where either is below 1.
  package init?(_ frames: Int, in seconds: Int) {
    guard frames > 0, seconds > 0 else { return nil }
    self.frames = frames
    self.seconds = seconds
  }

  /// Reads `25`, `29.97`, `30000/1001` or `30000:1001`; `nil` for anything else.
  package init?(text: String) {
    let parts = text.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == ":" }
    let numbers = parts.map { Int($0) }
    if numbers.count == 2, let frames = numbers[0], let seconds = numbers[1] {
      // As without a fraction, and of numbers whose products stay in 64 bits.
      guard max(frames, seconds) <= 1_000_000_000, seconds > 0,
        (0.001..<1e6).contains(Double(frames) / Double(seconds))
      else { return nil }
      self.init(frames, in: seconds)
      return
    }
    guard numbers.count == 1, let number = Double(text) else { return nil }
    self.init(number)
  }

  /// Frames per second as a fraction: 29.97 and its like are what television means by that, 30000 in
  /// 1001 seconds; others count in thousandths.
  ///
  /// `nil` where that comes to none, and for a million or more.
  package init?(_ number: Double) {
    guard number > 0, number < 1e6 else { return nil }
    let whole = number.rounded()
    let television = (number * 1.001).rounded()
    if number == whole {
      self.init(Int(whole), in: 1)
    } else if television >= 1, abs(number - television / 1.001) < 0.005 {
      self.init(Int(television) * 1000, in: 1001)
    } else {
      self.init(Int((number * 1000).rounded()), in: 1000)
    }
  }
}

/// An error in reading or writing a video.
package enum VideoError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The stream is broken, or is none.
  case badStream(String)
  /// Frames of a kind that is not taken.
  case unsupported(String)
  /// The stream ends within a frame, counted from 1.
  case truncated(frame: Int, bytes: Int, of: Int)
  /// The system refuses to read.
  case unreadable(String)
  /// A camera gives no more frames.
  case device(String)
  /// The system refuses to write.
  case unwritable(String)
  /// The filters or the backend failed.
  case renderer(FrostglassError)
  /// The video's regions do not fit the video.
  case tracks(String)

  /// A user-facing description of the error.
  package var description: String {
    switch self {
    case .badStream(let what): "standard input: \(what)"
    case .unsupported(let what): "standard input: \(what)"
    case .truncated(let frame, let bytes, let all):
      "standard input: it ends within frame \(frame), which has \(bytes) of \(all) bytes; the frames "
        + "before are done"
    case .unreadable(let reason): "standard input: cannot be read (\(reason))"
    case .unwritable(let reason): "standard output: cannot be written (\(reason))"
    case .renderer(let error): "\(error)"
    case .device(let what), .tracks(let what): what
    }
  }

  package static func == (left: VideoError, right: VideoError) -> Bool {
    "\(left)" == "\(right)"
  }

  package func hash(into hasher: inout Hasher) { hasher.combine("\(self)") }
}
