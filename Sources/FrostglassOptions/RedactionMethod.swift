package import Frostglass
package import FrostglassCore

/// A method of making regions unrecognizable.
package struct RedactionMethod: Sendable {
  /// The options of the regions and of the method.
  package static let options: [Option] =
    (RegionOptions.regions + RegionOptions.allowances + [
      Option("grow", value: "N|N%", "Safety margin around regions (4px)")
    ]).grouped(.place)
    + [
      Option("fill", value: "F", "frosted, solid, mosaic or blur (frosted)"),
      Option("color", value: "COLOR", "Color of a solid fill (black)"),
      Option(
        "filter", value: "TEXT", "Filters on top of a frosted or solid fill"),
      Option("cell", value: "N|N%", "Cell width of a mosaic (16px)"),
      Option("sigma", letter: "s", value: "N|N%|TOOL:N", "Standard deviation of a blur fill (2%)"),
    ].grouped(.effect)

  /// The kind of fill that hides a region.
  package enum Fill: String, Sendable, CaseIterable {
    case frosted, solid, mosaic, blur
  }

  /// The fill that was asked for.
  package let fill: Fill
  /// The replacement of covered pixels; `nil` where they are only smeared.
  package let redaction: Redaction?
  /// The filters on top.
  package let chain: FilterChain

  /// Reads the options.
  package init(_ arguments: ParsedArguments) throws(Failure) {
    fill = try arguments.choice("fill", default: .frosted)
    try Self.refuse(arguments, for: fill)
    let filters: FilterChain? =
      if let text = arguments.values["filter"] { try arguments.filters(text) } else { nil }
    switch fill {
    case .frosted:
      redaction = Redaction(.surroundings)
      chain = filters ?? Redaction.frost
    case .solid:
      redaction = Redaction(
        .color, color: try arguments.opaqueColor("color", default: .black, named: "black"))
      chain = filters ?? []
    case .mosaic:
      redaction = nil
      chain = FilterChain(Pixelate(size: try Self.cell(arguments), least: 2))
    case .blur:
      redaction = nil
      chain = [.gaussian(sigma: try Self.sigma(arguments))]
    }
  }

  /// Returns the recipe for redacting regions of an image.
  ///
  /// - Parameter scale: pixels per point.
  package func recipe(
    covering regions: RegionOptions, scale: Double, background: Color
  ) -> Recipe {
    var recipe = regions.restricted(
      Recipe(chain, options: PlanOptions(scale: scale), background: background))
    recipe.options.mask?.redaction = redaction
    return recipe
  }

  /// Refuses a mosaic or a blur that does not hide what a search finds, see `CoverCheck`.
  ///
  /// - Parameter scale: pixels per point.
  package func demandCover(scale: Double) throws(Failure) {
    guard redaction == nil else { return }
    try CoverCheck.demand(chain, PlanOptions(scale: scale))
  }

  /// A warning for the user each time; `nil` where nothing can be recovered.
  package var warning: String? {
    switch fill {
    case .frosted, .solid: nil
    case .mosaic:
      "a mosaic is no redaction: among ten texts the right one was found behind cells of 16 px in "
        + "\(Self.foundBehindMosaic); leave --fill out to hide it for good"
    case .blur:
      "a blur is no redaction: among ten texts the right one was found behind it in "
        + "\(Self.foundBehindBlur); leave --fill out to hide it for good"
    }
  }

  // Measured by RedactionAttackTests.
  private static let foundBehindMosaic = "300 of 300 trials"
  private static let foundBehindBlur = "300 of 300 trials"

  private static func refuse(_ arguments: ParsedArguments, for fill: Fill) throws(Failure) {
    let options: [(name: String, fills: [Fill])] = [
      ("color", [.solid]), ("filter", [.frosted, .solid]), ("cell", [.mosaic]), ("sigma", [.blur]),
    ]
    for option in options where arguments.has(option.name) && !option.fills.contains(fill) {
      let fills = option.fills.map { "--fill \($0.rawValue)" }.joined(separator: " and ")
      throw .usage("--\(option.name) is for \(fills), not for --fill \(fill.rawValue)")
    }
  }

  private static func cell(_ arguments: ParsedArguments) throws(Failure) -> Length {
    guard let text = arguments.values["cell"] else { return 16 }
    let scale = try arguments.ownScale() ?? 1
    guard let length = Length(text: text), isMoreThanAPixel(length, scale: scale) else {
      throw .usage(
        "--cell is \(text); it must be 2 pixels or more, as smaller cells hide nothing: a number, "
          + "or one with px, pt or %")
    }
    return length
  }

  /// Returns true if a cell has several pixels. For a share of the image it may; planning finds out.
  private static func isMoreThanAPixel(_ cell: Length, scale: Double) -> Bool {
    switch cell.unit {
    case .pixels: cell.value >= 2
    case .points: cell.value * scale >= 2
    case .percent: cell.value > 0
    }
  }

  private static func sigma(_ arguments: ParsedArguments) throws(Failure) -> Sigma {
    guard let sigma = try arguments.sigma("sigma") else { return Sigma(percent: 2) }
    guard sigma.value > 0 else {
      let text = arguments.values["sigma"] ?? "0"
      throw .usage("--sigma is \(text); it must be over 0, as a blur of 0 hides nothing")
    }
    return sigma
  }
}
