internal import FrostglassCore

/// Lends textures by size and format, keeps returned ones for the next plan, and counts bytes.
final class TexturePool {
  private struct Idle {
    var texture: GLTexture
    /// The run that used it last.
    var run: Int
  }

  /// Runs after which a texture that nobody wanted is freed.
  private static let idleRuns = 4

  private let context: GLContext
  /// The ledger of all GPU memory.
  let ledger: MemoryLedger
  /// Those taken back last are at the end. A plan takes a few: looking through them costs less than
  /// hashing would.
  private var idle: [Idle] = []
  private var run = 0
  private var isOneRun = false
  private var counts = TexturePoolStatistics()
  /// Is told what is lent and taken back.
  var recorder: PlanRecorder?

  init(context: GLContext, ledger: MemoryLedger) {
    self.context = context
    self.ledger = ledger
    ledger.whenShort { [weak self] in self?.trim() }
  }

  deinit {
    ledger.release(counts.heldBytes)
  }

  var statistics: TexturePoolStatistics {
    var all = counts
    all.bufferBytes = ledger.bytes - counts.heldBytes
    all.peakBytes = ledger.peak
    all.ceilingBytes = ledger.ceiling
    return all
  }

  /// Lends a texture with undefined contents.
  func lend(_ size: Size, _ format: TextureFormat) throws(GLFailure) -> GLTexture {
    if let last = idle.lastIndex(where: { $0.texture.format == format && $0.texture.size == size })
    {
      let texture = idle.remove(at: last).texture
      counts.lentBytes += texture.bytes
      counts.reused += 1
      recorder?.lent(texture)
      return texture
    }
    let texture: GLTexture
    do {
      texture = try make(size, format)
    } catch {
      // What is kept for later may be what is missing now.
      guard case .outOfMemory = error, !idle.isEmpty else { throw error }
      trim()
      texture = try make(size, format)
    }
    counts.lentBytes += texture.bytes
    counts.heldBytes += texture.bytes
    counts.textures += 1
    counts.made += 1
    recorder?.lent(texture)
    return texture
  }

  private func make(_ size: Size, _ format: TextureFormat) throws(GLFailure) -> GLTexture {
    let bytes = size.area * format.bytesPerTexel
    try ledger.reserve(bytes, for: "a texture of \(size)")
    do {
      return try GLTexture(size, format, in: context)
    } catch {
      ledger.release(bytes)
      throw error
    }
  }

  /// Takes a texture back.
  func takeBack(_ texture: GLTexture) {
    counts.lentBytes -= texture.bytes
    idle.append(Idle(texture: texture, run: run))
    recorder?.takenBack(texture)
  }

  /// Counts a lent texture as one that is kept for later, while somebody keeps it who gives it back
  /// when bytes run short; until `unkeep`.
  func keep(_ texture: GLTexture) {
    counts.lentBytes -= texture.bytes
  }

  func unkeep(_ texture: GLTexture) {
    counts.lentBytes += texture.bytes
  }

  /// Marks the end of a plan, and frees what the last few plans had no use for.
  func endRun() {
    guard !isOneRun else { return }
    run += 1
    release { $0.run + TexturePool.idleRuns <= run }
  }

  /// Has several plans count as one run: those that are made for each image, one after another.
  func asOneRun<Value, Failure>(
    _ plans: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    isOneRun = true
    defer {
      isOneRun = false
      endRun()
    }
    return try plans()
  }

  /// Frees every texture that is not lent.
  func trim() {
    release { _ in true }
  }

  private func release(where isUnwanted: (Idle) -> Bool) {
    for kept in idle where isUnwanted(kept) {
      counts.textures -= 1
      counts.heldBytes -= kept.texture.bytes
      ledger.release(kept.texture.bytes)
    }
    idle.removeAll(where: isUnwanted)
  }
}

/// The memory that a backend's textures and buffers take on the GPU.
package struct TexturePoolStatistics: Sendable, Hashable, CustomStringConvertible {
  /// Bytes in use by the plan that runs now and by images that are kept on the device.
  package var lentBytes = 0
  /// Bytes of all textures, those kept for the next plan included.
  package var heldBytes = 0
  /// Bytes of the buffers that images go through on their way to and from textures.
  package var bufferBytes = 0
  /// The most bytes ever held, textures and buffers together.
  package var peakBytes = 0
  /// The most bytes that may be held.
  package var ceilingBytes = 0
  /// Number of textures.
  package var textures = 0
  /// The number of textures ever made.
  package var made = 0
  /// The number of times that a kept texture was reused.
  package var reused = 0

  package init() {}

  /// The high-water mark, the limit and the counts, for people.
  package var description: String {
    "at most \(ByteCount(peakBytes)) of \(ByteCount(ceilingBytes)), \(textures) textures kept, "
      + "\(made) made, \(reused) used again"
  }
}

/// Bytes of a context's textures and buffers, and the most there may be.
///
/// Whoever makes a texture or a buffer for images reserves its bytes first, and releases them when
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

  /// The ceiling where nothing is known of the device: it holds images of some 20 megapixels whole.
  private static let usual = 1 << 30

  /// Returns the most bytes that a device may be asked to hold.
  ///
  /// - Parameters:
  ///   - asked: the caller's limit; `nil` for half of the device's memory, and at most three quarters of what is free
  ///     there, as others use it too.
  ///   - device: the device's memory, as far as it is known.
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
    if bytes + amount > ceiling { for save in savers.reversed() { save() } }
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

  /// Has a function called when bytes run short, before those that were added earlier: it frees what
  /// nobody uses now.
  ///
  /// - Parameter save: must not keep the ledger's owner alive.
  func whenShort(_ save: @escaping () -> Void) {
    savers.append(save)
  }
}
