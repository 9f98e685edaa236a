import Frostglass
import FrostglassCore
import FrostglassOptions
import FrostglassServer
import FrostglassStills
import TestSupport
import Testing

/// Orders, as a worker gets them.
@Suite struct InProcessWorkerTests {
  private let worker = InProcessWorker(Pipeline(backend: .fast))
  /// All tests run at once.
  private let patient = WorkLimits(seconds: 600)

  /// The memory of a GPU in use is in the metrics. Without a GPU there is no such line.
  @Test func memoryOfGPUsIsKnownOnceOneWasUsed() async throws {
    let order = WorkOrder(
      "blur", fields: [Field("sigma", "2")], limits: patient, parts: ["picture": try Sample.file()])
    #expect(await worker.perform(order).status == 200)
    #expect(worker.metrics.isEmpty)
    let gpu = InProcessWorker(Pipeline(backend: .gl))
    #expect(gpu.metrics.isEmpty)
    #expect(await gpu.perform(order).status == 200)
    let line = try #require(gpu.metrics.first?.text.split(separator: "\n").last)
    #expect(line.hasPrefix("frostglass_gpu_memory_bytes "))
    #expect(line.split(separator: " ").last.flatMap { Int($0) } ?? 0 > 0, "\(line)")
  }

  @Test func everyOperationIsDone() async throws {
    let picture = try Sample.file(width: 30, height: 20)
    let orders: [(Operation, [Field], String)] = [
      (.blur, [Field("sigma", "2")], "image/png"),
      (.redact, [Field("region", "1,1,5,5")], "image/png"),
      (.fill, [Field("size", "40x40")], "image/png"),
      (.placeholder, [], "application/json"),
      (.plan, [Field("sigma", "2")], "application/json"),
    ]
    for (operation, fields, type) in orders {
      let answer = await worker.perform(
        WorkOrder(operation.rawValue, fields: fields, limits: patient, parts: ["picture": picture]))
      #expect(answer.status == 200, "\(operation): \(String(decoding: answer.body, as: UTF8.self))")
      #expect(answer.contentType == type)
    }
    #expect(await worker.perform(WorkOrder("format-disk")).status == 404)
  }

  @Test func whatIsMissingIsSaid() async {
    for operation in Operation.allCases {
      let answer = await worker.perform(
        WorkOrder(
          operation.rawValue, fields: [Field("sigma", "2"), Field("aspect", "1:1")],
          limits: patient))
      #expect(answer.status == 400, "\(operation)")
      #expect(answer.contentType == Problem.contentType)
    }
  }

  /// Labels come from strangers' files, and a note is a line of a head.
  @Test func notesAreLinesWhateverAFileSays() async throws {
    let label = "fa\u{7F}ce\u{85}" + String(repeating: "a\u{301}\u{302}", count: 3000)
    let regions = """
      [{"x": 1, "y": 1, "width": 3, "height": 3},
       {"x": 900, "y": 1, "width": 3, "height": 3, "label": "\(label)"}]
      """
    let answer = await worker.perform(
      WorkOrder(
        "blur", fields: [Field("sigma", "2")], limits: patient,
        parts: ["picture": try Sample.file(), "regions": Array(regions.utf8)]))
    #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    let note = try #require(answer.fields.first { $0.name == "X-Frostglass-Note" }?.value)
    #expect(note.contains("fa ce "))
    #expect(note.utf8.count <= 8192)
    let controls = note.unicodeScalars.filter {
      $0.value < 0x20 || (0x7F...0x9F).contains($0.value)
    }
    #expect(controls.isEmpty)
  }

  /// Heads are ASCII: letters beyond are written as JSON writes them, so that none is lost.
  @Test func notesKeepTheirLetters() async throws {
    let regions = """
      [{"x": 1, "y": 1, "width": 3, "height": 3},
       {"x": 900, "y": 1, "width": 3, "height": 3, "label": "Gesicht ä\\\\n 顔 😀"}]
      """
    let form = TestServer.form(
      files: [("picture", try Sample.file()), ("regions", Array(regions.utf8))])
    let reply = try await TestServer().post("/v1/blur?sigma=2", form.body, [form.header])
    let note = try #require(reply["x-frostglass-note"])
    #expect(note.contains(#"Gesicht \u00e4\\n \u9854 \ud83d\ude00"#), "\(note)")
    let read = try JSONValue(text: "\"\(note)\"")
    guard case .string(let text) = read.content else {
      Issue.record("no string: \(note)")
      return
    }
    #expect(text.contains("Gesicht ä\\n 顔 😀"), "\(text)")
  }

  /// They are lost where the answer is a still, and where the service takes one frame only.
  @Test(arguments: [("blur", 1, "gif"), ("blur", 9, "jpg"), ("fill", 9, "png")])
  func framesThatAreLeftOutAreNoted(_ operation: String, _ most: Int, _ format: String) async throws
  {
    let frames = (0..<3).map { PalettedGIF.Frame(width: 8, Array(repeating: UInt8($0), count: 64)) }
    let video = PalettedGIF(width: 8, height: 8, colors: PalettedGIF.manyColors, frames).bytes
    var fields = [Field("format", format)]
    fields.append(operation == "fill" ? Field("size", "20x20") : Field("sigma", "2"))
    let answer = await worker.perform(
      WorkOrder(
        operation, fields: fields, limits: WorkLimits(maxFrames: most, seconds: 600),
        parts: ["picture": video]))
    #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    let note = try #require(answer.fields.first { $0.name == "X-Frostglass-Note" }?.value)
    #expect(note.contains("2 of the image's frames"), "\(note)")
  }

  /// If there are many notes, the first ones are in the header, and the one about reversible fills is among them.
  @Test(arguments: ["blur", "mosaic"]) func whatCanBeReversedSaysSo(_ fill: String) async throws {
    let fields = [Field("fill", fill), Field("allow-outside", "true"), Field("region", "1,1,5,5")]
    let outside = (0..<6).map { Field("region", "\(900 + $0),0,5,5") }
    let answer = await worker.perform(
      WorkOrder(
        "redact", fields: fields + outside, limits: patient,
        parts: ["picture": try Sample.file()]))
    #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    let note = try #require(answer.fields.first { $0.name == "X-Frostglass-Note" }?.value)
    #expect(note.contains("a \(fill) is no redaction"), "\(note)")
    #expect(note.contains("region 2"), "\(note)")
  }

  /// Fills that would change nothing hide nothing, so they are refused.
  @Test(
    arguments: [
      ("blur", "sigma", "0"), ("blur", "sigma", "0%"), ("mosaic", "cell", "1px"),
      ("mosaic", "cell", "1.9"), ("mosaic", "cell", "1pt"), ("mosaic", "cell", "0%"),
    ]) func fillsThatChangeNothingAreRefused(_ fill: String, _ name: String, _ value: String)
    async throws
  {
    var order = WorkOrder(
      "redact",
      fields: [Field("region", "1,1,5,5"), Field("fill", fill), Field(name, value)],
      limits: patient, parts: ["picture": try Sample.file()])
    let refused = await worker.perform(order)
    let text = String(decoding: refused.body, as: UTF8.self)
    #expect(refused.status == 400 && text.contains("\(name) is \(value); it must be"), "\(text)")
    order.fields[2].value = "2pt"
    let status = await worker.perform(order).status
    #expect(status == 200)
  }

  /// A share of an image may come to too little.
  @Test func cellsOfAPixelHideNothing() async throws {
    // Of 200 px.
    let picture = try StillEncoder().encode(
      Image(zeros: Size(width: 300, height: 200), format: .rgb8), as: .png)
    for (cell, status) in [("1%", 200), ("0.9%", 400), ("0.1%", 400)] {
      let answer = await worker.perform(
        WorkOrder(
          "redact",
          fields: [Field("region", "1,1,50,50"), Field("fill", "mosaic"), Field("cell", cell)],
          limits: patient, parts: ["picture": picture]))
      let text = String(decoding: answer.body, as: UTF8.self)
      #expect(answer.status == status, "\(cell): \(answer.status)")
      guard status == 400 else { continue }
      #expect(text.contains("size is \(cell) = "), "\(text)")
      #expect(text.contains("it must be from 2 to 1000 px"), "\(text)")
    }
  }

  /// The same in an audit, which loses nothing: what no line can have is escaped.
  @Test func auditsAreLinesWhateverAFileSays() async throws {
    let regions = #"[{"x": 1, "y": 1, "width": 3, "height": 3, "label": "~fa\#u{7F}ce\#u{85}"}]"#
    let answer = await worker.perform(
      WorkOrder(
        "redact", fields: [Field("audit", "header")], limits: patient,
        parts: ["picture": try Sample.file(), "regions": Array(regions.utf8)]))
    #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    let audit = try #require(answer.fields.first { $0.name == "X-Frostglass-Audit" }?.value)
    #expect(audit.contains(#"~fa\u007fce\u0085"#), "\(audit)")
    #expect(audit.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
  }

  @Test func aCancelledOrderIsNobodys() async throws {
    let picture = try Sample.photograph()
    let work = Task {
      await worker.perform(
        WorkOrder(
          "blur", fields: [Field("filter", "bilateral(10) bilateral(10)")],
          limits: patient, parts: ["picture": picture]))
    }
    work.cancel()
    #expect(await work.value.status == 503)
  }

  private static let values = [
    "", "0", "1", "-1", "2", "3px", "50%", "1e308", "nan", "inf", "0x10", "true", "light", "dark",
    "blur(2px)", "blur(", "pixelate(4)", "grain(0.1)", "clamp", "wrap", "mirror", "exact", "fast",
    "1,1,4,4", "ellipse(10%,10%,50%,50%)", "polygon(0 0, 5 0, 5 5)", "1,1,1", "white", "#12345678",
    "png", "webp", "gif", "jpg", "tiff", "heic", "jxl", "bmp", "4x3", "9x9", "99x1", "16:9",
    "40x30", "0x0",
    "solid",
    "mosaic", "frosted", "show", "confine", "scale", "alpha", "header", "part", "srgb", "keep",
    "pillow:3", "é", "\u{1F600}", "a=b", "9999999999999999999999", "top", "center",
  ]

  /// Any fields are processed or refused with a reason.
  @Test func anyFieldsAreDoneOrRefused() async throws {
    var random = SplitMix(state: 19)
    let picture = try Sample.file(width: 9, height: 7)
    let mask = try Sample.file(.jpeg, width: 5, height: 5)
    for _ in 0..<1500 {
      let operation = Operation.allCases.randomElement(using: &random) ?? .blur
      guard operation != .scene else { continue }
      let fields = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
        Field(
          operation.options.randomElement(using: &random)?.name ?? "",
          Self.values.randomElement(using: &random) ?? "")
      }.filter { !["preset", "mask", "regions"].contains($0.name) }
      var parts = ["picture": picture]
      if Bool.random(using: &random) { parts["mask"] = mask }
      if Int.random(in: 0..<4, using: &random) == 0 { parts["regions"] = Array("[[1,1,2,2]]".utf8) }
      let answer = await worker.perform(
        WorkOrder(operation.rawValue, fields: fields, limits: patient, parts: parts))
      #expect(
        answer.status < 500,
        "\(operation) \(fields.map { "\($0.name)=\($0.value)" }): \(answer.status)")
      #expect((answer.status < 400) == (answer.contentType != Problem.contentType))
    }
  }
}
