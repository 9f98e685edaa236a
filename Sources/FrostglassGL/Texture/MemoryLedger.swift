/// Bytes of a context's textures and buffers, and the most there may be.
///
/// Whoever makes a texture or a buffer for pictures reserves its bytes first, and releases them when
/// it goes. Tables of numbers, some 32 KiB in all, do not count.
final class MemoryLedger {
  let ceiling: Int
  private(set) var bytes = 0
  /// The most bytes ever reserved at once.
  private(set) var peak: Int
  private var savers: [() -> Void] = []

  /// - Parameter peak: what earlier contexts of the same backend have reached.
  init(ceiling: Int, peak: Int = 0) {
    self.ceiling = ceiling
    self.peak = peak
  }

  /// The ceiling where nothing is known of the device: it holds pictures of some 20 megapixels whole.
  private static let usual = 1 << 30

  /// How much a device may be asked to hold.
  ///
  /// - Parameters:
  ///   - asked: what the caller wants; `nil` for half of what the device has, as others use it too.
  ///   - deviceBytes: what the device has in all; `nil` where it does not tell.
  static func ceiling(asked: Int?, deviceBytes: Int?) -> Int {
    asked ?? deviceBytes.map { max($0 / 2, 1) } ?? usual
  }

  /// Counts bytes that are about to be allocated; where they exceed the ceiling, what is kept for
  /// later is freed first.
  ///
  /// - Throws: `GLFailure.outOfMemory` when they exceed it even so. Nothing is reserved then.
  func reserve(_ amount: Int, for purpose: @autoclosure () -> String) throws(GLFailure) {
    if bytes + amount > ceiling { for save in savers { save() } }
    guard bytes + amount <= ceiling else {
      throw .outOfMemory(
        during: "\(purpose()): \(amount) bytes beside \(bytes) exceed the limit of \(ceiling)")
    }
    bytes += amount
    peak = max(peak, bytes)
  }

  /// Gives back bytes that were reserved.
  func release(_ amount: Int) {
    bytes -= amount
  }

  /// Has a function called when bytes run short: it frees what nobody uses now.
  ///
  /// - Parameter save: must not keep the ledger's owner alive.
  func whenShort(_ save: @escaping () -> Void) {
    savers.append(save)
  }
}
