import FrostglassCore
import FrostglassStills
import Glibc
import TestSupport
import Testing

/// The library as C programs have it: a header, a shared library, and what pkg-config says of them.
@Suite struct CLibraryTests {
  private static let folder = "\(Files.root)/.build/c"
  private static let strict = ["-Wall", "-Wextra", "-Werror", "-Wpedantic", "-O1"]

  /// Links a library of what the tests were built of.
  private func link(_ options: String...) throws {
    let run = try CommandRun(
      "\(Files.root)/scripts/c-library.sh", ["--built"] + options, in: Files.root)
    try #require(run.exitCode == 0, "\(run)")
  }

  /// Compiles a program from the header alone and links it with the library.
  private func compile(
    _ source: String, _ arguments: [String], with library: String = "frostglass",
    to program: String, in scratch: Scratch
  ) throws {
    let flags = try CommandRun(
      "pkg-config", ["--cflags", "--libs", library], in: scratch.path,
      environment: ["PKG_CONFIG_PATH": "\(Self.folder)/lib/pkgconfig"])
    try #require(flags.exitCode == 0, "\(flags)")
    let words = flags.text.split(whereSeparator: \.isWhitespace).map { String($0) }
    let run = try CommandRun(
      arguments[0],
      arguments.dropFirst() + Self.strict + ["\(Files.root)/\(source)"] + words
        + ["-Wl,-rpath,\(Self.folder)/lib", "-pthread", "-o", program], in: scratch.path)
    #expect(run.exitCode == 0 && run.errors.isEmpty, "\(run)")
  }

  @Test func programsAreCompiledFromTheHeaderAlone() throws {
    try link()
    let scratch = try Scratch()
    try compile("Examples/C/blur.c", ["clang", "-std=c99"], to: "blur", in: scratch)
    try compile(
      "Examples/CPlusPlus/thumbnails.cpp", ["clang++", "-std=c++17"], to: "thumbnails", in: scratch)

    // The same bytes as the command's.
    let image = TestImages.noise(150, 90, .rgb8)
    try scratch.add("in.ppm", Array("P6\n150 90\n255\n".utf8) + image.bytes)
    let text = "blur(7px) saturate(150%)"
    let command = try CommandRun(
      CommandRun.executable,
      ["blur", "in.ppm", "command.ppm", "--backend", "fast", "--filter", text], in: scratch.path)
    #expect(command.exitCode == 0, "\(command)")
    let program = try CommandRun(
      "sh", ["-c", "./blur '\(text)' <in.ppm >c.ppm"], in: scratch.path)
    #expect(program.exitCode == 0, "\(program)")
    #expect(program.errors.hasPrefix("100% done, certified under 0."), "\(program)")
    let expected = try #require(Files.bytes(of: "\(scratch.path)/command.ppm"))
    #expect(Files.bytes(of: "\(scratch.path)/c.ppm") == expected)

    let wrong = try CommandRun("sh", ["-c", "./blur 'blurr(1px)' <in.ppm"], in: scratch.path)
    #expect(wrong.exitCode == 70)
    #expect(
      wrong.errors == "FG_BAD_TEXT: there is no filter blurr; did you mean blur? (column 1)\n")
    let more = try CommandRun("./thumbnails", [], in: scratch.path)
    #expect(
      more.text
        == "4 images, 2 results each\n"
        + "FG_BAD_TEXT: there is no filter blurr; did you mean blur? (column 1)\n")
  }

  /// The larger library's way from file to file is the command's, and its pixels are the same on a GPU,
  /// which is played by the CPU here.
  @Test func filesAreTheCommands() throws {
    try link("--files")
    let scratch = try Scratch()
    try compile(
      "Examples/C/files.c", ["clang", "-std=c99"], with: "frostglass-files", to: "files",
      in: scratch)
    try scratch.add("in.png", SampleImage.noise(width: 90, height: 60))
    let text = "blur(7px) saturate(150%)"
    let command = try scratch.run(
      "blur", "in.png", "command.webp", "--backend", "fast", "--filter", text)
    #expect(command.exitCode == 0, "\(command)")
    for backend in ["fast", "gl"] {
      let program = try scratch.shell(
        "./files '\(text)' in.png \(backend).webp", environment: ["BACKEND": backend])
      #expect(program.exitCode == 0, "\(program)")
      #expect(
        program.text.hasPrefix("\(backend).webp: 90 x 60, webp by \(backend)\n"), "\(program)")
    }
    #expect(try scratch.contents("fast.webp") == scratch.contents("command.webp"))
    let pictures = try ["fast", "gl"].map { try scratch.picture("\($0).webp.png").image.bytes }
    #expect(pictures[0].prefix(3 * 90).allSatisfy { $0 == 0 })
    // Before it is rounded a sample may be 0.5 levels from the truth on each.
    let apart = zip(pictures[0], pictures[1]).map { abs(Int($0) - Int($1)) }
    #expect(apart.count == 3 * 90 * 60 && (apart.max() ?? 9) <= 1)
    let wrong = try scratch.shell("./files 'blur(1px)' nothing.png out.png")
    #expect(wrong.exitCode == 70)
    #expect(wrong.errors.hasPrefix("FG_NO_INPUT: nothing.png: there is no such file"), "\(wrong)")
  }

  /// A hundred forks while another thread blurs: pixels are the same there, and files are refused.
  @Test func forkedProcessesComputeTheSameAndAreRefusedFiles() throws {
    try link("--files")
    let scratch = try Scratch()
    try compile(
      "Tests/Programs/C/forks.c", ["clang", "-std=gnu11"], with: "frostglass-files", to: "forks",
      in: scratch
    )
    try scratch.add("in.png", SampleImage.noise(width: 90, height: 60))
    let run = try scratch.shell("./forks in.png")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text == "the same in 103 processes\n" && run.errors.isEmpty, "\(run)")
  }

  /// Every function of the headers is there, nothing else is, and no newer glibc than Debian 12's is asked
  /// for.
  @Test(arguments: [
    ("frostglass", ["frostglass.h"], 20),
    ("frostglass-files", ["frostglass.h", "frostglass_files.h"], 31),
  ]) func theLibraryShowsWhatTheHeaderDeclares(_ name: String, _ headers: [String], _ count: Int)
    throws
  {
    if name == "frostglass" { try link() } else { try link("--files") }
    let declared = try Set(
      headers.flatMap { header in
        let text = try #require(Files.text(of: "\(Files.root)/Sources/CFrostglass/\(header)"))
        return text.matches(of: #/(?m)^(?:fg_status|int32_t|size_t|const char \*) ?(fg_\w+)\(/#)
          .map { String($0.1) }
      })
    #expect(declared.count == count)
    let library = "\(Self.folder)/lib/lib\(name).so"
    let run = try CommandRun("nm", ["-D", "--defined-only", library], in: Files.root)
    let shown = run.text.split(separator: "\n").compactMap { line in
      line.split(separator: " ").last.map { $0.split(separator: "@")[0] }
    }
    #expect(Set(shown.map { String($0) }) == declared, "\(run)")
    let map = try #require(Files.text(of: "\(Files.root)/packaging/\(name).map"))
    #expect(Set(map.matches(of: #/(fg_\w+);/#).map { String($0.1) }) == declared)

    let needs = try CommandRun("nm", ["-D", "--undefined-only", library], in: Files.root)
    let minors = needs.text.matches(of: #/@GLIBC_2\.(\d+)/#).compactMap { Int($0.1) }
    #expect(minors.count > 100)
    #expect((minors.max() ?? 99) <= 34, "\(needs)")
  }
}
