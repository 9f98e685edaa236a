import FrostglassCore
import FrostglassStills
import Testing

/// Animations through `blur`.
@Suite struct AnimationCommandTests {
  /// Five frames of 48×24: a white bar that moves to the right, on black.
  static func video(_ format: StillFormat) throws -> [UInt8] {
    var picture = Image(zeros: Size(width: 48, height: 24 * 5), format: .rgb8)
    for y in 0..<24 * 5 {
      for x in 0..<4 {
        for channel in 0..<3 {
          picture.setSample(1, x: x + 10 + 6 * (y / 24), y: y, channel: channel)
        }
      }
    }
    let animation = StillMetadata.Animation(delays: [40, 50, 60, 70, 80], loop: 2)
    return try StillEncoder(EncodeOptions(quality: 100)).encode(
      picture, metadata: StillMetadata(animation: animation), as: format)
  }

  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.add("in.gif", Self.video(.gif))
    try scratch.add("in.webp", Self.video(.webp))
    // As most are called.
    try scratch.add("in.png", Self.video(.apng))
    return scratch
  }

  private func frames(_ scratch: Scratch, _ name: String) throws -> [Image] {
    let decoder = StillDecoder()
    let reader = try decoder.allFrames(of: decoder.reader(of: .file(scratch / name)))
    #expect(
      reader.metadata.animation == StillMetadata.Animation(delays: [40, 50, 60, 70, 80], loop: 2))
    return try (0..<reader.header.frames).map { try reader.frame($0) }
  }

  @Test(
    arguments: ["in.gif", "in.webp", "in.png"], ["out.gif", "out.webp", "out.apng"])
  func everyFrameIsBlurred(_ input: String, _ output: String) throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "blur", input, output, "--sigma", "3", "--output-quality", "100")
    #expect(run.exitCode == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run)")
    let frames = try frames(scratch, output)
    #expect(frames.count == 5)
    for (index, frame) in frames.enumerated() {
      #expect(frame.size == Size(width: 48, height: 24))
      // Four white columns blurred with σ = 3: 0.495 in their middle; 24 columns aside nothing.
      let middle = 6 * index + 12
      #expect(abs(frame.sample(x: middle, y: 12, channel: 1) - 0.495) < 0.12, "\(index)")
      #expect(frame.sample(x: (middle + 24) % 48, y: 12, channel: 1) < 0.06, "\(index)")
    }
  }

  /// Frame by frame is not otherwise than one by one, on any backend.
  @Test(arguments: ["fast", "reference"]) func framesAreAsStills(_ backend: String) throws {
    let scratch = try scratch()
    let recipe = ["--sigma", "2", "--backend", backend, "--output-quality", "100"]
    #expect(try scratch.run(["blur", "in.webp", "all.webp"] + recipe).exitCode == 0)
    let all = try frames(scratch, "all.webp")
    for number in 1...5 {
      let name = "\(number).png"
      let run = try scratch.run(["blur", "in.webp", name, "--frame", "\(number)"] + recipe)
      #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
      let comparison = try ImageComparison(all[number - 1], scratch.picture(name).image)
      // What WebP loses at its best quality.
      #expect(comparison.mean < 2, "\(comparison)")
    }
  }

  @Test func aStillTakesTheFirstFrameAndSaysSo() throws {
    let scratch = try scratch()
    let run = try scratch.run("blur", "in.gif", "out.png", "--sigma", "0")
    #expect(run.exitCode == 0 && run.output.isEmpty, "\(run)")
    #expect(
      run.errors
        == "frostglass blur: in.gif has 5 frames, out.png holds the first; --frame N takes "
        + "another, a GIF, WebP or APNG file all\n")
    #expect(try scratch.picture("out.png").image.sample(x: 11, y: 1, channel: 0) == 1)
    let third = try scratch.run("blur", "in.gif", "3.gif", "--sigma", "0", "--frame", "3")
    #expect(third.exitCode == 0 && third.errors.isEmpty, "\(third)")
    let still = try StillDecoder().reader(of: .file(scratch / "3.gif"))
    #expect(still.header.frames == 1)
    #expect(try still.image().sample(x: 23, y: 1, channel: 0) > 0.95)
  }

  @Test func aPipeGivesAllFrames() throws {
    let scratch = try scratch()
    let run = try scratch.shell("cat in.gif | \"$frostglass\" blur - - --sigma 1 > out.gif")
    #expect(run.exitCode == 0, "\(run)")
    #expect(try frames(scratch, "out.gif").count == 5)
  }

  @Test func aBatchKeepsAnimations() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "blur", "in.gif", "in.webp", "in.png", "--out-dir", "out", "--sigma", "1")
    #expect(run.exitCode == 0, "\(run)")
    #expect(try frames(scratch, "out/in.png").count == 5)
    #expect(try frames(scratch, "out/in.gif").count == 5)
    #expect(try frames(scratch, "out/in.webp").count == 5)
  }

  @Test(arguments: [("0", 64, "1 or more"), ("x", 64, "1 or more"), ("6", 65, "1 to 5")])
  func aFrameThatIsNotThereIsExplained(_ frame: String, _ code: Int32, _ words: String) throws {
    let scratch = try scratch()
    let run = try scratch.run("blur", "in.gif", "out.gif", "--sigma", "1", "--frame", frame)
    #expect(run.exitCode == code && run.explains([frame, words]), "\(run)")
    #expect(scratch.names == ["in.gif", "in.png", "in.webp"])
  }

  @Test func aCutOffAnimationLeavesNothing() throws {
    let scratch = try scratch()
    let whole = try scratch.contents("in.webp")
    try scratch.add("cut.webp", Array(whole.prefix(whole.count * 2 / 3)))
    let run = try scratch.run("blur", "cut.webp", "out.webp", "--sigma", "1")
    #expect(run.exitCode == 65 && run.explains(["cut.webp", "damaged"]), "\(run)")
    #expect(!scratch.names.contains("out.webp"))
  }

  @Test func aCutOffGIFLeavesNothing() throws {
    let scratch = try scratch()
    let whole = try scratch.contents("in.gif")
    try scratch.add("cut.gif", Array(whole.dropLast(4)))
    let run = try scratch.run("blur", "cut.gif", "out.gif", "--sigma", "1")
    #expect(run.exitCode == 65 && run.explains(["cut.gif", "damaged or incomplete"]), "\(run)")
    #expect(!scratch.names.contains("out.gif"))
  }

  @Test func comparingSaysThatOneFrameIsCompared() throws {
    let scratch = try scratch()
    let told = "in.gif has 5 frames; the first was compared"
    let run = try scratch.run("compare", "in.gif", "in.gif")
    #expect(run.exitCode == 0 && run.errors.contains("frostglass compare: \(told)"), "\(run)")
    let json = try scratch.run("compare", "in.gif", "in.gif", "--json")
    #expect(json.exitCode == 0 && json.errors.isEmpty && json.text.contains(told), "\(json)")
    let one = try scratch.run("compare", "in.gif", "in.gif", "--frame", "2")
    #expect(one.exitCode == 0 && one.errors.isEmpty, "\(one)")
  }

  /// Each frame before its own blurred copy.
  @Test(arguments: ["in.gif", "in.png"], ["out.webp", "out.png"])
  func everyFrameIsFilled(_ input: String, _ output: String) throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "fill", input, output, "--size", "48x72", "--output-quality", "100")
    guard input == "in.png" || output == "out.webp" else {
      // A PNG is a still unless the input was one with frames.
      #expect(run.exitCode == 0 && run.explains(["5 frames", "WebP or APNG"]), "\(run)")
      #expect(try StillDecoder().header(of: .file(scratch / output)).frames == 1)
      return
    }
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
    let frames = try frames(scratch, output)
    #expect(frames.count == 5)
    for (index, frame) in frames.enumerated() {
      #expect(frame.size == Size(width: 48, height: 72))
      #expect(frame.sample(x: 11 + 6 * index, y: 36, channel: 0) > 0.9, "\(index)")
      #expect(frame.sample(x: (11 + 6 * index + 20) % 48, y: 36, channel: 0) < 0.1, "\(index)")
    }
  }

  /// Frames that cannot be read are warned about.
  @Test func framesOfAnAnimatedPNGAreMissed() throws {
    let scratch = try Scratch()
    try scratch.add("film.png", SampleImage.animatedPNG(frames: 5))
    try scratch.add("still.png", SampleImage.animatedPNG(frames: 1))
    let run = try scratch.run("blur", "film.png", "out.png", "--sigma", "2")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.contains("film.png has 4 more frames that cannot be read"), "\(run)")
    let still = try scratch.run("blur", "still.png", "out2.png", "--sigma", "2")
    #expect(still.exitCode == 0 && still.errors.isEmpty, "\(still)")
    let batch = try scratch.run("blur", "film.png", "--out-dir", "out", "--sigma", "2")
    #expect(batch.errors.contains("film.png has 4 more frames"), "\(batch)")
  }

  /// A GIF's pixels are transparent or not.
  @Test func softEdgesInAGIFAreTold() throws {
    let scratch = try Scratch()
    var image = Image(zeros: Size(width: 32, height: 32), format: .rgba8)
    for y in 8..<24 {
      for x in 8..<24 {
        for channel in [0, 3] { image.setSample(1, x: x, y: y, channel: channel) }
      }
    }
    try scratch.add("in.gif", StillEncoder().encode(image, as: .gif))
    let soft = try scratch.run("blur", "in.gif", "out.gif", "--sigma", "3")
    #expect(soft.exitCode == 0, "\(soft)")
    #expect(
      soft.errors.contains("soft edges became hard") && soft.errors.contains("WebP"), "\(soft)")
    for words in [
      ["blur", "in.gif", "out.webp", "--sigma", "3"],
      ["blur", "in.gif", "same.gif", "--filter", "saturate(2)"],
    ] {
      let run = try scratch.run(words)
      #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
    }
  }

  /// Before its folder is there as afterwards.
  @Test func framesAreCountedAlike() throws {
    let scratch = try scratch()
    for command in [["blur", "--sigma", "2"], ["fill", "--size", "20x10"]] {
      let words = command + ["in.png", "--out-dir", "new/er", "--json"]
      let dry = try scratch.run(words + ["--dry-run"])
      #expect(dry.exitCode == 0 && dry.text.contains("\"frames\":5"), "\(dry)")
      #expect(!scratch.names.contains("new/"))
      let run = try scratch.run(words)
      #expect(run.exitCode == 0 && run.text.contains("\"frames\":5"), "\(run)")
      #expect(try scratch.shell("rm -r new").exitCode == 0)
    }
    let run = try scratch.run("fill", "in.png", "one.gif", "--size", "20x10", "--json")
    #expect(run.exitCode == 0 && run.text.contains("\"frames\":5"), "\(run)")
  }
}
