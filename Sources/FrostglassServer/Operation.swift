internal import Frostglass
internal import FrostglassFind
package import FrostglassOptions

/// An operation on an image over HTTP. Routing, checks, descriptions and workers all read these rows.
package enum Operation: String, Sendable, Hashable, CaseIterable {
  case blur, redact, fill, placeholder, scene, plan, find

  /// A one-line summary.
  package var summary: String {
    switch self {
    case .blur: "Blur an image, or a part of it"
    case .redact: "Irreversibly redact regions of an image"
    case .fill: "Letterbox an image over a blurred copy of itself"
    case .placeholder: "BlurHash, ThumbHash, colors and a tiny data URI of an image"
    case .scene: "Render bars, status bars and backdrop views over content, from a scene in JSON"
    case .plan: "What blur would do, without doing it: passes, cost, memory, certified error"
    case .find: "Find faces in an image, as JSON that the part regions of redact takes"
    }
  }

  /// The fields that it takes.
  package var options: [Option] {
    switch self {
    case .blur: Self.recipe + Self.finding
    case .plan: Self.recipe
    case .redact:
      RedactionMethod.options + Self.finding + Resize.options + [
        Option("scale", value: "N", "Pixels per point (1)"),
        Option("audit", value: "WHERE", "Return an audit report in a header or part"),
        .profile, .frame, .background,
      ] + Self.output
    case .fill: Letterbox.options + [.profile, .frame, .background] + Self.output
    case .placeholder: Placeholder.Options.options + [.frame]
    case .scene:
      [
        Option("time", value: "T", "Render one image, T seconds from the start"),
        Option("fps", value: "N", "Frames per second of an animation, 1 to 60 (30)"),
        Option("lossless", "Write lossless WebP"), .format, .outputQuality, .effort,
      ]
    case .find: Self.finding.filter { $0.name != "find" } + [.frame]
    }
  }

  /// Those that there are where faces are found, or are not.
  static func offered(finding: Bool) -> [Operation] {
    finding ? allCases : allCases.filter { $0 != .find }
  }

  /// The fields that have faces looked for; which models look is the operator's.
  static let finding = FindOptions.table.filter { !["model", "model-kind"].contains($0.name) }

  private static let recipe = RecipeOptions.table.compactMap(forRequests) + Resize.options + output

  /// Files that may come as parts of a form.
  package var parts: [String] {
    switch self {
    case .blur, .plan, .redact: ["picture", "mask", "regions"]
    case .fill, .placeholder, .find: ["picture"]
    // Images of a scene are called as the scene calls them.
    case .scene: ["scene"]
    }
  }

  /// The file without which there is nothing to do.
  package var mainPart: String { self == .scene ? "scene" : "picture" }

  /// True if its answer is an image, in a format that can be negotiated.
  package var givesImage: Bool { ![.placeholder, .plan, .find].contains(self) }

  /// A row of the command's as requests know it; `nil` for limits and presets, which are the operator's.
  private static func forRequests(_ option: Option) -> Option? {
    switch option.name {
    case "max-pixels", "memory", "preset": nil
    default: option
    }
  }

  private static let output = [
    Option(
      "format", value: "EXT",
      "\(StillFormat.allCases.map(\.fileExtension).joined(separator: ", ")); otherwise what Accept names"
    ),
    Option.outputQuality, Option.effort,
    Option(
      "keep-metadata", "Keep metadata, such as where an image was taken"),
    Option("strip", "Remove metadata (always, unless keep-metadata)"),
  ]
}
