internal import Frostglass
internal import FrostglassOptions
internal import Glibc

/// `frostglass redact`: makes a part of a picture unrecognizable, for good unless told otherwise.
struct RedactCommand: Command {
  static let name = "redact"
  static let summary = "Make parts of an image unrecognizable, for good"
  static let operands = "INPUT OUTPUT"
  static let notes = """
    One of --region, --regions and --mask is required; `frostglass blur --help` says how a region is
    written. Every pixel that a region touches is replaced, and --grow around it. Metadata is left
    out, previews of the picture with it.

    frosted and solid leave nothing of what they cover: no byte of the output depends on it. frosted
    is made of the colors around. mosaic and blur can be reversed and are here for their looks; they
    say so each time. Neither hides the shape and place of what was there. For example:

      frostglass redact photo.jpg safe.jpg --regions faces.json --audit safe.json
      frostglass redact scan.png safe.png --region 120,300,400,40 --fill solid --color black

    docs/redaction.md has the measurements behind this.
    """
  static let options: [Option] =
    RedactionMethod.options + [
      Option("audit", value: "FILE", "Write what was done as JSON"),
      Option("audit-time", "Say in the audit when it was done"),
      Option("keep-metadata", "Keep what the file says beside the pixels"),
      Option("scale", value: "N", "Pixels per point (1)"),
      .backend, .device, .gpuMemory, .format, .outputQuality, .overwrite,
      .background, .maxPixels, .memory, .profile, .frame,
    ]

  private let job: Job
  private let method: RedactionMethod
  private let mask: RegionOptions
  private let backend: BackendOptions
  private let audit: StillSink?
  private let hasTime: Bool

  init(_ arguments: ParsedArguments) throws(Failure) {
    guard arguments.operands.count == 2 else {
      throw .usage("INPUT and OUTPUT are needed; see `frostglass redact --help`")
    }
    guard let mask = try RegionOptions(arguments, grow: 4, refusing: true) else {
      throw .usage("nothing to redact: give --region SHAPE, --regions FILE or --mask FILE")
    }
    self.mask = mask
    method = try RedactionMethod(arguments)
    backend = try arguments.backend()
    let overwrite = arguments.has("overwrite")
    audit = try arguments.sideFile("audit").map { .file($0, overwrite: overwrite) }
    hasTime = arguments.has("audit-time")
    if hasTime, audit == nil { throw .usage("--audit-time needs --audit FILE") }
    var options = PlanOptions(scale: try arguments.number("scale", in: 0.001...1000) ?? 1)
    options.mask = mask.mask
    options.mask?.redaction = method.redaction
    job = Job(
      source: StillSource(operand: arguments.operands[0]),
      recipe: Recipe(
        method.chain, options: options, background: try arguments.background()),
      sink: StillSink(operand: arguments.operands[1], overwrite: overwrite),
      format: try arguments.outputFormat(),
      decoding: try arguments.decoding(),
      encoding: EncodeOptions(
        quality: try arguments.integer("output-quality", in: 1...100),
        strip: !arguments.has("keep-metadata")))
  }

  func run() async throws(Failure) -> Int32 {
    do throws(EncodeError) { try audit?.preflight() } catch {
      throw FrostglassError.encode(error).failure
    }
    let inputDigest = audit == nil ? nil : FileDigest.sha256(of: job.source)
    let pipeline = Pipeline(backend)
    let report = try await ProgressLine.during { line throws(Failure) in
      do throws(FrostglassError) {
        return try await pipeline.run(job) { stage in line.say(stage.gerund) }
      } catch { throw mask.refusal(error) ?? error.failure }
    }
    for note in mask.notes(for: report.plan, scale: job.outputs[0].recipe.options.scale) {
      Console.error("frostglass redact: \(note)")
    }
    Console.report(report.recoveries, of: Self.name)
    for note in report.notes(about: job) { Console.error("frostglass redact: \(note)") }
    if let warning = method.warning { Console.error("frostglass redact: warning: \(warning)") }
    if let warning = report.warning { Console.error("frostglass redact: \(warning)") }
    guard let audit else { return ExitCode.done }
    let text = RedactionAudit(
      job: job, method: method, mask: mask, size: report.plan.inputs[0].size,
      inputDigest: inputDigest, hasTime: hasTime
    ).text
    do throws(FrostglassError) { try audit.save(text) } catch { throw error.failure }
    return ExitCode.done
  }
}
