internal import FrostglassCore

// A result that goes where the input is: each pixel is written after all that are computed from it.
//
// The last stage may read the pixels that it writes, and no others: then a stage before has read all else,
// and every strip writes where it will. Otherwise the parts that change are made elsewhere and put in their
// places at the end. Where nothing changes nothing is written.

extension StagedPlan {
  /// Whether all results can be written while the last stage goes on, into an input.
  var canWriteIntoInputs: Bool {
    guard stages.count > 1, let last = stages.last else { return false }
    let steps = needs(last, rows(of: last)).steps.map { plan.steps[$0] }
    return steps.allSatisfy { step in
      guard case .load(let load) = step.pass else { return true }
      guard let masked = ending?.masked, masked.load == load,
        !masked.layers.contains(where: \.normalizes)
      else { return false }
      let targets = masked.layers.map(\.target)
      return steps.allSatisfy { reader in
        !reader.sources.contains { $0.slot == step.target }
          || reader.target.map(targets.contains) ?? false
      }
    }
  }
}

extension Plan {
  /// True if the only result is like an input, so that it can go where that is; what is opaque may become
  /// straight.
  func isResultLike(_ input: Int) -> Bool {
    var made = Input(result)
    if inputs[input].alpha == .opaque, made.alpha == .straight { made.alpha = .opaque }
    return results.count == 1 && result.rect == Rect(inputs[input].size) && made == inputs[input]
  }

  /// Whether the only result goes where an input is.
  func isInPlace(_ from: (Int) -> PixelPlace, _ to: PixelPlace) -> Bool {
    inputs.indices.contains { input in
      let place = from(input)
      return place.bytes == to.bytes && place.bytesPerRow == to.bytesPerRow
        && isResultLike(input)
    }
  }
}

extension OutputRows {
  /// Copies some rows of a part to another place for the same result, in pieces.
  func copy(_ part: Rect, to other: OutputRows, piece: Int, of pieces: Int) {
    let bytes = format.bytesPerPixel
    let first = part.y + part.height * piece / pieces
    let end = part.y + part.height * (piece + 1) / pieces
    for y in first..<end {
      (other.row(y) + (part.x - other.rect.x) * bytes).copyMemory(
        from: row(y) + (part.x - rect.x) * bytes, byteCount: part.width * bytes)
    }
  }
}

/// How the parts that can differ, and the input around them, come to be one result: each part is computed by
/// itself, with what it needs around it; all else is copied. The bytes are those of the whole.
extension ChangedParts {
  /// - Returns: `nil` where all may change, or nearly all, or what is computed as it is has other bytes.
  init?(onRowsOf plan: Plan) {
    guard let (load, store, _) = plan.shownThroughMasks,
      plan.keepsBytes(load, store, plan.arithmetic())
    else { return nil }
    self.init(plan)
  }

  /// How many pieces of about the same size are copied, so that threads that have nothing else to do
  /// can share them.
  var copies: Int { rest.isEmpty ? 0 : 8 }

  /// Copies a piece of what does not change.
  func copy(_ inputs: [InputRows], _ output: OutputRows, piece: Int) {
    let input = inputs[input]
    let bytes = input.format.bytesPerPixel
    for rect in rest {
      let first = rect.y + rect.height * piece / copies
      let end = rect.y + rect.height * (piece + 1) / copies
      guard first < end else { continue }
      let (left, length) = (rect.x * bytes, rect.width * bytes)
      let offset = (rect.x - output.rect.x) * bytes
      func place(_ y: Int) -> (from: UnsafeRawPointer, to: UnsafeMutableRawPointer) {
        (input.row(y) + left, output.row(y) + offset)
      }
      let (start, last) = (place(first), place(end - 1))
      // Rows without gaps are one piece, for which the library takes other ways than for short ones.
      let whole = (end - 1 - first) * length
      if last.from - start.from == whole, last.to - start.to == whole {
        if start.from != UnsafeRawPointer(start.to) {
          start.to.copyMemory(from: start.from, byteCount: whole + length)
        }
        continue
      }
      for y in first..<end {
        let (from, to) = place(y)
        if from != UnsafeRawPointer(to) { to.copyMemory(from: from, byteCount: length) }
      }
    }
  }
}
