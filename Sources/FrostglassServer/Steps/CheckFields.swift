package import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassSigning

/// Checks which fields are there, and puts the operator's preset and limits in.
package struct CheckFields: BodyStep {
  private let presets: Presets
  private let limits: WorkLimits
  /// The longest value of a field, in bytes.
  private static let longestValue = 64 << 10

  package init(_ presets: Presets, limits: WorkLimits) {
    self.presets = presets
    self.limits = limits
  }

  package func run(_ context: inout RequestContext) throws(Problem) {
    guard var order = context.order, let operation = Operation(rawValue: order.operation) else {
      return
    }
    order.limits = limits
    try Self.check(context.key, operation, context.preset)
    let isFree = !presets.areRequired && context.key?.presets == nil
    let isOnlyAnImage = operation != .scene && order.parts.keys.allSatisfy { $0 == "picture" }
    guard isOnlyAnImage || isFree else {
      throw Problem(
        403, "presets-only", "this service takes presets only, and of files the image alone")
    }
    var fields: [Field] = []
    for field in context.fields {
      let (checked, option) = try checked(field, operation, isFree: isFree)
      // Parsers disagree about which of two values counts.
      guard option.canRepeat || !fields.contains(where: { $0.name == field.name }) else {
        throw .badRequest("\(field.name) is given twice")
      }
      fields.append(checked)
    }
    if let preset = context.preset {
      order.fields = try Self.fields(fields, with: preset, for: operation)
      if preset.preset.hasEffect {
        // The operator wrote the preset.
        (order.limits.filters, order.limits.refusedFilters) = (nil, nil)
        order.limits.maxFilters = .max
      }
    } else if !isFree, operation != .placeholder || context.source != nil {
      throw Problem(403, "presets-only", "this service takes presets only: \(presets.list)")
    } else {
      order.fields = fields
    }
    context.order = order
  }

  /// Refuses what the key that an address is signed with is not for.
  private static func check(
    _ key: SigningKeys.Key?, _ operation: Operation, _ preset: RequestContext.Preset?
  ) throws(Problem) {
    guard let key else { return }
    if let operations = key.operations, !operations.contains(operation.rawValue) {
      throw Problem(
        403, "not-for-this-key",
        "the key \(key.id) is for \(operations.joined(separator: ", ")), not for \(operation.rawValue)"
      )
    }
    if let presets = key.presets, !presets.contains(preset?.name ?? "") {
      throw Problem(
        403, "not-for-this-key",
        "the key \(key.id) is for the presets \(presets.joined(separator: ", "))")
    }
  }

  /// Returns a request's fields, completed by those of its preset.
  private static func fields(
    _ own: [Field], with named: RequestContext.Preset, for operation: Operation
  ) throws(Problem) -> [Field] {
    let preset = named.preset
    guard preset.operation == operation || preset.operation == .blur && operation == .plan else {
      throw .badRequest(
        "the preset \(named.name) is for \(preset.operation.rawValue), not for \(operation.rawValue)"
      )
    }
    if preset.hasEffect {
      for field in own where ServicePreset.effects.contains(field.name) {
        throw .badRequest(
          "preset and \(field.name) exclude each other; the preset has its own filters")
      }
    }
    // Regions are added to the preset's.
    return own
      + preset.fields.filter { field in
        field.name == "region" || !own.contains { $0.name == field.name }
      }
  }

  /// - Returns: the field as workers take it, and the row that it is of.
  private func checked(
    _ field: Field, _ operation: Operation, isFree: Bool
  ) throws(Problem) -> (Field, Option) {
    let options = operation.options
    guard let option = options.first(where: { $0.name == field.name }) else {
      // A part that is a file was taken out before.
      throw .badRequest(
        "\(operation.rawValue) has no field \(field.name.prefix(64))"
          + DidYouMean.hint(for: String(field.name.prefix(64)), in: options.map(\.name)))
    }
    guard limits.finds || !Operation.finding.contains(where: { $0.name == field.name }) else {
      throw .noFind
    }
    guard field.value.utf8.count <= Self.longestValue else {
      throw .badRequest("\(field.name) is longer than \(Self.longestValue) bytes")
    }
    guard !operation.parts.contains(field.name) else {
      throw .badRequest("\(field.name) is a file; send it as the part \(field.name) of a form")
    }
    if !isFree, !Presets.freeFields.contains(field.name) {
      throw Problem(
        403, "presets-only",
        "this service takes presets only, and with them \(Presets.freeFields.joined(separator: ", "))"
      )
    }
    if field.name == "format", let formats = limits.formats,
      let format = StillFormat(fileExtension: field.value)
    {
      guard formats.contains(format.fileExtension) else {
        throw Problem(
          422, "no-such-format",
          "\(format.fileExtension) is not written here; there are \(formats.joined(separator: ", "))"
        )
      }
    }
    return (option.value == nil ? try Self.switched(field) : field, option)
  }

  /// A switch is on where it stands alone, or with one of a few words.
  private static func switched(_ field: Field) throws(Problem) -> Field {
    switch field.value.lowercased() {
    case "", "1", "true", "yes", "on": Field(field.name, "true")
    case "0", "false", "no", "off": Field(field.name, "false")
    default: throw .badRequest("\(field.name) is true or false")
    }
  }
}

/// Chooses the format of an image where none is asked for: one that `Accept` names.
package struct Negotiate: BodyStep {
  /// In this order where several are equally welcome: those that browsers like best, then all others.
  private let written: [StillFormat]

  /// - Parameters:
  ///   - preferred: formats that a browser may get without asking by name of a field.
  ///   - formats: extensions of those that are written; `nil` for all.
  package init(
    preferred: [StillFormat] = [.webp, .avif, .jpeg, .png, .jxl], formats: [String]? = nil
  ) {
    written = (preferred + StillFormat.allCases.filter { !preferred.contains($0) })
      .filter { formats?.contains($0.fileExtension) ?? true }
  }

  package func run(_ context: inout RequestContext) throws(Problem) {
    guard var order = context.order, Operation(rawValue: order.operation)?.givesImage == true,
      !order.fields.contains(where: { $0.name == "format" })
    else { return }
    context.vary(by: ["Accept"])
    let accept = context.head.all("accept")
    guard !accept.isEmpty else { return }
    let ranges = AcceptedRange.list(accept.joined(separator: ","))
    let named = written.compactMap { format in
      ranges.first { $0.type == format.mediaType && $0.quality > 0 }.map { (format, $0.quality) }
    }
    // The first of the best: `max` would take the last.
    if let best = named.map(\.1).max(), let choice = named.first(where: { $0.1 == best })?.0 {
      order.fields.append(Field("format", choice.fileExtension))
      context.order = order
      return
    }
    guard ranges.contains(where: { ["*/*", "image/*"].contains($0.type) && $0.quality > 0 }) else {
      throw Problem(
        406, "not-acceptable",
        "none of the types in Accept is written here; there are "
          + written.map(\.mediaType).joined(separator: ", "))
    }
  }
}

/// One range of an `Accept` field.
package struct AcceptedRange: Sendable, Hashable {
  /// In lower case: `image/webp`, `image/*`.
  package let type: String
  /// 0…1; 0 is not acceptable.
  package let quality: Double

  /// Reads the value of an `Accept` field; what makes no sense is left out.
  package static func list(_ text: String) -> [AcceptedRange] {
    text.split(separator: ",").prefix(64).compactMap { part in
      let fields = part.split(separator: ";").map { field in
        field.filter { !$0.isWhitespace }.lowercased()
      }
      guard let type = fields.first, type.contains("/") else { return nil }
      let weight = fields.dropFirst().first { $0.hasPrefix("q=") }
      guard let weight else { return AcceptedRange(type: type, quality: 1) }
      guard let quality = Double(weight.dropFirst(2)), (0...1).contains(quality) else { return nil }
      return AcceptedRange(type: type, quality: quality)
    }
  }
}
