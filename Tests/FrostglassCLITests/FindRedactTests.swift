import Foundation
import FrostglassCore
import FrostglassStills
import TestSupport
import Testing

/// `--find faces` of `redact` and `blur`.
@Suite(.enabled(if: FindModels.areThere, "\(FindModels.advice)")) struct FindRedactTests {
  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    for (name, path) in [("face.jpg", FindModels.face), ("none.jpg", FindModels.noFace)] {
      try scratch.add(name, [UInt8](Data(contentsOf: URL(fileURLWithPath: path))))
    }
    return scratch
  }

  @Test func itIsFindThenRedact() throws {
    let scratch = try scratch()
    let find = try scratch.run("find", "face.jpg", "faces.json")
    #expect(find.exitCode == 0, "\(find)")
    for (index, words) in [["--regions", "faces.json"], ["--find", "faces"]].enumerated() {
      let run = try scratch.run(["redact", "face.jpg", "\(index).png"] + words)
      #expect(run.exitCode == 0, "\(run)")
      #expect(run.errors.contains("1 face; lowest score 0.9") == (index == 1), "\(run)")
    }
    #expect(try scratch.contents("0.png") == scratch.contents("1.png"))
    // The eye is gone, the corner is as it was.
    let (before, after) = (
      try Photographs.load("astronaut.jpg"), try scratch.picture("1.png").image
    )
    #expect(before.sample(x: 5, y: 500, channel: 0) == after.sample(x: 5, y: 500, channel: 0))
    let eye = (-4...4).map { x in
      abs(
        before.sample(x: 203 + x, y: 102, channel: 0) - after.sample(x: 203 + x, y: 102, channel: 0)
      )
    }
    #expect((eye.max() ?? 0) > 0.1, "\(eye)")
  }

  @Test func theAuditSaysWhatWasFoundAndByWhich() throws {
    let scratch = try scratch()
    let words = ["--find", "faces", "--region", "0,0,20,20", "--audit", "a.json"]
    let run = try scratch.run(["redact", "face.jpg", "x.jpg"] + words)
    #expect(run.exitCode == 0, "\(run)")
    let audit = try #require(
      JSONSerialization.jsonObject(with: Data(scratch.contents("a.json"))) as? [String: Any])
    let found = try #require(audit["found"] as? [String: Any])
    #expect(found["count"] as? Int == 1 && found["effort"] as? String == "normal")
    #expect((found["lowest"] as? Double ?? 0) > 0.9 && found["score"] as? Double == 0.5)
    let models = try #require(found["models"] as? [[String: String]])
    #expect(
      models.map { $0["sha256"] }
        == [FindModels.yunet, FindModels.centerface].map { FileDigest.sha256(of: $0) })
    let regions = try #require(audit["regions"] as? [[String: Any]])
    try #require(regions.map { $0["source"] as? String } == ["given", "found"])
    #expect(regions[1]["label"] as? String == "face")
  }

  @Test func whereNothingIsFoundNothingIsWritten() throws {
    let scratch = try scratch()
    for command in [["redact"], ["blur", "--sigma", "20"]] {
      let words = command + ["none.jpg", "x.png", "--find", "faces", "--overwrite"]
      let run = try scratch.run(words)
      #expect(
        run.exitCode == 65
          && run.explains(["none.jpg", "no face", "nothing is written", "--allow-none"]), "\(run)")
      #expect(!scratch.names.contains("x.png"))
      let allowed = try scratch.run(words + ["--allow-none"])
      #expect(allowed.exitCode == 0 && allowed.errors.contains("0 faces"), "\(allowed)")
      // It is as it was.
      let same = try scratch.run("compare", "none.jpg", "x.png", "--tolerance", "0")
      #expect(same.exitCode == 0, "\(same)")
      try FileManager.default.removeItem(atPath: scratch / "x.png")
    }
    try scratch.refusal(
      ["redact", "face.jpg", "x.jpg", "--find", "faces", "--find-score", "0.999"], exit: 65,
      ["0.999", "the best has 0.9"])
  }

  @Test func aBatchWritesTheImagesWithFaces() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "redact", "face.jpg", "none.jpg", "--out-dir", "out", "--find", "faces", "--audit", "a.json",
      "--review", "s.png")
    #expect(run.exitCode == 65 && run.errors.contains("none.jpg: no face was found"), "\(run)")
    #expect(
      run.errors.contains("1 of 2 failed") && run.errors.contains("redact: 1 face;"), "\(run)")
    #expect(scratch.names.filter { $0.hasPrefix("out/") } == ["out/", "out/face.jpg"])
    let audit = String(decoding: try scratch.contents("a.json"), as: UTF8.self)
    #expect(audit.contains("\"found\": {") && audit.contains("out/face.jpg"))
    let allowed = try scratch.run(
      "blur", "face.jpg", "none.jpg", "--out-dir", "all", "--find", "faces", "--allow-none",
      "--sigma",
      "9")
    #expect(allowed.exitCode == 0, "\(allowed)")
    #expect(scratch.names.filter { $0.hasPrefix("all/") }.count == 3)
  }

  /// The face is in one frame of two alone.
  @Test(.enabled(if: Scratch.hasFFmpeg, "there is no ffmpeg"))
  func everyFrameOfAnAnimationIsLookedAt() throws {
    let scratch = try scratch()
    let made = try scratch.shell(
      """
      ffmpeg -v error -i none.jpg -i face.jpg -filter_complex \
        "[0]scale=512:512,setsar=1[a];[1]scale=512:512,setsar=1[b];[a][b]concat=n=2" -f apng two.png
      """)
    #expect(made.exitCode == 0, "\(made)")
    let run = try scratch.run("redact", "two.png", "safe.apng", "--find", "faces")
    #expect(run.exitCode == 0 && run.errors.contains("1 face"), "\(run)")
    let first = try scratch.run("redact", "two.png", "x.png", "--find", "faces", "--frame", "1")
    #expect(first.exitCode == 65, "\(first)")
    // A still is the first frame, and what is found in others is not in it.
    for words in [["x.jpg"], ["--out-dir", "out", "--format", "jpg"]] {
      let still = try scratch.run(["redact", "two.png"] + words + ["--find", "faces"])
      #expect(still.exitCode == 65 && still.errors.contains("nothing is written"), "\(still)")
    }
    #expect(!scratch.names.contains { $0.hasSuffix("jpg") && $0.contains("out") || $0 == "x.jpg" })
  }

  /// A face that can hardly be seen over anything is whole in the file.
  @Test func nearlyTransparentFacesAreFound() throws {
    let scratch = try scratch()
    let image = try Photographs.load("astronaut.jpg").eightBitColors
    for alpha in [0, 2] as [UInt8] {
      let bytes = stride(from: 0, to: image.packedBytes.count, by: 3).flatMap { pixel in
        image.packedBytes[pixel..<pixel + 3] + [alpha]
      }
      let faint = try Image(size: image.size, format: .rgba8, alpha: .straight, bytes: bytes)
      try scratch.add("faint.png", StillEncoder().encode(faint, as: .png))
      let run = try scratch.run("redact", "faint.png", "x\(alpha).png", "--find", "faces")
      #expect(run.exitCode == 0 && run.errors.contains("1 face;"), "\(run)")
    }
  }

  /// What was searched is what is covered, or nothing is written.
  @Test(
    arguments: zip(
      [
        "mv -f other.jpg face.jpg", "cat other.jpg >face.jpg",
        "mv face.jpg away.jpg; mv away.jpg face.jpg",
      ],
      [
        ["redact", "face.jpg", "x.jpg", "--audit", "a.json", "--review", "s.png"],
        ["redact", "face.jpg", "--out-dir", "out"], ["blur", "--sigma", "20", "face.jpg", "x.jpg"],
      ]))
  func anImageThatChangesMeanwhileIsNotWritten(_ change: String, _ words: [String]) throws {
    let scratch = try scratch()
    try scratch.add("other.jpg", scratch.contents("face.jpg"))
    let program = try scratch.commandThatFinds(after: change)
    let run = try CommandRun(
      program, words + ["--find", "faces"], in: scratch.path,
      environment: ["FROSTGLASS_MODELS": FindModels.folder])
    #expect(run.exitCode == 65, "\(run)")
    for word in ["face.jpg", "replaced or changed", "nothing is written"] {
      #expect(run.errors.contains(word), "\(run)")
    }
    #expect(!scratch.names.contains { ["x.jpg", "a.json", "s.png", "out/face.jpg"].contains($0) })
  }

  /// A link that leads to a pipe when the image is covered, and back to the image that was searched when all is done.
  @Test(arguments: [
    ["redact", "face.jpg", "x.jpg"], ["redact", "face.jpg", "--out-dir", "out"],
    ["blur", "--sigma", "20", "face.jpg", "x.jpg"],
  ])
  func aLinkThatIsTurnedAndTurnedBackIsNoticed(_ words: [String]) throws {
    let scratch = try scratch()
    let moved = try scratch.shell("mv face.jpg one.jpg; ln -s one.jpg face.jpg; mkfifo pipe")
    #expect(moved.exitCode == 0, "\(moved)")
    // Each of the two processes that search would turn it.
    let program = try scratch.commandThatFinds(
      after: "mkdir turned 2>/dev/null || exit 0; ln -sfn pipe face.jpg; "
        + "setsid sh -c \"timeout 30 cat none.jpg >pipe; ln -sfn one.jpg face.jpg\" 3>&- 4>&- 5>&- &"
    )
    let run = try CommandRun(
      program, words + ["--find", "faces"], in: scratch.path,
      environment: ["FROSTGLASS_MODELS": FindModels.folder])
    #expect(run.exitCode == 65, "\(run)")
    for word in ["face.jpg", "replaced or changed"] { #expect(run.errors.contains(word), "\(run)") }
    #expect(!scratch.names.contains { ["x.jpg", "out/face.jpg"].contains($0) }, "\(run)")
  }

  @Test func theSheetShowsBothParts() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "redact", "face.jpg", "x.jpg", "--find", "faces", "--find-effort", "thorough", "--find-in",
      "0,0,9,9",
      "--region", "0,0,30,30", "--allow-none", "--review", "s.png")
    #expect(run.exitCode == 0 && run.errors.contains("left alone: see the sheet"), "\(run)")
    #expect(scratch.names.contains("s.png"))
  }

  /// Of an image with alpha there are copies of the size of the whole, not of what the networks see.
  @Test func alphaCountsAsMemory() throws {
    let scratch = try scratch()
    let size = Size(width: 2000, height: 2000)
    for (name, format) in [("rgb.png", PixelFormat.rgb8), ("rgba.png", .rgba8)] {
      try scratch.add(name, StillEncoder().encode(Image(zeros: size, format: format), as: .png))
    }
    let words = ["--memory", "40M", "--allow-none"]
    #expect(try scratch.run(["find", "rgb.png"] + words).exitCode == 0)
    try scratch.refusal(["find", "rgba.png"] + words, exit: 65, ["rgba.png", "memory"])
  }

  @Test func whatCannotBeMeantIsRefused() throws {
    let scratch = try scratch()
    for (words, explained) in [
      (["--find", "plates"], ["--find", "faces"]),
      (["--find-score", "0.5", "--region", "1,1,5,5"], ["--find-score", "--find faces"]),
      (["--allow-none", "--region", "1,1,5,5"], ["--allow-none", "--find faces"]),
      (["--find", "faces", "--dry-run"], ["--dry-run", "frostglass find"]),
      (["--find", "faces", "--invert"], ["--invert", "visible", "--regions"]),
      (["--find", "faces", "--grow=-3"], ["--grow", "0 or more"]),
    ] {
      try scratch.refusal(["redact", "face.jpg", "x.jpg"] + words, exit: 64, explained)
      try scratch.refusal(
        ["blur", "--sigma", "9", "face.jpg", "x.jpg"] + words, exit: 64, explained)
    }
    for words in [
      ["--also", "-> b.jpg", "--sigma", "9"], ["--sigma", "0"], ["--filter", "blur(0px)"],
      ["--filter", "brightness(1)"], ["--sigma", "0.3"],
    ] {
      try scratch.refusal(
        ["blur", "face.jpg", "x.jpg", "--find", "faces"] + words, exit: 64, ["--find", "cover"])
    }
    for words in [["--fill", "mosaic", "--cell", "2"], ["--fill", "blur", "--sigma", "0.3"]] {
      try scratch.refusal(
        ["redact", "face.jpg", "x.jpg", "--find", "faces"] + words, exit: 64, ["--find", "cover"])
    }
    try scratch.refusal(
      ["redact", "film.mp4", "x.mp4", "--find", "faces", "--tracks", "t.csv"], exit: 64,
      ["--find", "--tracks"])
    let pipe = try scratch.shell("$frostglass redact - x.jpg --find faces <face.jpg")
    #expect(pipe.exitCode == 64 && pipe.explains(["standard input", "give a file"]), "\(pipe)")
    #expect(!scratch.names.contains("x.jpg"))
  }
}
