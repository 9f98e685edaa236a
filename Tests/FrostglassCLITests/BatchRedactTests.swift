import FrostglassCore
import FrostglassStills
import Testing

/// `redact` and `fill` over several images.
@Suite struct BatchRedactTests {
  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    for name in ["a.png", "b.png", "c.png"] {
      try scratch.add(name, SampleImage.noise(width: 40, height: 30))
    }
    try scratch.add(
      "coco.json",
      Array(
        #"""
        {"images": [{"id": 1, "file_name": "a.png"}, {"id": 2, "file_name": "b.png"},
                    {"id": 3, "file_name": "c.png"}],
         "categories": [{"id": 1, "name": "face"}, {"id": 2, "name": "plate"}],
         "annotations": [{"image_id": 1, "category_id": 1, "bbox": [4, 4, 8, 8]},
                         {"image_id": 1, "category_id": 2, "bbox": [20, 20, 8, 4]},
                         {"image_id": 2, "category_id": 1, "bbox": [10, 6, 8, 8]}]}
        """#.utf8))
    return scratch
  }

  private let inputs = ["a.png", "b.png", "c.png"]

  @Test func eachImageTakesItsOwnRegions() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      ["redact"] + inputs + ["--out-dir", "out", "--regions", "coco.json", "--audit", "all.json"])
    #expect(run.exitCode == 65, "\(run)")
    #expect(run.errors.contains("2 done, 1 without regions left out in "), "\(run)")
    #expect(run.errors.contains("covered 3 regions in 2 images: 2 face, 1 plate\n"), "\(run)")
    #expect(
      run.errors.hasSuffix("1 of 3 have no regions and were not written:\n  c.png\n"), "\(run)")
    #expect(
      scratch.names.filter { $0.hasPrefix("out/") } == ["out/", "out/a.png", "out/b.png"])
    for (name, region) in [("a", "4,4,8,8;20,20,8,4"), ("b", "10,6,8,8")] {
      let single = try scratch.run("redact", "\(name).png", "\(name)-1.png", "--region", region)
      #expect(single.exitCode == 0, "\(single)")
      #expect(
        try scratch.contents("\(name)-1.png") == scratch.contents("out/\(name).png"), "\(name)")
    }
    let audit = try JSONValue(text: String(decoding: scratch.contents("all.json"), as: UTF8.self))
    guard case .array(let audits) = audit.content else {
      Issue.record("no array")
      return
    }
    #expect(audits.count == 2)
  }

  /// As CSV, as a folder for YOLO, and with the images in folders.
  @Test func otherFilesOfSeveralImages() throws {
    let scratch = try scratch()
    try scratch.add(
      "rows.csv",
      Array("image,label,x,y,w,h\na.png,face,4,6,8,12\nb.png,plate,10,0,10,15\n".utf8))
    try scratch.addFolder("labels/more")
    try scratch.add("labels/classes.txt", Array("face\nplate\n".utf8))
    // 4…12 of 40 and 6…18 of 30; 10…20 and 0…15.
    try scratch.add("labels/a.txt", Array("0 0.2 0.4 0.2 0.4\n".utf8))
    try scratch.add("labels/b.txt", Array("1 0.375 0.25 0.25 0.5 0.98\n\n".utf8))
    try scratch.add("labels/c.txt", [])
    let plain = try scratch.run(
      "redact", "a.png", "b.png", "--out-dir", "one", "--regions", "rows.csv")
    #expect(plain.exitCode == 0, "\(plain)")
    let yolo = try scratch.run(
      "redact", "a.png", "b.png", "--out-dir", "two", "--regions", "labels")
    #expect(yolo.exitCode == 0, "\(yolo)")
    #expect(yolo.errors.contains("covered 2 regions in 2 images: 1 face, 1 plate"), "\(yolo)")
    for name in ["a.png", "b.png"] {
      #expect(try scratch.contents("one/\(name)") == scratch.contents("two/\(name)"), "\(name)")
      #expect(try scratch.contents("one/\(name)") != scratch.contents(name))
    }
    let empty = try scratch.run("redact", "c.png", "c-out.png", "--regions", "labels")
    #expect(empty.exitCode == 65 && empty.explains(["no regions of c"]), "\(empty)")
    try scratch.add("labels/more/d.txt", Array("0 0.2 0.4\n".utf8))
    let broken = try scratch.run("redact", "a.png", "x.png", "--regions", "labels")
    #expect(broken.exitCode == 65 && broken.explains(["labels/more/d.txt:1:1"]), "\(broken)")
  }

  /// Regions that a filter rejects are counted. An image without any accepted region is not written.
  @Test func scoresAndLabelsAreFiltered() throws {
    let scratch = try scratch()
    try scratch.add(
      "rows.csv",
      Array(
        """
        image,label,score,x,y,w,h
        a.png,face,0.9,4,4,8,8
        a.png,face,0.2,20,4,8,8
        a.png,dog,0.9,4,20,8,8
        b.png,plate,0.7,10,6,8,8
        c.png,face,0.3,10,6,8,8

        """.utf8))
    let words = ["--regions", "rows.csv", "--min-score", "0.5", "--labels", "face,plate"]
    let run = try scratch.run(["redact"] + inputs + ["--out-dir", "out"] + words)
    #expect(run.exitCode == 65, "\(run)")
    #expect(
      run.errors.contains(
        "covered 2 regions in 2 images: 1 face, 1 plate\n"
          + "left out 3 regions: 2 under --min-score 0.5, 1 with another label\n"), "\(run)")
    #expect(
      run.errors.hasSuffix("were not written:\n  c.png: all left out (1 by score)\n"), "\(run)")
    let single = try scratch.run(
      ["redact", "a.png", "x.png", "--audit", "x.json"] + words)
    #expect(single.exitCode == 0, "\(single)")
    #expect(single.errors.contains("left out 2 regions: 1 under"), "\(single)")
    #expect(try scratch.contents("x.png") == scratch.contents("out/a.png"))
    let audit = String(decoding: try scratch.contents("x.json"), as: UTF8.self)
    for part in [
      #""minScore": 0.5"#, #""labels": ["face","plate"]"#,
      #""leftOut": {"byScore":1,"byLabel":1}"#, #""label":"face","score":0.9"#,
    ] { #expect(audit.contains(part), "\(part) in \(audit)") }
    let none = try scratch.run(["redact", "c.png", "y.png"] + words)
    #expect(
      none.exitCode == 65 && none.explains(["all regions of c.png", "1 by score"]), "\(none)")
    let half = try scratch.run(
      "redact", "a.png", "z.png", "--regions", "rows.csv", "--labels", "face,cat")
    #expect(half.exitCode == 0 && half.errors.contains("no region has the label cat"), "\(half)")
  }

  @Test(arguments: [
    (["--min-score", "0.5", "--region", "1,1,5,5"], "--min-score needs --regions"),
    (["--labels", "face,", "--regions", "coco.json"], "labels between commas"),
    (["--min-score", "50", "--regions", "coco.json"], "from 0.0 to 1.0"),
    (
      ["--regions-format", "aws", "--regions", "coco.json"], "must be one of json, csv, ultralytics"
    ),
  ])
  func filtersAreChecked(_ options: [String], _ words: String) throws {
    let run = try scratch().run(["redact", "a.png", "x.png"] + options)
    #expect(run.exitCode == 64 && run.explains([words]), "\(run)")
    let scores = try scratch().run(
      "redact", "a.png", "x.png", "--regions", "coco.json", "--min-score", "0.5")
    #expect(scores.exitCode == 65 && scores.explains(["no scores"]), "\(scores)")
  }

  /// Two images of one name cannot both be the one that the file means.
  @Test func regionsAreNotTakenTwice() throws {
    let scratch = try scratch()
    for folder in ["x", "y"] {
      try scratch.addFolder(folder)
      try scratch.add("\(folder)/a.png", scratch.contents("a.png"))
    }
    let run = try scratch.run(
      "redact", ".", "--recursive", "--out-dir", "out", "--regions", "coco.json")
    #expect(run.exitCode == 64 && run.explains(["x/a.png", "both take the regions"]), "\(run)")
    #expect(!scratch.names.contains("out/"))
  }

  @Test func doubtFailsOneImageOnly() throws {
    let scratch = try scratch()
    try scratch.add("wide.png", SampleImage.file(width: 60, height: 20))
    let words = ["a.png", "wide.png", "--out-dir", "out", "--region", "2,2,5,5;50,4,5,5"]
    let run = try scratch.run(["redact"] + words)
    #expect(run.exitCode == 65, "\(run)")
    #expect(
      run.errors.contains("region 2, a rectangle") && run.errors.contains("--allow-outside"),
      "\(run)")
    #expect(run.errors.contains("1 of 2 failed:\n  a.png: region 2"), "\(run)")
    #expect(scratch.names.contains("out/wide.png") && !scratch.names.contains("out/a.png"))
    let rest = try scratch.run(["redact", "--resume", "--allow-outside"] + words)
    #expect(rest.exitCode == 0 && rest.errors.contains("1 done, 1 skipped"), "\(rest)")
    #expect(rest.errors.contains("a.png: warning: region 2"), "\(rest)")
  }

  @Test func blurTakesRegionsOfEachImageToo() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "blur", "a.png", "b.png", "--out-dir", "out", "--sigma", "3", "--regions", "coco.json")
    #expect(run.exitCode == 0, "\(run)")
    let single = try scratch.run("blur", "b.png", "b-1.png", "--sigma", "3", "--region", "10,6,8,8")
    #expect(single.exitCode == 0, "\(single)")
    #expect(try scratch.contents("b-1.png") == scratch.contents("out/b.png"))
  }

  @Test func severalAreFilled() throws {
    let scratch = try scratch()
    let words = [
      "fill", "a.png", "b.png", "--out-dir", "out", "--size", "20x40", "--format", "jpg",
    ]
    let run = try scratch.run(words)
    #expect(run.exitCode == 0 && run.errors.contains("2 done in "), "\(run)")
    for name in ["a", "b"] {
      let still = try scratch.picture("out/\(name).jpg")
      #expect(still.format == .jpeg && still.image.size == Size(width: 20, height: 40))
    }
    let again = try scratch.run(words + ["--resume"])
    #expect(again.exitCode == 0 && again.errors.contains("0 done, 2 skipped"), "\(again)")
  }
}
