package import Frostglass
package import FrostglassCore
internal import FrostglassStills
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

/// A record of a video's redaction, with a row for each frame.
///
/// The same redaction of the same video gives the same bytes.
package struct VideoAudit {
  /// A video as a file, and what is not in the redacted one.
  package struct Files: Sendable {
    /// The video's name.
    package var input: String
    /// Its SHA-256, from before it may have been replaced; `nil` where that could not be read.
    package var inputDigest: String?
    /// The redacted video's name.
    package var output: String
    /// Its SHA-256.
    package var outputDigest: String?
    /// The libraries' names of the encoders.
    package var encoders: [String]
    /// Streams and tags that are left out.
    package var dropped: [String]

    package init(
      input: String, inputDigest: String?, output: String, outputDigest: String?,
      encoders: [String], dropped: [String]
    ) {
      self.input = input
      self.inputDigest = inputDigest
      self.output = output
      self.outputDigest = outputDigest
      self.encoders = encoders
      self.dropped = dropped
    }
  }

  private let method: RedactionMethod
  private let mask: RegionOptions
  private let tracks: TrackOptions?
  private let size: Size
  private let files: Files?
  private let hasTime: Bool

  /// - Parameters:
  ///   - size: the size of upright frames.
  ///   - files: `nil` between pipes.
  ///   - hasTime: true adds the time when it was made.
  package init(
    _ method: RedactionMethod, _ mask: RegionOptions, _ tracks: TrackOptions?, size: Size,
    files: Files? = nil, hasTime: Bool = false
  ) {
    (self.method, self.mask, self.tracks) = (method, mask, tracks)
    (self.size, self.files, self.hasTime) = (size, files, hasTime)
  }

  /// JSON, a member or frame per line.
  ///
  /// - Parameters:
  ///   - moments: the moments of all frames that were written.
  ///   - masks: the masks of the frames, where they differ.
  package func text(
    _ moments: some Sequence<FrameMoment>, _ masks: TrackMasks?
  ) throws(VideoError) -> String {
    let shared = mask.mask
    var members = [
      ("tool", JSONText.string("frostglass \(Version.current)")),
      ("input", file(files?.input, files?.inputDigest)),
      ("output", file(files?.output, files?.outputDigest)),
      (
        "encoders",
        files.map { JSONText.array($0.encoders.map { JSONText.string($0) }) } ?? "null"
      ),
      (
        "dropped", files.map { JSONText.array($0.dropped.map { JSONText.string($0) }) } ?? "null"
      ),
      ("width", "\(size.width)"), ("height", "\(size.height)"),
      ("fill", JSONText.string(method.fill.rawValue)),
      ("reversible", method.redaction == nil ? "true" : "false"),
      ("filters", JSONText.string(method.chain.text)),
      ("grow", JSONText.string("\(shared.grow)")),
      ("feather", JSONText.string("\(shared.feather)")),
      ("inverted", shared.isInverted ? "true" : "false"),
      (
        "inEveryFrame",
        JSONText.array(mask.regions.map { JSONText.string($0.shape.text ?? "\($0.shape)") })
      ),
      ("minScore", mask.filter.minimumScore.map { "\($0)" } ?? "null"),
      ("labels", JSONText.array(mask.filter.labels.map { JSONText.string($0) })),
    ]
    if hasTime { members.append(("time", JSONText.string(RedactionAudit.now))) }
    if let found = tracks?.found {
      members.append(("found", found))
    } else if let tracks {
      members.append(
        (
          "tracks",
          JSONText.object([
            ("name", tracks.path.jsonPath),
            ("sha256", FileDigest.sha256(of: tracks.path).map { JSONText.string($0) } ?? "null"),
            ("onGap", JSONText.string(tracks.care.onGap.rawValue)),
            ("spreadFrames", "\(tracks.care.spread)"), ("growMotion", "\(tracks.care.motion)"),
            ("taken", "\(tracks.tracks.tracks.count - tracks.leftOut.count)"),
            (
              "leftOut",
              JSONText.object([
                ("byScore", "\(tracks.leftOut.byScore)"), ("byLabel", "\(tracks.leftOut.byLabel)"),
              ])
            ),
          ])
        ))
    }
    var rows: [String] = []
    for moment in moments { rows.append("    " + (try row(moment, masks))) }
    members.append(("frames", rows.isEmpty ? "[]" : "[\n\(rows.joined(separator: ",\n"))\n  ]"))
    let lines = members.map { "  \(JSONText.string($0.0)): \($0.1)" }
    return "{\n" + lines.joined(separator: ",\n") + "\n}\n"
  }

  private func file(_ name: String?, _ digest: String?) -> String {
    name.map { name in
      JSONText.object([
        ("name", name.jsonPath), ("sha256", digest.map { JSONText.string($0) } ?? "null"),
      ])
    } ?? "null"
  }

  private func row(_ moment: FrameMoment, _ masks: TrackMasks?) throws(VideoError) -> String {
    var regions: [String] = []
    if let masks {
      let all = masks.sampler.tracks.tracks
      for found in try masks.found(at: moment) {
        let (track, shapes) = (all[found.track], found.shapes.map { $0.text ?? "\($0)" })
        regions.append(
          JSONText.object([
            ("track", track.id.map { JSONText.string($0) } ?? "null"),
            ("label", track.label.map { JSONText.string($0) } ?? "null"),
            ("state", JSONText.string(found.state.rawValue)),
            ("shape", JSONText.string(shapes.joined(separator: "; "))),
          ]))
      }
    }
    return JSONText.object([
      ("frame", "\(moment.index)"),
      ("time", moment.seconds.map { "\(($0 * 1e6).rounded() / 1e6)" } ?? "null"),
      ("regions", JSONText.array(regions)),
    ])
  }
}
