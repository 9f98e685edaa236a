internal import Frostglass
internal import FrostglassBackends
internal import FrostglassCPU
internal import FrostglassCore
internal import FrostglassGL
internal import FrostglassOptions
internal import FrostglassStills

/// `frostglass plan`: what `blur` would do, without doing it.
struct PlanCommand: Command {
  static let name = "plan"
  static let summary = "Print what blur would do: passes, sizes, cost and certified error"
  static let operands = "INPUT [OUTPUT]"
  static let notes = """
    Reads only the header of INPUT. Accepts the options of `frostglass blur`, and ignores those that do
    not change the plan. --backend fast also lists the row operations that the passes become; --backend
    gl starts a device and lists its draws with what each reads and writes.
    """
  static let options = BlurCommand.options

  private let job: Job
  private let mask: RegionOptions?
  /// `nil` where no GPU was asked for.
  private let gpu: BackendOptions?
  /// `nil` where the fast backend was not asked for.
  private let cpu: FastBackend?

  init(_ arguments: ParsedArguments) throws {
    guard (1...2).contains(arguments.operands.count) else {
      throw Failure.usage("one INPUT is needed; see `frostglass plan --help`")
    }
    let backend = try arguments.backend()
    gpu = backend.choice == .gl ? backend : nil
    cpu = backend.choice == .fast ? FastBackend() : nil
    let recipe = try RecipeOptions(arguments)
    mask = recipe.mask
    try VideoFile.refuse(
      asImage: arguments.operands[0],
      "`frostglass video \(arguments.operands[0]) out.mp4` blurs videos, which have no plan of "
        + "their own here")
    let output = arguments.operands.count > 1 ? arguments.operands[1] : "-"
    let outputs = [
      Job.Output(
        recipe.recipe, to: StillSink(operand: output, overwrite: true),
        format: try arguments.outputFormat())
    ]
    job = Job(
      source: StillSource(operand: arguments.operands[0]),
      outputs: outputs + (try recipe.further(arguments, EncodeOptions(), overwrite: true)),
      decoding: recipe.decoding)
  }

  func run() async throws -> Int32 {
    let estimate = try Pipeline(backend: .reference).estimate(job)
    let (plan, need) = (estimate.plan, estimate.need)
    for note in mask?.notes(for: plan, scale: job.outputs[0].recipe.options.scale) ?? [] {
      Console.note("frostglass plan: \(note)")
    }
    let draws = try await draws(plan)
    let operations = cpu?.operations(of: plan)
    guard !Console.speaksJSON else {
      let own = [
        draws.map { ("gl", $0.json) }, operations.map { ("fast", JSONText.string($0)) },
      ].compactMap { $0 }
      Console.print(json: members(plan, need) + own, of: Self.name)
      return ExitCode.done
    }
    Console.print(
      """
      \(filters)
      \(plan)
      memory    about \(ByteCount(need.byRows)) row by row, \(ByteCount(need.whole)) where whole \
      pictures are taken
      """)
    if let operations { Console.print(operations) }
    if let draws { Console.print(draws.text) }
    return ExitCode.done
  }

  /// Returns the draws of the plan on a GPU; `nil` if none was requested.
  private func draws(_ plan: Plan) async throws -> PlannedDraws? {
    guard let gpu else { return nil }
    return try await PlannedDraws(plan, gpu)
  }

  private func members(_ plan: Plan, _ need: MemoryNeed) -> [(String, String)] {
    let outputs = zip(job.outputs, plan.results).map { output, result in
      JSONText.object([
        ("filters", JSONText.string(output.recipe.chain.text)),
        ("width", "\(result.rect.width)"), ("height", "\(result.rect.height)"),
      ])
    }
    let error = plan.certifiedError
    return [
      ("outputs", JSONText.array(outputs)), ("passes", "\(plan.steps.count)"),
      ("multiplyAddsPerPixel", "\(plan.multiplyAddsPerPixel.rounded(places: 1))"),
      (
        "certifiedError",
        JSONText.object([
          ("total", "\((error.total + 0.0005).rounded(places: 3))"),
          ("kernel", "\(error.kernel.rounded(places: 3))"),
          ("model", "\(error.model.rounded(places: 3))"),
          ("arithmetic", "\(error.arithmetic.rounded(places: 3))"),
        ])
      ),
      (
        "memory",
        JSONText.object([("byRows", "\(need.byRows)"), ("whole", "\(need.whole)")])
      ),
      ("text", JSONText.string("\(plan)")),
    ]
  }

  private var filters: String {
    let names = job.outputs.indices.map { job.outputs.count > 1 ? "filters \($0)" : "filters" }
    return zip(names, job.outputs).map { name, output in
      name.padded(to: 10) + (output.recipe.chain.text.isEmpty ? "none" : output.recipe.chain.text)
    }.joined(separator: "\n")
  }
}

/// A plan's draws on a GPU, and what they move.
private struct PlannedDraws {
  private let device: String
  private let draws: [DrawReport]
  /// Reading the inputs once and writing the results.
  private let least: Int

  init(_ plan: Plan, _ options: BackendOptions) async throws(BackendError) {
    let backend = try await BackendSelector(options).selection().backend
    guard let gl = backend as? GLBackend else {
      throw .unsupported(backend: "gl", what: "a plan for several devices; name one by --device")
    }
    device = "\(gl.deviceDescription); \(gl.stage.stage)"
    draws = try await gl.draws(of: plan)
    least = plan.inputs.reduce(plan.resultBytes) { $0 + $1.size.area * $1.format.bytesPerPixel }
  }

  private var moved: Int { draws.reduce(0) { $0 + $1.movedBytes } }

  var text: String {
    let lines = draws.enumerated().map { index, draw in
      "draw \(index + 1)".padded(to: 10) + "\(draw.name): \(draw.size), reads "
        + "\(ByteCount(draw.readBytes)) by \(millions(draw.fetches)) million fetches, writes "
        + "\(ByteCount(draw.writtenBytes))"
    }
    let total =
      "gl        \(device): \(draws.count) draws move \(ByteCount(moved)) where each texel is read "
      + "once; inputs and results are \(ByteCount(least))"
    return ([total] + lines).joined(separator: "\n")
  }

  /// With one digit behind the point.
  private func millions(_ count: Int) -> String {
    "\(Double((Double(count) / 100_000).rounded()) / 10)"
  }

  var json: String {
    JSONText.object([
      ("device", JSONText.string(device)), ("movedBytes", "\(moved)"), ("leastBytes", "\(least)"),
      (
        "draws",
        JSONText.array(
          draws.map {
            JSONText.object([
              ("passes", JSONText.string($0.name)), ("width", "\($0.size.width)"),
              ("height", "\($0.size.height)"), ("readBytes", "\($0.readBytes)"),
              ("writtenBytes", "\($0.writtenBytes)"), ("fetches", "\($0.fetches)"),
            ])
          })
      ),
    ])
  }
}
