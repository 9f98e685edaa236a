internal import Frostglass
internal import FrostglassOptions

/// Checks which fields are there, and puts the operator's preset and limits in.
package struct PlanWork: BodyStep {
  private let presets: Presets
  private let limits: WorkLimits
  /// The longest value of a field, in bytes.
  private static let longestValue = 64 << 10

  package init(_ presets: Presets, limits: WorkLimits) {
    self.presets = presets
    self.limits = limits
  }

  package func run(_ inquiry: inout Inquiry) throws(Problem) {
    guard var order = inquiry.order, let operation = Operation(rawValue: order.operation) else {
      return
    }
    order.limits = limits
    let isOnlyAPicture = operation != .scene && order.parts.keys.allSatisfy { $0 == "picture" }
    guard isOnlyAPicture || !presets.areRequired else {
      throw Problem(
        403, "presets-only", "this service takes presets only, and of files the picture alone")
    }
    var fields: [Field] = []
    for field in inquiry.fields {
      let (checked, option) = try checked(field, operation)
      // Of two, readers that disagree about which one counts would each do something else.
      guard option.canRepeat || !fields.contains(where: { $0.name == field.name }) else {
        throw .badRequest("\(field.name) is given twice")
      }
      fields.append(checked)
    }
    if let preset = fields.first(where: { $0.name == "preset" }) {
      order.parts["preset"] = Array(try presets.preset(preset.value).text.utf8)
    } else if presets.areRequired, operation == .blur || operation == .plan {
      throw Problem(403, "presets-only", "this service takes presets only: \(presets.list)")
    }
    order.fields = fields
    inquiry.order = order
  }

  /// - Returns: the field as workers take it, and the row that it is of.
  private func checked(
    _ field: Field, _ operation: Operation
  ) throws(Problem) -> (Field, Option) {
    let options = operation.options
    guard let option = options.first(where: { $0.name == field.name }) else {
      // A part that is a file was taken out before.
      throw .badRequest(
        "\(operation.rawValue) has no field \(field.name.prefix(64))"
          + DidYouMean.hint(for: String(field.name.prefix(64)), in: options.map(\.name)))
    }
    guard field.value.utf8.count <= Self.longestValue else {
      throw .badRequest("\(field.name) is longer than \(Self.longestValue) bytes")
    }
    guard !operation.parts.contains(field.name) else {
      throw .badRequest("\(field.name) is a file; send it as the part \(field.name) of a form")
    }
    if presets.areRequired, !Presets.freeFields.contains(field.name) {
      throw Problem(
        403, "presets-only",
        "this service takes presets only, and with them \(Presets.freeFields.joined(separator: ", "))"
      )
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
