internal import FrostglassCore

/// Pictures made from numbers alone, which stay on the device from plan to plan: most shapes of a
/// scene's layers are the same from frame to frame.
final class GeneratedPictures {
  private struct Key: Hashable {
    var generate: Generate
    var domain: Rect
    var layout: PixelFormat.Layout
  }

  private struct Entry {
    var kept: KeptTexture
    var lastRun: Int
  }

  /// Runs after which a picture that nobody wanted goes.
  private static let idleRuns = 16

  private let pool: TexturePool
  private var entries: [Key: Entry] = [:]
  private var bytes = 0
  private var runs = 0

  init(pool: TexturePool) {
    self.pool = pool
    pool.ledger.whenShort { [weak self] in self?.trim() }
  }

  /// The texture with a picture's samples as floats.
  ///
  /// - Parameter upload: brings an image to a texture that the pool lends.
  func texture(
    _ generate: Generate, _ domain: Rect, _ layout: PixelFormat.Layout,
    upload: (Image) throws(GLFailure) -> GLTexture
  ) throws(GLFailure) -> KeptTexture {
    let key = Key(generate: generate, domain: domain, layout: layout)
    if let entry = entries[key] {
      entries[key]?.lastRun = runs
      return entry.kept
    }
    let kept = KeptTexture(try upload(Image(generate, domain, layout)), of: pool)
    // An eighth of the memory, so that plans have the rest.
    if bytes + kept.lent.texture.bytes <= pool.ledger.ceiling / 8 {
      bytes += kept.lent.texture.bytes
      entries[key] = Entry(kept: kept, lastRun: runs)
    }
    return kept
  }

  /// Marks the end of a plan, and lets go of what the last ones had no use for.
  func endRun() {
    runs += 1
    for (key, entry) in entries where entry.lastRun + GeneratedPictures.idleRuns < runs {
      bytes -= entry.kept.lent.texture.bytes
      entries[key] = nil
    }
  }

  /// Lets go of all of them.
  func trim() {
    entries = [:]
    bytes = 0
  }
}

/// A texture that is kept for later plans: it does not count as one that is lent.
final class KeptTexture {
  let lent: LentTexture
  private let pool: TexturePool

  /// - Parameter texture: lent by the pool.
  init(_ texture: GLTexture, of pool: TexturePool) {
    lent = LentTexture(texture, backTo: pool)
    self.pool = pool
    pool.keep(texture)
  }

  deinit { pool.unkeep(lent.texture) }
}

extension Image {
  /// Samples of a generated picture as floats.
  fileprivate init(_ generate: Generate, _ rect: Rect, _ layout: PixelFormat.Layout) {
    self.init(
      zeros: rect.size, format: PixelFormat(layout, .float32),
      alpha: layout.hasAlpha ? .premultiplied : .opaque, transfer: .linear)
    let length = rect.width * layout.channels
    let make = generate.rows(of: rect)
    withUnsafeMutableBytes { bytes in
      let samples = bytes.bindMemory(to: Float.self)
      for (index, y) in rect.rows.enumerated() {
        let place = index * length
        make(
          y, rect.columns,
          UnsafeMutableBufferPointer(rebasing: samples[place..<place + length]))
      }
    }
  }
}
