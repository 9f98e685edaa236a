internal import Frostglass
internal import FrostglassCamera
internal import FrostglassOptions
internal import Glibc

/// Frames that do not wait: those of a camera, or of a pipe whose other end gives them as they happen.
struct LivePipe {
  static let options: [Option] = [
    Option("live", "Process live frames; skip to the newest when behind"),
    Option(
      "fps", value: "N|N/M", "Frames per second of a camera, or limit for --live"
    ),
    Option(
      "camera-format", value: "F", "Camera pixel format (the fastest that it offers)",
      choices: CameraFormat.allCases.map(\.rawValue)),
  ].grouped(.reading)

  /// The most frames per second that are taken from a pipe.
  let pace: FrameRate?
  private let camera: (path: String, request: Camera.Request)?

  /// `nil` where nothing is live.
  init?(_ arguments: ParsedArguments) throws(Failure) {
    let path = arguments.operands.first.flatMap { Self.isCamera($0) ? $0 : nil }
    guard path != nil || arguments.has("live") else {
      for option in ["fps", "camera-format"] where arguments.has(option) {
        throw .usage(
          option == "fps"
            ? "--fps is for cameras and for --live; a video keeps its rate, and --rate tells that of raw frames"
            : "--camera-format is for cameras, such as /dev/video0")
      }
      return nil
    }
    let rate = try Self.rate(arguments)
    guard let path else {
      guard !arguments.has("camera-format") else {
        throw .usage("--camera-format is for cameras, such as /dev/video0")
      }
      (camera, pace) = (nil, rate)
      return
    }
    for option in ["pixel-format", "rate"] where arguments.has(option) {
      throw .usage(
        "--\(option) is for raw frames; a camera has --\(option == "rate" ? "fps" : "camera-format")"
      )
    }
    let format: CameraFormat? =
      arguments.has("camera-format") ? try arguments.choice("camera-format", default: .yuyv) : nil
    camera = (
      path, Camera.Request(size: try arguments.frameSize(), rate: rate, format: format)
    )
    // It gives no more than it was asked for.
    pace = nil
  }

  private static func rate(_ arguments: ParsedArguments) throws(Failure) -> FrameRate? {
    guard let text = arguments.values["fps"] else { return nil }
    guard let rate = FrameRate(text: text) else {
      throw .usage("--fps is \(text); it must be such as 25, 29.97 or 30000/1001")
    }
    return rate
  }

  /// Returns true if a path is that of a Video4Linux device, whether it exists or not.
  static func isCamera(_ path: String) -> Bool {
    if path.hasPrefix("/dev/video") || path.hasPrefix("/dev/v4l/") { return true }
    var status = stat()
    guard stat(path.systemPath, &status) == 0, status.st_mode & S_IFMT == S_IFCHR else {
      return false
    }
    return status.st_rdev >> 8 & 0xFFF == 81
  }

  /// Has the camera give frames; `nil` where frames come through a pipe.
  func open() throws(Failure) -> Camera? {
    guard let camera else { return nil }
    do { return try Camera(camera.path, camera.request) } catch {
      switch error {
      case .missing, .unreadable, .noCamera, .failed: throw Failure("\(error)", .noInput)
      case .notOffered: throw .usage("\(error)")
      }
    }
  }

  /// Returns the summary of a second, in words.
  static func words(_ second: LiveMeter.Account) -> String {
    let rate = Double(second.frames) / max(second.span / .seconds(1), 1e-6)
    return "\(rate.rounded(places: 1)) frames a second, \(latency(second))\(second.dropped) dropped"
  }

  /// Returns the summary of the whole run, in words.
  static func words(ofAll account: LiveMeter.Account) -> String {
    let longest = account.longest.map { "longest \($0.millisecondsText) ms, " } ?? ""
    let all = account.frames + account.dropped
    return "\(FilmPipe.words(account.frames, account.span)), \(latency(account))\(longest)"
      + "\(account.dropped) of \(all) dropped"
  }

  private static func latency(_ account: LiveMeter.Account) -> String {
    guard let median = account.median, let p99 = account.p99 else { return "" }
    return "latency \(median.millisecondsText) ms, 99 % within \(p99.millisecondsText) ms, "
  }
}
