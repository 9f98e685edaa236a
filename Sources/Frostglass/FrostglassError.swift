/// What can go wrong between a file and its blurred copy; the stage says who can mend it.
public enum FrostglassError: Error, Sendable, CustomStringConvertible {
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
  /// The output's name does not fit the frames that go there.
  case frames(FrameSinkError)

  public var description: String {
    switch self {
    case .decode(let error): "\(error)"
    case .text(let error): "\(error)"
    case .plan(let error): "\(error)"
    case .execute(let error): "\(error)"
    case .encode(let error): "\(error)"
    case .scene(let error): "\(error)"
    case .lettering(let error): "\(error)"
    case .frames(let error): "\(error)"
    }
  }

  /// The exit code of a command that ends with this error, as in sysexits(3).
  public var exitCode: Int32 {
    switch self {
    case .decode(let error): error.exitCode
    case .text: ExitCode.usage
    case .plan(let error): error.exitCode
    case .execute(let error): error.exitCode
    case .encode(let error): error.exitCode
    case .scene(let error): error.exitCode
    case .lettering(let error): error.exitCode
    case .frames(let error): error.exitCode
    }
  }
}

extension DecodeError {
  fileprivate var exitCode: Int32 {
    switch self {
    case .missing, .unreadable: ExitCode.noInput
    case .isDirectory, .empty, .unknownFormat, .damaged, .tooManyPixels, .tooMuchMemory,
      .unsupportedPixels, .noSuchFrame:
      ExitCode.badData
    case .codecUnavailable: ExitCode.unavailable
    }
  }
}

extension PlanError {
  fileprivate var exitCode: Int32 {
    switch self {
    case .badValue, .regionOutside: ExitCode.usage
    case .tooLarge: ExitCode.badData
    case .malformed: ExitCode.software
    }
  }
}

extension TextError {
  fileprivate var exitCode: Int32 {
    switch self {
    case .badSize, .badWrapWidth, .badLineSpacing, .tooLarge: ExitCode.badData
    case .noFonts, .unavailable: ExitCode.unavailable
    }
  }
}

extension BackendError {
  fileprivate var exitCode: Int32 {
    switch self {
    case .unavailable, .unsupported, .broken: ExitCode.unavailable
    case .inputMismatch, .failed: ExitCode.software
    }
  }
}

extension EncodeError {
  fileprivate var exitCode: Int32 {
    switch self {
    case .exists, .unwritable: ExitCode.cannotCreate
    case .unknownFormat, .invalidQuality, .invalidEffort: ExitCode.usage
    case .unsupportedImage, .tooLarge: ExitCode.badData
    case .cannotEncode: ExitCode.software
    case .codecUnavailable: ExitCode.unavailable
    }
  }
}
