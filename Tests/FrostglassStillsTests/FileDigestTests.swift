import FrostglassStills
import Glibc
import Testing

/// Digests of files.
@Suite struct FileDigestTests {
  @Test func isSHA256() throws {
    var template = Array("/tmp/frostglass-test-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    try #require(descriptor >= 0)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(path) }
    #expect(write(descriptor, "abc", 3) == 3)
    close(descriptor)
    // FIPS 180-4's example.
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    #expect(FileDigest.sha256(of: path) == digest)
    #expect(FileDigest.sha256(of: StillSource.file(path)) == digest)
    #expect(FileDigest.sha256(of: StillSink.file(path, overwrite: false)) == digest)
  }

  @Test func isOfFilesOnly() {
    #expect(FileDigest.sha256(of: "/nowhere") == nil)
    #expect(FileDigest.sha256(of: "/dev/zero") == nil)
    #expect(FileDigest.sha256(of: StillSource.standardInput) == nil)
    #expect(FileDigest.sha256(of: StillSink.standardOutput) == nil)
  }
}
