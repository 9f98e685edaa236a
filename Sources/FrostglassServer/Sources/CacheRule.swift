package import FrostglassFetching
internal import Glibc

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

/// Times as HTTP writes them, RFC 9110 section 5.6.7.
package enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// - Parameter seconds: since 1970.
  package static func text(_ seconds: Int) -> String {
    var (time, parts) = (time_t(seconds), tm())
    gmtime_r(&time, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
      + "\(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
  }

  /// Seconds since 1970; `nil` for what is not written the usual way.
  package static func seconds(_ text: String) -> Int? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int32(words[1]),
      let month = months.firstIndex(of: String(words[2])), let year = Int32(words[3])
    else { return nil }
    let clock = words[4].split(separator: ":").compactMap { Int32($0) }
    guard clock.count == 3, (1970...9999).contains(year), (1...31).contains(day),
      zip(clock, [23, 59, 60]).allSatisfy({ (0...$1).contains($0) })
    else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (clock[0], clock[1], clock[2])
    return timegm(&parts)
  }
}
