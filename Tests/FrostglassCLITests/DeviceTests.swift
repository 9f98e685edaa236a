import Foundation
import FrostglassGL
import Testing

/// `--device`, and what `doctor` says of devices.
@Suite struct DeviceTests {
  private func scratch() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    return scratch
  }

  @Test func theDoctorNumbersDevices() throws {
    let run = try Scratch().run("doctor")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text.hasPrefix("devices\n  0: "), "\(run)")
    for word in ["vendor", "driver", "node", "memory", "limits", "displays", "stage"] {
      #expect(run.text.contains(word), "\(run)")
    }
  }

  @Test func theDoctorReadsTheEnvironment() throws {
    let run = try Scratch().run("doctor", environment: ["FROSTGLASS_GL_STAGE": "compute"])
    #expect(run.text.contains("compute (asked for)"), "\(run)")
  }

  /// EGL is opened where it is needed: nothing is linked with it, and what else there is goes on.
  @Test func withoutEGLTheCPUWorks() throws {
    let scratch = try scratch()
    // The loader comes here first, and finds no library.
    try scratch.addFolder("none")
    try scratch.add("none/libEGL.so.1", [])
    let environment = ["LD_LIBRARY_PATH": scratch / "none"]
    let blur = try scratch.run(
      "blur", "in.png", "out.png", "--sigma", "2", environment: environment)
    #expect(blur.exitCode == 0 && blur.errors.isEmpty, "\(blur)")
    let gl = try scratch.run(
      "blur", "in.png", "gl.png", "--sigma", "2", "--backend", "gl", environment: environment)
    #expect(gl.exitCode == 69 && gl.explains(["libEGL.so.1 cannot be loaded", "CPU"]), "\(gl)")
    let doctor = try scratch.run("doctor", environment: environment)
    #expect(doctor.exitCode == 0, "\(doctor)")
    #expect(doctor.text.contains("libEGL.so.1 cannot be loaded"), "\(doctor)")
  }

  @Test(arguments: ["0", "all", "0,0"]) func aDeviceMeansGL(_ device: String) throws {
    let scratch = try scratch()
    let run = try scratch.run(
      "blur", "in.png", "out.png", "--sigma", "2", "--device", device, "-v")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.hasPrefix("backend   gl (asked for"), "\(run)")
    #expect(run.errors.contains(/stage +blocked/), "\(run)")
    #expect(run.errors.contains(/programs +[1-9][0-9]* compiled/), "\(run)")
  }

  @Test func unknownDevicesAreRefusedWithTheList() throws {
    try scratch().refusal(
      ["blur", "in.png", "out.png", "--sigma", "2", "--device", "no such GPU"], exit: 69,
      ["\"no such GPU\"", "0: "])
  }

  @Test(
    arguments: [
      ["blur", "in.png", "out.png", "--sigma", "2", "--backend", "fast", "--device", "0"],
      ["blur", "in.png", "out.png", "--sigma", "2", "--backend", "auto", "--device", "0"],
      ["blur", "in.png", "out.png", "--sigma", "2", "--device", " "],
      ["redact", "in.png", "out.png", "--region", "1,1,2,2", "--backend", "fast", "--device", "0"],
      ["fill", "in.png", "out.png", "--aspect", "1:1", "--backend", "reference", "--device", "0"],
      ["compare", "in.png", "--sigma", "2", "--backend", "fast", "--device", "0"],
      ["bench", "--backend", "fast,reference", "--device", "0"],
    ]) func devicesAreForGL(_ arguments: [String]) throws
  {
    let run = try scratch().run(arguments)
    #expect(run.exitCode == 64, "\(run)")
    #expect(run.explains(["--device"]), "\(run)")
  }

  @Test(
    arguments: [
      ["redact", "in.png", "out.png", "--region", "1,1,9,9", "--device", "0"],
      ["fill", "in.png", "out.png", "--aspect", "1:1", "--device", "0"],
      ["compare", "in.png", "--sigma", "2", "--device", "0"],
      ["compare", "in.png", "--sigma", "2", "--backend", "fast", "--with", "gl", "--device", "0"],
      ["bench", "--size", "16x16", "--sigma", "2", "--runs", "1", "--device", "0"],
    ]) func everyCommandTakesIt(_ arguments: [String]) throws
  {
    let scratch = try scratch()
    let run = try scratch.run(arguments)
    #expect(run.exitCode == 0, "\(run)")
    // The GPU does the work: without its library there is none.
    try scratch.addFolder("none")
    try scratch.add("none/libEGL.so.1", [])
    let without = try scratch.run(
      arguments + (arguments.contains("out.png") ? ["--overwrite"] : []),
      environment: ["LD_LIBRARY_PATH": scratch / "none"])
    #expect(without.exitCode == 69, "\(without)")
  }

  @Test func anUnknownStageIsRefused() throws {
    let run = try scratch().run(
      "blur", "in.png", "out.png", "--sigma", "2",
      environment: ["FROSTGLASS_GL_STAGE": "vertex"])
    #expect(run.exitCode == 64 && run.explains(["FROSTGLASS_GL_STAGE is vertex"]), "\(run)")
  }

  /// A stage that there was is still taken for the nearest that there is.
  @Test func aFormerStageIsUnderstood() throws {
    let run = try Scratch().run("doctor", environment: ["FROSTGLASS_GL_STAGE": "tiled"])
    #expect(run.exitCode == 0 && run.text.contains("compute (asked for)"), "\(run)")
  }

  @Test(arguments: GLOptions.Stage.allCases)
  func theHelpNamesTheStages(_ stage: GLOptions.Stage) throws {
    let help = try Scratch().run("doctor", "--help")
    #expect(help.text.contains(stage.rawValue), "\(help)")
    let run = try scratch().run(
      "blur", "in.png", "out.png", "--sigma", "2", "--backend", "gl",
      environment: ["FROSTGLASS_GL_STAGE": stage.rawValue])
    #expect(run.exitCode == 0, "\(run)")
  }

  /// Without a GPU, `auto` starts nothing.
  @Test(.enabled(if: !GLSurvey.hasGPUDeviceNode, "there is a GPU here"))
  func autoStartsNothingWithoutAGPU() throws {
    let scratch = try scratch()
    let run = try scratch.run("blur", "in.png", "out.png", "--sigma", "2", "-v")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.contains("no GPU here"), "\(run)")
  }
}
