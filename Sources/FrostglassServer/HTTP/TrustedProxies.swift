internal import FrostglassFetching

/// Proxies whose word on a client's address counts, and who a client is.
package struct TrustedProxies: Sendable, Hashable {
  private var networks: [IPNetwork] = []
  private var includesUnix = false
  /// As it was given; `nil` if no proxy is trusted.
  package private(set) var text: String?

  /// Trusts no proxy.
  package init() {}

  /// Reads addresses and networks such as `10.0.0.0/8`, with commas between them; `unix` is any client of
  /// a socket in the file system. `nil` for anything else.
  package init?(text: String) {
    for word in text.split(separator: ",").map({ $0.filter { !$0.isWhitespace } }) {
      if word == "unix" {
        includesUnix = true
      } else if let network = IPNetwork(word) {
        networks.append(network)
      } else {
        return nil
      }
    }
    guard includesUnix || !networks.isEmpty else { return nil }
    self.text = text
  }

  /// Returns true if an address belongs to a trusted proxy.
  package func contains(_ peer: String) -> Bool {
    if peer == "unix" { return includesUnix }
    guard let bytes = IPNetwork.bytes(of: peer) else { return false }
    return networks.contains { $0.contains(bytes) }
  }

  /// The client's address: the last one of `X-Forwarded-For` that no trusted proxy has, where a trusted proxy
  /// says so, and the peer's otherwise.
  package func address(of head: RequestHead) -> String {
    var address = head.peer
    var others = head.all("x-forwarded-for").flatMap { $0.split(separator: ",") }
      .map { $0.filter { !$0.isWhitespace } }
    while contains(address), let last = others.popLast(), IPNetwork.bytes(of: last) != nil {
      address = last
    }
    return address
  }

  /// The network of an IPv6 address, and any other address as it is.
  static func network(of address: String) -> String {
    guard let bytes = IPNetwork.bytes(of: address), bytes.count == 16 else { return address }
    return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":") + "/64"
  }
}
