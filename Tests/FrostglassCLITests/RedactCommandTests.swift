import FrostglassCore
import FrostglassStills
import Testing

/// `frostglass redact`.
@Suite struct RedactCommandTests {
  /// Two images that differ in 8 × 6 pixels only.
  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    var image = SampleImage.image(width: 48, height: 32)
    try scratch.add("one.png", StillEncoder().encode(image, as: .png))
    for y in 10..<16 {
      for x in 20..<28 { image.setSample(Float(x * y % 7) / 6, x: x, y: y, channel: 1) }
    }
    try scratch.add("two.png", StillEncoder().encode(image, as: .png))
    return scratch
  }

  @Test(arguments: [[], ["--fill", "solid"], ["--filter", "blur(2px)"], ["--feather", "4"]])
  func whatIsHiddenIsNotInTheFile(_ options: [String]) throws {
    let scratch = try scratch()
    for name in ["one", "two"] {
      let run = try scratch.run(
        ["redact", "\(name).png", "\(name)-safe.png", "--region", "20,10,8,6"] + options)
      #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
    }
    #expect(try scratch.contents("one-safe.png") == scratch.contents("two-safe.png"))
    #expect(try scratch.contents("one-safe.png") != scratch.contents("one.png"))
  }

  /// As narrow as no pixel is, and as nothing is that is added to where it begins: it is hidden all the same.
  @Test(arguments: [
    "ellipse(12.5,8.5,20,1e-20)", "ellipse(20.5,3.5,1e-20,20)", "ellipse(50%,25%,1e-18%,50%)",
    "ellipse(12.5,8.5,20,1e-320)", "20.5,3.5,1e-20,20",
  ])
  func theNarrowestShapeIsHidden(_ region: String) throws {
    let scratch = try scratch()
    for options in [[], ["--feather", "3"], ["--grow", "3"]] {
      let run = try scratch.run(
        ["redact", "one.png", "safe.png", "--overwrite", "--region", region] + options)
      #expect(run.exitCode == 0, "\(run)")
      let pixels = try ["one.png", "safe.png"].map {
        try StillDecoder().decode(.bytes(scratch.contents($0))).image.bytes
      }
      #expect(pixels[0] != pixels[1], "\(options)")
    }
  }

  @Test(arguments: ["mosaic", "blur"]) func whatCanBeReversedSaysSo(_ fill: String) throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "redact", "two.png", "out.png", "--region", "20,10,8,6", "--grow", "0", "--fill", fill)
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.contains("warning: a \(fill) is no redaction"), "\(run)")
    // It is done where it was asked for, and nowhere else.
    let (before, after) = (
      try scratch.picture("two.png").image, try scratch.picture("out.png").image
    )
    var changed = 0
    for y in 0..<32 {
      for x in 0..<48 {
        let pixel = 3 * (48 * y + x)..<3 * (48 * y + x) + 3
        guard before.bytes[pixel] != after.bytes[pixel] else { continue }
        changed += 1
        #expect((20..<28).contains(x) && (10..<16).contains(y), "\(x) \(y)")
      }
    }
    #expect(changed > 8 * 6 / 2)
  }

  @Test func metadataIsDroppedUnlessKept() throws {
    let scratch = try Scratch()
    try scratch.add("in.jpg", SampleImage.fromCamera(maker: "Frostworks"))
    let secret = Array("Frostworks".utf8)
    for (options, isKept) in [([], false), (["--keep-metadata"], true)] {
      let run = try scratch.run(
        ["redact", "in.jpg", "out.jpg", "--overwrite", "--region", "2,2,5,5"] + options)
      #expect(run.exitCode == 0, "\(run)")
      let bytes = try scratch.contents("out.jpg")
      let found = bytes.indices.contains { bytes[$0...].starts(with: secret) }
      #expect(found == isKept)
    }
  }

  /// An audit never takes an image's place, whatever may be overwritten.
  @Test(arguments: ["two.png", "out.png", "./two.png", "-", ""])
  func anAuditIsNoImage(_ audit: String) throws {
    let scratch = try scratch()
    let before = try scratch.contents("two.png")
    let run = try scratch.run(
      "redact", "two.png", "out.png", "--region", "2,2,5,5", "--audit", audit, "--overwrite")
    #expect(run.exitCode == 64 && run.errors.contains("--audit is"), "\(run)")
    #expect(try scratch.contents("two.png") == before)
    #expect((try? scratch.contents("out.png")) == nil)
  }

  @Test func anAuditSaysWhatWasDone() throws {
    let scratch = try scratch()
    try scratch.add(
      "r.json", Array(#"[{"bbox": [20, 10, 8, 6], "label": "face"}, {"bbox": [90, 0, 5, 5]}]"#.utf8)
    )
    let words = [
      "redact", "two.png", "out.png", "--regions", "r.json", "--audit", "audit.json", "--overwrite",
      "--allow-outside",
    ]
    let run = try scratch.run(words)
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.contains("region 2, a rectangle"), "\(run)")
    let first = try scratch.contents("audit.json")
    let text = String(decoding: first, as: UTF8.self)
    let digest = try #require(FileDigest.sha256(of: scratch / "out.png"))
    for part in [
      "\"input\": {\"name\":\"two.png\",\"sha256\":\"", digest, "\"width\": 48", "\"height\": 32",
      "\"fill\": \"frosted\"", "\"reversible\": false", "\"grow\": \"4px\"",
      "\"metadata\": \"dropped\"", "\"label\":\"face\"",
      "\"pixels\":{\"x\":20,\"y\":10,\"width\":8,\"height\":6}", "\"pixels\":null",
    ] { #expect(text.contains(part), "\(part) in \(text)") }
    #expect(!text.contains("\"time\""))
    // A run can be done again, to the byte.
    #expect(try scratch.run(words).exitCode == 0)
    #expect(try scratch.contents("audit.json") == first)
    #expect(try scratch.run(words + ["--audit-time"]).exitCode == 0)
    let timed = String(decoding: try scratch.contents("audit.json"), as: UTF8.self)
    #expect(timed.contains(/"time": "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/), "\(timed)")
    #expect(try scratch.run(words + ["--audit-no-input-digest"]).exitCode == 0)
    let bare = String(decoding: try scratch.contents("audit.json"), as: UTF8.self)
    #expect(
      bare.contains("{\"name\":\"two.png\",\"sha256\":null}") && bare.contains(digest), "\(bare)")
  }

  @Test(arguments: [
    (["--region", "1,1,5,5;90,0,5,5"], "--allow-outside", "region 2, a rectangle"),
    (["--regions", "far.json"], "--allow-outside", "covers nothing (face)"),
    (["--mask", "small.png"], "--allow-other-size", "small.png: the mask has 24×16 pixels"),
    (["--mask", "one.png", "--mask-channel", "alpha"], "--allow-no-alpha", "no alpha channel"),
    (["--regions", "coco.json"], "--allow-other-size", "found in an image of 96×64"),
    (["--fill", "blur", "--region", "1,1,5,5;90,0,5,5"], "--allow-outside", "region 2"),
  ])
  func doubtIsRefusedUnlessAllowed(
    _ options: [String], _ allowance: String, _ words: String
  ) throws {
    let scratch = try scratch()
    try scratch.add("small.png", SampleImage.file(width: 24, height: 16))
    try scratch.add(
      "far.json", Array(#"[{"bbox": [1, 1, 5, 5]}, {"bbox": [90, 0, 5, 5], "label": "face"}]"#.utf8)
    )
    try scratch.add(
      "coco.json",
      Array(
        #"""
        {"images": [{"id": 1, "file_name": "one.png", "width": 96, "height": 64}],
         "annotations": [{"image_id": 1, "bbox": [1, 1, 5, 5]}]}
        """#.utf8))
    let command = ["redact", "one.png", "out.png"] + options
    let run = try scratch.run(command)
    #expect(run.exitCode == 65 && run.explains([words, allowance]), "\(run)")
    #expect(!scratch.names.contains("out.png"))
    for other in ["--allow-outside", "--allow-other-size", "--allow-no-alpha"]
    where other != allowance {
      #expect(try scratch.run(command + [other]).exitCode == 65)
    }
    let allowed = try scratch.run(command + [allowance])
    #expect(allowed.exitCode == 0 && allowed.errors.contains("warning: "), "\(allowed)")
    #expect(allowed.errors.contains(words), "\(allowed)")
  }

  @Test func anotherImagesBoxesAreLeftAlone() throws {
    let scratch = try scratch()
    try scratch.add(
      "coco.json",
      Array(
        #"""
        {"images": [{"id": 1, "file_name": "one.png"}, {"id": 2, "file_name": "two.png"}],
         "categories": [{"id": 5, "name": "plate"}],
         "annotations": [{"image_id": 1, "category_id": 5, "bbox": [2, 2, 6, 6]},
                         {"image_id": 2, "category_id": 5, "bbox": [20, 10, 8, 6]}]}
        """#.utf8))
    let run = try scratch.run(
      "redact", "two.png", "out.png", "--regions", "coco.json", "--audit", "audit.json")
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
    let audit = String(decoding: try scratch.contents("audit.json"), as: UTF8.self)
    #expect(audit.contains("\"shape\":\"20,10,8,6\",\"label\":\"plate\""), "\(audit)")
    #expect(!audit.contains("2,2,6,6"), "\(audit)")
    let (before, after) = (
      try scratch.picture("two.png").image, try scratch.picture("out.png").image
    )
    #expect(before.sample(x: 4, y: 4, channel: 0) == after.sample(x: 4, y: 4, channel: 0))
  }

  /// An image is not published if its audit cannot be written.
  @Test func noImageIsThereWithoutItsAudit() throws {
    try scratch().refusal(
      ["redact", "one.png", "out.png", "--region", "1,1,5,5", "--audit", "/dev/full"], exit: 73,
      ["/dev/full", "No space left"])
  }

  /// Something that is mounted there cannot be replaced, which only its rename finds out. What an audit told
  /// before is there again.
  @Test(
    .enabled(if: Privileges.ownMounts != nil, "mounting is not permitted here"),
    arguments: [nil, [7, 7]])
  func noAuditIsThereWithoutItsImage(_ before: [UInt8]?) throws {
    let scratch = try scratch()
    try scratch.add("out.png", [1])
    if let before { try scratch.add("audit.json", before) }
    let names = scratch.names
    let mounts = try #require(Privileges.ownMounts)
    let run = try scratch.shell(
      """
      \(mounts) sh -c 'mount --bind out.png out.png
      exec "$frostglass" redact one.png out.png --region 1,1,5,5 --overwrite --audit audit.json'
      """)
    #expect(run.exitCode == 73 && run.explains(["out.png", "Device or resource busy"]), "\(run)")
    #expect(scratch.names == names)
    #expect(try scratch.contents("out.png") == [1])
    #expect((try? scratch.contents("audit.json")) == before)
  }

  @Test func anExistingAuditStopsBeforeAnyWork() throws {
    let scratch = try scratch()
    try scratch.add("audit.json", [1])
    try scratch.refusal(
      ["redact", "one.png", "out.png", "--region", "1,1,5,5", "--audit", "audit.json"], exit: 73,
      ["audit.json", "exists"])
  }
}
