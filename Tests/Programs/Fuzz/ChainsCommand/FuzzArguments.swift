/// The arguments of the command.
struct FuzzArguments {
  enum Task {
    /// Run cases in processes of their own, and keep what was found.
    case search
    /// Run cases in this process, and append what came of them to a file.
    case work(Range<UInt64>, report: String)
    /// Run one case, given as a line.
    case probe(String)
  }

  var task = Task.search
  /// The time to search, in minutes; `nil` goes by `cases`.
  var minutes: Double?
  /// The number of cases to run if no time is given.
  var cases: UInt64 = 1000
  /// The number of the first case.
  var first: UInt64 = 1
  /// The GPU backends that take part: none, the quick ones, or every stage.
  var gpu = GPUs.some
  /// The file to which the lines of failing cases are added.
  var kept: String?

  enum GPUs: String, CaseIterable { case none, some, all }

  static let usage =
    "usage: frostglass-fuzz [--minutes N | --cases N] [--first NUMBER] [--gpu none|some|all] "
    + "[--keep FILE] | --probe LINE"

  struct Mistake: Error, CustomStringConvertible {
    var description: String
  }

  init(_ words: [String]) throws {
    var words = words[...]
    func number<Value: LosslessStringConvertible>(_ option: String) throws -> Value {
      guard let word = words.popFirst(), let value = Value(word) else {
        throw Mistake(description: "\(option) needs a number\n\(Self.usage)")
      }
      return value
    }
    func text(_ option: String) throws -> String {
      guard let word = words.popFirst() else {
        throw Mistake(description: "\(option) needs a value\n\(Self.usage)")
      }
      return word
    }
    while let option = words.popFirst() {
      switch option {
      case "--minutes": minutes = try number(option)
      case "--cases": cases = try number(option)
      case "--first": first = try number(option)
      case "--keep": kept = try text(option)
      case "--gpu":
        let word = try text(option)
        guard let choice = GPUs(rawValue: word) else {
          throw Mistake(description: "--gpu is \(word); it must be none, some or all")
        }
        gpu = choice
      case "--probe": task = .probe(try text(option))
      case "--work":
        let (first, count): (UInt64, UInt64) = (try number(option), try number(option))
        task = .work(first..<first + count, report: try text(option))
      default: throw Mistake(description: "\(option) is no option\n\(Self.usage)")
      }
    }
  }
}
