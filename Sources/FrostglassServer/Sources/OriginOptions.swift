internal import Frostglass
internal import FrostglassCore
internal import FrostglassFetching
internal import FrostglassOptions

/// The options after `?` in an operator's origin, taken one by one.
struct OriginOptions {
  private let name: String
  private var left: [Field]
  private var known: [String] = []

  init(_ query: Substring, _ name: String) throws(Failure) {
    self.name = name
    do { left = try QueryText.fields(query) } catch {
      throw .usage("--origin \(name): the options are not percent-encoded UTF-8")
    }
  }

  /// The value of an option that stands once.
  mutating func take(_ option: String) -> String? {
    known.append(option)
    guard let place = left.firstIndex(where: { $0.name == option }) else { return nil }
    return left.remove(at: place).value
  }

  mutating func takeSwitch(_ option: String) throws(Failure) -> Bool {
    switch take(option)?.lowercased() {
    case nil, "0", "false", "no", "off": return false
    case "", "1", "true", "yes", "on": return true
    case let other?: throw .usage("--origin \(name): \(option) is \(other); it must be 1 or 0")
    }
  }

  mutating func takeNumber(
    _ option: String, in range: ClosedRange<Double>
  ) throws(Failure) -> Double? {
    guard let text = take(option) else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw .usage(
        "--origin \(name): \(option) is \(text); it must be a number from \(range.lowerBound) to "
          + "\(range.upperBound)")
    }
    return number
  }

  mutating func takeNetworks(_ option: String) throws(Failure) -> [IPNetwork] {
    var networks: [IPNetwork] = []
    while let text = take(option) {
      guard let network = IPNetwork(text) else {
        throw .usage(
          "--origin \(name): \(option) is \(text); it must be an address or a network, as 10.0.0.0/8"
        )
      }
      networks.append(network)
    }
    return networks
  }

  /// - Throws: `Failure` where an option was not taken: there is none of that name, or it stands twice.
  func end() throws(Failure) {
    guard let field = left.first else { return }
    guard !known.contains(field.name) else {
      throw .usage("--origin \(name): \(field.name) is given twice")
    }
    let names = Array(Set(known)).sorted()
    throw .usage(
      "--origin \(name): there is no option \(field.name)"
        + DidYouMean.hint(for: field.name, in: names)
        + "; options are \(names.joined(separator: ", "))")
  }
}
