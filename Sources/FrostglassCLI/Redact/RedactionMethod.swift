internal import Frostglass

/// How `frostglass redact` makes something unrecognizable.
struct RedactionMethod {
  enum Fill: String, CaseIterable {
    case frosted, solid, mosaic, blur
  }

  let fill: Fill
  /// What replaces covered pixels; `nil` where they are only smeared.
  let redaction: Redaction?
  /// What is done on top.
  let chain: FilterChain

  init(_ arguments: ParsedArguments) throws(Failure) {
    fill = try arguments.choice("fill", default: .frosted)
    try Self.refuse(arguments, for: fill)
    let filters = try Self.filters(arguments)
    switch fill {
    case .frosted:
      redaction = Redaction(.surroundings)
      chain = filters ?? Redaction.frost
    case .solid:
      redaction = Redaction(.color, color: try Self.color(arguments))
      chain = filters ?? []
    case .mosaic:
      redaction = nil
      chain = [.pixelate(size: try Self.cell(arguments))]
    case .blur:
      redaction = nil
      chain = [.gaussian(sigma: try Self.sigma(arguments))]
    }
  }

  /// What to tell a person each time; `nil` where nothing is left to be found.
  var warning: String? {
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

  private static func filters(_ arguments: ParsedArguments) throws(Failure) -> FilterChain? {
    guard let text = arguments.values["filter"] else { return nil }
    do throws(FilterTextError) { return try FilterChain(text: text) } catch {
      throw FrostglassError.text(error).failure
    }
  }

  private static func color(_ arguments: ParsedArguments) throws(Failure) -> Color {
    guard let text = arguments.values["color"] else { return .black }
    guard let color = Color(text: text), color.alpha == 1 else {
      throw .usage("--color is \(text); it must be an opaque CSS color, such as black or #1c1c1e")
    }
    return color
  }

  private static func cell(_ arguments: ParsedArguments) throws(Failure) -> Length {
    guard let text = arguments.values["cell"] else { return 16 }
    guard let length = Length(text: text), length.value > 0 else {
      throw .usage("--cell is \(text); it must be over 0, in pixels or with px, pt or %")
    }
    return length
  }

  private static func sigma(_ arguments: ParsedArguments) throws(Failure) -> Sigma {
    guard let text = arguments.values["sigma"] else { return Sigma(percent: 2) }
    guard let sigma = Sigma(text: text) else {
      throw .usage(
        "--sigma is \(text); it must be from 0 to 1000 pixels, or from 0% to 100% of the "
          + "shorter side")
    }
    return sigma
  }
}
