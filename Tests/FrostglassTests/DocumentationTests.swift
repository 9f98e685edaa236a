import Frostglass
import FrostglassCPU
import FrostglassCore
import FrostglassStills
import Glibc
import TestSupport
import Testing

/// The snippets of docs/integrate/library.md: what they say, and that they stand there word for word.
@Suite struct DocumentationTests {
  /// Runs of code lines in this file, between `// docs` and `// end`, and in the page, without indentation.
  @Test func thePageHasTheSnippetsOfThisFile() throws {
    let page = try #require(Files.text(of: "\(Files.root)/docs/integrate/library.md"))
    let own = try #require(
      Files.text(of: "\(Files.root)/Tests/FrostglassTests/DocumentationTests.swift"))
    func snippets(_ text: String, _ begin: String, _ end: String) -> [[String]] {
      var (found, open) = ([[String]](), [String]?.none)
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        let words = line.drop { $0 == " " }
        if words == begin {
          open = []
        } else if words == end, let snippet = open {
          found.append(snippet)
          open = nil
        } else {
          open?.append(String(words))
        }
      }
      return found
    }
    let compiled = snippets(own, "// docs", "// end")
    #expect(compiled.count == 11)
    #expect(snippets(page, "```swift", "```") == compiled)
  }

  @Test func aFile() async throws {
    let folder = "/tmp/frostglass-docs-\(UInt64.random(in: 0 ... .max))"
    #expect(mkdir(folder, 0o700) == 0)
    defer {
      for name in ["photo.jpg", "frosted.jpg"] { unlink("\(folder)/\(name)") }
      rmdir(folder)
    }
    try StillEncoder().encode(
      TestImages.noise(60, 40), as: .jpeg, to: .file("\(folder)/photo.jpg", overwrite: false))
    // docs
    let pipeline = Pipeline()
    try await pipeline.blur(
      "\(folder)/photo.jpg", to: "\(folder)/frosted.jpg", [.gaussian(sigma: 20)])
    // end
    #expect(access("\(folder)/frosted.jpg", F_OK) == 0)
  }

  @Test func bytes() async throws {
    let pipeline = Pipeline()
    let upload = try StillEncoder().encode(TestImages.noise(60, 40), as: .png)
    // docs
    let frosted = try await pipeline.blur(upload, [.gaussian(sigma: 12)], as: .webp)
    // end
    let reader = try StillDecoder().reader(of: .bytes(frosted))
    #expect(reader.header.format == .webp && reader.header.size == Size(width: 60, height: 40))
  }

  @Test func anotherSize() async throws {
    let pipeline = Pipeline()
    let upload = try StillEncoder().encode(TestImages.noise(60, 40), as: .png)
    // docs
    let thumbnail = EncodedFile()
    let box = Resize(width: 30, height: 30, fit: .cover)
    try await pipeline.run(
      Job(
        source: .bytes(upload), recipe: Recipe([.gaussian(sigma: 4)]), sink: .memory(thumbnail),
        format: .webp, decoding: DecodeOptions(resize: box)))
    // end
    let reader = try StillDecoder().reader(of: .bytes(try #require(thumbnail.bytes)))
    #expect(reader.header.size == Size(width: 30, height: 30))
  }

  @Test func chains() throws {
    let radius = 9.0
    // docs
    var look: FilterChain = [.gaussian(sigma: radius / 2)]
    look.append(.saturation(1.8))
    look.append(try FilterChain(text: "grain(0.02)"))
    // end
    #expect(look == [.gaussian(sigma: 4.5), .saturation(1.8), .grain(0.02)])
  }

  // docs
  struct Exposure: Filter {
    /// Light is multiplied by 2 to the power of this.
    var stops = 0.0
    static let definition = FilterDefinition<Exposure>(
      "exposure", "Brightens or darkens by camera stops.",
      [.factor("stops", \.stops, in: -10...10, "0 changes nothing, 1 doubles.")])
    func plan(_ source: Surface, with planner: inout Planner) -> Surface {
      planner.colorMatrix(source, ColorMatrix(scale: exp2(stops)))
    }
  }
  // end

  @Test func aFilterOfOnesOwn() async throws {
    // docs
    let brighter: FilterChain = [.gaussian(sigma: 2), .filter(Exposure(stops: 1))]
    // end
    let gray = try Image(size: Size(width: 1, height: 1), format: .gray8, bytes: [60])
    let plan = try brighter.plan(for: Plan.Input(gray))
    let result = try await ReferenceBackend().execute(plan, [gray])
    #expect(result.bytes == [120] && brighter.text == "gaussian(x=2px) exposure(stops=1)")
  }

  @Test func limits() async throws {
    let pipeline = Pipeline()
    let upload = try StillEncoder().encode(TestImages.noise(60, 40), as: .png)
    let output = EncodedFile()
    let patience = Duration.seconds(600)
    // docs
    let job = Job(
      source: .bytes(upload), recipe: Recipe([.gaussian(sigma: 12)]), sink: .memory(output),
      format: .jpeg, decoding: DecodeOptions(maxPixels: 40_000_000, maxMemory: 1 << 30),
      deadline: .now + patience)
    let admission = Admission(jobs: 4, memory: 2 << 30)
    let need = try pipeline.estimate(job).need
    let report = try await admission.run(need.byRows, until: job.deadline) {
      () async throws(FrostglassError) in
      try await pipeline.run(job)
    }
    // end
    #expect(report.outputs.map(\.frames) == [1] && need.byRows > 0)
    #expect(try StillDecoder().reader(of: .bytes(output.bytes ?? [])).header.format == .jpeg)
  }

  @Test func memory() async throws {
    let image = TestImages.noise(30, 20, .rgba8)
    let description = Plan.Input(image)
    let stride = 128
    let frame = UnsafeMutableRawBufferPointer.allocate(byteCount: stride * 20, alignment: 1)
    let result = UnsafeMutableRawBufferPointer.allocate(byteCount: stride * 20, alignment: 1)
    defer {
      frame.deallocate()
      result.deallocate()
    }
    for y in 0..<20 {
      UnsafeMutableRawBufferPointer(rebasing: frame[(y * stride)...])
        .copyBytes(from: image.bytes[y * 120..<(y + 1) * 120])
    }
    // docs
    let plan = try FilterChain([.gaussian(sigma: 12)]).plan(for: description)
    let backend = FastBackend()
    let report = try await backend.run(
      plan,
      PixelIO(
        [
          .memory(
            PixelMemory(description, bytes: UnsafeRawBufferPointer(frame), bytesPerRow: stride))
        ],
        to: [.memory(MutablePixelMemory(bytes: result, bytesPerRow: stride))]))
    // end
    let expected = try await ReferenceBackend().execute(plan, [image])
    #expect(report.backend == "fast")
    #expect(abs(Int(result[5 * stride + 40]) - Int(expected.bytes[5 * 120 + 40])) <= 1)
  }

  @Test func severalOutputs() async throws {
    let folder = "/tmp/frostglass-docs-\(UInt64.random(in: 0 ... .max))"
    #expect(mkdir(folder, 0o700) == 0)
    defer {
      unlink("\(folder)/hero.jpg")
      rmdir(folder)
    }
    let pipeline = Pipeline(backend: .fast)
    let upload = try StillEncoder().encode(TestImages.noise(60, 40), as: .png)
    let (card, original) = (EncodedFile(), EncodedFile())
    // docs
    let job = Job(
      source: .bytes(upload),
      outputs: [
        .init(Recipe([.gaussian(sigma: 20)]), to: .file("\(folder)/hero.jpg", overwrite: true)),
        .init(Recipe(try FilterChain(text: "dark()")), to: .memory(card), format: .webp),
        .init(Recipe([]), to: .memory(original), format: .png),
      ])
    let report = try await pipeline.run(job)
    print(report.plan)
    // end
    #expect(report.plan.results.count == 3)
    #expect(try StillDecoder().header(of: .file("\(folder)/hero.jpg")).format == .jpeg)
    #expect(try StillDecoder().header(of: .bytes(card.bytes ?? [])).format == .webp)
    let kept = try StillDecoder().decode(.bytes(original.bytes ?? [])).image
    #expect(kept.bytes == TestImages.noise(60, 40).bytes)
  }

  @Test func frames() async throws {
    let images = (0..<3).map { TestImages.noise(30, 20, .rgba8, seed: UInt64($0)) }
    let (description, stride) = (Plan.Input(images[0]), 128)
    let pipeline = Pipeline(backend: .fast)
    let frames = images.map { image in
      let frame = UnsafeMutableRawBufferPointer.allocate(byteCount: 120 * 20, alignment: 1)
      frame.copyBytes(from: image.bytes)
      return frame
    }
    let result = UnsafeMutableRawBufferPointer.allocate(byteCount: stride * 20, alignment: 1)
    defer { for bytes in frames + [result] { bytes.deallocate() } }
    // docs
    let renderer = try await Renderer([.gaussian(sigma: 12)], for: description, on: pipeline)
    for frame in frames {
      try await renderer.render(
        PixelMemory(description, bytes: UnsafeRawBufferPointer(frame)),
        into: MutablePixelMemory(bytes: result, bytesPerRow: stride))
    }
    // end
    let expected = try await pipeline.blur(images[2], [.gaussian(sigma: 12)])
    #expect(
      (0..<20).allSatisfy { y in
        result[y * stride..<y * stride + 120].elementsEqual(expected.bytes[y * 120..<(y + 1) * 120])
      })
  }
  @Test func aSequenceOfFrames() async throws {
    let images = (0..<3).map { TestImages.noise(30, 20, .rgba8, seed: UInt64($0)) }
    let camera = AsyncStream { give in
      give.yield(images[0])
      give.finish()
    }
    let view = View()
    let pipeline = Pipeline(backend: .fast)
    let renderer = try await Renderer(
      [.gaussian(sigma: 12)], for: Plan.Input(images[0]), on: pipeline)
    // docs
    for try await frame in renderer.frames(from: camera, whenBehind: .newestWins) {
      await view.show(frame.image)
    }
    // end
    let expected = try await pipeline.blur(images[0], [.gaussian(sigma: 12)])
    #expect(await view.shown == [expected.bytes])
  }

  private actor View {
    var shown: [[UInt8]] = []

    func show(_ image: Image) { shown.append(image.bytes) }
  }
}
