import FrostglassCore
import FrostglassStills
import Testing

/// The choice of the backend, and its messages.
@Suite struct BackendTests {
  /// No EGL vendor answers here.
  private let withoutEGL = ["__EGL_VENDOR_LIBRARY_FILENAMES": "/nowhere/vendor.json"]

  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    return scratch
  }

  @Test func glWithoutAVendorSaysWhatToDo() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "blur", "in.png", "out.png", "--sigma", "2", "--backend", "gl", environment: withoutEGL)
    #expect(run.exitCode == 69, "\(run)")
    #expect(run.explains(["gl", "__EGL_VENDOR_LIBRARY_FILENAMES", "unset it"]), "\(run)")
    #expect(scratch.names == ["in.png"])
  }

  @Test func aBatchWithoutAVendorSaysSoToo() throws {
    let scratch = try scratch()
    try scratch.add("two.png", SampleImage.file())
    try scratch.addFolder("out")
    let run = try scratch.run(
      "blur", "in.png", "two.png", "--out-dir", "out", "--sigma", "2", "--backend", "gl",
      environment: withoutEGL)
    #expect(run.exitCode == 69, "\(run)")
    #expect(scratch.names == ["in.png", "out/", "two.png"])
  }

  @Test func autoWorksWithoutAVendor() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "blur", "in.png", "out.png", "--sigma", "2", environment: withoutEGL)
    #expect(run.exitCode == 0, "\(run)")
    #expect(try scratch.picture("out.png").image.size.width == 24)
  }

  @Test(arguments: ["fast", "reference"]) func verboseSaysWhoRanAndHowLong(_ name: String) throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "blur", "in.png", "out.png", "--sigma", "2", "--backend", name, "--verbose")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.output.isEmpty)
    #expect(run.errors.hasPrefix("backend   \(name) (asked for"), "\(run)")
    for stage in ["decode", "plan", "execute", "encode"] {
      #expect(run.errors.contains("\n\(stage) "), "\(run)")
    }
    #expect(run.errors.contains(/execute +[0-9.]+ ms\n/), "\(run)")
    #expect(scratch.names == ["in.png", "out.png"])
  }

  @Test func verboseSaysWhatTheGPUHeld() throws {
    let run = try scratch().run(
      "blur", "in.png", "out.png", "--sigma", "2", "--backend", "gl", "-v", "--gpu-memory", "1M")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.contains(/\ngpu +at most [0-9.]+ KiB of 1 MiB, [0-9]+ textures/), "\(run)")
  }

  @Test(arguments: ["blur", "redact", "fill", "compare", "bench"])
  func memoryForTheGPUIsASize(_ command: String) throws {
    let words =
      switch command {
      case "blur": ["in.png", "out.png", "--sigma", "2"]
      case "redact": ["in.png", "out.png", "--region", "1,1,4,4"]
      case "fill": ["in.png", "out.png", "--aspect", "1:1"]
      case "compare": ["in.png", "--sigma", "2"]
      default: ["--size", "16x16", "--sigma", "2", "--runs", "1"]
      }
    for size in ["", "lots", "-1", "0"] {
      let run = try scratch().run([command] + words + ["--gpu-memory=\(size)"])
      #expect(run.exitCode == 64, "\(run)")
      #expect(run.explains(["--gpu-memory is \(size)", "K, M, G or T"]), "\(run)")
    }
    let run = try scratch().run(
      [command] + words + ["--gpu-memory", "4M", "--backend", "gl"])
    #expect(run.exitCode == 0, "\(run)")
  }

  @Test func tooLittleMemoryForTheGPUIsAnError() throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "blur", "in.png", "out.png", "--sigma", "20", "--backend", "gl", "--gpu-memory", "1000")
    #expect(run.exitCode == 69, "\(run)")
    #expect(run.explains(["1000 bytes"]), "\(run)")
    #expect(scratch.names == ["in.png"])
  }

  @Test func verboseSaysWhyAutoChose() throws {
    let run = try scratch().run("blur", "in.png", "out.png", "--sigma", "2", "-v")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.contains("GPU") || run.errors.contains("renderer"), "\(run)")
  }

  @Test(arguments: [true, false]) func theDoctorAlwaysAnswers(_ vendor: Bool) throws {
    let run = try Scratch().run("doctor", environment: vendor ? [:] : withoutEGL)
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.isEmpty, "\(run)")
    for word in ["displays", "devices", "backends", "reference", "auto takes"] {
      #expect(run.text.contains(word), "\(run)")
    }
    if !vendor {
      #expect(run.text.contains("gl         does not start"), "\(run)")
      #expect(run.text.contains("what may help\n  - "), "\(run)")
    }
  }
}
