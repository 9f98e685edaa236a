internal import Frostglass

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
