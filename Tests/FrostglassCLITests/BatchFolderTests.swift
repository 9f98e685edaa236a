import FrostglassStills
import Testing

/// Directories into a directory.
@Suite struct BatchFolderTests {
  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.addFolder("in/trip/day")
    try scratch.add("in/a.png", SampleImage.file())
    try scratch.add("in/trip/B.JPG", SampleImage.file(.jpeg))
    try scratch.add("in/trip/day/a.gif", SampleImage.gif)
    try scratch.add("in/trip/notes.txt", [1])
    return scratch
  }

  private let outputs = [
    "out/", "out/a.png", "out/trip/", "out/trip/B.JPG", "out/trip/day/", "out/trip/day/a.gif",
  ]

  private func outputs(_ scratch: Scratch, _ folder: String = "out/") -> [String] {
    scratch.names.filter { $0.hasPrefix(folder) }
  }

  /// Latin 1, as on disks from before UTF-8.
  @Test func namesThatAreNotUTF8Stay() throws {
    let scratch = try scratch()
    let run = try scratch.shell(
      """
      name=$(printf 'caf\\351') && mkdir "$name" && cp in/a.png "$name/$name.png" || exit 1
      "$frostglass" blur "$name/$name.png" "$name.jpg" --sigma 2 --also "-> $name.webp" || exit 2
      "$frostglass" blur "$name" --recursive --out-dir "out-$name" --sigma 2 || exit 3
      "$frostglass" blur "$name" --recursive --out-dir "out-$name" --sigma 2 --resume || exit 4
      "$frostglass" blur "$name.jpg" "$name.webp" --sigma 2 2>message && exit 5
      grep -qaF "$name.webp: this file exists" message || exit 6
      test -s "$name.jpg" -a -s "$name.webp" -a -s "out-$name/$name.png" || exit 7
      test "$(ls -d *caf* | wc -l)" = 4
      """)
    #expect(run.exitCode == 0, "\(run)")
  }

  /// Users who redact a folder learn which of its files are not redacted.
  @Test(arguments: [
    ["blur", "--sigma", "2"], ["redact", "--region", "0,0,3,3"], ["fill", "--size", "30x30"],
  ])
  func videosAmongImagesAreSpokenOf(_ command: [String]) throws {
    let scratch = try scratch()
    try scratch.add("in/trip/film.MP4", [1])
    let run = try scratch.run(command + ["in", "--recursive", "--out-dir", "out"])
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.contains("1 video passed over, such as in/trip/film.MP4; "), "\(run)")
    #expect(outputs(scratch) == outputs)
  }

  /// Also to who wants errors only; regions and the like are no images.
  @Test func whatIsNotRedactedIsSpokenOf() throws {
    let scratch = try scratch()
    for name in ["b.psd", "c", "d.svg", "e.jp2", ".hidden"] { try scratch.add("in/\(name)", [1]) }
    let words = ["in", "--recursive", "--out-dir"]
    let run = try scratch.run(["redact"] + words + ["out", "-q", "--region", "0,0,3,3"])
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.explains(["4 files passed over", "in/b.psd, in/c, in/d.svg, …"]), "\(run)")
    #expect(outputs(scratch) == outputs)
    let blur = try scratch.run(["blur"] + words + ["other", "--sigma", "2"])
    #expect(blur.exitCode == 0 && !blur.errors.contains("passed over"), "\(blur)")
  }

  /// é as one character and as two: equal texts, other names.
  @Test func namesThatLookAlikeAreTwo() throws {
    let scratch = try Scratch()
    for name in ["in/\u{E9}.png", "in/e\u{301}.png"] {
      try scratch.addFolder("in")
      try scratch.add(name, SampleImage.file())
    }
    let run = try scratch.run("blur", "in", "--recursive", "--out-dir", "out", "--sigma", "2")
    #expect(run.exitCode == 0 && outputs(scratch).count == 3, "\(run)")
  }

  @Test(arguments: ["in", "in/", "./in"]) func theStructureStays(_ folder: String) throws {
    let scratch = try scratch()
    let run = try scratch.run("blur", folder, "--recursive", "--out-dir", "out", "--sigma", "2")
    #expect(run.exitCode == 0, "\(run)")
    #expect(outputs(scratch) == outputs)
    #expect(try scratch.picture("out/trip/B.JPG").format == .jpeg)
    #expect(try scratch.picture("out/trip/day/a.gif").format == .gif)
  }

  /// The second time the outputs lie in the inputs' folder.
  @Test func outputsAreNoInputs() throws {
    let scratch = try scratch()
    for _ in 1...2 {
      let run = try scratch.run(
        "blur", "in", "--recursive", "--out-dir", "in/x/out", "--sigma", "2", "--resume")
      #expect(run.exitCode == 0, "\(run)")
    }
    #expect(outputs(scratch, "in/x/") == ["in/x/"] + outputs.map { "in/x/" + $0 })
  }

  /// `*` names the folder of an earlier run too.
  @Test func theOutputFolderAmongTheInputsIsPassedOver() throws {
    let scratch = try scratch()
    try scratch.addFolder("out")
    let run = try scratch.run("blur", "in/a.png", "out", "--out-dir", "out", "--sigma", "2")
    #expect(run.exitCode == 0, "\(run)")
    #expect(outputs(scratch) == ["out/", "out/a.png"])
  }

  @Test func filesAndFoldersTogether() throws {
    let scratch = try scratch()
    try scratch.add("c.png", SampleImage.file())
    let run = try scratch.run(
      "blur", "c.png", "in/trip", "--recursive", "--out-dir", "out", "--sigma", "2")
    #expect(run.exitCode == 0, "\(run)")
    #expect(
      outputs(scratch) == ["out/", "out/B.JPG", "out/c.png", "out/day/", "out/day/a.gif"])
  }

  @Test func twoOfOneNameAreRefused() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "blur", "in", "in/trip/day", "--recursive", "--out-dir", "out", "--sigma", "2", "--format",
      "png")
    #expect(run.exitCode == 64, "\(run)")
    #expect(run.explains(["in/a.png", "in/trip/day/a.gif", "both become a.png"]), "\(run)")
    #expect(outputs(scratch).isEmpty)
  }

  @Test func aFolderWithoutImages() throws {
    let scratch = try scratch()
    try scratch.addFolder("none")
    let alone = try scratch.run("blur", "none", "--recursive", "--out-dir", "out", "--sigma", "2")
    #expect(alone.exitCode == 66, "\(alone)")
    #expect(alone.explains(["none: there are no images in this directory"]), "\(alone)")
    #expect(outputs(scratch).isEmpty)
    let beside = try scratch.run(
      "blur", "none", "in", "--recursive", "--out-dir", "out", "--sigma", "2")
    #expect(beside.exitCode == 0, "\(beside)")
    #expect(beside.errors.contains("none: there are no images"), "\(beside)")
  }

  /// Without any right nothing is known of what is inside, with reading alone only the names.
  @Test(
    .enabled(if: Privileges.unprivileged != nil, "setpriv does not work here"),
    arguments: [("0", ""), ("444", "/a.gif")])
  func aFolderThatCannotBeReadFails(_ mode: String, _ name: String) throws {
    let scratch = try scratch()
    let user = try #require(Privileges.unprivileged)
    let run = try scratch.shell(
      """
      chmod 755 .; mkdir -m 777 out; chmod \(mode) in/trip/day
      \(user)"$frostglass" blur in --recursive --out-dir out --sigma 2
      code=$?; chmod 755 in/trip/day; exit $code
      """)
    #expect(run.exitCode == 65, "\(run)")
    #expect(
      run.errors.contains("\n  in/trip/day\(name): cannot be read (Permission denied)"),
      "\(run)")
    #expect(outputs(scratch) == ["out/", "out/a.png", "out/trip/", "out/trip/B.JPG"])
  }
}
