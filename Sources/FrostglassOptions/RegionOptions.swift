package import Frostglass

/// The options that say where a recipe acts.
package struct RegionOptions {
  /// Where, in any shape.
  package static let regions: [Option] = [
    Option(
      "region", value: "SHAPE", "Only there: X,Y,W,H or ellipse(…), …; more than once or with ;"),
    Option(
      "regions", value: "FILE", "Only in the regions of a JSON or CSV file, as detectors write"),
    Option("mask", value: "FILE", "Only where this picture is white, or opaque if it has alpha"),
    Option("mask-channel", value: "C", "Of the mask: auto, luma, alpha, red, green, blue (auto)"),
    Option("feather", value: "N|N%", "How far the effect takes to end outside regions (0)"),
    Option("invert", "Everywhere but there"),
  ]

  /// Where, and what becomes of it there.
  package static let table: [Option] =
    regions + [
      Option("grow", value: "N|N%", "Make regions larger, or smaller if negative (0)"),
      Option(
        "mask-use", value: "U",
        "show: over the picture; confine: and nothing from outside bleeds in; scale: σ (show)"),
    ]

  /// Where, as plans take it.
  package var mask: Mask
  /// What was given, with labels; without the mask picture.
  package var regions: [Region]
  private var picture: MaskPicture?
  /// The mask's path, for messages.
  private var path = ""

  /// Reads the files that the options name.
  ///
  /// - Parameter grow: unless told otherwise.
  /// - Returns: `nil` when no option says where.
  package init?(_ arguments: ParsedArguments, grow: Length = 0) throws(Failure) {
    regions = try Self.shapes(arguments)
    if let path = arguments.values["mask"] {
      self.path = path
      picture = try Self.picture(path, arguments)
    }
    guard !regions.isEmpty || picture != nil else {
      for option in ["mask-channel", "feather", "grow", "invert", "mask-use"]
      where arguments.has(option) {
        throw .usage("--\(option) needs --region, --regions or --mask")
      }
      return nil
    }
    if picture == nil, arguments.has("mask-channel") {
      throw .usage("--mask-channel needs --mask FILE")
    }
    mask = Mask(
      regions.map(\.shape) + (picture.map { [.picture($0)] } ?? []),
      feather: try Self.length("feather", arguments, isSigned: false) ?? 0,
      grow: try Self.length("grow", arguments, isSigned: true) ?? grow,
      isInverted: arguments.has("invert"), use: try arguments.choice("mask-use", default: .show))
  }

  private static func shapes(_ arguments: ParsedArguments) throws(Failure) -> [Region] {
    var regions: [Region] = []
    for text in arguments.repeated["region"] ?? [] {
      do throws(RegionTextError) {
        regions += try MaskShape.list(text: text).map { Region($0) }
      } catch { throw .usage("--region: \(error)") }
    }
    for path in arguments.repeated["regions"] ?? [] {
      regions += try arguments.files.regions(path)
    }
    return regions
  }

  private static func picture(
    _ path: String, _ arguments: ParsedArguments
  ) throws(Failure) -> MaskPicture {
    guard arguments.repeated["mask"]?.count == 1 else {
      throw .usage("--mask is given twice; several masks cannot be combined, regions can")
    }
    let maxPixels =
      try arguments.integer("max-pixels", in: 1...(.max)) ?? DecodeOptions().maxPixels
    let channel: MaskChannel = try arguments.choice("mask-channel", default: .automatic)
    return try arguments.files.mask(path, channel, maxPixels: maxPixels)
  }

  private static func length(
    _ name: String, _ arguments: ParsedArguments, isSigned: Bool
  ) throws(Failure) -> Length? {
    guard let text = arguments.values[name] else { return nil }
    guard let length = Length(text: text), isSigned || length.value >= 0 else {
      throw .usage(
        "--\(name) is \(text); it must be a number of pixels\(isSigned ? "" : ", 0 or more"), or "
          + "one with px, pt or % of the shorter side")
    }
    return length
  }

  /// What a person should know when the mask is used for a picture: what was scaled, and what does
  /// nothing because it is outside.
  package func notes(for plan: Plan, scale: Double) -> [String] {
    let size = plan.inputs[0].size
    var notes: [String] = []
    if let picture, picture.size != size {
      notes.append("\(path) has \(picture.size) pixels and was scaled to the picture's \(size)")
    }
    for (index, region) in regions.enumerated()
    where (try? region.shape.bounds(in: size, scale: scale)) == .some(nil) {
      let label = region.label.map { " (\($0))" } ?? ""
      notes.append(
        "region \(index + 1)\(label), \(region.shape), is outside the picture of \(size) and does "
          + "nothing")
    }
    return notes
  }
}
