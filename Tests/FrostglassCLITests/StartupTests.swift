import FrostglassStills
import Testing

/// Commands that only print text open neither a codec nor a GPU driver. Images open only the codecs that they need.
///
/// The dynamic linker records every library that is opened at run time: modules of libvips, and a vendor's driver,
/// which EGL opens at its first call.
@Suite struct StartupTests {
  private func libraries(_ arguments: [String]) throws -> [Substring] {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    let run = try scratch.run(
      arguments, environment: ["LD_DEBUG": "files", "LD_DEBUG_OUTPUT": scratch / "opened"])
    #expect(run.signal == 0, "\(run)")
    let log = try #require(scratch.names.first { $0.hasPrefix("opened.") })
    return try String(decoding: scratch.contents(log), as: UTF8.self).split(separator: "\n")
      .filter { $0.contains("dynamically loaded by") }
  }

  @Test(
    arguments: [
      ["--version"], ["--help"], ["blur", "--help"], ["compare", "--help"], ["filters"],
      ["filters", "--json"], [], ["blr"], ["blur", "in.png", "out.png", "--sigma", "-1"],
      ["blur", "in.png", "out.png", "--sigma", "2", "--backend", "gpu"],
      ["blur", "in.png", "out.png", "--filter", "blur(2px"],
      ["blur", "in.png", "out.psd", "--sigma", "2"],
      ["plan", "in.png"], ["compare", "in.png"],
    ]) func wordsLoadNothing(_ arguments: [String]) throws
  {
    #expect(try libraries(arguments).isEmpty)
  }

  @Test(arguments: ["jpg", "png", "webp", "gif", "tiff", "ppm"])
  func mostFormatsNeedNoModule(_ format: String) throws {
    let opened = try libraries(
      ["blur", "in.png", "out.\(format)", "--sigma", "2", "--backend", "reference"])
    #expect(!opened.contains { $0.contains("vips-") })
    #expect(!opened.contains { $0.contains("EGL") })
  }

  /// Or the tests above would prove nothing. Modules for what is never let in stay closed.
  @Test(arguments: ["avif", "heic", "jxl"])
  func aFormatOfAModuleLoadsIt(_ format: String) throws {
    let opened = try libraries(
      ["blur", "in.png", "out.\(format)", "--sigma", "2", "--backend", "reference"])
    let modules = Set(opened.compactMap { $0.firstMatch(of: /vips-[a-z]+\.so/).map { "\($0.0)" } })
    #expect(modules == ["vips-heif.so", "vips-jxl.so"])
  }

  @Test func modulesAreLoadedBesideOtherWork() throws {
    let scratch = try Scratch()
    for format in [StillFormat.png, .avif, .jxl] {
      try scratch.add("in.\(format.fileExtension)", SampleImage.file(format))
    }
    let run = try scratch.run(
      "blur", "in.png", "in.avif", "in.jxl", "--out-dir", "out", "--sigma", "2")
    #expect(run.exitCode == 0, "\(run)")
    for format in [StillFormat.png, .avif, .jxl] {
      #expect(try scratch.picture("out/in.\(format.fileExtension)").format == format)
    }
  }

  @Test func theDoctorLoadsADriver() throws {
    #expect(try libraries(["doctor"]).contains { $0.contains("EGL") })
  }
}
