package import FrostglassFetching

/// The time for which an answer is fresh without asking its server (RFC 9111, for a shared cache).
package struct CacheRule: Sendable, Hashable {
  /// False if it must not be kept.
  package let isStored: Bool
  /// Seconds from now; 0 for a question each time.
  package let freshSeconds: Int
  /// True if it must not be used without its server's consent once it is no longer current.
  package let mustRevalidate: Bool

  /// - Parameters:
  ///   - usual: seconds where the server says nothing.
  ///   - now: seconds since 1970.
  package init(_ answer: FetchAnswer, usual: Int, now: Int) {
    let directives = answer.fields.filter { $0.name == "cache-control" }
      .flatMap { $0.value.lowercased().split(separator: ",") }
      .map { $0.filter { !$0.isWhitespace } }
    func seconds(_ name: String) -> Int? {
      guard let word = directives.first(where: { $0.hasPrefix(name + "=") }) else { return nil }
      let digits = word.dropFirst(name.count + 1).filter { $0 != "\"" }
      // Ignore a value that is not a number.
      return min(max(Int(digits) ?? 0, 0), Self.longest)
    }
    isStored = !directives.contains("no-store") && !directives.contains { $0.hasPrefix("private") }
    let isAlwaysAsked = directives.contains { $0.hasPrefix("no-cache") }
    mustRevalidate =
      isAlwaysAsked
      || !Set(directives).isDisjoint(with: ["must-revalidate", "proxy-revalidate"])
    let age = min(max(answer["age"].flatMap { Int($0) } ?? 0, 0), Self.longest)
    let expires = answer["expires"].map { text -> Int in
      let end = HTTPDate.seconds(text) ?? 0
      return end - (answer["date"].flatMap { HTTPDate.seconds($0) } ?? now)
    }
    let said = seconds("s-maxage") ?? seconds("max-age") ?? expires
    freshSeconds =
      isAlwaysAsked ? 0 : min(max((said ?? usual) - (said == nil ? 0 : age), 0), Self.longest)
  }

  /// A year, as RFC 9111 has it.
  private static let longest = 31_536_000
}
