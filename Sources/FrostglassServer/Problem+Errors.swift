internal import Frostglass
internal import FrostglassOptions

/// What errors of the library are for who asked over HTTP. Words of other libraries, which may name
/// paths, are left out.
extension Problem {
  init(_ failure: Failure) {
    let words = Self.inFieldWords(failure.message)
    switch failure.kind {
    case .usage: self = .badRequest(words)
    case .badData, .noInput: self.init(422, "bad-data", words)
    case .unavailable, .temporary: self.init(503, "unavailable", "this cannot be done now")
    case .software, .cannotCreate: self = .ours
    }
  }

  /// Options of a command line are fields here, which have no hyphens before them.
  static func inFieldWords(_ message: String) -> String { message.replacing("--", with: "") }

  init(_ error: FrostglassError) {
    switch error {
    case .decode(let error): self.init(error)
    case .text(let error): self = .badRequest("\(error)")
    case .plan(let error):
      switch error {
      case .badValue, .regionOutside: self = .badRequest("\(error)")
      case .tooLarge: self.init(422, "too-large", "\(error)")
      case .doubtful: self.init(422, "doubtful", "\(error)")
      case .malformed: self = .ours
      }
    case .execute: self = .ours
    case .encode(let error): self.init(error)
    case .scene(let error): self = .badRequest("\(error)")
    case .lettering, .frames, .film: self = .badRequest("\(error)")
    case .element(let place, let error):
      self.init(error)
      detail = "\(place): \(detail)"
    case .cancelled: self.init(503, "cancelled", "the work was stopped")
    case .deadlineExceeded:
      self.init(
        503, "out-of-time", "the work was not done in time; a smaller picture takes less",
        headers: [Field("Retry-After", "5")])
    }
  }

  private init(_ error: DecodeError) {
    switch error {
    case .empty: self = .badRequest("the picture is empty")
    case .unknownFormat:
      self.init(
        415, "not-a-picture", "this is not a \(StillFormat.names("or")) file")
    case .damaged: self.init(422, "damaged", "the picture is damaged or incomplete")
    case .tooManyPixels(_, let size, let limit):
      self.init(
        413, "too-many-pixels", "\(size) pixels are more than the \(limit) that are taken")
    case .tooMuchMemory(_, let size, let need, let limit):
      self.init(
        413, "too-much-memory",
        "\(size) pixels would take about \(ByteCount(need)) of memory here, more than the "
          + "\(ByteCount(limit)) that there are")
    case .unsupportedPixels(_, let found):
      self.init(415, "unsupported-pixels", "the picture's samples are \(found)")
    case .unsupportedKind(_, let found):
      self.init(415, "unsupported-kind", "the picture is \(found), which is not read")
    case .noSuchFrame(_, let frame, let count):
      self = .badRequest("there is no frame \(frame); there are \(count)")
    case .missing(let name):
      self = .badRequest("there is no part \(name.prefix(64))")
    case .isDirectory, .unreadable, .codecUnavailable: self = .ours
    }
  }

  private init(_ error: EncodeError) {
    switch error {
    case .unknownFormat, .invalidQuality, .invalidEffort, .namedTwice:
      self = .badRequest("\(error)")
    case .tooLarge, .unsupportedImage, .profile: self.init(422, "does-not-fit", "\(error)")
    case .exists, .unwritable, .cannotEncode, .codecUnavailable: self = .ours
    }
  }

  /// What is nobody's fault who asks.
  static var ours: Problem {
    Problem(500, "failed", "something went wrong here; the request's name is in X-Request-Id")
  }
}
