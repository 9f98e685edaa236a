import Testing

/// What is only about words starts neither the codec nor a GPU driver.
///
/// The dynamic linker writes down every library that is opened while running: libvips opens its
/// loader modules when it starts, and EGL a vendor's driver when it is first called.
@Suite struct StartupTests {
  private func libraries(_ arguments: [String]) throws -> [Substring] {
    let scratch = try Scratch()
    try scratch.add("in.png", SamplePicture.file())
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

  /// Or the test above would prove nothing.
  @Test func workLoadsTheCodec() throws {
    let opened = try libraries(
      ["blur", "in.png", "out.png", "--sigma", "2", "--backend", "reference"])
    #expect(opened.contains { $0.contains("vips") })
    #expect(!opened.contains { $0.contains("EGL") })
  }

  @Test func theDoctorLoadsADriver() throws {
    #expect(try libraries(["doctor"]).contains { $0.contains("EGL") })
  }
}
