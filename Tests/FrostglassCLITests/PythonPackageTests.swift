import FrostglassCore
import Glibc
import TestSupport
import Testing

private let python = "\(Files.root)/.build/python-venv/bin/python"

/// The Python package over the library that was built: its own tests, in Python.
@Suite(.enabled(if: access(python, X_OK) == 0, "needs scripts/python-venv.sh"))
struct PythonPackageTests {
  private static let environment = [
    "FROSTGLASS_LIBRARY": "\(Files.root)/.build/c/lib/libfrostglass.so",
    "PYTHONPATH": "\(Files.root)/Python", "PYTHONDONTWRITEBYTECODE": "1",
  ]

  /// Runs Python with the package over the library that the tests were built of.
  private func run(_ arguments: [String], in folder: String) throws -> CommandRun {
    let library = try CommandRun(
      "\(Files.root)/scripts/c-library.sh", ["--built"], in: Files.root)
    try #require(library.exitCode == 0, "\(library)")
    return try CommandRun(python, arguments, in: folder, environment: Self.environment)
  }

  @Test func itsOwnTestsPass() throws {
    let run = try run(
      ["-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"], in: "\(Files.root)/Python")
    #expect(run.exitCode == 0, "\(run.text.suffix(4000))\n\(run.errors)")
    #expect(run.text.contains(" passed"), "\(run)")
  }

  @Test func itsBytesAreTheCommands() throws {
    let scratch = try Scratch()
    let image = TestImages.noise(150, 90, .rgb8)
    try scratch.add("in.ppm", Array("P6\n150 90\n255\n".utf8) + image.bytes)
    let command = try CommandRun(
      CommandRun.executable,
      ["blur", "in.ppm", "command.ppm", "--backend", "fast", "--sigma", "pillow:7"],
      in: scratch.path)
    #expect(command.exitCode == 0, "\(command)")
    let script = """
      import frostglass
      from PIL import Image
      frostglass.blur(Image.open("in.ppm"), 7, compat="pillow").save("python.ppm")
      """
    let python = try run(["-c", script], in: scratch.path)
    #expect(python.exitCode == 0, "\(python)")
    let expected = try #require(Files.bytes(of: "\(scratch.path)/command.ppm"))
    #expect(Files.bytes(of: "\(scratch.path)/python.ppm") == expected)
  }
}
