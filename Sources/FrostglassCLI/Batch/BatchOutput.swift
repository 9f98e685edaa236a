internal import Frostglass
internal import Glibc

/// Where the pictures of a batch go: one directory, each under its input's name.
struct BatchOutput {
  var directory: String
  /// The format of all; `nil` keeps each input's, or the nearest that is written.
  var format: StillFormat?
  var overwrite: Bool

  /// - Throws: `Failure` when the directory is none, or two inputs would have the same output.
  func places(for inputs: [String]) throws(Failure) -> [(StillSource, StillSink)] {
    var status = stat()
    guard stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw Failure(
        message: "\(directory) is not a directory; create it first",
        exitCode: ExitCode.cannotCreate)
    }
    var taken: [String: String] = [:]
    var places: [(StillSource, StillSink)] = []
    for input in inputs {
      guard input != "-" else { throw .usage("standard input has no name to keep in --out-dir") }
      let name = outputName(for: input)
      if let other = taken.updateValue(input, forKey: name) {
        throw .usage("\(other) and \(input) would both become \(name)")
      }
      places.append((.file(input), .file("\(directory)/\(name)", overwrite: overwrite)))
    }
    return places
  }

  private func outputName(for input: String) -> String {
    let file = String(input.split(separator: "/").last ?? "")
    guard let dot = file.lastIndex(of: "."), dot != file.startIndex else {
      return "\(file).\((format ?? .png).fileExtension)"
    }
    let own = StillFormat(fileExtension: String(file[file.index(after: dot)...]))
    if let own, own.canEncode, format == nil || format == own { return file }
    return "\(file[..<dot]).\((format ?? .png).fileExtension)"
  }
}
