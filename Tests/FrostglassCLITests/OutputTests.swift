import FrostglassCore
import FrostglassStills
import Testing

/// Outputs are written whole or not at all, and never overwrite a file by accident.
@Suite struct OutputTests {
  private func scratch(with names: String...) throws -> Scratch {
    let scratch = try Scratch()
    for name in names { try scratch.add(name, SampleImage.file()) }
    return scratch
  }

  @Test func aBlurIsQuietAndBlurs() throws {
    let scratch = try scratch(with: "in.png")
    let run = try scratch.run("blur", "in.png", "out.png", "--sigma", "2")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.output.isEmpty && run.errors.isEmpty, "\(run)")
    #expect(scratch.names == ["in.png", "out.png"])
    let image = try scratch.picture("out.png").image
    #expect(image.size == Size(width: 24, height: 16))
    // Half a pixel right of a step from 255 to 0 a Gaussian of σ = 2 leaves Φ(-0.25) = 0.4013.
    #expect(abs(image.sample(x: 12, y: 8, channel: 0) - 0.4013) < 1.5 / 255)
    #expect(abs(image.sample(x: 11, y: 8, channel: 0) - 0.5987) < 1.5 / 255)
    #expect(image.sample(x: 0, y: 8, channel: 0) == 1)
  }

  @Test(arguments: [["--sigma", "0"], ["--filter", "blur(0px)"], ["--filter", "saturate(1)"]])
  func nothingToDoChangesNothing(_ recipe: [String]) throws {
    let scratch = try scratch(with: "in.png")
    let run = try scratch.run(["blur", "in.png", "out.png"] + recipe)
    #expect(run.exitCode == 0, "\(run)")
    #expect(try scratch.picture("out.png").image.bytes == SampleImage.image().bytes)
  }

  @Test(
    arguments: [
      ("jpg", StillFormat.jpeg), ("JPEG", .jpeg), ("png", .png), ("webp", .webp), ("avif", .avif),
      ("tif", .tiff), ("tiff", .tiff),
    ]) func theNameChoosesTheFormat(_ ending: String, _ format: StillFormat) throws
  {
    let scratch = try scratch(with: "in.png")
    let run = try scratch.run("blur", "in.png", "out.\(ending)", "--sigma", "2")
    #expect(run.exitCode == 0, "\(run)")
    #expect(try scratch.picture("out.\(ending)").format == format)
  }

  /// A name that stands for another format than the contents is warned about, because programs go by the name.
  @Test(arguments: [
    ["blur", "--sigma", "2"], ["redact", "--region", "2,2,5,5"], ["fill", "--size", "20x10"],
  ])
  func aNameThatSpeaksOfAnotherFormatIsTold(_ command: [String]) throws {
    let scratch = try scratch(with: "in.png")
    let told = "z.jpg: the name says JPEG, and by --format the bytes are PNG"
    let words = command + ["in.png", "z.jpg", "--format", "png"]
    let dry = try scratch.run(words + ["--dry-run"])
    #expect(dry.exitCode == 0 && dry.errors == "frostglass \(command[0]): \(told)\n", "\(dry)")
    let run = try scratch.run(words)
    #expect(run.exitCode == 0 && run.output.isEmpty, "\(run)")
    #expect(run.errors == "frostglass \(command[0]): \(told)\n", "\(run)")
    #expect(try scratch.picture("z.jpg").format == .png)
    let json = try scratch.run(words + ["--json", "--overwrite"])
    #expect(json.exitCode == 0 && json.errors.isEmpty, "\(json)")
    #expect(json.text.contains("\"notes\":[\"\(told)\"]"), "\(json)")
  }

  /// A name of no format, one of a pipe, and that of most animated PNGs.
  @Test(arguments: [("out", "jpg"), ("-", "jpg"), ("/dev/null", "jpg"), ("o.png", "apng")])
  func aNameThatSpeaksOfNoOtherFormatIsNotTold(_ name: String, _ format: String) throws {
    let scratch = try scratch(with: "in.png")
    let words = ["blur", "in.png", name, "--sigma", "2", "--format", format, "--overwrite"]
    let run = try scratch.run(words)
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
  }

  @Test func existingOutputNeedsOverwrite() throws {
    let scratch = try scratch(with: "in.png")
    try scratch.add("out.png", [1, 2, 3])
    let refused = try scratch.run("blur", "in.png", "out.png", "--sigma", "2")
    #expect(refused.exitCode == 73, "\(refused)")
    #expect(refused.explains(["out.png", "exists", "--overwrite"]), "\(refused)")
    #expect(try scratch.contents("out.png") == [1, 2, 3])
    let allowed = try scratch.run("blur", "in.png", "out.png", "--sigma", "2", "--overwrite")
    #expect(allowed.exitCode == 0, "\(allowed)")
    #expect(try scratch.picture("out.png").format == .png)
    #expect(scratch.names == ["in.png", "out.png"])
  }

  @Test func anImageCanReplaceItself() throws {
    let scratch = try scratch(with: "in.png")
    let other = try scratch.run("blur", "in.png", "other.png", "--sigma", "2")
    let run = try scratch.run("blur", "in.png", "in.png", "--sigma", "2", "--overwrite")
    #expect(other.exitCode == 0 && run.exitCode == 0, "\(run)")
    #expect(try scratch.contents("in.png") == scratch.contents("other.png"))
    #expect(scratch.names == ["in.png", "other.png"])
  }

  @Test(arguments: ["absent/out.png", "in.png/out.png", "folder.png"])
  func aPlaceThatIsNoneIsRefused(_ place: String) throws {
    let scratch = try scratch(with: "in.png")
    try scratch.addFolder("folder.png")
    let run = try scratch.run("blur", "in.png", place, "--sigma", "2", "--overwrite")
    #expect(run.exitCode == 73, "\(run)")
    #expect(run.explains([place, "cannot be written"]), "\(run)")
    #expect(scratch.names == ["folder.png/", "in.png"])
  }

  @Test(
    .enabled(
      if: Privileges.unprivileged != nil, "setpriv does not work here"))
  func anUnwritableFolderIsRefused() throws {
    let scratch = try scratch(with: "in.png")
    try scratch.addFolder("locked")
    let user = try #require(Privileges.unprivileged)
    let run = try scratch.shell(
      "chmod 755 .; chmod 555 locked; "
        + "\(user)\"$frostglass\" blur in.png locked/out.png --sigma 2")
    #expect(run.exitCode == 73, "\(run)")
    #expect(run.explains(["locked/out.png", "Permission denied"]), "\(run)")
    #expect(scratch.names == ["in.png", "locked/"])
  }

  @Test(.enabled(if: Privileges.ownMounts != nil, "mounting is not permitted here"))
  func aFullDiskLeavesNothing() throws {
    let scratch = try Scratch()
    // 120 kB of PNG do not fit into 64 KiB.
    try scratch.add("in.png", SampleImage.noise(width: 200, height: 200))
    try scratch.addFolder("small")
    let mounts = try #require(Privileges.ownMounts)
    let run = try scratch.shell(
      """
      \(mounts) sh -c 'mount -t tmpfs -o size=64k none small
      "$frostglass" blur in.png small/out.png --sigma 0; code=$?
      ls -A small; exit $code'
      """)
    #expect(run.exitCode == 73, "\(run)")
    #expect(run.explains(["small/out.png", "No space left on device"]), "\(run)")
  }

  /// A file without a name gets one by its path in `/proc`. Where that is not there, files are
  /// written under another name beside the target, as on file systems that know no files without
  /// names.
  @Test(.enabled(if: Privileges.ownMounts != nil, "mounting is not permitted here"))
  func filesAppearWithoutProc() throws {
    let scratch = try scratch(with: "in.png", "old.png")
    let mounts = try #require(Privileges.ownMounts)
    let run = try scratch.shell(
      """
      umask 027; chmod 604 old.png
      blur() { \(mounts) sh -c 'mount -t tmpfs none /proc/$$/fd
      exec "$frostglass" blur in.png "$@" --sigma 2' sh "$@"; }
      blur new.png && blur old.png --overwrite; blur old.png 2>/dev/null; echo $?
      stat -c %a new.png old.png
      """)
    #expect(run.text == "73\n640\n604\n", "\(run)")
    #expect(scratch.names == ["in.png", "new.png", "old.png"])
    #expect(try scratch.contents("new.png") == scratch.contents("old.png"))
  }

  @Test func aFullDeviceIsReported() throws {
    let scratch = try scratch(with: "in.png")
    let run = try scratch.run("blur", "in.png", "/dev/full", "--sigma", "2")
    #expect(run.exitCode == 73, "\(run)")
    #expect(run.explains(["/dev/full", "No space left on device"]), "\(run)")
    #expect(scratch.names == ["in.png"])
  }

  @Test func linksAreFollowed() throws {
    let scratch = try scratch(with: "in.png")
    try scratch.addFolder("real")
    try scratch.add("real/old.png", [1])
    let run = try scratch.shell(
      """
      ln -s real/old.png old.png; ln -s real/new.png new.png
      "$frostglass" blur in.png old.png --sigma 2 --overwrite &&
      "$frostglass" blur in.png new.png --sigma 2 && readlink old.png new.png
      """)
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text == "real/old.png\nreal/new.png\n")
    #expect(try scratch.picture("real/old.png").format == .png)
    #expect(try scratch.picture("real/new.png").format == .png)
    #expect(
      scratch.names == ["in.png", "new.png", "old.png", "real/", "real/new.png", "real/old.png"])
  }

  @Test func overwritingKeepsTheMode() throws {
    let scratch = try scratch(with: "in.png", "out.png")
    let run = try scratch.shell(
      """
      chmod 640 out.png; "$frostglass" blur in.png out.png --sigma 2 --overwrite
      stat -c %a out.png
      """)
    #expect(run.text == "640\n", "\(run)")
  }

  @Test func metadataStaysUnlessStripped() throws {
    let scratch = try Scratch()
    try scratch.add("in.jpg", SampleImage.fromCamera(maker: "Lumen Works"))
    for (name, options) in [("kept.jpg", []), ("stripped.jpg", ["--strip"])] {
      let run = try scratch.run(["blur", "in.jpg", name, "--sigma", "2"] + options)
      #expect(run.exitCode == 0, "\(run)")
    }
    let maker = Array("Lumen Works".utf8)
    #expect(try scratch.contents("kept.jpg").contains(maker))
    #expect(try !scratch.contents("stripped.jpg").contains(maker))
    #expect(try scratch.picture("stripped.jpg").metadata.exif == nil)
  }

  @Test func qualityChangesTheSize() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.noise(width: 64, height: 64))
    for quality in ["5", "95"] {
      let run = try scratch.run(
        "blur", "in.png", "\(quality).jpg", "--sigma", "0", "--output-quality", quality)
      #expect(run.exitCode == 0, "\(run)")
    }
    #expect(try scratch.contents("5.jpg").count * 3 < scratch.contents("95.jpg").count)
  }

  @Test func transparencyIsComposedWhereTheFormatHasNone() throws {
    let scratch = try Scratch()
    let clear = Image(zeros: Size(width: 8, height: 8), format: .rgba8)
    try scratch.add("in.png", StillEncoder().encode(clear, as: .png))
    let run = try scratch.run(
      "blur", "in.png", "out.jpg", "--sigma", "2", "--background", "lime")
    #expect(run.exitCode == 0, "\(run)")
    let pixel = try scratch.picture("out.jpg").image
    #expect(abs(pixel.sample(x: 4, y: 4, channel: 1) - 1) < 4 / 255)
    #expect(pixel.sample(x: 4, y: 4, channel: 0) < 4 / 255)
  }

  /// Also where the answer is that two images differ; and a program is told as it asked.
  @Test func aReportThatIsLostIsNoAnswer() throws {
    let scratch = try scratch(with: "in.png")
    #expect(try scratch.run("blur", "in.png", "soft.png", "--sigma", "3").exitCode == 0)
    let full = try scratch.shell("\"$frostglass\" compare in.png soft.png --json > /dev/full")
    #expect(full.exitCode == 73, "\(full)")
    #expect(full.errors.contains("\"exitCode\":73"), "\(full)")
    let missing = try scratch.shell("\"$frostglass\" compare in.png no.png --json > /dev/full")
    #expect(missing.exitCode == 66, "\(missing)")
  }

  /// Words are results, too.
  @Test func aResultThatIsLostIsNoSuccess() throws {
    let scratch = try scratch(with: "in.png")
    for words in ["placeholder in.png", "plan in.png --sigma 2", "filters", "--help"] {
      let full = try scratch.shell("\"$frostglass\" \(words) > /dev/full")
      #expect(full.exitCode == 73, "\(words): \(full)")
      #expect(full.explains(["standard output", "cannot be written"]), "\(words): \(full)")
    }
  }
}
