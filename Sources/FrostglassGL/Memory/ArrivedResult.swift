internal import FrostglassCore
internal import Synchronization

/// A result whose pixels are where any thread may read them: what is left to do takes no context.
final class ArrivedResult: Sendable {
  private let description: Plan.Result
  private let result: Mutex<ResultImage>
  private let rows: [ArrivedRows]
  private let copies: RowCopies

  /// - Parameters:
  ///   - result: all but the rows.
  ///   - rows: those that are still to be copied.
  init(
    _ description: Plan.Result, _ result: sending ResultImage, _ rows: [ArrivedRows],
    by copies: RowCopies
  ) {
    self.description = description
    self.result = Mutex(result)
    self.rows = rows
    self.copies = copies
  }

  /// Copies what is left, and returns the whole result. To be called once.
  ///
  /// - Throws: `GLFailure.lost` where the memory has gone with its context.
  func image() throws(GLFailure) -> Image {
    try result.withLock { result throws(GLFailure) in
      for row in rows {
        let isThere = row.memory.read {
          result.take(row.part, row.form, from: $0, by: copies)
        }
        guard isThere else { throw .lost(during: "a frame in flight") }
      }
      return try result.image(alpha: description.alpha, transfer: description.transfer)
    }
  }
}

/// Pixels of a part of a result, in memory that stays mapped.
struct ArrivedRows: Sendable {
  var part: Rect
  var form: ReadBack.Form
  var memory: SampleMemory
}
