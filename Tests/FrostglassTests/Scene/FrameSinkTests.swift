import Frostglass
import FrostglassScenes
import FrostglassStills
import Glibc
import TestSupport
import Testing

/// Frames out: an image, numbered files, an animation.
@Suite struct FrameSinkTests {
  private let scratch = OutputScratch()

  /// Frames of noise, all different.
  private func noise(_ count: Int, _ format: PixelFormat = .rgb8) -> [Image] {
    (0..<count).map { TestImages.noise(24, 16, format, seed: UInt64($0 + 1)) }
  }

  private func write(
    _ frames: [Image], to name: String, rate: Double = 30, overwrite: Bool = false,
    encoding: EncodeOptions = EncodeOptions()
  ) async throws {
    let sink = try FrameSink(
      .file(scratch / name, overwrite: overwrite), frames: frames.count, framesPerSecond: rate,
      encoding: encoding)
    for frame in frames { try await sink.write(frame) }
    try await sink.finish()
  }

  private func picture(_ name: String) throws -> Image {
    try StillDecoder().decode(.file(scratch / name)).image
  }

  private func animation(_ name: String) throws -> StillReader {
    let decoder = StillDecoder()
    return try decoder.allFrames(of: decoder.reader(of: .file(scratch / name)))
  }

  @Test func oneFrameIsAnImage() async throws {
    let frames = noise(1)
    try await write(frames, to: "still.png")
    #expect(try picture("still.png").bytes == frames[0].bytes)
    try await write(frames, to: "100%%.webp", encoding: EncodeOptions(lossless: true))
    #expect(try picture("100%.webp").bytes == frames[0].bytes)
    #expect(scratch.names() == ["100%.webp", "still.png"])
  }

  @Test func numberedFilesGetTheirFolder() async throws {
    let frames = noise(12)
    try await write(frames, to: "a/b/frame-%03d.png")
    let names = (1...12).map { "frame-0\($0 < 10 ? "0" : "")\($0).png" }
    #expect(scratch.names(in: "a/b") == names)
    for (name, frame) in zip(names, frames) {
      #expect(try picture("a/b/" + name).bytes == frame.bytes)
    }
    try await write([frames[0]], to: "one-%d.png")
    #expect(try picture("one-1.png").bytes == frames[0].bytes)
  }

  @Test(arguments: [PixelFormat.rgb8, .rgba8]) func aLosslessWebPHasEveryPixel(
    format: PixelFormat
  ) async throws {
    var frames = noise(40, format)
    // Colors under no alpha need not be kept.
    for index in frames.indices where format == .rgba8 {
      for place in stride(from: 3, to: frames[index].bytes.count, by: 4) {
        frames[index].bytes[place] |= 1
      }
    }
    try await write(frames, to: "noise.webp", rate: 60, encoding: EncodeOptions(lossless: true))
    let reader = try animation("noise.webp")
    #expect(reader.header.frames == 40)
    #expect(reader.header.size == Size(width: 24, height: 16))
    #expect(
      reader.metadata.animation
        == StillMetadata.Animation(
          delays: FrameTimes.delays(frames: 40, rate: 60, format: .webp), loop: 0))
    for (index, frame) in frames.enumerated() {
      let read = try reader.frame(index)
      #expect(read.format == frame.format && read.bytes == frame.bytes, "frame \(index)")
    }
  }

  /// libwebp makes one frame of several that are equal.
  @Test(arguments: ["still.webp", "still.gif"]) func whatStandsStillIsShownAsLong(
    name: String
  ) async throws {
    let (one, other) = (noise(2)[0], noise(2)[1])
    for lossless in [true, false] {
      try await write(
        [one, one, one, other, other, one, one, one, one, other], to: name, rate: 50,
        overwrite: true, encoding: EncodeOptions(lossless: lossless))
      let animation = try animation(name).metadata.animation
      #expect(animation?.delays.reduce(0, +) == 200)
    }
  }

  @Test func aGIFHasItsFramesAndDelays() async throws {
    let colors: [[Float]] = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]
    let frames = (0..<10).map { TestImages.flat(30, 20, .rgb8, colors[$0 % 4]) }
    try await write(frames, to: "flat.gif")
    let reader = try animation("flat.gif")
    #expect(
      reader.metadata.animation
        == StillMetadata.Animation(delays: [30, 40, 30, 30, 40, 30, 30, 40, 30, 30], loop: 0))
    for index in 0..<10 {
      let frame = try reader.frame(index)
      for channel in 0..<3 {
        #expect(frame.sample(x: 9, y: 9, channel: channel) == colors[index % 4][channel])
      }
    }
  }

  @Test func whatIsThereStaysUnlessItMayBeReplaced() async throws {
    let frames = noise(3)
    try await write([frames[0]], to: "2.png")
    for name in ["%d.png", "2.png"] {
      let expected = EncodeError.exists(path: scratch / "2.png").description
      let error = await #expect(throws: FrostglassError.self) {
        try await write(name == "%d.png" ? frames : [frames[1]], to: name)
      }
      #expect(error?.description == expected)
    }
    #expect(scratch.names() == ["2.png"])
    #expect(try picture("2.png").bytes == frames[0].bytes)
    try await write(frames, to: "%d.png", overwrite: true)
    #expect(try picture("2.png").bytes == frames[1].bytes)
    #expect(scratch.names() == ["1.png", "2.png", "3.png"])
  }

  @Test func whatDoesNotFitTheNameIsRefusedBeforeAnyFrame() {
    let cases: [(String, Int, Double, FrameSinkError)] = [
      ("a.png", 3, 30, .holdsOneFrame(path: scratch / "a.png", format: .png, frames: 3)),
      ("a.jpg", 2, 30, .holdsOneFrame(path: scratch / "a.jpg", format: .jpeg, frames: 2)),
      ("a.gif", 2, 60, .badFrameRate(60, format: .gif, accepted: 0.01...50)),
      ("a.webp", 2, 0, .badFrameRate(0, format: .webp, accepted: 0.01...90)),
      ("a.webp", 2, .infinity, .badFrameRate(.infinity, format: .webp, accepted: 0.01...90)),
      ("a.apng", 2, 120, .badFrameRate(120, format: .apng, accepted: 0.01...90)),
      ("%x.png", 2, 30, .badNumber(path: scratch / "%x.png", found: "%x")),
      ("%d/%d.png", 2, 30, .severalNumbers(path: scratch / "%d/%d.png")),
    ]
    for (name, frames, rate, expected) in cases {
      let error = #expect(throws: FrostglassError.self) {
        try FrameSink(
          .file(scratch / name, overwrite: false), frames: frames, framesPerSecond: rate)
      }
      #expect(error?.description == expected.description)
      // Nothing is said of another format.
      if case .badFrameRate(_, let format, _) = expected {
        #expect(error?.description.contains("into \(format.name);") == true)
      }
    }
    let error = #expect(throws: FrostglassError.self) {
      try FrameSink(.file(scratch / "%d.psd", overwrite: false), frames: 2)
    }
    guard case .encode(.unknownFormat) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(scratch.names().isEmpty)
  }

  /// y4m has its rate as a fraction of whole numbers.
  @Test func aVideoOfNextToNoFramesIsRefused() throws {
    let file = try SceneFile(
      text: #"{"canvas": {"width": 4, "height": 4}, "duration": 1}"#, pictures: [:])
    let job = SceneJob(
      file: file, moments: .all(framesPerSecond: 0.0001),
      sink: .file(scratch / "a.y4m", overwrite: false))
    let error = #expect(throws: FrostglassError.self) { try Pipeline(backend: .fast).check(job) }
    #expect(error?.description == FrameSinkError.badVideoRate(0.0001).description)
  }

  @Test func anAnimationThatEndsEarlyLeavesNothing() async throws {
    let frames = noise(5)
    do {
      let sink = try FrameSink(.file(scratch / "a.webp", overwrite: false), frames: 9)
      for frame in frames { try await sink.write(frame) }
      let error = await #expect(throws: FrostglassError.self) { try await sink.finish() }
      #expect(error?.description == FrameSinkError.incomplete(frames: 9, given: 5).description)
    }
    #expect(scratch.names().isEmpty)
    let untouched = try FrameSink(.file(scratch / "b.webp", overwrite: false), frames: 9)
    await #expect(throws: FrostglassError.self) { try await untouched.finish() }
  }

  @Test func framesThatDoNotFitAreLeftOut() async throws {
    let frames = noise(2)
    let sink = try FrameSink(.file(scratch / "a.webp", overwrite: false), frames: 2)
    try await sink.write(frames[0])
    let small = Image(zeros: Size(width: 9, height: 9), format: .rgb8)
    let other = await #expect(throws: FrostglassError.self) { try await sink.write(small) }
    #expect(other?.description.contains("9×9 rgb8") == true)
    try await sink.write(frames[1])
    let more = await #expect(throws: FrostglassError.self) { try await sink.write(frames[1]) }
    #expect(more?.description == FrameSinkError.tooMany(frames: 2).description)
    try await sink.finish()
    #expect(try StillDecoder().header(of: .file(scratch / "a.webp")).frames == 2)
  }

  @Test(arguments: ["wide.webp", "%d.webp", "wide-%d.jpg"])
  func whatAFormatCannotHoldIsSaid(
    name: String
  ) async throws {
    // A WebP has up to 16383 columns, a JPEG no alpha.
    let format: PixelFormat = name.hasSuffix("jpg") ? .rgba8 : .rgb8
    let frame = Image(zeros: Size(width: 16384, height: 2), format: format)
    let error = await #expect(throws: FrostglassError.self) {
      try await write([Image](repeating: frame, count: 20), to: name)
    }
    switch error {
    case .encode(.unsupportedImage(.jpeg, _, _)), .encode(.tooLarge(.webp, _, _, _)): break
    default: Issue.record("\(String(describing: error))")
    }
    #expect(scratch.names().isEmpty)
  }

  @Test func aFailureOnTheWayLeavesWholeFilesOnly() async throws {
    let frames = noise(12)
    let sink = try FrameSink(.file(scratch / "%d.png", overwrite: true), frames: 12)
    // In the way of the third.
    mkdir(scratch / "3.png", 0o755)
    let error = await #expect(throws: FrostglassError.self) {
      for frame in frames { try await sink.write(frame) }
      try await sink.finish()
    }
    #expect(error?.description.hasPrefix(scratch / "3.png") == true)
    #expect(error?.isUnwritable == true)
    await #expect(throws: FrostglassError.self) { try await sink.finish() }
    for name in scratch.names() where name != "3.png" {
      let index = try #require(Int(name.dropLast(4)))
      #expect(try picture(name).bytes == frames[index - 1].bytes)
    }
  }

  @Test func aFolderThatCannotBeMadeIsNamed() async throws {
    try await write(noise(1), to: "file.png")
    let error = await #expect(throws: FrostglassError.self) {
      try await write(noise(2), to: "file.png/x/%d.png")
    }
    #expect(error?.description.hasPrefix(scratch / "file.png") == true)
    #expect(error?.isUnwritable == true)
  }

  @Test func moreRowsThanLibvipsCountsAreRefused() async {
    let frame = Image(zeros: Size(width: 1, height: 1000), format: .rgb8)
    let sink = try? FrameSink(.file(scratch / "long.gif", overwrite: false), frames: 10_001)
    let error = await #expect(throws: FrostglassError.self) {
      for _ in 0..<100 { try await sink?.write(frame) }
    }
    #expect(error?.description.contains("up to 10000 of that size") == true)
  }
}

extension FrostglassError {
  fileprivate var isUnwritable: Bool {
    if case .encode(.unwritable) = self { true } else { false }
  }
}
