internal import Frostglass
internal import FrostglassOptions

/// Files that options of a command line name by their paths.
struct PathFiles: OptionFiles {
  func preset(_ value: String) throws(Failure) -> Preset {
    do throws(PresetError) { return try Preset(file: value) } catch {
      throw Failure("\(error)", error.kind)
    }
  }

  func regions(_ value: String, _ format: RegionsFormat?) throws(Failure) -> RegionsFile {
    let isFolder = PictureWalk.isDirectory(value)
    if isFolder, format != nil {
      throw .usage("--regions-format is for files; \(value) is a folder of labels for YOLO")
    }
    do throws(RegionsError) {
      return try isFolder ? RegionsFile(folder: value) : RegionsFile(file: value, as: format)
    } catch {
      throw Failure("\(error)", error.kind)
    }
  }

  func mask(
    _ value: String, _ channel: MaskChannel, maxPixels: Int
  ) throws(Failure) -> MaskPicture {
    do throws(FrostglassError) {
      return try MaskPicture(file: value, channel, maxPixels: maxPixels)
    } catch { throw error.failure }
  }
}

extension ParsedArguments {
  /// The file that an option writes beside the pictures.
  ///
  /// - Throws: when it is one of the pictures, under any name, or no file.
  func sideFile(_ option: String) throws(Failure) -> String? {
    guard let path = values[option] else { return nil }
    guard !path.isEmpty, path != "-" else {
      throw .usage("--\(option) is \(path.isEmpty ? "empty" : path); it must be a file")
    }
    for operand in operands {
      let same = FileIdentity(operand).map { $0 == FileIdentity(path) } ?? false
      guard operand != path, !same else {
        throw .usage(
          "--\(option) is \(path), which is a picture of this command; take another file")
      }
    }
    return path
  }
}
