package import Frostglass
package import FrostglassCore
internal import Glibc

/// A record of a redaction, as evidence for later.
///
/// The same redaction of the same file gives the same bytes, unless the time is asked for.
package struct RedactionAudit {
  private let job: Job
  private let method: RedactionMethod
  private let mask: RegionOptions
  private let size: Size
  private let inputDigest: String?
  private let outputDigest: String?
  private let hasTime: Bool

  /// - Parameters:
  ///   - job: the job.
  ///   - mask: the mask of the redaction.
  ///   - size: the image's size.
  ///   - inputDigest: the digest of the file, from before it may have been replaced.
  ///   - outputDigest: the digest of the redacted file; `nil` where there is no file of its own.
  ///   - hasTime: true adds the time when it was made.
  package init(
    job: Job, method: RedactionMethod, mask: RegionOptions, size: Size, inputDigest: String?,
    outputDigest: String?, hasTime: Bool
  ) {
    self.job = job
    self.method = method
    self.mask = mask
    self.size = size
    self.inputDigest = inputDigest
    self.outputDigest = outputDigest
    self.hasTime = hasTime
  }

  /// JSON, a member or region per line.
  package var text: String {
    let mask = mask.mask
    var members = [
      ("tool", JSONText.string("frostglass \(Version.current)")),
      ("input", file(job.source.name, inputDigest)),
      ("output", file(job.outputs[0].sink.name, outputDigest)),
      ("width", "\(size.width)"), ("height", "\(size.height)"),
      ("fill", JSONText.string(method.fill.rawValue)),
      ("reversible", method.redaction == nil ? "true" : "false"),
      ("filters", JSONText.string(method.chain.text)),
      ("grow", JSONText.string("\(mask.grow)")), ("feather", JSONText.string("\(mask.feather)")),
      ("inverted", mask.isInverted ? "true" : "false"),
      ("metadata", JSONText.string(job.outputs[0].encoding.strip ? "dropped" : "kept")),
      ("minScore", self.mask.filter.minimumScore.map { "\($0)" } ?? "null"),
      ("labels", JSONText.array(self.mask.filter.labels.map { JSONText.string($0) })),
      (
        "leftOut",
        JSONText.object([
          ("byScore", "\(self.mask.leftOut.byScore)"), ("byLabel", "\(self.mask.leftOut.byLabel)"),
        ])
      ),
    ]
    if let search = self.mask.search { members.append(("found", search.json)) }
    if hasTime { members.append(("time", JSONText.string(Self.now))) }
    let rows = regions.map { "    \($0)" }.joined(separator: ",\n")
    members.append(("regions", rows.isEmpty ? "[]" : "[\n\(rows)\n  ]"))
    let lines = members.map { "  \(JSONText.string($0.0)): \($0.1)" }
    return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
  }

  private func file(_ name: String, _ digest: String?) -> String {
    JSONText.object([
      ("name", name.jsonPath), ("sha256", digest.map { JSONText.string($0) } ?? "null"),
    ])
  }

  /// Each region as it was given, and the pixels that it touches; `null` where there are none.
  private var regions: [String] {
    let picture = mask.mask.shapes.filter { if case .picture = $0 { true } else { false } }
    let all = mask.regions + picture.map { Region($0, label: "mask") }
    let firstFound = mask.regions.count - (mask.search?.found.covered.count ?? 0)
    return all.enumerated().map { index, region in
      let bounds =
        (try? region.shape.bounds(in: size, scale: job.outputs[0].recipe.options.scale)) ?? nil
      let pixels = bounds.map { bounds in
        JSONText.object([
          ("x", "\(bounds.x)"), ("y", "\(bounds.y)"), ("width", "\(bounds.width)"),
          ("height", "\(bounds.height)"),
        ])
      }
      let isFound = index >= firstFound && index < mask.regions.count
      let source = mask.search.map { _ in
        [("source", JSONText.string(isFound ? "found" : "given"))]
      }
      return JSONText.object(
        [
          ("shape", JSONText.string(region.shape.text ?? "\(region.shape)")),
          ("label", region.label.map { JSONText.string($0) } ?? "null"),
          ("score", region.score.map { "\($0)" } ?? "null"),
          ("pixels", pixels ?? "null"),
        ] + (source ?? []))
    }
  }

  /// The time in UTC, as in ISO 8601.
  static var now: String {
    var seconds = time(nil)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 32)
    let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
