internal import Frostglass

/// Where the pictures of a batch go: one directory, each under its input's name.
struct BatchOutput {
  /// A picture with the file it becomes.
  struct Place {
    var input: String
    var output: String
  }

  var directory: String
  /// The format of all; `nil` keeps each input's, or the nearest that is written.
  var format: StillFormat?

  /// - Throws: `Failure` when two inputs would have the same output.
  func places(for inputs: [BatchInput]) throws(Failure) -> [Place] {
    var taken: [String: String] = [:]
    var places: [Place] = []
    for input in inputs {
      let name = outputName(for: input.name)
      if let other = taken.updateValue(input.path, forKey: name) {
        throw .usage("\(other) and \(input.path) would both become \(name)")
      }
      let separator = directory.hasSuffix("/") ? "" : "/"
      places.append(Place(input: input.path, output: directory + separator + name))
    }
    return places
  }

  private func outputName(for input: String) -> String {
    let slash = input.lastIndex(of: "/").map { input.index(after: $0) } ?? input.startIndex
    let file = input[slash...]
    guard let dot = file.lastIndex(of: "."), dot != file.startIndex else {
      return "\(input).\((format ?? .png).fileExtension)"
    }
    let own = StillFormat(fileExtension: String(file[file.index(after: dot)...]))
    if let own, own.canEncode, format == nil || format == own { return input }
    return "\(input[..<dot]).\((format ?? .png).fileExtension)"
  }
}
