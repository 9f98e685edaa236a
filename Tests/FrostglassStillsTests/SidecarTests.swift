import FrostglassCore
import FrostglassStills
import Glibc
import TestSupport
import Testing

/// A sidecar file of an output: both are written, or neither.
@Suite struct SidecarTests {
  let scratch = Scratch()

  private var out: String { scratch / "out.png" }
  private var told: StillSink { .file(scratch / "told", overwrite: false) }

  private func encode(
    overwrite: Bool = false, finish: @escaping () throws -> Void = {},
    telling: @escaping (_ digest: String?) throws -> Sidecar?
  ) throws {
    var rows = StillRows(size: Size(width: 4, height: 3), format: .rgb8) { row in
      row.initializeMemory(as: UInt8.self, repeating: 90, count: 12)
    } finish: {
      try finish()
    }
    rows.telling = telling
    try StillEncoder().encode(rows, as: .png, to: .file(out, overwrite: overwrite))
  }

  @Test func bothAreThere() throws {
    try encode { [told] in try told.sidecar($0 ?? "") }
    #expect(scratch.names == ["out.png", "told"])
    let digest = try #require(FileDigest.sha256(of: out))
    #expect(Scratch.contents(scratch / "told") == Array(digest.utf8))
  }

  /// Something else has taken the name meanwhile.
  @Test func anOutputWithoutItsNameLeavesNothingTold() {
    #expect(throws: EncodeError.exists(path: out)) {
      try encode { [scratch, told] _ in
        scratch.add("out.png", [9])
        return try told.sidecar("new")
      }
    }
    #expect(scratch.names == ["out.png"])
    #expect(Scratch.contents(out) == [9])
  }

  @Test func whatWasToldBeforeIsThereAgain() {
    scratch.add("told", [1, 2])
    chmod(scratch / "told", 0o640)
    #expect(throws: EncodeError.exists(path: out)) {
      try encode { [scratch] _ in
        scratch.add("out.png", [9])
        return try StillSink.file(scratch / "told", overwrite: true).sidecar("new")
      }
    }
    #expect(scratch.names == ["out.png", "told"])
    #expect(Scratch.contents(scratch / "told") == [1, 2])
  }

  @Test func whatWasToldBeforeIsReplacedWithTheOutput() throws {
    scratch.add("told", [1, 2])
    scratch.add("out.png", [9])
    chmod(scratch / "told", 0o640)
    try encode(overwrite: true) { [scratch] _ in
      try StillSink.file(scratch / "told", overwrite: true).sidecar("new")
    }
    #expect(scratch.names == ["out.png", "told"])
    #expect(Scratch.contents(scratch / "told") == Array("new".utf8))
    var status = stat()
    #expect(stat(scratch / "told", &status) == 0 && status.st_mode & 0o777 == 0o640)
    #expect(Scratch.contents(out).starts(with: PNGFile.signature))
  }

  @Test func whatCannotBeToldLeavesNoOutput() {
    #expect(throws: EncodeError.exists(path: scratch / "told")) {
      try encode { [scratch, told] _ in
        let sidecar = try told.sidecar("new")
        scratch.add("told", [7])
        return sidecar
      }
    }
    #expect(scratch.names == ["told"])
    #expect(Scratch.contents(scratch / "told") == [7])
  }

  /// A large file's digest takes time, in which a job may be given up.
  @Test func theLastLookIsBehindAllThatTakesTime() {
    var events: [String] = []
    #expect(throws: CancellationError.self) {
      try encode {
        events.append("last look")
        throw CancellationError()
      } telling: { [told] digest in
        events.append(digest == nil ? "told of nothing" : "told")
        return try told.sidecar("new")
      }
    }
    #expect(events == ["told", "last look"])
    #expect(scratch.names == [])
  }

  @Test func anErrorOfTellingIsTheEncodersError() {
    #expect(throws: CancellationError.self) { try encode { _ in throw CancellationError() } }
    #expect(scratch.names == [])
  }
}
