import FrostglassFetching
import FrostglassOptions
import FrostglassServer
import FrostglassStills
import Glibc
import TestSupport
import Testing

/// Images of S3-compatible stores: signatures, and where what they are made with comes from.
@Suite struct S3Tests {
  private static let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  /// The example "GET Object" of Amazon's documentation, "Signature Calculations for the Authorization Header".
  @Test func signaturesAreThoseOfThePublishedExample() async throws {
    let origin = try TestOrigin { _ in TestOrigin.answer(404) }
    let fetcher = Fetcher(BuiltProgram.path(FetchProgram.name), mostBytes: 1000, budget: 10_000)
    fetcher.start()
    defer { fetcher.end() }
    var order = FetchOrder(
      "http://127.0.0.1:\(origin.port)/test.txt", mostBytes: 1000, seconds: 600, leastRate: 0)
    order.addresses = AddressRule(allowsAll: true)
    order.fields = [
      FetchField("Host", "examplebucket.s3.amazonaws.com"), FetchField("Range", "bytes=0-9"),
      FetchField("X-Amz-Date", "20130524T000000Z"),
    ]
    order.signing = FetchSigning(
      region: "us-east-1", key: "AKIAIOSFODNN7EXAMPLE",
      secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    #expect(await fetcher.fetch(order).status == 404)
    let request = try #require(origin.requests.first)
    #expect(request.field("x-amz-content-sha256") == Self.nothing)
    #expect(
      request.field("authorization")
        == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
        + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
        + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
  }

  private func access(_ options: String) throws -> S3Access {
    guard case .server(_, let access?) = try Origin("a=s3://bucket?\(options)").place else {
      throw Failure.usage("no bucket")
    }
    return access
  }

  @Test func credentialsAreReadFromAFileEachTime() throws {
    let folder = try Folder()
    let access = try access("region=eu-west-1&credentials=\(folder.path)/keys&profile=shop")
    #expect(throws: Failure.self) { try access.signing() }
    try folder.write(
      "keys",
      "# keys\n[default]\naws_access_key_id=other\naws_secret_access_key=x\n\n[shop]\n"
        + "AWS_ACCESS_KEY_ID = first \naws_secret_access_key = a=b/c+d\n")
    #expect(
      try access.signing() == FetchSigning(region: "eu-west-1", key: "first", secret: "a=b/c+d"))
    try folder.write(
      "keys", "[shop]\r\naws_access_key_id=2\r\naws_secret_access_key=s\r\naws_session_token=t\r\n")
    #expect(
      try access.signing() == FetchSigning(region: "eu-west-1", key: "2", secret: "s", token: "t"))
    try folder.write("keys", "[default]\naws_access_key_id=1\naws_secret_access_key=2\n")
    let failure = #expect(throws: Failure.self) { try access.signing() }
    #expect(failure?.message.contains("has no profile shop") == true)
    #expect(try self.access("anonymous=1").signing() == nil)
  }

  /// A token is signed with the rest, and errors show neither it nor a key.
  @Test func storesAreAskedWithASignature() async throws {
    let folder = try Folder()
    try folder.write(
      "keys",
      "[default]\naws_access_key_id=KEYID\naws_secret_access_key=SECRET\naws_session_token=TOKEN\n")
    let file = try Sample.file()
    let store = try TestOrigin { request in
      request.target.hasSuffix("a%20b%2B.png")
        ? TestOrigin.answer(200, [], file) : TestOrigin.answer(500)
    }
    let origin = try Origin(
      "photos=s3://bucket/pre?private=1&seconds=600&endpoint=http://127.0.0.1:\(store.port)&credentials=\(folder.path)/keys"
    )
    let server = try TestServer { $0.origins = [origin] }
    let reply = try await server.get("/v1/images?src=photos/a%20b%2B.png&sigma=2")
    #expect(reply.status == 200, "\(reply.text)")
    let request = try #require(store.requests.first)
    #expect(request.target == "/bucket/pre/a%20b%2B.png")
    #expect(
      request.field("authorization").contains(
        "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,"))
    #expect(request.field("x-amz-security-token") == "TOKEN" && !request.head.contains("SECRET"))
    let bad = try await server.get("/v1/images?src=photos/b.png&sigma=2")
    #expect(bad.status == 502)
    for word in ["KEYID", "SECRET", "TOKEN", folder.path] {
      #expect(!bad.text.contains(word) && !server.log.joined().contains(word))
    }
  }
}
