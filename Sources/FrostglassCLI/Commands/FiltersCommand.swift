internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions

/// `frostglass filters`: the catalog.
struct FiltersCommand: Command {
  static let name = "filters"
  static let summary = "List all filters with their parameters, units, ranges and defaults"
  static let operands = "[NAME…]"
  static let options = [
    .json,
    Option("page", "Print the catalog as a Markdown page"),
    Option("numbers", "Print constants of filter definitions as Markdown"),
  ]

  private let filters: [FilterInfo]
  private let json: Bool
  private let page: Bool
  private let numbers: Bool

  init(_ arguments: ParsedArguments) throws(Failure) {
    let all = Catalog.filters.map(\.info)
    json = arguments.has("json")
    page = arguments.has("page")
    numbers = arguments.has("numbers")
    guard !(page || numbers) || !json && page != numbers && arguments.operands.isEmpty else {
      throw .usage(
        "--\(page ? "page" : "numbers") is of the whole catalog; it takes neither names nor other options"
      )
    }
    var chosen: [FilterInfo] = []
    for name in arguments.operands {
      guard let filter = all.first(where: { $0.name == name }) else {
        throw .usage("there is no filter \(name)" + DidYouMean.hint(for: name, in: all.map(\.name)))
      }
      chosen.append(filter)
    }
    filters = arguments.operands.isEmpty ? all : chosen
  }

  func run() async throws(Failure) -> Int32 {
    if page {
      Console.print(Catalog.page)
      return ExitCode.done
    }
    if numbers {
      Console.print(FilterNumbers.all.map(\.block).joined(separator: "\n\n"))
      return ExitCode.done
    }
    Console.print(
      json ? JSONText.array(filters.map(\.json)) : filters.map(text).joined(separator: "\n\n"))
    return ExitCode.done
  }

  private func text(_ filter: FilterInfo) -> String {
    let names = filter.parameters.map(\.name).joined(separator: ", ")
    let rows = filter.parameters.map { parameter in
      let initial = parameter.defaultText.map { "default \($0)" } ?? "may be left out"
      return "    \(parameter.name.padded(to: 14))\(parameter.help)\n"
        + String(repeating: " ", count: 18) + "\(parameter.kind.accepted); \(initial)"
    }
    return (["\(filter.name)(\(names))", "    \(filter.summary)"] + rows).joined(separator: "\n")
  }
}
