internal import Glibc

/// A network of IP addresses with a common prefix.
package struct IPNetwork: Sendable, Hashable, Codable {
  /// The prefix in 4 or 16 bytes.
  private let bytes: [UInt8]
  private let bits: Int

  /// Parses an address, or a network such as `10.0.0.0/8`; `nil` for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let bytes = Self.bytes(of: String(parts[0])) else { return nil }
    self.bytes = bytes
    let all = 8 * bytes.count
    guard parts.count == 2 else {
      bits = all
      return
    }
    guard let bits = Int(parts[1]), (0...all).contains(bits) else { return nil }
    self.bits = bits
  }

  /// Returns true if an address is in the network.
  ///
  /// - Parameter address: in the form of `bytes(of:)` and `plain`.
  package func contains(_ address: [UInt8]) -> Bool {
    guard address.count == bytes.count else { return false }
    return bytes.indices.allSatisfy { index in
      let mask = UInt8(truncatingIfNeeded: 0xFF00 >> min(max(bits - 8 * index, 0), 8))
      return (bytes[index] ^ address[index]) & mask == 0
    }
  }

  /// Returns the bytes of a numeric address; the last four for IPv4 in IPv6; `nil` for anything else.
  package static func bytes(of text: String) -> [UInt8]? {
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
    var six = in6_addr()
    guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
    return plain(withUnsafeBytes(of: six) { Array($0) })
  }

  /// Returns the four bytes of IPv4 in IPv6 (`::ffff:10.0.0.1`), and any other address as it is.
  package static func plain(_ address: [UInt8]) -> [UInt8] {
    let isMapped =
      address.count == 16 && address.prefix(10).allSatisfy { $0 == 0 } && address[10] == 0xFF
      && address[11] == 0xFF
    return isMapped ? Array(address.suffix(4)) : address
  }
}

/// The addresses that a connection may go to: those of the Internet, and others that an operator names.
package struct AddressRule: Sendable, Hashable, Codable {
  /// True if every address is allowed.
  private let allowsAll: Bool
  private let named: [IPNetwork]

  package init(allowsAll: Bool = false, named: [IPNetwork] = []) {
    self.allowsAll = allowsAll
    self.named = named
  }

  /// Returns true if an address may be connected to.
  ///
  /// - Parameter address: 4 or 16 bytes.
  package func allows(_ address: [UInt8]) -> Bool {
    let address = IPNetwork.plain(address)
    return allowsAll || named.contains { $0.contains(address) } || Self.isPublic(address)
  }

  /// Returns true if an address is public. IPv6 addresses must be allocated as unicast. In both versions, addresses
  /// of this machine, this network, groups, translations of IPv4, and documentation are not public (RFC 6890 and
  /// IANA's registries).
  private static func isPublic(_ address: [UInt8]) -> Bool {
    guard address.count == 4 || unicast.contains(where: { $0.contains(address) }) else {
      return false
    }
    return !special.contains { $0.contains(address) }
  }

  private static let unicast = ["2000::/3"].compactMap { IPNetwork($0) }
  private static let special = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
  ].compactMap { IPNetwork($0) }
}
