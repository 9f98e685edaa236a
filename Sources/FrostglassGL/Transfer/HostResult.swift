internal import CGLES
internal import FrostglassCore

/// A result that is read back into memory.
final class HostResult: ResultSink {
  private let description: Plan.Result
  private let runner: PlanRunner
  private var result: ResultImage
  private var waiting: [ReadBack] = []
  private var fence: GLFence?

  init(_ result: Plan.Result, into memory: ResultMemory = ResultMemory(), runner: PlanRunner) {
    description = result
    self.result = ResultImage(rect: result.rect, format: result.format, in: memory)
    self.runner = runner
  }

  func write(
    _ part: Rect, _ draw: (GLTexture) throws(GLFailure) -> Void
  ) throws(GLFailure) {
    let format = WorkFormat(result: description.format.depth)
    let texture = try runner.pool.lend(part.size, format.texture)
    defer { runner.pool.takeBack(texture) }
    try draw(texture)
    try read(part, from: texture)
  }

  /// Reads a part from a texture of its size.
  func read(_ part: Rect, from texture: GLTexture) throws(GLFailure) {
    try runner.passes.attach(texture, "read-back")
    if runner.transfer.needsPacking(description.format) {
      if try packed(part, from: texture) { return }
      try runner.passes.attach(texture, "read-back")
    }
    if let readBack = try runner.transfer.startReadBack(part, description.format) {
      waiting.append(readBack)
    } else {
      try runner.transfer.readBack(part, into: &result)
    }
  }

  /// Has the device pack a part and reads that; whether it could.
  private func packed(_ part: Rect, from texture: GLTexture) throws(GLFailure) -> Bool {
    let picture = PackedPicture(
      part.size, description.format, longestSide: runner.limits.longestSide)
    guard max(picture.texels.width, picture.texels.height) <= runner.limits.longestSide,
      let target = try? runner.pool.lend(picture.texels, .rgba8)
    else { return false }
    defer { runner.pool.takeBack(target) }
    try runner.passes.pack(picture, from: texture, into: target)
    try runner.passes.attach(target, "read-back")
    guard let readBack = try runner.transfer.startReadBack(part, packed: picture) else {
      return false
    }
    waiting.append(readBack)
    return true
  }

  /// Sends the device off with all that was asked for.
  func submit() {
    guard !waiting.isEmpty else { return }
    fence = GLFence(in: runner.context)
    glFlush()
  }

  /// Waits for what is still on its way.
  ///
  /// - Returns: the whole result.
  func finish() throws(GLFailure) -> Image {
    defer { abandon() }
    try fence?.wait()
    for readBack in waiting { try runner.transfer.finish(readBack, into: &result) }
    return try result.image(alpha: description.alpha, transfer: description.transfer)
  }

  /// Lets go of what is still on its way.
  func abandon() {
    for readBack in waiting { runner.transfer.buffers?.takeBack(readBack.buffer) }
    waiting = []
  }
}
