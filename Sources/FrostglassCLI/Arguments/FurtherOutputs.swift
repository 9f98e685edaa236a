internal import Frostglass
internal import FrostglassOptions

extension RecipeOptions {
  /// A further output of the same picture; `--also`.
  static let also = Option(
    "also", value: "\"FILTERS -> FILE\"",
    "Another output of the same picture, decoded once; more than once")

  /// What is asked for with `--also`: other filters, everything else alike.
  func further(
    _ arguments: ParsedArguments, _ encoding: EncodeOptions, overwrite: Bool
  ) throws(Failure) -> [Job.Output] {
    try (arguments.repeated["also"] ?? []).map { text throws(Failure) in
      guard let arrow = text.ranges(of: "->").last else {
        throw .usage(
          "--also is \(text); it must be filters, an arrow and a file: \"blur(8px) -> small.webp\"")
      }
      let file = text[arrow.upperBound...].trimmed
      guard !file.isEmpty else { throw .usage("--also is \(text); a file's name must follow ->") }
      var recipe = recipe
      let filters = text[..<arrow.lowerBound].trimmed
      recipe.chain = filters.isEmpty ? [] : try FilterChain(argument: filters)
      return Job.Output(
        recipe, to: StillSink(operand: file, overwrite: overwrite), encoding: encoding)
    }
  }
}

extension Substring {
  /// Without spaces around it.
  fileprivate var trimmed: String {
    let start = drop(while: \.isWhitespace)
    return String(start.dropLast(start.reversed().prefix(while: \.isWhitespace).count))
  }
}
