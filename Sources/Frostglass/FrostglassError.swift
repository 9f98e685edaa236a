/// What can go wrong between a file and its blurred copy; the stage says who can mend it.
public indirect enum FrostglassError: Error, Sendable, CustomStringConvertible {
  /// The input is missing, unreadable or damaged.
  case decode(DecodeError)
  /// The filter text cannot be read.
  case text(FilterTextError)
  /// The filters cannot be applied to this picture.
  case plan(PlanError)
  /// The backend is missing or failed.
  case execute(BackendError)
  /// The output cannot be written.
  case encode(EncodeError)
  /// A scene's file has a mistake, or does not fit what is asked for.
  case scene(SceneFileError)
  /// A text cannot be drawn.
  case lettering(TextError)
  /// Something that a part of a scene needs; `place` is where the scene's file names it.
  case element(place: String, FrostglassError)
  /// A film that a scene shows is broken, or of a kind that is not taken; in words, with its name.
  case film(String)
  /// The output's name does not fit the frames that go there.
  case frames(FrameSinkError)
  /// The task was cancelled.
  case cancelled
  /// The job was not done in time.
  case deadlineExceeded

  /// What a backend's error is for who runs a job.
  package init(_ error: BackendError) {
    switch error {
    case .cancelled: self = .cancelled
    case .deadlineExceeded: self = .deadlineExceeded
    default: self = .execute(error)
    }
  }

  /// What happened, in words for the one who asked for it.
  public var description: String {
    switch self {
    case .decode(let error): "\(error)"
    case .text(let error): "\(error)"
    case .plan(let error): "\(error)"
    case .execute(let error): "\(error)"
    case .encode(let error): "\(error)"
    case .scene(let error): "\(error)"
    case .lettering(let error): "\(error)"
    case .film(let what): what
    case .element(let place, let error): "\(place): \(error)"
    case .frames(let error): "\(error)"
    case .cancelled: "\(BackendError.cancelled)"
    case .deadlineExceeded: "\(BackendError.deadlineExceeded)"
    }
  }
}
