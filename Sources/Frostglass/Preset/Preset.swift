/// A chain of filters with its options and a name, to be saved and shared.
///
/// Masks are not part of it: they belong to one picture.
public struct Preset: Sendable, Hashable {
  public var name: String
  public var description: String
  public var chain: FilterChain
  /// Edge, quality, scale and linear light.
  public var options: PlanOptions

  public init(
    _ chain: FilterChain, options: PlanOptions = PlanOptions(), name: String = "",
    description: String = ""
  ) {
    self.name = name
    self.description = description
    self.chain = chain
    self.options = options
    self.options.mask = nil
  }

  /// The preset as a JSON object with one member per line; `init(text:)` gives it back.
  public var text: String {
    let standard = PlanOptions()
    var members: [(String, String)] = []
    if !name.isEmpty { members.append(("name", JSONText.string(name))) }
    if !description.isEmpty { members.append(("description", JSONText.string(description))) }
    members.append(("filter", JSONText.string(chain.text)))
    if options.edge != standard.edge {
      members.append(("edge", JSONText.string(options.edge.rawValue)))
    }
    if options.quality != standard.quality {
      members.append(("quality", JSONText.string(options.quality.rawValue)))
    }
    if options.scale != standard.scale { members.append(("scale", "\(options.scale)")) }
    if options.linearLight { members.append(("linear", "true")) }
    let lines = members.map { "  \(JSONText.string($0)): \($1)" }
    return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
  }
}
