/// Images for batches.
enum BatchImages {
  static let names = (1...6).map { "p\($0).png" }

  /// A folder of one test alone, with six images in `in`, each different from the others.
  static func scratch() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.addFolder("in")
    for name in names {
      try scratch.add("in/\(name)", SampleImage.noise(width: 40, height: 30))
    }
    return scratch
  }
}
