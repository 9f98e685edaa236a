package import Frostglass

/// What several operations are asked about reading and writing.
extension ParsedArguments {
  /// The value of `background`.
  package func background() throws(Failure) -> Color {
    try opaqueColor("background", default: .white, named: "white")
  }

  /// What `max-pixels`, `memory`, `profile` and `frame` say.
  package func decoding() throws(Failure) -> DecodeOptions {
    DecodeOptions(
      maxPixels: try integer("max-pixels", in: 1...(.max)) ?? DecodeOptions().maxPixels,
      maxMemory: try bytes("memory"), profile: try profile(),
      frame: try integer("frame", in: 1...(.max)))
  }

  private func profile() throws(Failure) -> DecodeOptions.Profile {
    switch values["profile"] {
    case nil, "srgb": return .srgb
    case "keep": return .keep
    case let other?: throw .usage("--profile is \(other); it must be srgb or keep")
    }
  }

  /// The value of `format`; `nil` where it is not given.
  package func outputFormat() throws(Failure) -> StillFormat? {
    guard let text = values["format"] else { return nil }
    do throws(EncodeError) { return try StillFormat.toWrite(path: "output.\(text)") } catch {
      throw Failure(FrostglassError.encode(error))
    }
  }

  /// What `output-quality` and `strip` say.
  package func encoding() throws(Failure) -> EncodeOptions {
    EncodeOptions(quality: try integer("output-quality", in: 1...100), strip: has("strip"))
  }

  /// Reads the filters that an option names.
  package func filters(_ text: String) throws(Failure) -> FilterChain {
    do throws(FilterTextError) { return try FilterChain(text: text) } catch {
      throw Failure(FrostglassError.text(error))
    }
  }
}

extension StillSink {
  /// How messages call it.
  package var name: String {
    switch self {
    case .file(let path, _): path
    case .standardOutput: "standard output"
    case .memory: "memory"
    }
  }
}
