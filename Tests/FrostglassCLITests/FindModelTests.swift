import Foundation
import FrostglassFind
import TestSupport
import Testing

/// Models that are missing, changed, damaged or custom.
@Suite(.enabled(if: FindModels.areThere, "\(FindModels.advice)")) struct FindModelTests {
  private func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test func missingModelsAre69WithTheWay() throws {
    let scratch = try Scratch()
    for words in [
      ["find", FindModels.face], ["redact", FindModels.face, "x.jpg", "--find", "faces"],
      ["blur", FindModels.face, "x.jpg", "--sigma", "9", "--find", "faces"],
      ["redact", FindModels.face, FindModels.noFace, "--out-dir", "out", "--find", "faces"],
    ] {
      let run = try scratch.run(words, environment: ["FROSTGLASS_MODELS": scratch.path])
      #expect(
        run.exitCode == 69
          && run.explains([scratch.path, "frostglass-models", "scripts/models.sh"]), "\(run)")
      #expect(scratch.names.isEmpty)
    }
  }

  /// One of the two is not enough.
  @Test func aChangedOrMissingModelOfTwoIsRefused() throws {
    let scratch = try Scratch()
    var yunet = try bytes(FindModels.yunet)
    try scratch.add("face_detection_yunet_2023mar.onnx", yunet)
    let environment = ["FROSTGLASS_MODELS": scratch.path]
    let one = try scratch.run(["find", FindModels.face], environment: environment)
    #expect(one.exitCode == 69 && one.explains(["centerface.onnx"]), "\(one)")
    try scratch.add("centerface.onnx", bytes(FindModels.centerface))
    let both = try scratch.run(["find", FindModels.face], environment: environment)
    #expect(both.exitCode == 0, "\(both)")
    yunet[yunet.count / 2] ^= 1
    try scratch.add("face_detection_yunet_2023mar.onnx", yunet)
    let changed = try scratch.run(["find", FindModels.face], environment: environment)
    #expect(
      changed.exitCode == 65
        && changed.explains(["not the model", "SHA-256", "--model-kind yunet"]),
      "\(changed)")
  }

  @Test(arguments: Detector.allCases) func anOwnModelRunsAlone(_ detector: Detector) throws {
    let scratch = try Scratch()
    let path = detector == .yunet ? FindModels.yunet : FindModels.centerface
    try scratch.add("own.onnx", bytes(path))
    let run = try scratch.run(
      ["find", FindModels.face, "--model", "own.onnx", "--model-kind", detector.rawValue],
      environment: ["FROSTGLASS_MODELS": "/nowhere"])
    #expect(run.exitCode == 0 && run.text.contains("own.onnx"), "\(run)")
    #expect(!run.text.contains("centerface.onnx"))
    // The other kind has other outputs.
    let other = detector == .yunet ? Detector.centerface : .yunet
    try scratch.refusal(
      ["find", FindModels.face, "--model", "own.onnx", "--model-kind", other.rawValue], exit: 65,
      ["own.onnx", "no model of the kind \(other.rawValue)"])
  }

  @Test func whatIsNoModelIsRefused() throws {
    let scratch = try Scratch()
    let yunet = try bytes(FindModels.yunet)
    try scratch.add("empty.onnx", [])
    try scratch.add("text.onnx", Array("a model\n".utf8))
    try scratch.add("half.onnx", Array(yunet.prefix(yunet.count / 2)))
    var random = SplitMix(state: 49)
    try scratch.add("noise.onnx", (0..<5000).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    let large = try FileHandle(forWritingTo: make(scratch / "large.onnx"))
    try large.truncate(atOffset: UInt64(FindOrder.mostModelBytes) + 1)
    for name in ["empty", "text", "half", "noise", "large"] {
      try scratch.refusal(
        ["find", FindModels.face, "--model", "\(name).onnx", "--model-kind", "yunet"], exit: 65,
        ["\(name).onnx"])
    }
    let words = ["--model-kind", "yunet", "--model"]
    try scratch.refusal(["find", FindModels.face] + words + ["none.onnx"], exit: 66, ["none.onnx"])
    try scratch.refusal(["find", FindModels.face] + words + ["."], exit: 65, ["a model is a file"])
  }

  private func make(_ path: String) throws -> URL {
    try Data().write(to: URL(fileURLWithPath: path))
    return URL(fileURLWithPath: path)
  }

  /// Changed bytes may make another network, one that is none, or end the process that reads it; the command says so
  /// or finds something, and leaves nothing behind.
  @Test(arguments: 0..<12) func damagedModelsAreBounded(_ seed: Int) throws {
    let scratch = try Scratch()
    var model = try bytes(FindModels.yunet)
    var random = SplitMix(state: UInt64(seed))
    // At the beginning lie names and shapes, then weights.
    for _ in 0..<(1 + seed) {
      let end = seed % 2 == 0 ? 4000 : model.count
      model[Int(random.next() % UInt64(end))] = UInt8(truncatingIfNeeded: random.next())
    }
    try scratch.add("damaged.onnx", model)
    let run = try scratch.run(
      "find", FindModels.face, "out.json", "--model", "damaged.onnx", "--model-kind", "yunet")
    #expect([0, 65].contains(run.exitCode) && run.signal == 0, "\(run)")
    #expect(scratch.names.contains("out.json") == (run.exitCode == 0), "\(run)")
  }

  /// A network of one layer that makes its input 160,000 times as large: 500 GB.
  @Test func aModelThatTakesTooMuchMemoryIsRefused() throws {
    let scratch = try Scratch()
    let text =
      "CA46lQEKLAoBeAoDcm9pCgFzEgM1MzciBlJlc2l6ZSoSCgRtb2RlIgduZWFyZXN0oAEDEgFnKhkIBBABQgFzShAA"
      + "AIA/AACAPwAAyEMAAMhDKgsIABABQgNyb2lKAFobCgF4EhYKFAgBEhAKAggBCgIIAwoCCEAKAghAYh0KAzUzNxIW"
      + "ChQIARIQCgIIAQoCCAEKAggBCgIIAUIECgAQCw=="
    try scratch.add("large.onnx", [UInt8](try #require(Data(base64Encoded: text))))
    try scratch.refusal(
      ["find", FindModels.face, "--model", "large.onnx", "--model-kind", "centerface"], exit: 65,
      ["large.onnx", "Failed to allocate"])
  }

  @Test func theProgramIsForFrostglassAlone() throws {
    let scratch = try Scratch()
    for words in [[], ["look"], ["look", "1"]] {
      let run = try CommandRun(CommandRun.built("frostglass-find"), words, in: scratch.path)
      #expect(run.exitCode == 64 && run.errors.contains("frostglass find"), "\(run)")
    }
  }
}
