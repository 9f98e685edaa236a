internal import Frostglass
internal import FrostglassOptions

extension RecipeOptions {
  /// A further output of the same picture; `--also`.
  static let also = Option(
    "also", value: "\"FILTERS -> FILE\"",
    "Another output of the same picture, decoded once; more than once"
  ).grouped(.writing)

  /// What is asked for with `--also`: other filters, everything else alike.
  func further(
    _ arguments: ParsedArguments, _ encoding: EncodeOptions, overwrite: Bool
  ) throws(Failure) -> [Job.Output] {
    var outputs: [Job.Output] = []
    for text in arguments.repeated["also"] ?? [] {
      outputs.append(try output(text, arguments, encoding, overwrite: overwrite))
    }
    return outputs
  }

  private func output(
    _ text: String, _ arguments: ParsedArguments, _ encoding: EncodeOptions, overwrite: Bool
  ) throws(Failure) -> Job.Output {
    guard let arrow = text.indices.last(where: { text[$0...].hasPrefix("->") }) else {
      throw .usage(
        "--also is \(text); it must be filters, an arrow and a file: \"blur(8px) -> small.webp\"")
    }
    let file = trimmed(text[arrow...].dropFirst(2))
    guard !file.isEmpty else { throw .usage("--also is \(text); a file's name must follow ->") }
    var recipe = recipe
    let filters = trimmed(text[..<arrow])
    recipe.chain = filters.isEmpty ? [] : try arguments.filters(filters)
    return Job.Output(
      recipe, to: StillSink(operand: file, overwrite: overwrite), encoding: encoding)
  }
}
