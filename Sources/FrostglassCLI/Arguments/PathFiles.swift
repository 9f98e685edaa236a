internal import Frostglass
internal import FrostglassOptions

/// Files that options of a command line name by their paths.
struct PathFiles: OptionFiles {
  func preset(_ value: String) throws(Failure) -> Preset {
    try mapped(\PresetError.failure, Preset(file: value))
  }

  func regions(_ value: String, _ format: RegionsFormat?) throws(Failure) -> RegionsFile {
    let isFolder = PictureWalk.isDirectory(value)
    if isFolder, format != nil {
      throw .usage("--regions-format is for files; \(value) is a folder of labels for YOLO")
    }
    return try mapped(
      \RegionsError.failure,
      isFolder ? RegionsFile(folder: value) : RegionsFile(file: value, as: format))
  }

  func mask(
    _ value: String, _ channel: MaskChannel, maxPixels: Int
  ) throws(Failure) -> MaskPicture {
    try mapped(
      \FrostglassError.failure, MaskPicture(file: value, channel, maxPixels: maxPixels))
  }
}

extension ParsedArguments {
  /// Options that name a file which is written beside the pictures.
  private static let sideFiles = ["audit", "report", "review", "save-preset"]
  /// Options that name a file which is read.
  private static let readFiles = ["from", "mask", "regions", "tracks"]

  /// Where files are written beside the pictures, by the option that names it.
  var sidePlaces: [(option: String, place: FilePlace)] {
    Self.sideFiles.compactMap { option in values[option].map { (option, FilePlace($0)) } }
  }

  /// All files that are named, to be read or written, but what one option writes.
  func namedFiles(but option: String) -> [String] {
    let written = Self.sideFiles.filter { $0 != option }.compactMap { values[$0] }
    let read = Self.readFiles.flatMap { repeated[$0] ?? [] }
    return (operands + written + read).filter { $0 != "-" }
  }

  /// The file that an option writes beside the pictures.
  ///
  /// - Throws: when it is one of the pictures that are named, a file that is read or another such file,
  ///   under any name, or no file.
  func sideFile(_ option: String) throws(Failure) -> String? {
    guard let path = values[option] else { return nil }
    guard !path.isEmpty, path != "-" else {
      throw .usage("--\(option) is \(path.isEmpty ? "empty" : path); it must be a file")
    }
    let place = FilePlace(path)
    for (other, itsPlace) in sidePlaces where other != option && itsPlace == place {
      throw .usage("--\(option) and --\(other) are both \(path); they need two names")
    }
    for other in Self.readFiles {
      for read in repeated[other] ?? [] where FilePlace(read) == place {
        throw .usage("--\(option) is \(path), which --\(other) reads; take another file")
      }
    }
    for operand in operands where operand != "-" {
      guard FilePlace(operand) != place else {
        throw .usage(
          "--\(option) is \(path), which is a picture of this command; take another file")
      }
    }
    return path
  }
}
