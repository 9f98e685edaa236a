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
    let steps = RowNeeds(
      plan, target: nil, rows: rows(of: last), complete: last.complete, ending
    ).steps.map { plan.steps[$0] }
    return steps.allSatisfy { step in
      guard case .load(let load) = step.pass else { return true }
      guard let masked = ending.masked, masked.load == load,
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
  /// Whether the only result is like an input, so that it can go where that is.
  func isResultLike(_ input: Int) -> Bool {
    results.count == 1 && result.rect == Rect(inputs[input].size)
      && Input(result) == inputs[input]
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
