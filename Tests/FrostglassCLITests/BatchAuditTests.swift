import FrostglassCore
import Glibc
import Testing

/// `redact --audit` of several images tells of each that is there, however the command ends.
@Suite struct BatchAuditTests {
  private let names = BatchImages.names

  private func batch(_ output: String, _ audit: String, _ options: String...) -> [String] {
    ["redact"] + names.map { "in/\($0)" }
      + ["--out-dir", output, "--region", "2,2,9,9", "--threads", "2", "--audit", audit] + options
  }

  private func text(_ scratch: Scratch, _ name: String) throws -> String {
    String(decoding: try scratch.contents(name), as: UTF8.self)
  }

  /// The outputs that an audit tells of, in order.
  private func outputs(_ scratch: Scratch, _ audit: String) throws -> [String] {
    let text = try text(scratch, audit)
    guard case .array(let rows) = try JSONValue(text: text).content else {
      Issue.record("no array: \(text)")
      return []
    }
    return rows.compactMap { row in
      guard case .object(let members) = row.content,
        case .object(let file)? = members.first(where: { $0.name == "output" })?.value.content,
        case .string(let name)? = file.first(where: { $0.name == "name" })?.value.content
      else { return nil }
      return name
    }
  }

  @Test func aReviewThatFailsLeavesTheAudit() throws {
    let scratch = try BatchImages.scratch()
    symlink("/dev/full", scratch / "sheet.png")
    let run = try scratch.run(batch("out", "audit.json", "--review", "sheet.png"))
    #expect(run.exitCode == 73 && run.errors.contains("sheet.png"), "\(run)")
    #expect(try outputs(scratch, "audit.json") == names.map { "out/\($0)" })
  }

  /// Two images in the middle are pipes that nobody writes to, as in `BatchResumeTests`.
  @Test(arguments: [SIGINT, SIGTERM, SIGKILL])
  func anInterruptedBatchHasToldOfWhatIsThere(_ signal: Int32) throws {
    let scratch = try BatchImages.scratch()
    let whole = try scratch.run(batch("whole", "whole.json"))
    #expect(whole.exitCode == 0, "\(whole)")
    let held = try ["p3.png", "p4.png"].map { ("in/\($0)", try scratch.contents("in/\($0)")) }
    for (name, _) in held {
      unlink(scratch / name)
      #expect(mkfifo(scratch / name, 0o600) == 0)
    }
    let running = try RunningCommand(
      CommandRun.executable, batch("out", "audit.json"), in: scratch.path)
    // Both workers are at a pipe: what was before is done, and nothing more will be.
    let pipes = held.map { open(scratch / $0.0, O_WRONLY) }
    running.send(signal)
    let run = try running.end()
    for pipe in pipes { close(pipe) }
    #expect(run.signal == signal, "\(run)")
    #expect(scratch.names.filter { $0.hasPrefix("out/p") } == ["out/p1.png", "out/p2.png"])
    #expect(try outputs(scratch, "audit.json").sorted() == ["out/p1.png", "out/p2.png"])

    for (name, bytes) in held {
      unlink(scratch / name)
      try scratch.add(name, bytes)
    }
    let rest = try scratch.run(batch("out", "audit.json", "--resume"))
    #expect(rest.exitCode == 0 && !rest.errors.contains("warning"), "\(rest)")
    #expect(Set(try outputs(scratch, "audit.json")) == Set(names.map { "out/\($0)" }))
    let again = try scratch.run(batch("out", "audit.json", "--resume"))
    #expect(again.exitCode == 0 && again.errors.contains("0 done, 6 skipped"), "\(again)")
    let told = try text(scratch, "audit.json")
    let rows = try text(scratch, "whole.json").replacing("whole/", with: "out/")
      .dropFirst(2).dropLast(4).split(separator: "},\n{")
    #expect(rows.count == 6 && rows.allSatisfy { told.contains($0) })
    #expect(told.split(separator: "},\n{").count == 6)
  }

  /// The first image's place cannot be replaced, as it is mounted; the second image is a pipe that nobody
  /// writes to, so that the command never comes to its end.
  @Test(.enabled(if: Privileges.ownMounts != nil, "mounting is not permitted here"))
  func aRowGoesWithTheImageThatDidNotComeToBe() throws {
    let scratch = try BatchImages.scratch()
    try scratch.addFolder("out")
    try scratch.add("out/p2.png", [1])
    unlink(scratch / "in/p3.png")
    #expect(mkfifo(scratch / "in/p3.png", 0o600) == 0)
    let mounts = try #require(Privileges.ownMounts)
    let script = """
      exec \(mounts) sh -c 'mount --bind out/p2.png out/p2.png
      exec "$frostglass" redact in/p1.png in/p2.png in/p3.png --out-dir out --region 2,2,9,9 \
        --threads 1 --audit audit.json --overwrite'
      """
    let running = try RunningCommand(
      "/bin/sh", ["-c", script], in: scratch.path,
      environment: ["frostglass": CommandRun.executable])
    let pipe = open(scratch / "in/p3.png", O_WRONLY)
    running.send(SIGKILL)
    let run = try running.end()
    close(pipe)
    #expect(run.errors.contains("out/p2.png"), "\(run)")
    #expect(try outputs(scratch, "audit.json") == ["out/p1.png"])
  }

  /// As after a machine went down: an image without its row, and a row without its end.
  @Test func whatIsThereAndNotInTheAuditIsWarnedOf() throws {
    let scratch = try BatchImages.scratch()
    #expect(try scratch.run(batch("out", "audit.json")).exitCode == 0)
    let text = try text(scratch, "audit.json")
    let last = try #require(text.firstRange(of: "out/p6.png"))
    unlink(scratch / "audit.json")
    try scratch.add("audit.json", Array(text[..<last.lowerBound].utf8))
    unlink(scratch / "out/p2.png")
    let run = try scratch.run(batch("out", "audit.json", "--resume"))
    #expect(run.exitCode == 0, "\(run)")
    #expect(
      run.errors.contains("warning: out/p6.png is there already and not in audit.json"), "\(run)")
    // One that is made anew has one row, the new one.
    #expect(
      try outputs(scratch, "audit.json")
        == ["out/p1.png", "out/p3.png", "out/p4.png", "out/p5.png", "out/p2.png"])
  }

  @Test func whatIsNoAuditIsLeftAlone() throws {
    let scratch = try BatchImages.scratch()
    for text in ["{\"a\": 1}\n", "notes\n", "[\n{\n}\n]\n", "[\n  {\n    \"a\": 1\n  }\n]\n"] {
      try scratch.add("notes.json", Array(text.utf8))
      let run = try scratch.run(batch("out", "notes.json", "--resume"))
      #expect(run.exitCode == 64 && run.explains(["notes.json", "no audit"]), "\(run)")
      #expect(try scratch.contents("notes.json") == Array(text.utf8))
      let plain = try scratch.run(batch("out", "notes.json"))
      #expect(plain.exitCode == 73 && plain.explains(["notes.json", "exists"]), "\(plain)")
      unlink(scratch / "notes.json")
    }
    #expect(!scratch.names.contains("out/"))
  }

  /// Two at once would each forget what the other told.
  @Test func aSecondRunWithTheSameAuditIsRefused() throws {
    let scratch = try BatchImages.scratch()
    try scratch.add("audit.json", Array("[]\n".utf8))
    let held = open(scratch / "audit.json", O_RDONLY | O_CLOEXEC)
    #expect(flock(held, LOCK_EX) == 0)
    let run = try scratch.run(batch("out", "audit.json", "--resume"))
    #expect(run.exitCode == 64 && run.explains(["audit.json", "another run"]), "\(run)")
    close(held)
    let later = try scratch.run(batch("out", "audit.json", "--resume"))
    #expect(later.exitCode == 0, "\(later)")
    #expect(try outputs(scratch, "audit.json") == names.map { "out/\($0)" })
  }

  @Test func anAuditIsNoImageAndNothingThatIsRead() throws {
    let scratch = try BatchImages.scratch()
    let picture = try scratch.contents("in/p2.png")
    let folder = try scratch.run([
      "redact", "in", "--recursive", "--out-dir", "out", "--region", "2,2,9,9",
      "--audit", "in/p2.png", "--overwrite",
    ])
    #expect(folder.exitCode == 64 && folder.explains(["in/p2.png", "an image"]), "\(folder)")
    #expect(try scratch.contents("in/p2.png") == picture)
    try scratch.add("faces.csv", Array("x,y,width,height\n2,2,9,9\n".utf8))
    let regions = try scratch.run([
      "redact", "in/p1.png", "--out-dir", "out", "--regions", "faces.csv", "--audit", "./faces.csv",
      "--overwrite",
    ])
    #expect(regions.exitCode == 64 && regions.explains(["faces.csv", "--regions"]), "\(regions)")
  }

  /// A byte that is no UTF-8 is half a character, as in `--json`, and stands for itself when it is read.
  @Test func namesThatAreNoUTF8AreToldAndTakenUp() throws {
    let scratch = try BatchImages.scratch()
    let script = """
      byte=$(printf '\\377'); cp in/p1.png "n$byte.png"
      "$frostglass" redact "n$byte.png" in/p2.png --out-dir out --region 2,2,9,9 --audit audit.json
      """
    let run = try scratch.shell(script)
    #expect(run.exitCode == 0, "\(run)")
    let bytes = try scratch.contents("audit.json")
    let text = try #require(String(validating: bytes, as: UTF8.self))
    #expect(text.contains(#"{"name":"n\udcff.png","sha256":""#), "\(text)")
    #expect(text.contains(#"{"name":"out/n\udcff.png","sha256":""#), "\(text)")
    let again = try scratch.shell(script + " --resume")
    #expect(again.exitCode == 0 && again.errors.contains("0 done, 2 skipped"), "\(again)")
    #expect(!again.errors.contains("warning"), "\(again)")
    #expect(try scratch.contents("audit.json") == bytes)
    let single = try scratch.shell(
      "\"$frostglass\" redact n*.png x.png --region 2,2,9,9 --audit x.json; cat x.json")
    #expect(single.text.contains(#"{"name":"n\udcff.png","sha256":""#), "\(single)")
  }

  /// A pipe gets everything in the end.
  @Test func aPipeGetsTheWholeAudit() throws {
    let scratch = try BatchImages.scratch()
    let run = try scratch.shell(
      """
      "$frostglass" redact in/p1.png in/p2.png --out-dir out --region 2,2,9,9 \
        --audit /dev/fd/3 3>&1 >/dev/null | cat > audit.json
      rm out/p1.png
      "$frostglass" redact in/p1.png in/p2.png --out-dir out --region 2,2,9,9 --resume \
        --audit /dev/fd/3 3>&1 >/dev/null | cat > rest.json
      """)
    #expect(run.exitCode == 0, "\(run)")
    #expect(try outputs(scratch, "audit.json") == ["out/p1.png", "out/p2.png"])
    #expect(try outputs(scratch, "rest.json") == ["out/p1.png"])
  }
}
