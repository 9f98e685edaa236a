internal import FrostglassOptions

/// Lets browsers say how large an image is shown, where its address leaves that open: client hints, RFC 8942.
package struct TakeHints: BodyStep {
  private let isOn: Bool
  /// The client hints that browsers are asked for; older browsers know the shorter names.
  private static let (dprs, widths) = (["Sec-CH-DPR", "DPR"], ["Sec-CH-Width", "Width"])

  /// - Parameter isOn: true if browsers are asked.
  package init(isOn: Bool) { self.isOn = isOn }

  package func run(_ context: inout RequestContext) throws(Problem) {
    // Hints must not change what a preset or a signature fixes.
    guard isOn, context.preset == nil, context.key == nil, var order = context.order,
      Operation(rawValue: order.operation)?.options.contains(where: { $0.name == "width" }) == true
    else { return }
    if case .work = context.route { return }
    let said = Set(order.fields.map(\.name))
    let hasSize = !said.isDisjoint(with: ["width", "height", "resize"])
    var asked: [String] = []
    func hint(_ names: [String], in range: ClosedRange<Double>) -> Double? {
      asked += names
      let values = names.compactMap { context.head[$0.lowercased()].flatMap { Double($0) } }
      return values.first { range.contains($0) }
    }
    let dpr = said.contains("dpr") ? nil : hint(Self.dprs, in: 1...4)
    let width = hasSize ? nil : hint(Self.widths, in: 1...1_000_000)
    context.cacheFields.append(
      Field("Accept-CH", (Self.dprs + Self.widths).joined(separator: ", ")))
    context.vary(by: asked)
    if let width {
      // The hint is in physical pixels.
      let given = order.fields.last { $0.name == "dpr" }.flatMap { Double($0.value) }
      let ratio = dpr ?? given ?? 1
      // Other values are refused with the field.
      let points = (0.1...10).contains(ratio) ? width / ratio : width
      order.fields.append(Field("width", "\(Int(max(points, 1).rounded()))"))
    }
    if let dpr, hasSize || width != nil { order.fields.append(Field("dpr", "\(dpr)")) }
    context.order = order
  }
}

extension RequestContext {
  /// Has caches keep one answer for each value of these header fields.
  mutating func vary(by names: [String]) {
    guard !names.isEmpty else { return }
    let text = names.joined(separator: ", ")
    if let index = cacheFields.firstIndex(where: { $0.name == "Vary" }) {
      cacheFields[index].value += ", " + text
    } else {
      cacheFields.append(Field("Vary", text))
    }
  }
}
