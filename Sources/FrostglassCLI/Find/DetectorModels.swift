internal import FrostglassCore
internal import FrostglassFind
internal import FrostglassOptions
internal import FrostglassStills
internal import Glibc

/// A model's file, read and known by its digest.
struct DetectorModel: Sendable {
  let detector: Detector
  let path: String
  let bytes: [UInt8]
  /// The SHA-256 in hexadecimal digits.
  let digest: String

  /// The file's name and digest, as audits have them.
  var record: FindRecord.Model {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return FindRecord.Model(name: name, digest: digest)
  }

  private init(_ detector: Detector, _ path: String, _ bytes: [UInt8]) {
    (self.detector, self.path, self.bytes) = (detector, path, bytes)
    digest = FileDigest.sha256(of: bytes)
  }

  /// Reads the models that a search runs: the operator's own, or the two that are installed.
  ///
  /// - Throws: `Failure` with 69 where they are not installed, and 66 where the operator's cannot be read.
  static func all(for options: FindOptions?) throws(Failure) -> [DetectorModel] {
    if let own = options?.model {
      guard let bytes = try contents(own.path) else {
        throw Failure(
          "\(own.path): there is no such file; --model takes an ONNX file", .noInput)
      }
      return [DetectorModel(own.kind, own.path, bytes)]
    }
    var models: [DetectorModel] = []
    for detector in Detector.allCases {
      guard let path = path(of: detector), let bytes = try contents(path) else {
        throw missing(detector)
      }
      let model = DetectorModel(detector, path, bytes)
      guard model.digest == detector.digest else {
        throw Failure(
          "\(path): this is not the model that Frostglass knows (SHA-256 \(model.digest)); install it anew, or "
            + "run it with --model and --model-kind \(detector.rawValue)", .badData)
      }
      models.append(model)
    }
    return models
  }

  /// Returns the path of an installed model; `nil` if it is not installed.
  static func path(of detector: Detector) -> String? {
    folders.map { "\($0)/\(detector.fileName)" }.first { access($0.systemPath, R_OK) == 0 }
  }

  /// The description that `doctor` prints.
  static var words: String {
    guard SiblingProgram.path(FindProgram.name) != nil else {
      return "not here; it takes the package \(FindProgram.name)"
    }
    let models = Detector.allCases.map { detector in
      path(of: detector).map { "\($0) (SHA-256 \(FileDigest.sha256(of: $0) ?? "unknown"))" }
        ?? "\(detector.fileName) is missing, which the package frostglass-models has"
    }
    return "faces, by \(models.joined(separator: " and "))"
  }

  private static func missing(_ detector: Detector) -> Failure {
    Failure(
      "the models that find faces are not installed: there is no \(detector.fileName) in "
        + "\(folders.joined(separator: ", ")); install the package frostglass-models, or run "
        + "scripts/models.sh of the sources", .unavailable)
  }

  /// The folders in which models may be: FROSTGLASS_MODELS, or those that packages and builds use.
  private static var folders: [String] {
    if let folder = getenv("FROSTGLASS_MODELS") { return [String(systemPath: folder)] }
    let own = SiblingProgram.folder
    return [
      "\(own)/../share/frostglass/models", "\(own)/../../share/frostglass/models",
      "\(own)/../../models",
    ]
  }

  /// - Returns: `nil` where there is no such file.
  private static func contents(_ path: String) throws(Failure) -> [UInt8]? {
    var status = stat()
    guard stat(path.systemPath, &status) == 0 else { return nil }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= FindOrder.mostModelBytes else {
      throw Failure(
        "\(path): a model is a file of at most \(ByteCount(FindOrder.mostModelBytes))", .badData)
    }
    do throws(FileReadFailure) { return try bytesOfFile(path) } catch {
      throw Failure("\(path): cannot be read (\(error.words))", .noInput)
    }
  }
}

extension Detector {
  /// The name of the file that is installed.
  var fileName: String {
    switch self {
    case .yunet: "face_detection_yunet_2023mar.onnx"
    case .centerface: "centerface.onnx"
    }
  }

  /// The SHA-256 of that file.
  fileprivate var digest: String {
    switch self {
    case .yunet: "8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4"
    case .centerface: "09189deaaf8646c5c51a68447e3c744ea1e211798155d4728c20507b9f5aefbc"
    }
  }
}
