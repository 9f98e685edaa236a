import FrostglassFetching
import FrostglassOptions
import FrostglassServer
import TestSupport
import Testing

/// Origins as an operator writes them, and addresses within them.
@Suite struct OriginTests {
  private func origin(_ text: String) -> Result<Origin, Failure> {
    Result { () throws(Failure) in try Origin(text) }
  }

  private func message(_ text: String) -> String {
    if case .failure(let failure) = origin(text) { failure.message } else { "" }
  }

  @Test func basesEndWithASlash() throws {
    for (text, base) in [
      ("a=https://images.example", "https://images.example/"),
      ("a=https://Images.Example/base", "https://images.example/base/"),
      ("a=HTTP://images.example:8080/a/b/?private=1", "http://images.example:8080/a/b/"),
      (
        "a=s3://bucket/pre/fix?region=eu-west-1",
        "https://bucket.s3.eu-west-1.amazonaws.com/pre/fix/"
      ),
      ("a=s3://my.bucket", "https://s3.us-east-1.amazonaws.com/my.bucket/"),
      ("a=s3://bucket/p?endpoint=http://minio:9000", "http://minio:9000/bucket/p/"),
    ] {
      guard case .server(let found, _) = try Origin(text).place else {
        Issue.record("\(text) is a folder")
        continue
      }
      #expect(found == base)
    }
    #expect(try Origin("disk=/srv/images").place == .folder("/srv/images"))
    #expect(try Origin("disk=images?").place == .folder("images?"))
  }

  @Test(
    arguments: [
      ("shop", "must be NAME=WHERE"), ("a b=/x", "must be NAME=WHERE"),
      ("=x", "must be NAME=WHERE"),
      ("a=", "must be NAME=WHERE"), ("a=file:///etc", "file: is not supported"),
      ("a=ftp://x/", "ftp: is not supported"), ("a=https://", "is not a host"),
      ("a=https:/x/", "is not an address"), ("a=https://user:secret@x/", "a name or a password"),
      ("a=https://x/../y", "no . and no .."), ("a=https://x/a//b", "no empty parts"),
      ("a=https://x/#a", "is not an address"), ("a=https://x y/", "is not an address"),
      ("a=https://x/?seconds=0", "seconds is 0"), ("a=https://x/?secnds=1", "did you mean seconds"),
      ("a=https://x/?private=1&private=1", "private is given twice"),
      ("a=https://x/?private=maybe", "private is maybe"),
      ("a=https://x/?address=10.0.0.0/99", "address is 10.0.0.0/99"),
      ("a=s3://b", "a bucket of 3 to 63"), ("a=s3://bucket?region=a/b", "a bucket of 3 to 63"),
      ("a=s3://bucket?endpoint=minio", "is not an address"),
    ])
  func mistakesAreNamed(_ text: String, _ words: String) {
    #expect(message(text).contains(words), "\(message(text))")
    #expect(!message(text).contains("secret"))
  }

  @Test func pathsAreEncoded() throws {
    let origin = try Origin("a=https://x/base/")
    for (path, url) in [
      ("a.jpg", "a.jpg"), ("sub/b c.jpg", "sub/b%20c.jpg"), ("é", "%C3%A9"), ("a?b#c", "a%3Fb%23c"),
      ("a@b:c", "a%40b%3Ac"), ("50%", "50%25"), ("a%20b", "a%2520b"), ("~a_b-c", "~a_b-c"),
      ("...", "..."), ("a..b", "a..b"),
    ] {
      #expect(origin.url(path) == "https://x/base/" + url)
    }
  }

  @Test(
    arguments: [
      "", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/..", "./a", "a\\b", "..\\a",
      "%2e%2e/a", "%2E./a", "a/%2e%2e%2fb", "%252e%252e/a", "%25252e%25252e/a", "a%2f%2fb", "a%5cb",
      "%252e%252e/%25zz/a", "a/%252e%252e%252f%25ff", "%2525252525252525252525252e./a",
      "a%00", "a\nb", "a\u{7F}", "a%0d%0ab", String(repeating: "a", count: 2049),
    ])
  func noPathLeadsElsewhere(_ path: String) throws {
    #expect(try Origin("a=https://x/base/").url(path) == nil)
  }

  /// Paths put together by chance: those that are taken have no part that leads elsewhere, however often a
  /// server decodes them.
  @Test func noPathByChanceLeadsElsewhere() throws {
    let origin = try Origin("a=https://x/base/")
    var random = SplitMix(state: 1)
    let words = [
      "a", ".", "..", "/", "%2e", "%2F", "%25", "25", "2e", "%", "\\", "%5c", "é", " ", "%00",
    ]
    var taken = 0
    for _ in 0..<3000 {
      let path = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        words.randomElement(using: &random) ?? ""
      }.joined()
      guard let url = origin.url(path) else { continue }
      taken += 1
      var decoded = String(url.dropFirst("https://x/base/".count))
      for _ in 0..<8 {
        let parts = decoded.split(separator: "/", omittingEmptySubsequences: false)
        #expect(
          !parts.contains { ["", ".", ".."].contains($0) } && !decoded.contains("\\"), "\(path)")
        decoded = QueryText.decoded(decoded[...]) ?? decoded
      }
    }
    #expect(taken > 100)
  }

  @Test func redirectsStayWithinTheBase() throws {
    let origin = try Origin("a=https://x/base/")
    #expect(
      origin.url(redirect: "https://x/base/b%20c.jpg?v=1&w=%2F")
        == "https://x/base/b%20c.jpg?v=1&w=%2F")
    for address in [
      "https://x/", "https://x/base", "https://x/basement/a", "http://x/base/a",
      "https://x:8443/base/a",
      "https://y/base/a", "https://x@y/base/a", "https://x/base/../a", "https://x/base/%2e%2e/a",
      "https://x/base/a#b", "file:///base/a", "http://169.254.169.254/latest/meta-data/", "",
      "https://x/base/a?b c", "//x/base/a",
    ] {
      #expect(origin.url(redirect: address) == nil, "\(address)")
    }
  }

  /// Addresses that mean this machine, its network or a cloud's metadata, however they are written.
  @Test(
    arguments: [
      "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254",
      "172.16.0.1", "172.31.255.255", "192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
      "::", "::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1", "::127.0.0.1",
      "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::1",
      "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1",
    ])
  func privateAddressesAreRefusedUnlessNamed(_ address: String) throws {
    let bytes = try #require(IPNetwork.bytes(of: address))
    #expect(!AddressRule().allows(bytes))
    #expect(AddressRule(allowsAll: true).allows(bytes))
    #expect(AddressRule(named: [try #require(IPNetwork(address))]).allows(bytes))
  }

  @Test(arguments: [
    "1.1.1.1", "8.8.8.8", "172.32.0.1", "192.169.0.1", "2606:4700::1111", "::ffff:8.8.8.8",
  ])
  func publicAddressesAreAllowed(_ address: String) throws {
    #expect(AddressRule().allows(try #require(IPNetwork.bytes(of: address))))
  }

  @Test func namedNetworksAllowNothingElse() throws {
    let rule = AddressRule(named: [try #require(IPNetwork("10.1.0.0/16"))])
    #expect(
      rule.allows([10, 1, 2, 3]) && !rule.allows([10, 2, 0, 1]) && !rule.allows([127, 0, 0, 1]))
    #expect(rule.allows([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 1, 0, 1]))
  }
}
