package import FrostglassCore
internal import FrostglassStills

/// An error between reading a file and writing its blurred copy. Its case says which stage failed.
public indirect enum FrostglassError: Error, Sendable, CustomStringConvertible {
  /// The input is missing, unreadable or damaged.
  case decode(DecodeError)
  /// The filter text cannot be read.
  case text(FilterTextError)
  /// The filters cannot be applied to this image.
  case plan(PlanError)
  /// The backend is missing or failed.
  case execute(BackendError)
  /// The output cannot be written.
  case encode(EncodeError)
  /// A scene's file is invalid, or does not fit the request.
  case scene(SceneFileError)
  /// A text cannot be drawn.
  case lettering(TextError)
  /// An error of something that a scene uses; `place` is where the scene's file names it.
  case element(place: String, FrostglassError)
  /// A video in a scene is damaged or not supported; a description with its name.
  case video(String)
  /// The output's name does not suit a sequence of frames.
  case frames(FrameSinkError)
  /// The task was canceled.
  case cancelled
  /// The job exceeded its deadline.
  case deadlineExceeded

  /// Wraps a backend's error. Cancellation and exceeded deadlines get cases of their own.
  package init(_ error: BackendError) {
    switch error {
    case .cancelled: self = .cancelled
    case .deadlineExceeded: self = .deadlineExceeded
    default: self = .execute(error)
    }
  }

  /// A user-facing description of the error.
  public var description: String {
    switch self {
    case .decode(let error): "\(error)"
    case .text(let error): "\(error)"
    case .plan(let error): "\(error)"
    case .execute(let error): "\(error)"
    case .encode(let error): "\(error)"
    case .scene(let error): "\(error)"
    case .lettering(let error): "\(error)"
    case .video(let what): what
    case .element(let place, let error): "\(place): \(error)"
    case .frames(let error): "\(error)"
    case .cancelled: "\(BackendError.cancelled)"
    case .deadlineExceeded: "\(BackendError.deadlineExceeded)"
    }
  }
}

/// An error in reading a scene file.
public enum SceneFileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no such file.
  case missing(path: String)
  /// The file cannot be read, for a reason of the system.
  case unreadable(path: String, reason: String)
  /// The file is invalid.
  case malformed(path: String, mistake: String)
  /// A still of an animated scene was requested without a time.
  case noTime(output: String, duration: Double)
  /// A time outside the scene.
  case timeOutside(Double, duration: Double)
  /// An invalid frame rate.
  case badRate(Double)
  /// A transparent canvas in a format without alpha.
  case noTransparency(format: StillFormat)
  /// A transparent canvas in a video.
  case transparentVideo

  /// A user-facing description of the error.
  public var description: String {
    switch self {
    case .missing(let path): "\(path): there is no such file; give the path of a scene in JSON"
    case .unreadable(let path, let reason):
      "\(path): cannot be read (\(reason)); give the path of a scene in JSON"
    case .malformed(let path, let error): "\(path):\(error)"
    case .noTime(let output, let duration):
      "\(output) holds one image of a scene of \(duration) s; give --time T, or a name such as "
        + "frames/%04d.png or scene.webp"
    case .timeOutside(let time, let duration):
      "the time is \(time) s; the scene lasts from 0 to \(duration) s"
    case .badRate(let rate):
      "there are \(rate) frames per second; there must be more than 0 and at most 1000"
    case .transparentVideo:
      "a video holds no transparency; give canvas.background an opaque color, or write WebP"
    case .noTransparency(let format):
      "\(format) holds no transparency; give canvas.background an opaque color, or write PNG or WebP"
    }
  }
}
