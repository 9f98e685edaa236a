internal import FrostglassCore

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
