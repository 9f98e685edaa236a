internal import FrostglassCore
internal import FrostglassShaders

/// A plan as the GPU runs it: passes that work pixel by pixel are part of the draw before them, and
/// inputs are loaded where they are read.
///
/// Nothing is computed differently, only fewer pictures are written and read again: of a Gaussian's
/// pictures in full size the input and the result are left.
struct DrawList {
  /// A picture that a draw reads.
  struct Picture: Hashable {
    /// The slot and its edges.
    var source: Source
    /// The pass that fills the slot, where it is read from the input's own texture.
    var input: Pass?
  }

  /// Passes that run as one.
  struct Draw {
    var parts: [PassCall.Part]
    var pictures: [Picture]
    /// The slot that is written; `nil` is the result.
    var target: Int?
  }

  private(set) var draws: [Draw] = []
  /// For each slot, the last draw that reads it, or its input.
  private var lastUses: [Int]

  /// More than the parts of any chain that is worth one program; devices take 16.
  private static let mostPictures = 8

  init(_ plan: Plan) {
    lastUses = [Int](repeating: -1, count: plan.slots.count)
    let readers = DrawList.readers(of: plan)
    // What fills the slots that no draw writes.
    var inputs = [Pass?](repeating: nil, count: plan.slots.count)
    // Draws whose slot may yet become a part of what reads it.
    var open: [Int: Draw] = [:]
    for step in plan.steps {
      switch step.pass {
      case .load, .generate:
        guard let target = step.target else { continue }
        guard DrawList.loadsWhereRead(step.pass, by: readers[target].map { plan.steps[$0].pass })
        else {
          let picture = Picture(source: Source(slot: target), input: step.pass)
          draws.append(
            Draw(
              parts: [.init(step.pass, inputs: [.picture(0)], plan.slots[target].layout)],
              pictures: [picture], target: target))
          continue
        }
        inputs[target] = step.pass
      default:
        let draw = DrawList.draw(step, plan, inputs, &open)
        if let target = step.target, readers[target].count == 1 {
          open[target] = draw
        } else {
          add(draw, &open)
        }
      }
    }
    for (index, draw) in draws.enumerated() {
      for picture in draw.pictures { lastUses[picture.source.slot] = index }
    }
  }

  /// The slots whose textures nothing needs once a draw has run.
  func freed(after index: Int) -> Set<Int> {
    // A load of its own turns the input's texture into the slot's.
    Set(draws[index].pictures.map(\.source.slot)).filter {
      lastUses[$0] == index || $0 == draws[index].target
    }
  }

  /// Adds a draw after those that write what it reads.
  private mutating func add(_ draw: Draw, _ open: inout [Int: Draw]) {
    for picture in draw.pictures {
      if let needed = open.removeValue(forKey: picture.source.slot) { add(needed, &open) }
    }
    draws.append(draw)
  }

  /// For each slot, the steps that read it, as often as they do.
  private static func readers(of plan: Plan) -> [[Int]] {
    var readers = [[Int]](repeating: [], count: plan.slots.count)
    for (index, step) in plan.steps.enumerated() {
      for source in step.sources { readers[source.slot].append(index) }
    }
    return readers
  }

  /// Whether loading anew with each fetch costs less than a picture in between: not where powers
  /// are to be taken for every tap.
  private static func loadsWhereRead(_ pass: Pass, by readers: [Pass]) -> Bool {
    guard case .load(let load) = pass, load.decodesToLinear else { return true }
    return readers.allSatisfy { $0.kind.tapCount <= 2 }
  }

  /// A step as a draw, together with the draw of one of its sources where that is possible.
  private static func draw(
    _ step: Step, _ plan: Plan, _ inputs: [Pass?], _ open: inout [Int: Draw]
  ) -> Draw {
    let layout = step.target.map { plan.slots[$0].layout } ?? .rgba
    let joined = step.sources.lastIndex { source in
      step.pass.isPointwise
        && open[source.slot].map { draw in
          draw.pictures.count + step.sources.count - 1 <= mostPictures
        } ?? false
    }
    var draw =
      joined.flatMap { open.removeValue(forKey: step.sources[$0].slot) }
      ?? Draw(parts: [], pictures: [], target: nil)
    let places = step.sources.enumerated().map { index, source -> ShaderPart.Input in
      if index == joined { return .previous }
      let picture = Picture(source: source, input: inputs[source.slot])
      if let known = draw.pictures.firstIndex(of: picture) { return .picture(known) }
      draw.pictures.append(picture)
      return .picture(draw.pictures.count - 1)
    }
    draw.parts.append(.init(step.pass, inputs: places, layout))
    draw.target = step.target
    return draw
  }
}

extension Pass {
  /// Whether a pixel comes from the sources' pixels at the same place alone, at little cost.
  fileprivate var isPointwise: Bool {
    switch self {
    case .colorMatrix, .lumaCurve, .weigh, .blend, .store: true
    case .load, .generate, .resample, .convolve, .displace, .stencil, .gather, .bilateral, .median,
      .cellMeans, .cellFill, .grain:
      false
    }
  }
}
