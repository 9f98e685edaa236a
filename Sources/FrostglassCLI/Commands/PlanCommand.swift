internal import Frostglass
internal import FrostglassOptions

/// `frostglass plan`: what `blur` would do, without doing it.
struct PlanCommand: Command {
  static let name = "plan"
  static let summary = "Print what blur would do: passes, sizes, cost and certified error"
  static let operands = "INPUT [OUTPUT]"
  static let notes = """
    Only the header of INPUT is read. Takes the options of `frostglass blur`; those that change
    nothing in the plan are accepted and ignored.
    """
  static let options = BlurCommand.options

  private let job: Job
  private let mask: RegionOptions?

  init(_ arguments: ParsedArguments) throws(Failure) {
    guard (1...2).contains(arguments.operands.count) else {
      throw .usage("one INPUT is needed; see `frostglass plan --help`")
    }
    let recipe = try RecipeOptions(arguments)
    mask = recipe.mask
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

  func run() async throws(Failure) -> Int32 {
    do throws(FrostglassError) {
      let estimate = try Pipeline(backend: .reference).estimate(job)
      let (plan, need) = (estimate.plan, estimate.need)
      for note in mask?.notes(for: plan, scale: job.outputs[0].recipe.options.scale) ?? [] {
        Console.note("frostglass plan: \(note)")
      }
      guard !Console.speaksJSON else {
        Console.print(json: members(plan, need), of: Self.name)
        return ExitCode.done
      }
      Console.print(
        """
        \(filters)
        \(plan)
        memory    about \(ByteCount(need.byRows)) row by row, \(ByteCount(need.whole)) where whole \
        pictures are taken
        """)
    } catch { throw error.failure }
    return ExitCode.done
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
