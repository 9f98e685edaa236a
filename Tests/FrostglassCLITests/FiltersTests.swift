import Foundation
import Frostglass
import FrostglassCore
import Testing

/// The catalog as the command lists it.
@Suite struct FiltersTests {
  static let names = Catalog.filters.map { $0.name }

  @Test func allAreListed() throws {
    let run = try Scratch().run("filters")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.errors.isEmpty)
    let heads = run.text.split(separator: "\n").filter { !$0.hasPrefix(" ") }
    #expect(heads.map { String($0.prefix { $0 != "(" }) } == Self.names)
  }

  @Test func oneCanBeAskedFor() throws {
    let run = try Scratch().run("filters", "tint")
    #expect(run.exitCode == 0, "\(run)")
    #expect(run.text.hasPrefix("tint(color, "), "\(run)")
    #expect(!run.text.contains("\n\n"))
  }

  @Test func jsonHasEverything() throws {
    let run = try Scratch().run("filters", "--json")
    #expect(run.exitCode == 0, "\(run)")
    let parsed = try JSONSerialization.jsonObject(with: Data(run.output))
    let filters = try #require(parsed as? [[String: Any]])
    #expect(filters.map { $0["name"] as? String } == Self.names)
    for (filter, info) in zip(filters, Catalog.filters.map { $0.info }) {
      #expect((filter["summary"] as? String)?.isEmpty == false)
      let parameters = try #require(filter["parameters"] as? [[String: Any]])
      #expect(parameters.map { $0["name"] as? String } == info.parameters.map(\.name))
      for parameter in parameters {
        for key in ["kind", "help"] {
          #expect((parameter[key] as? String)?.isEmpty == false, "\(info.name) \(key)")
        }
        #expect(parameter["units"] is [String])
        #expect(parameter["default"] is String || parameter["default"] is NSNull)
      }
    }
  }

  @Test(arguments: names) func everyOneRunsByName(_ name: String) throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    let run = try scratch.run("blur", "in.png", "out.png", "--filter", "\(name)()")
    #expect(run.exitCode == 0, "\(run)")
    #expect(try scratch.picture("out.png").image.size == Size(width: 24, height: 16))
  }

  @Test func styleSheetsAndOtherToolsAreUnderstood() throws {
    let scratch = try Scratch()
    try scratch.add("in.png", SampleImage.file())
    for (arguments, chain) in [
      (
        ["--filter", "backdrop-filter: blur(20px)\n  saturate(180%);", "--edge", "wrap"],
        "blur(radius=20px, edge=mirror) saturate(amount=1.8) over()"
      ),
      (["--filter", "filter: none"], "none"), (["--sigma", "pillow:7.5"], "gaussian(x=7.5px)"),
      (["--filter", "blur(css-shadow:9)"], "blur(radius=4.5px)"),
    ] {
      let run = try scratch.run(["plan", "in.png"] + arguments)
      #expect(run.exitCode == 0, "\(run)")
      #expect(run.text.contains("filters   \(chain)\n"), "\(run)")
    }
    let run = try scratch.run("blur", "in.png", "out.png", "--filter", "filter: none")
    #expect(run.exitCode == 0, "\(run)")
    #expect(
      try scratch.picture("out.png").image.bytes == scratch.picture("in.png").image.bytes)
  }
}
