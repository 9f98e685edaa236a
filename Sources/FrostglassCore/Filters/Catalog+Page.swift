extension Catalog {
  /// The page docs/filters.md: every filter with an example, its picture and its parameters.
  ///
  /// Pictures are beside the page, in `filters/NAME.webp`; `make filters` makes page and pictures.
  public static var page: String {
    let infos = filters.map { $0.info }
    let links = infos.map { "[\($0.name)](#\($0.name))" }.joined(separator: " · ")
    let head = """
      # Filters

      All \(infos.count) filters, each at work on the same photograph. They are written as in \
      [filter-text.md](filter-text.md) and can be put one after another:

          frostglass blur photo.jpg out.jpg --filter "blur(20px) saturate(180%)"

      ![The photograph](filters/original.webp)

      \(links)

      """
    return ([head] + infos.map(\.section)).joined(separator: "\n")
  }
}

extension FilterInfo {
  /// The filter's part of the page.
  fileprivate var section: String {
    """
    ## \(name)

    \(summary)

        \(example)

    ![\(example)](filters/\(name).webp)

    \(parameterTable)

    """
  }

  private var parameterTable: String {
    guard !parameters.isEmpty else { return "It takes no parameters." }
    let rows = parameters.map { parameter in
      let initial = parameter.defaultText.map { "`\($0)`" } ?? "may be left out"
      let cells = [
        "`\(parameter.name)`", parameter.help, parameter.kind.accepted, initial,
      ]
      return "| " + cells.map(escaped).joined(separator: " | ") + " |"
    }
    return (["| parameter | what it does | accepted | default |", "|---|---|---|---|"] + rows)
      .joined(separator: "\n")
  }

  /// A bar would end a cell of the table.
  private func escaped(_ text: String) -> String {
    text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }
}
