internal import Glibc

/// Proxies whose word on a client's address counts, and who a client is.
package struct TrustedProxies: Sendable, Hashable {
  /// Addresses whose first bits are alike.
  private struct Network: Sendable, Hashable {
    /// 4 bytes, or 16.
    let bytes: [UInt8]
    let bits: Int

    init?(_ text: String) {
      let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard let bytes = TrustedProxies.bytes(of: String(parts[0])) else { return nil }
      self.bytes = bytes
      let all = 8 * bytes.count
      guard parts.count == 2 else {
        bits = all
        return
      }
      guard let bits = Int(parts[1]), (0...all).contains(bits) else { return nil }
      self.bits = bits
    }

    func contains(_ other: [UInt8]) -> Bool {
      guard other.count == bytes.count else { return false }
      return bytes.indices.allSatisfy { index in
        let mask = UInt8(truncatingIfNeeded: 0xFF00 >> min(max(bits - 8 * index, 0), 8))
        return (bytes[index] ^ other[index]) & mask == 0
      }
    }
  }

  private var networks: [Network] = []
  private var includesUnix = false
  /// As it was given; `nil` where nobody is trusted.
  package private(set) var text: String?

  /// Trusts nobody.
  package init() {}

  /// Reads addresses and networks such as `10.0.0.0/8`, with commas between them; `unix` is whoever connects to
  /// a socket in the file system. `nil` for anything else.
  package init?(text: String) {
    for word in text.split(separator: ",").map({ $0.filter { !$0.isWhitespace } }) {
      if word == "unix" {
        includesUnix = true
      } else if let network = Network(word) {
        networks.append(network)
      } else {
        return nil
      }
    }
    guard includesUnix || !networks.isEmpty else { return nil }
    self.text = text
  }

  /// Whether an address is a proxy's.
  package func contains(_ peer: String) -> Bool {
    if peer == "unix" { return includesUnix }
    guard let bytes = Self.bytes(of: peer) else { return false }
    return networks.contains { $0.contains(bytes) }
  }

  /// The client's address: the last one of `X-Forwarded-For` that no trusted proxy has, where a trusted proxy
  /// says so, and the peer's otherwise.
  package func address(of head: RequestHead) -> String {
    var address = head.peer
    var others = head.all("x-forwarded-for").flatMap { $0.split(separator: ",") }
      .map { $0.filter { !$0.isWhitespace } }
    while contains(address), let last = others.popLast(), Self.bytes(of: last) != nil {
      address = last
    }
    return address
  }

  /// The network of an IPv6 address, and any other address as it is.
  static func network(of address: String) -> String {
    guard let bytes = bytes(of: address), bytes.count == 16 else { return address }
    return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
  }

  /// The bytes of an address in digits; of IPv4 in IPv6 the last four.
  private static func bytes(of text: String) -> [UInt8]? {
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
    var six = in6_addr()
    guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
    let bytes = withUnsafeBytes(of: six) { Array($0) }
    let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    return isMapped ? Array(bytes.suffix(4)) : bytes
  }
}
