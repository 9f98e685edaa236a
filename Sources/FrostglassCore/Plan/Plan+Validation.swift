extension Plan {
  /// Checks once, before running, all that a backend would otherwise have to check.
  ///
  /// - Throws: `PlanError.tooLarge` when a limit is exceeded (a smaller part may fit),
  ///   `PlanError.malformed` when the plan was put together wrongly.
  package func validate(for limits: PlanLimits) throws(PlanError) {
    try validateWiring()
    try validateReads()
    for slot in slots {
      guard slot.domain.width <= limits.longestSide, slot.domain.height <= limits.longestSide
      else { throw .tooLarge(slot.domain.size, limit: "\(limits.longestSide) per side") }
    }
    guard memory <= limits.bytes else {
      throw .tooLarge(result.rect.size, limit: "\(limits.bytes) bytes; it takes \(memory)")
    }
    for step in steps where step.pass.kind.tapCount > limits.taps {
      throw .malformed(
        "\(step.pass.name) has \(step.pass.kind.tapCount) taps, at most \(limits.taps)")
    }
  }

  private func validateWiring() throws(PlanError) {
    var written = Set<Int>()
    var stored = Set<Int>()
    for (index, step) in steps.enumerated() {
      for source in step.sources where !written.contains(source.slot) {
        throw .malformed("step \(index) reads slot \(source.slot) before it is written")
      }
      guard step.sources.count == step.pass.kind.sourceCount else {
        throw .malformed("step \(index) has \(step.sources.count) sources")
      }
      guard let target = step.target else {
        guard case .store(let store) = step.pass, results.indices.contains(store.result),
          stored.insert(store.result).inserted
        else { throw .malformed("step \(index) writes nothing") }
        continue
      }
      guard slots.indices.contains(target), written.insert(target).inserted else {
        throw .malformed("step \(index) writes slot \(target) again")
      }
    }
    guard case .store = steps.last?.pass, stored.count == results.count else {
      throw .malformed("no store at the end")
    }
    guard results.allSatisfy({ $0.rect == result.rect }) else {
      throw .malformed("the results are of different parts of the picture")
    }
  }

  /// Every sample a step reads must be in its source's domain.
  private func validateReads() throws(PlanError) {
    for (index, step) in steps.enumerated() {
      let target = step.target.map { slots[$0].domain } ?? result.rect
      guard !target.isEmpty else { throw .malformed("step \(index) computes nothing") }
      if case .load(let load) = step.pass {
        guard inputs.indices.contains(load.input) else {
          throw .malformed("step \(index) loads input \(load.input)")
        }
        guard Rect(inputs[load.input].size).contains(target) else {
          throw .malformed("step \(index) loads \(target), outside its input")
        }
      }
      for (place, source) in step.sources.enumerated() {
        let wanted = step.pass.sourceRect(for: target, of: place)
        guard slots[source.slot].domain.contains(source.footprint(of: wanted)) else {
          throw .malformed("step \(index) reads \(wanted), outside slot \(source.slot)")
        }
        guard step.pass.finds(wanted, in: source, of: place, for: target) else {
          throw .malformed(
            "step \(index) reads \(wanted) in place, beyond the edges of slot \(source.slot)")
        }
        let (made, read) = (step.target.map { slots[$0].layout }, slots[source.slot].layout)
        guard made.map({ step.pass.makes($0, of: read) }) ?? true else {
          throw .malformed("step \(index) makes another layout of \(read)")
        }
      }
    }
  }
}

/// What a backend can hold.
package struct PlanLimits: Sendable, Hashable {
  /// Longest side of an intermediate picture, in samples.
  package var longestSide: Int
  /// Bytes of intermediate pictures at once, at the plan's least precision.
  package var bytes: Int
  /// Taps of one convolution or resampling phase.
  package var taps: Int

  package init(longestSide: Int = .max, bytes: Int = .max, taps: Int = .max) {
    self.longestSide = longestSide
    self.bytes = bytes
    self.taps = taps
  }

  /// No limits.
  package static let none = PlanLimits()
}

/// Why a plan cannot be made or run.
public enum PlanError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A parameter's value, spelled as given, is not one the filter takes.
  case badValue(filter: String, parameter: String, value: String, accepted: String)
  /// A part of the picture was asked for that is not in it.
  case regionOutside(Rect, picture: Rect)
  /// It is open whether a mask covers what was meant, and the mask refuses that.
  case doubtful([MaskDoubt])
  /// A picture is too large for what runs the plan.
  case tooLarge(Size, limit: String)
  /// A plan is not well formed; says where.
  case malformed(String)

  /// The error of a filter that another one is made of: names the one that was asked for.
  func inside(_ composite: String) -> PlanError {
    guard case .badValue(let filter, let parameter, let value, let accepted) = self else {
      return self
    }
    return .badValue(
      filter: "\(composite), its \(filter)", parameter: parameter, value: value,
      accepted: accepted)
  }

  /// What happened, in words for the one who asked for it.
  public var description: String {
    switch self {
    case .badValue(let filter, let parameter, let value, let accepted):
      "\(filter): \(parameter) is \(value); it must be \(accepted)"
    case .regionOutside(let rect, let picture):
      "the region \(rect) is not inside the picture \(picture)"
    case .doubtful(let doubts):
      doubts.map { "\($0)" }.joined(separator: "; ")
    case .tooLarge(let size, let limit):
      "an intermediate picture of \(size) is too large; the limit is \(limit)"
    case .malformed(let what):
      "the plan is not well formed: \(what)"
    }
  }
}
