internal import Frostglass

/// The pictures that the operands of a batch stand for.
struct BatchInputs {
  private(set) var pictures: [BatchInput] = []
  /// What cannot be looked at.
  private(set) var obstacles: [PictureWalk.Obstacle] = []
  /// Directories without pictures.
  private(set) var empty: [String] = []

  /// - Parameter output: the output's directory, which is not taken for an input.
  /// - Throws: `Failure` for standard input, and for directories without `--recursive`.
  init(_ operands: [String], recursive: Bool, output: String) throws(Failure) {
    for operand in operands {
      guard operand != "-" else { throw .usage("standard input has no name to keep in --out-dir") }
      if PictureWalk.isDirectory(operand) {
        try add(directory: operand, recursive: recursive, output: output)
      } else {
        let name = operand.split(separator: "/").last.map { String($0) } ?? operand
        pictures.append(BatchInput(path: operand, name: name))
      }
    }
  }

  private mutating func add(
    directory: String, recursive: Bool, output: String
  ) throws(Failure) {
    // `*` names the output's directory too, once it is there.
    if FileIdentity(directory) == FileIdentity(output) { return }
    guard recursive else {
      throw .usage("\(directory) is a directory; --recursive takes the images in it")
    }
    let walk = PictureWalk(directory, except: output)
    pictures += walk.found
    obstacles += walk.obstacles
    if walk.found.isEmpty, walk.obstacles.isEmpty { empty.append(directory) }
  }
}
