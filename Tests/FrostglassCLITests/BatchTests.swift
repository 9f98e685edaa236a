import FrostglassStills
import Testing

/// Several inputs into one folder.
@Suite struct BatchTests {
  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.addFolder("out")
    try scratch.add("a.png", SampleImage.file())
    try scratch.add("b.jpg", SampleImage.file(.jpeg))
    try scratch.add("c.gif", SampleImage.gif)
    return scratch
  }

  private let inputs = ["a.png", "b.jpg", "c.gif"]

  @Test func eachKeepsItsName() throws {
    let scratch = try scratch()
    let run = try scratch.run(["blur"] + inputs + ["--out-dir", "out", "--sigma", "2"])
    #expect(run.exitCode == 0, "\(run)")
    #expect(
      scratch.names == (inputs + ["out/", "out/a.png", "out/b.jpg", "out/c.gif"]).sorted())
    #expect(try scratch.picture("out/b.jpg").format == .jpeg)
    #expect(try scratch.picture("out/c.gif").format == .gif)
  }

  /// The contents tell the format where the name does not.
  @Test func withoutAnExtensionTheFormatStays() throws {
    let scratch = try scratch()
    try scratch.add("photo", SampleImage.file(.jpeg))
    try scratch.add("scan.dat", SampleImage.file(.webp))
    try scratch.add(".hidden", SampleImage.file())
    let run = try scratch.run(
      "blur", "photo", "scan.dat", ".hidden", "--out-dir", "out", "--sigma", "2")
    #expect(run.exitCode == 0, "\(run)")
    #expect(try scratch.picture("out/photo.jpg").format == .jpeg)
    #expect(try scratch.picture("out/scan.webp").format == .webp)
    #expect(try scratch.picture("out/.hidden.png").format == .png)
  }

  @Test func oneFormatForAll() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      ["blur"] + inputs + ["--out-dir", "out", "--sigma", "2", "--format", "webp"])
    #expect(run.exitCode == 0, "\(run)")
    for name in ["a", "b", "c"] {
      #expect(try scratch.picture("out/\(name).webp").format == .webp)
    }
  }

  /// Notes about an image follow the line that names it.
  @Test func notesHaveLinesOfTheirOwn() throws {
    let scratch = try scratch()
    try scratch.add("cut.gif", SampleImage.gif.dropLast())
    let run = try scratch.run("blur", "cut.gif", "--out-dir", "out", "--sigma", "2")
    #expect(run.exitCode == 0, "\(run)")
    let lines = run.errors.split(separator: "\n")
    #expect(lines.contains("frostglass blur: cut.gif lacks its end; frames may be missing"))
    #expect(lines.contains("cut.gif → out/cut.gif"))
  }

  @Test func oneIsABatchToo() throws {
    let scratch = try scratch()
    let run = try scratch.run("blur", "a.png", "--out-dir", "out/", "--sigma", "2")
    #expect(run.exitCode == 0, "\(run)")
    #expect(scratch.names.contains("out/a.png"))
  }

  @Test func aBadOneDoesNotStopTheOthers() throws {
    let scratch = try scratch()
    try scratch.add("bad.jpg", Array("words".utf8))
    let run = try scratch.run(
      "blur", "a.png", "bad.jpg", "b.jpg", "--out-dir", "out", "--sigma", "2")
    #expect(run.exitCode == 65, "\(run)")
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("bad.jpg: this is not an image"), "\(run)")
    #expect(run.errors.contains("\n2 done, 1 failed in "), "\(run)")
    #expect(
      run.errors.hasSuffix(
        "1 of 3 failed:\n  bad.jpg: this is not an image of a known format\n"), "\(run)")
    #expect(scratch.names.filter { $0.hasPrefix("out/") } == ["out/", "out/a.png", "out/b.jpg"])
  }

  @Test func existingOutputsAreKept() throws {
    let scratch = try scratch()
    try scratch.add("out/a.png", [1])
    let batch = ["blur", "a.png", "b.jpg", "--out-dir", "out", "--sigma", "2"]
    let run = try scratch.run(batch)
    #expect(run.exitCode == 65, "\(run)")
    #expect(run.errors.contains("out/a.png: this file exists already; --resume"), "\(run)")
    #expect(try scratch.contents("out/a.png") == [1])
    #expect(scratch.names.contains("out/b.jpg"))
    #expect(try scratch.run(batch + ["--overwrite"]).exitCode == 0)
    #expect(try scratch.picture("out/a.png").format == .png)
  }

  @Test func allThatFailedIsListed() throws {
    let scratch = try scratch()
    try scratch.add("bad.jpg", Array("words".utf8))
    try scratch.add("broken.png", SampleImage.withBrokenChecksum())
    let run = try scratch.run(
      "blur", "no.png", "a.png", "bad.jpg", "broken.png", "--out-dir", "out", "--sigma", "2")
    #expect(run.exitCode == 65, "\(run)")
    let list = run.errors.split(separator: "\n").suffix(4)
    #expect(list.first == "frostglass blur: 3 of 4 failed:")
    for words in ["  no.png: there is no such file", "  bad.jpg: this is not", "  broken.png: "] {
      #expect(list.contains { $0.hasPrefix(words) }, "\(run)")
    }
    #expect(scratch.names.filter { $0.hasPrefix("out/") } == ["out/", "out/a.png"])
  }

  /// The number of workers does not change the files.
  @Test(arguments: ["1", "2", "7"]) func threadsChangeNothing(_ threads: String) throws {
    let scratch = try scratch()
    let run = try scratch.run(
      ["blur"] + inputs + ["--out-dir", "out", "--sigma", "2", "--threads", threads])
    #expect(run.exitCode == 0, "\(run)")
    let alone = try scratch.run(
      "blur", "b.jpg", "b.alone.jpg", "--sigma", "2", "--threads", threads)
    #expect(alone.exitCode == 0, "\(alone)")
    #expect(try scratch.contents("out/b.jpg") == scratch.contents("b.alone.jpg"))
    #expect(scratch.names.count { $0.hasPrefix("out/") } == 4)
  }

  /// The limit is for all images at once: they run one after another if there is room for only one.
  @Test func imagesWaitForMemory() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      ["blur"] + inputs
        + ["--out-dir", "out", "--sigma", "2", "--threads", "1", "--memory", "500k"])
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.contains("3 done in "), "\(run)")
  }

  @Test func imageBeyondTheMemoryIsRefused() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      ["blur"] + inputs
        + ["--out-dir", "out", "--sigma", "2", "--threads", "1", "--memory", "100k"])
    #expect(run.exitCode == 65, "\(run)")
    // The third is one pixel, whose rows fit the least that is taken at once.
    #expect(run.errors.contains("2 of 3 failed"), "\(run)")
    #expect(run.errors.contains("of memory"), "\(run)")
  }

  /// A pipe gives its data once: nothing may look into it before it is decoded.
  @Test func pipesAreInputsToo() throws {
    let scratch = try scratch()
    let run = try scratch.shell(
      """
      mkfifo pipe; cat a.png > pipe &
      "$frostglass" blur pipe b.jpg --out-dir out --sigma 2
      """)
    #expect(run.exitCode == 0, "\(run)")
    #expect(try scratch.picture("out/pipe.png").format == .png)
  }

  @Test func verboseSaysHowLongEachTook() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "blur", "a.png", "b.jpg", "--out-dir", "out", "--sigma", "2", "-v", "--backend", "fast")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.hasPrefix("backend   fast (asked for; "), "\(run)")
    #expect(run.errors.contains("b.jpg → out/b.jpg: decode "), "\(run)")
    #expect(run.errors.contains(#/encode [0-9.]+ ms, together [0-9.]+ ms \(fast\)\n/#), "\(run)")
    #expect(run.errors.matches(of: /backend +[a-z]/).count == 1, "\(run)")
  }

  @Test(arguments: ["gl", "auto"]) func verboseSaysOnceWhoRanAndWhy(_ backend: String) throws {
    let scratch = try scratch()
    let run = try scratch.run(
      ["blur"] + inputs + ["--out-dir", "out", "--sigma", "2", "-v", "--backend", backend])
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.matches(of: /backend +[a-z]+ \([^\n]+\)\n/).count == 1, "\(run)")
    #expect(run.errors.matches(of: /→ .* ms \([a-z]+[,)]/).count == 3, "\(run)")
  }

  @Test func twoOfOneNameAreRefused() throws {
    let scratch = try scratch()
    try scratch.addFolder("more")
    try scratch.add("more/a.png", SampleImage.file())
    let run = try scratch.run(
      "blur", "a.png", "more/a.png", "--out-dir", "out", "--sigma", "2")
    #expect(run.exitCode == 64, "\(run)")
    #expect(run.explains(["a.png", "more/a.png", "both"]), "\(run)")
    #expect(!scratch.names.contains("out/a.png"))
  }

  @Test func theFolderIsMade() throws {
    let scratch = try scratch()
    let run = try scratch.run("blur", "a.png", "--out-dir", "new/er/est", "--sigma", "2")
    #expect(run.exitCode == 0, "\(run)")
    #expect(scratch.names.contains("new/er/est/a.png"))
  }

  @Test(arguments: ["a.png", "a.png/out"]) func aFileIsNoFolder(_ folder: String) throws {
    let scratch = try scratch()
    let run = try scratch.run("blur", "b.jpg", "--out-dir", folder, "--sigma", "2")
    #expect(run.exitCode == 73, "\(run)")
    #expect(run.explains(["a.png: this directory cannot be made", "not a directory"]), "\(run)")
  }
}
