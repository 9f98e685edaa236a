package import Frostglass

/// The exit codes of the command, as in sysexits(3).
package enum ExitCode {
  /// What was asked for is done.
  package static let done: Int32 = 0
  /// `compare` found more difference than tolerated.
  package static let different: Int32 = 1
  /// The words on the command line are wrong.
  package static let usage: Int32 = 64
  /// The input is not a picture that can be used.
  package static let badData: Int32 = 65
  /// The input is not there or may not be read.
  package static let noInput: Int32 = 66
  /// The backend that was asked for is not available.
  package static let unavailable: Int32 = 69
  /// Our fault.
  package static let software: Int32 = 70
  /// The output cannot be written.
  package static let cannotCreate: Int32 = 73
  /// It was stopped, or not done in time.
  package static let temporaryFailure: Int32 = 75
}

extension FrostglassError {
  /// The exit code of a command that ends with this error.
  package var exitCode: Int32 {
    switch self {
    case .decode(let error): error.exitCode
    case .text: ExitCode.usage
    case .plan(let error): error.exitCode
    case .execute(let error): error.exitCode
    case .encode(let error): error.exitCode
    case .scene(let error): error.exitCode
    case .lettering(let error): error.exitCode
    case .frames(let error): error.exitCode
    case .cancelled, .deadlineExceeded: ExitCode.temporaryFailure
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
    case .inputMismatch, .failed, .interrupted: ExitCode.software
    case .cancelled, .deadlineExceeded: ExitCode.temporaryFailure
    }
  }
}

extension EncodeError {
  fileprivate var exitCode: Int32 {
    switch self {
    case .exists, .unwritable: ExitCode.cannotCreate
    case .unknownFormat, .invalidQuality, .invalidEffort, .namedTwice: ExitCode.usage
    case .unsupportedImage, .tooLarge: ExitCode.badData
    case .cannotEncode: ExitCode.software
    case .codecUnavailable: ExitCode.unavailable
    }
  }
}

extension SceneFileError {
  fileprivate var exitCode: Int32 {
    switch self {
    case .missing, .unreadable: ExitCode.noInput
    case .malformed: ExitCode.badData
    case .noTime, .timeOutside, .badRate, .noTransparency: ExitCode.usage
    }
  }
}

extension FrameSinkError {
  fileprivate var exitCode: Int32 {
    switch self {
    case .badNumber, .severalNumbers, .numberInFolder, .holdsOneFrame, .badFrameRate:
      ExitCode.usage
    case .incomplete, .noThread: ExitCode.software
    }
  }
}

extension PresetError {
  /// The exit code of a command that ends with this error.
  var exitCode: Int32 {
    switch self {
    case .missing, .unreadable: ExitCode.noInput
    case .malformed: ExitCode.badData
    }
  }
}

extension RegionsError {
  /// The exit code of a command that ends with this error.
  var exitCode: Int32 {
    switch self {
    case .missing, .unreadable: ExitCode.noInput
    case .malformed, .empty: ExitCode.badData
    }
  }
}
