internal import FrostglassCore

/// Numbers that change with time, by name: what a scene calls `values`.
package struct ValueTable: Sendable, Hashable {
  /// The numbers at some times, in seconds; between two it changes evenly.
  fileprivate struct Point: Sendable, Hashable {
    var time: Double
    var value: Double
  }

  fileprivate var tracks: [String: [Point]] = [:]
  /// The scene's duration, in seconds: later, nothing changes.
  fileprivate let duration: Double

  init(duration: Double) { self.duration = duration }

  /// Names that a text can refer to; `time` is always there.
  var names: [String] { tracks.keys.sorted() }

  /// A value at a time; `nil` for a name that is not known.
  func value(_ name: String, at time: Double) -> Double? {
    let now = min(time, duration)
    guard let points = tracks[name] else { return name == "time" ? now : nil }
    // The first point that is later.
    var (low, high) = (0, points.count)
    while low < high {
      let middle = (low + high) / 2
      if points[middle].time <= now { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return points.first?.value }
    guard low < points.count else { return points[low - 1].value }
    let (before, after) = (points[low - 1], points[low])
    let share = (now - before.time) / (after.time - before.time)
    return before.value.moved(toward: after.value, by: share)
  }
}

extension ValueTable {
  /// The moments beside which some values turn, the first and the last moment among them: between two of
  /// these each of the values goes one way.
  fileprivate func turns(of names: [String]) -> [Int] {
    let last = Int((duration / Storyboard.moment).rounded(.up))
    let times = names.flatMap { tracks[$0] ?? [] }.map { min(max($0.time, 0), duration) }
    return Set(
      [0, last] + times.flatMap { [Int($0 / Storyboard.moment), Int($0 / Storyboard.moment) + 1] }
    ).filter { $0 <= last }.sorted()
  }

  /// `{"played": 67, "left": [[0, 125], [10, 115]]}`.
  init(_ value: DocumentValue, duration: Double) throws(DocumentError) {
    self.init(duration: duration)
    for (name, value) in try value.members() {
      guard RunningText.isName(name) else {
        throw value.error("is no name for a value; use letters, digits, _ and -")
      }
      tracks[name] = try ValueTable.points(value)
    }
  }

  private static let mostPoints = 10_000

  private static func points(_ value: DocumentValue) throws(DocumentError) -> [Point] {
    if case .number = value.value.content {
      return [Point(time: 0, value: try value.number(in: DocumentValue.coordinates))]
    }
    guard case .array = value.value.content else {
      throw value.wrong("a number, or [[time, number], …]")
    }
    var points: [Point] = []
    for entry in try value.array() {
      let numbers = try entry.numbers(["time", "number"], in: DocumentValue.coordinates)
      if let last = points.last, numbers[0] < last.time {
        throw entry.error("is at \(numbers[0]) s, before the one in front of it (\(last.time) s)")
      }
      points.append(Point(time: numbers[0], value: numbers[1]))
      guard points.count <= mostPoints else {
        throw entry.error("is one number too many; a value has \(mostPoints) at most")
      }
    }
    guard !points.isEmpty else { throw value.wrong("a number, or [[time, number], …]") }
    return points
  }
}

/// A text with values in it: `{left m:ss}`.
struct RunningText: Sendable, Hashable {
  private enum Part: Sendable, Hashable {
    case letters(String)
    case value(String, ValueFormat)
  }

  private var parts: [Part] = []

  static func isName(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
  }

  /// Parses a text. Braces that cannot hold a value stay as they are.
  ///
  /// - Throws: `RunningTextError` for an unknown value or a bad format.
  init(_ text: String, _ values: ValueTable) throws(RunningTextError) {
    var letters = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
      letters += rest[..<start]
      let inside = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if let part = try RunningText.part(inside, values) {
        if !letters.isEmpty { parts.append(.letters(letters)) }
        letters = ""
        parts.append(part)
      } else {
        letters += "{\(inside)}"
      }
    }
    letters += rest
    if !letters.isEmpty { parts.append(.letters(letters)) }
  }

  private static func part(
    _ inside: Substring, _ values: ValueTable
  ) throws(RunningTextError) -> Part? {
    let words = inside.split(separator: " ", maxSplits: 1)
    guard let name = words.first.map(String.init), isName(name), inside.first != " " else {
      return nil
    }
    // Where braces are values, time needs no format either.
    let isClock = name == "time" && (words.count == 2 || !values.names.isEmpty)
    guard isClock || values.names.contains(name) else {
      // Without values, braces are braces; a row's number is put in later.
      if values.names.isEmpty || name == "row" { return nil }
      throw .unknownValue(name, known: values.names + ["time"])
    }
    guard words.count == 2 else { return .value(name, .whole) }
    guard let format = ValueFormat(words[1]) else { throw .badFormat(String(words[1])) }
    return .value(name, format)
  }

  /// True if the text contains a value.
  var runs: Bool { parts.contains { if case .value = $0 { true } else { false } } }

  func text(at time: Double, _ values: ValueTable) -> String { words(at: time, values).joined() }

  private func words(at time: Double, _ values: ValueTable) -> [String] {
    parts.map { part in
      switch part {
      case .letters(let letters): letters
      case .value(let name, let format):
        values.value(name, at: time).map { format.text(of: $0) } ?? ""
      }
    }
  }

  /// All texts that it becomes, in order; `nil` where they are more than a thousand.
  func texts(_ values: ValueTable) -> [String]? {
    guard runs else { return [text(at: 0, values)] }
    var texts: [String] = []
    var seen: Set<String> = []
    func tell(_ moment: Int) -> [String] {
      let parts = words(at: Storyboard.time(ofMoment: moment), values)
      let text = parts.joined()
      if texts.count <= RunningText.most, seen.insert(text).inserted { texts.append(text) }
      return parts
    }
    // Where each number goes one way, what it is at two moments it is at all between them.
    func look(from low: Int, _ first: [String], to high: Int) {
      guard high - low > 1, texts.count <= RunningText.most,
        first != words(at: Storyboard.time(ofMoment: high), values)
      else { return }
      let middle = (low + high) / 2
      look(from: low, first, to: middle)
      look(from: middle, tell(middle), to: high)
    }
    let names = parts.compactMap { if case .value(let name, _) = $0 { name } else { nil } }
    let turns = values.turns(of: names)
    var (last, told) = (turns[0], tell(turns[0]))
    for turn in turns.dropFirst() {
      look(from: last, told, to: turn)
      (last, told) = (turn, tell(turn))
    }
    return texts.count > RunningText.most ? nil : texts
  }

  /// Each is drawn before the scene begins.
  static let most = 1000
  /// The same of all texts in a scene together.
  static let mostOfAll = 10_000
}

/// The format of a number.
enum ValueFormat: Sendable, Hashable {
  /// So many digits behind the point, of a rounded number.
  case number(Int)
  /// Hours, minutes, seconds: whole ones that have passed. The first unit is written with as many
  /// digits as its letters say, the others with two.
  case clock([Unit], digits: Int)

  enum Unit: Character, Sendable {
    case hours = "h"
    case minutes = "m"
    case seconds = "s"

    var seconds: Double {
      switch self {
      case .hours: 3600
      case .minutes: 60
      case .seconds: 1
      }
    }
  }

  static let whole = ValueFormat.number(0)

  /// `0`, `0.0`, `0.00`, or `m:ss`, `h:mm`, `h:mm:ss`, `mm:ss`, `s`.
  init?(_ text: Substring) {
    if text == "0" || text.hasPrefix("0.") {
      let digits = text.dropFirst(2)
      guard digits.allSatisfy({ $0 == "0" }), digits.count <= 6, text != "0." else { return nil }
      self = .number(digits.count)
      return
    }
    let groups = text.split(separator: ":", omittingEmptySubsequences: false)
    let units = groups.compactMap { $0.first.flatMap { Unit(rawValue: $0) } }
    guard units.count == groups.count, let first = groups.first, first.count <= 2 else {
      return nil
    }
    for (group, unit) in zip(groups, units) where group.contains(where: { $0 != unit.rawValue }) {
      return nil
    }
    guard groups.dropFirst().allSatisfy({ $0.count == 2 }),
      zip(units, units.dropFirst()).allSatisfy({ $0.seconds == $1.seconds * 60 })
    else { return nil }
    self = .clock(units, digits: first.count)
  }

  func text(of value: Double) -> String {
    switch self {
    case .number(let digits):
      let text = decimal(abs(value), places: digits)
      return value < 0 && text.contains { $0 != "0" && $0 != "." } ? "−" + text : text
    case .clock(let units, let digits):
      guard let last = units.last else { return "" }
      // A value that is on its way may lie a rounding error before a whole second.
      var rest = ((abs(value) + 1e-6) / last.seconds).rounded(.down) * last.seconds
      let isNegative = value < 0 && rest > 0
      let groups = units.enumerated().map { index, unit in
        let count = Int((rest / unit.seconds + 1e-9).rounded(.down))
        rest -= Double(count) * unit.seconds
        let text = String(count)
        return String(repeating: "0", count: max(0, (index == 0 ? digits : 2) - text.count)) + text
      }
      return (isNegative ? "−" : "") + groups.joined(separator: ":")
    }
  }
}

/// Why a text with values in it is none.
enum RunningTextError: Error, Sendable, Hashable, CustomStringConvertible {
  case unknownValue(String, known: [String])
  case badFormat(String)

  var description: String {
    switch self {
    case .unknownValue(let name, let known):
      "has {\(name)}, which is no value" + DidYouMean.hint(for: name, in: known)
        + "; values are \(known.joined(separator: ", "))"
    case .badFormat(let format):
      "has the format \"\(format)\"; there are m:ss, h:mm, h:mm:ss, 0, 0.0 and 0.00"
    }
  }
}
