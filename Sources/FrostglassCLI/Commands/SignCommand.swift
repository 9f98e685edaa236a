internal import Frostglass
internal import FrostglassCore
internal import FrostglassOptions
internal import FrostglassServer
internal import FrostglassSigning
internal import Glibc

/// `frostglass sign`: addresses that a service with keys takes.
struct SignCommand: Command {
  static let name = "sign"
  static let summary = "Sign addresses for `frostglass serve --keys`"
  static let operands = "ADDRESS…"
  static let notes = """
    ADDRESS is a path with its query, such as "/v1/pictures/a.jpg?sigma=10", or a URL, exactly as it
    will be requested. The signed address is printed, with its expiry, the key's name and the signature.

    FILE has one NAME:SECRET per line, each secret of at least 16 bytes. The first key signs, all are
    accepted. Without --keys they come from FROSTGLASS_SIGNING_KEYS. To rotate keys, put the new one
    first, and remove the old one once everything it signed has expired.

      (umask 077; echo "k1:$(head -c 32 /dev/urandom | base64)" > keys)
      frostglass sign --keys keys --expires 7d "/v1/pictures/a.jpg?sigma=10"
    """
  static let options: [Option] = [
    Option("keys", value: "FILE", "Keys, one NAME:SECRET per line"),
    Option("expires", value: "TIME", "Lifetime: 90s, 30m, 12h or 7d (1h)"),
    Option("method", value: "M", "GET or POST (GET for images, otherwise POST)"), .json,
  ]

  private let addresses: [String]
  private let keys: SigningKeys
  private let seconds: Int
  private let method: String?

  init(_ arguments: ParsedArguments) throws(Failure) {
    guard !arguments.operands.isEmpty else {
      throw .usage("an ADDRESS is needed; see `frostglass sign --help`")
    }
    addresses = arguments.operands
    keys = try Self.keys(arguments.values["keys"])
    seconds = try Self.seconds(arguments.values["expires"] ?? "1h")
    switch arguments.values["method"]?.uppercased() {
    case nil: method = nil
    case let word? where ["GET", "POST"].contains(word): method = word
    case let other?: throw .usage("--method is \(other); it must be GET or POST")
    }
  }

  private static func keys(_ path: String?) throws(Failure) -> SigningKeys {
    if let path {
      return try ServerConfiguration.keys(try ServerConfiguration.text(of: path), path)
    }
    guard let text = getenv("FROSTGLASS_SIGNING_KEYS") else {
      throw .usage("give --keys FILE, or keys in FROSTGLASS_SIGNING_KEYS")
    }
    return try ServerConfiguration.keys(String(cString: text), "FROSTGLASS_SIGNING_KEYS")
  }

  private static func seconds(_ text: String) throws(Failure) -> Int {
    let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
    guard let last = text.last, let unit = units[last], let number = Int(text.dropLast()),
      (1...100_000).contains(number)
    else { throw .usage("--expires is \(text); it must be such as 90s, 30m, 12h or 7d") }
    return number * unit
  }

  func run() async throws(Failure) -> Int32 {
    var signed: [(address: String, signed: String)] = []
    for address in addresses {
      let start = Self.pathStart(of: address)
      let target = String(address[start...])
      guard target.hasPrefix("/"), !target.contains("#") else {
        throw .usage("\(address) is no path and no URL with one")
      }
      try Self.check(target)
      // Behind a service's path prefix, if it has one.
      let isImage = target.prefix { $0 != "?" }.contains("/v1/pictures/")
      let result =
        address[..<start]
        + SignedTarget.signed(
          target, method: method ?? (isImage ? "GET" : "POST"), keys: keys,
          expires: Int(time(nil)) + seconds)
      signed.append((address, String(result)))
    }
    if Console.speaksJSON {
      let rows = signed.map { row in
        JSONText.object([
          ("address", JSONText.string(row.address)), ("signed", JSONText.string(row.signed)),
        ])
      }
      Console.print(json: [("addresses", JSONText.array(rows))], of: Self.name)
    } else {
      for row in signed { Console.print(row.signed) }
    }
    return ExitCode.done
  }

  /// Refuses characters that no request can have.
  private static func check(_ target: String) throws(Failure) {
    guard let scalar = target.unicodeScalars.first(where: { !(0x21...0x7E).contains($0.value) })
    else { return }
    let bytes = String(Character(scalar)).utf8
    let code = bytes.map { byte in
      (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }.joined()
    let what =
      switch scalar.value {
      case 0x20: "a space"
      case ..<0x20, 0x7F...0x9F: "a control character"
      default: "the character \(scalar)"
      }
    throw .usage(
      "\(JSONText.string(target)) has \(what) in it, which no request can have; percent-encode it, "
        + "as \(code)")
  }

  /// Returns the start of the path, after a scheme and a host if there are any.
  private static func pathStart(of address: String) -> String.Index {
    for scheme in ["http://", "https://"] where address.hasPrefix(scheme) {
      let host = address.dropFirst(scheme.count)
      return host.firstIndex(of: "/") ?? address.endIndex
    }
    return address.startIndex
  }
}
