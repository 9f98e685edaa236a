import FrostglassBench
import Foundation
import FrostglassCore
import Testing

/// `frostglass bench`: its words and its numbers' shapes, never how large the numbers are.
@Suite struct BenchTests {
  private static let quick = ["bench", "--size", "40x30", "--runs", "3"]

  /// The objects on the lines of a program's output.
  private func objects(_ run: CommandRun) throws -> [[String: any Sendable]] {
    try run.text.split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return try #require(object as? [String: any Sendable], "\(line)")
    }
  }

  @Test func printsOneObjectPerRow() throws {
    let run = try Scratch().run(
      Self.quick + [
        "--sigma", "2,uikit:20.5", "--backend", "fast,reference", "--threads", "2", "--json",
      ])
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.isEmpty, "\(run)")
    let rows = try objects(run)
    #expect(rows.compactMap { $0["sigma"] as? Double } == [2, 20.5, 2, 20.5])
    #expect(rows.compactMap { $0["backend"] as? String }.sorted().first == "fast")
    #expect(rows.compactMap { $0["threads"] as? Int } == [2, 2, 1, 1])
    for row in rows {
      #expect(row["width"] as? Int == 40)
      #expect(row["height"] as? Int == 30)
      #expect(row["format"] as? String == "rgba8")
      #expect(row["alpha"] as? String == "premultiplied")
      #expect(row["runs"] as? Int == 3)
      #expect((row["median_ms"] as? Double ?? 0) > 0)
      #expect((row["copy_ms"] as? Double ?? -1) >= 0)
      #expect((row["clock_ghz"] as? Double ?? 0) > 0)
      #expect((row["additions_per_cycle"] as? Double ?? 0) > 0)
    }
  }

  @Test(arguments: ["gl", "fast"]) func manyJobsLeaveNoMemoryTaken(_ backend: String) throws {
    let run = try Scratch().run(
      ["bench", "--soak", "120", "--backend", backend, "--gpu-memory", "16M"])
    #expect(run.exitCode == 0, "\(run)")
    let rows = run.text.split(separator: "\n").dropFirst().map { line in
      // Seconds become whole ones.
      line.split(separator: ",").compactMap { Int(Double($0) ?? -1) }
    }
    try #require(rows.count == 120 && rows.allSatisfy { $0.count == 8 }, "\(run)")
    #expect(rows.enumerated().allSatisfy { $1[0] == $0 + 1 })
    #expect(rows.allSatisfy { $0[4] <= 16 << 20 && $0[3] <= $0[4] })
    #expect((backend == "gl") == (rows[119][4] > 0))
    // What compiled programs and the allocator keep, not an image of each job.
    #expect(rows[119][2] - rows[59][2] < 100 << 20, "\(rows[59]) \(rows[119])")
  }

  @Test func aSoakIsNoMeasurement() throws {
    for words in [
      ["--sigma", "2"], ["--size", "10x10"], ["--backend", "gl,fast"],
      ["--format", "gray8"], ["--alpha", "straight"], ["--quality", "fast"], ["--linear"],
      ["--region", "1,1,2,2"],
    ] {
      let run = try Scratch().run(["bench", "--soak", "3"] + words)
      #expect(run.exitCode == 64 && run.explains(["--soak", words[0]]), "\(run)")
    }
    let json = try Scratch().run("bench", "--soak", "3", "--json")
    #expect(json.exitCode == 64 && json.errors.contains("--soak and --json exclude"), "\(json)")
  }

  @Test func theFieldsComeInOrder() throws {
    let run = try Scratch().run(Self.quick + ["--sigma", "2", "--json"])
    let names = run.text.matches(of: /"([a-z_]+)":/).map { String($0.1) }
    #expect(
      names.starts(with: [
        "backend", "width", "height", "format", "sigma", "threads", "median_ms", "copy_ms", "runs",
      ]), "\(run)")
  }

  @Test(arguments: PixelFormat.all) func measuresEveryFormat(_ format: PixelFormat) throws {
    let run = try Scratch().run(
      Self.quick + ["--size", "40x30,1x1", "--sigma", "0,5", "--format", "\(format)"])
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.isEmpty, "\(run)")
    let lines = run.text.split(separator: "\n")
    try #require(lines.count == 5, "\(run)")
    #expect(lines[0].hasPrefix("backend"), "\(run)")
    #expect(lines.dropFirst().allSatisfy { $0.contains("\(format)") }, "\(run)")
    #expect(Set(lines.map(\.count)).count == 1, "\(run)")
  }

  @Test func filtersAreMeasuredInTurn() throws {
    let arguments = Self.quick + ["--filter", "gaussian(5px);  thin-light(5px)  mix(0.5)"]
    let rows = try objects(Scratch().run(arguments + ["--json"]))
    #expect(
      rows.compactMap { $0["filter"] as? String } == ["gaussian(5px)", "thin-light(5px) mix(0.5)"])
    #expect(rows.allSatisfy { $0["runs"] as? Int == 3 && $0["sigma"] == nil })
    let run = try Scratch().run(arguments)
    #expect(run.text.contains("  thin-light(5px) mix(0.5)\n"), "\(run)")
  }

  @Test func straightAlphaAndLinearLightAreTaken() throws {
    let run = try Scratch().run(
      Self.quick + [
        "--sigma", "5", "--alpha", "straight", "--linear", "--quality", "fast", "--json",
      ])
    #expect(run.exitCode == 0, "\(run)")
    #expect(try objects(run).first?["alpha"] as? String == "straight")
  }

  @Test func requestsAreAnsweredOneByOne() throws {
    let scratch = try Scratch()
    try scratch.add("frame", [UInt8](repeating: 77, count: 40 * 30 * 3))
    let run = try scratch.shell(
      """
      printf '5\\n5 first\\n12.5 second one\\n' \
        | "$frostglass" bench --interactive --frame frame --size 40x30 --format rgb8
      """)
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.isEmpty, "\(run)")
    let answers = try objects(run)
    #expect(answers.compactMap { $0["sigma"] as? Double } == [5, 5, 12.5])
    for answer in answers {
      #expect((answer["blur_ms"] as? Double ?? 0) > 0)
      #expect((answer["copy_ms"] as? Double ?? -1) >= 0)
      #expect((answer["clock_ghz"] as? Double ?? 0) > 0)
      #expect((answer["additions_per_cycle"] as? Double ?? 0) > 0)
    }
    #expect(scratch.names == ["first", "frame", "second one"])
    #expect(try scratch.contents("first") == scratch.contents("frame"), "a constant stays one")
  }

  @Test func responsivenessIsALineForOthersAndOneForEachFilter() throws {
    let arguments = [
      "bench", "--responsiveness", "--size", "64x48", "--filter", "zoom(); blur(2px)",
    ]
    let rows = try objects(Scratch().run(arguments + ["--json"]))
    try #require(rows.count == 3)
    #expect(rows[0]["late_idle_ms"] is Double && rows[0]["late_busy_ms"] is Double)
    for (row, filter) in zip(rows.dropFirst(), ["zoom()", "blur(2px)"]) {
      #expect(row["filter"] as? String == filter)
      #expect(row["ended_ms"] is Double && row["computed_ms"] is Double, "\(row)")
      // So small an image is done before it is cancelled.
      #expect(row["error"] is NSNull, "\(row)")
    }
  }

  @Test func longBlursThrowThatTheyWereCancelled() throws {
    let run = try Scratch().run(
      "bench", "--responsiveness", "--size", "2000x1500", "--filter", "bilateral(9px)")
    #expect(run.exitCode == 0, "\(run)")
    #expect(
      run.text.contains("  bilateral(9px): ") && run.text.contains(" ms, cancelled"), "\(run)")
  }

  @Test func requestsThatCannotBeMeantEndIt() throws {
    for line in ["", "much", "-1", "1001 file"] {
      let run = try Scratch().shell(
        "echo '\(line)' | \"$frostglass\" bench --interactive --size 8x8")
      #expect(run.exitCode == 64, "\(run)")
      #expect(run.explains(["\"\(line)\"", "0 to 1000"]), "\(run)")
    }
  }

  @Test func whatIsThereIsNotReplaced() throws {
    let scratch = try Scratch()
    try scratch.add("there", [1])
    let run = try scratch.shell(
      "echo '5 there' | \"$frostglass\" bench --interactive --size 8x8")
    #expect(run.exitCode == 73, "\(run)")
    #expect(run.explains(["there", "exists"]), "\(run)")
    #expect(try scratch.contents("there") == [1])
  }

  @Test func framesHaveTheLengthOfTheirSize() throws {
    let scratch = try Scratch()
    try scratch.add("short", [1, 2, 3])
    try scratch.add("long", [UInt8](repeating: 1, count: 4 * 4 * 4 + 1))
    for (name, words) in [("short", ["3 bytes", "64"]), ("long", ["more", "64"])] {
      let run = try scratch.run("bench", "--frame", name, "--size", "4x4")
      #expect(run.exitCode == 65, "\(run)")
      #expect(run.explains([name] + words), "\(run)")
    }
    #expect(try scratch.run("bench", "--frame", "none", "--size", "4x4").exitCode == 66)
  }

  @Test(
    arguments: [
      (["--size", "40"], ["40", "WxH"]),
      (["--size", "40x30,0x2"], ["0x2", "WxH"]),
      (["--size", "1000000x1000000"], ["500 megapixels"]),
      (["--sigma", "2,,5"], ["2,,5", "0 to 1000"]), (["--sigma", "2%"], ["2%", "pillow:10"]),
      (["--sigma", "1001"], ["1001", "0 to 1000"]),
      (["--filter", "blur(2px); blub(3)"], ["blub"]),
      (["--filter", "blur(2px);"], ["filter"]),
      (["--filter", "blur(2px)", "--sigma", "2"], ["--sigma", "--filter"]),
      (["--backend", "fast,gpu"], ["gpu", "reference"]),
      (["--threads", "0"], ["--threads", "1 to"]),
      (["--format", "rgba9"], ["rgba9", "did you mean rgba8"]),
      (["--alpha", "none"], ["none", "straight"]),
      (["--format", "rgb8", "--alpha", "straight"], ["rgb8", "no alpha"]),
      (["--runs", "0"], ["--runs", "1 to"]),
      (["--frame", "x"], ["--frame", "--size"]),
      (["--interactive"], ["--interactive", "--size"]),
      (["--interactive", "--size", "8x8", "--sigma", "2"], ["--interactive", "--sigma"]),
      (["--interactive", "--size", "8x8", "--backend", "fast,gl"], ["one --backend"]),
      (["--responsiveness", "--sigma", "2"], ["--responsiveness", "--sigma"]),
      (["--responsiveness", "--size", "8x8,9x9"], ["one --size"]),
      (["file"], ["options only"]),
    ] as [([String], [String])]) func wrongWordsAreExplained(
      _ arguments: [String], _ words: [String]
    ) throws
  {
    let run = try Scratch().run(["bench"] + arguments)
    #expect(run.exitCode == 64, "\(run)")
    #expect(run.explains(words), "\(run)")
  }
}
