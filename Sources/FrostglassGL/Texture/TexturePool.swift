internal import FrostglassCore

/// Lends textures by size and format, keeps returned ones for the next plan, and counts bytes.
final class TexturePool {
  private struct Kind: Hashable {
    var size: Size
    var format: TextureFormat
  }

  private struct Idle {
    var texture: GLTexture
    /// The run that used it last.
    var run: Int
  }

  /// Runs after which a texture that nobody wanted is freed.
  private static let idleRuns = 4

  private let context: GLContext
  private let ceiling: Int
  private var idle: [Kind: [Idle]] = [:]
  private var run = 0
  private(set) var statistics = TexturePoolStatistics()

  init(context: GLContext, ceiling: Int) {
    self.context = context
    self.ceiling = ceiling
  }

  /// Lends a texture with undefined contents.
  func lend(_ size: Size, _ format: TextureFormat) throws(GLFailure) -> GLTexture {
    let kind = Kind(size: size, format: format)
    if let texture = idle[kind]?.popLast()?.texture {
      statistics.lentBytes += texture.bytes
      return texture
    }
    let bytes = size.area * format.bytesPerTexel
    if statistics.heldBytes + bytes > ceiling { trim() }
    let texture: GLTexture
    do {
      texture = try GLTexture(size, format, in: context)
    } catch {
      // What is kept for later may be what is missing now.
      guard !idle.isEmpty else { throw error }
      trim()
      texture = try GLTexture(size, format, in: context)
    }
    statistics.lentBytes += bytes
    statistics.heldBytes += bytes
    statistics.peakBytes = max(statistics.peakBytes, statistics.heldBytes)
    statistics.textures += 1
    return texture
  }

  /// Takes a texture back.
  func takeBack(_ texture: GLTexture) {
    statistics.lentBytes -= texture.bytes
    let kind = Kind(size: texture.size, format: texture.format)
    idle[kind, default: []].append(Idle(texture: texture, run: run))
  }

  /// Lets go of a lent texture for good, as others use its memory.
  func forget(_ texture: GLTexture) {
    statistics.lentBytes -= texture.bytes
    statistics.heldBytes -= texture.bytes
    statistics.textures -= 1
  }

  /// Marks the end of a plan, and frees what the last few plans had no use for.
  func endRun() {
    run += 1
    release { $0.run + TexturePool.idleRuns <= run }
  }

  /// Frees every texture that is not lent.
  func trim() {
    release { _ in true }
  }

  private func release(where isUnwanted: (Idle) -> Bool) {
    for (kind, kept) in idle {
      let freed = kept.filter(isUnwanted)
      guard !freed.isEmpty else { continue }
      let remaining = kept.filter { !isUnwanted($0) }
      idle[kind] = remaining.isEmpty ? nil : remaining
      statistics.textures -= freed.count
      statistics.heldBytes -= freed.reduce(0) { $0 + $1.texture.bytes }
    }
  }
}
