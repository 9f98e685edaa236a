package import Frostglass
internal import FrostglassCore
internal import FrostglassStills

/// Why nothing came of what was asked: words for who asked, and whose fault it is.
package struct Failure: Error {
  /// The category of the failure, as in sysexits(3).
  package enum Kind: Sendable, Hashable, CaseIterable {
    /// The request is wrong.
    case usage
    /// The input is not an image that can be used.
    case badData
    /// The input is not there or may not be read.
    case noInput
    /// Something that is needed is missing.
    case unavailable
    /// Ours.
    case software
    /// The output cannot be written.
    case cannotCreate
    /// Stopped, or not done in time.
    case temporary
  }

  /// Lines as a person reads them; most failures have one.
  package var lines: [String]
  package var kind: Kind

  /// All lines in one text.
  package var message: String { lines.joined(separator: "\n") }

  package init(_ message: String, _ kind: Kind) { self.init(lines: [message], kind) }

  package init(lines: [String], _ kind: Kind) {
    self.lines = lines
    self.kind = kind
  }

  package init(_ error: FrostglassError) { self.init(error.description, error.kind) }

  /// Returns a failure for a request that is wrong.
  package static func usage(_ message: String) -> Failure { Failure(message, .usage) }
}

extension FrostglassError {
  /// The category of the error.
  package var kind: Failure.Kind {
    switch self {
    case .decode(let error): error.kind
    case .text: .usage
    case .plan(let error): error.kind
    case .execute(let error): error.kind
    case .encode(let error): error.kind
    case .scene(let error): error.kind
    case .lettering(let error): error.kind
    case .video: .badData
    case .frames(let error): error.kind
    case .element(_, let error): error.kind
    case .cancelled, .deadlineExceeded: .temporary
    }
  }
}

extension DecodeError {
  fileprivate var kind: Failure.Kind {
    switch self {
    case .missing, .unreadable: .noInput
    case .isDirectory, .empty, .unknownFormat, .damaged, .tooManyPixels, .tooMuchMemory,
      .unsupportedPixels, .unsupportedKind, .hdr, .noSuchFrame, .changed:
      .badData
    case .codecUnavailable: .unavailable
    }
  }
}

extension PlanError {
  fileprivate var kind: Failure.Kind {
    switch self {
    case .badValue, .regionOutside: .usage
    case .tooLarge, .doubtful: .badData
    case .malformed: .software
    }
  }
}

extension TextError {
  fileprivate var kind: Failure.Kind {
    switch self {
    case .badSize, .badWrapWidth, .badLineSpacing, .tooLarge: .badData
    case .noFonts, .noFont, .noCharacters, .unavailable: .unavailable
    }
  }
}

extension BackendError {
  fileprivate var kind: Failure.Kind {
    switch self {
    case .unavailable, .unsupported, .broken: .unavailable
    case .inputMismatch, .failed, .interrupted: .software
    case .cancelled, .deadlineExceeded: .temporary
    }
  }
}

extension EncodeError {
  fileprivate var kind: Failure.Kind {
    switch self {
    case .exists, .unwritable: .cannotCreate
    case .unknownFormat, .invalidQuality, .invalidEffort, .namedTwice: .usage
    case .unsupportedImage, .profile, .tooLarge: .badData
    case .cannotEncode: .software
    case .codecUnavailable: .unavailable
    }
  }
}

extension SceneFileError {
  fileprivate var kind: Failure.Kind {
    switch self {
    case .missing, .unreadable: .noInput
    case .malformed: .badData
    case .noTime, .timeOutside, .badRate, .noTransparency, .transparentVideo: .usage
    }
  }
}

extension FrameSinkError {
  fileprivate var kind: Failure.Kind {
    switch self {
    case .badNumber, .severalNumbers, .numberInFolder, .holdsOneFrame, .badFrameRate, .badVideoRate,
      .numberedVideo:
      .usage
    case .incomplete, .noThread, .tooMany, .otherKind: .software
    }
  }
}

extension PresetError {
  /// The failure that reports the error.
  package var failure: Failure { Failure(description, kind) }

  private var kind: Failure.Kind {
    switch self {
    case .missing, .unreadable: .noInput
    case .malformed: .badData
    }
  }
}

extension RegionsError {
  /// The failure that reports the error.
  package var failure: Failure { Failure(description, kind) }

  /// The category of the error.
  package var kind: Failure.Kind {
    switch self {
    case .missing, .unreadable: .noInput
    case .malformed, .empty, .otherImages, .unknownImage, .noRegions, .unfit, .allLeftOut:
      .badData
    }
  }
}
