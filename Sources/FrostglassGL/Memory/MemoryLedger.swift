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
  ///   - asked: what the caller wants; `nil` for half of what the device has, and at most three
  ///     quarters of what is free there, as others use it too.
  ///   - device: what is known of the device's memory.
  static func ceiling(asked: Int?, device: GLMemory?) -> Int {
    if let asked { return asked }
    guard let total = device?.total else { return usual }
    return max(min(total / 2, (device?.free ?? total) / 4 * 3), 1)
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
