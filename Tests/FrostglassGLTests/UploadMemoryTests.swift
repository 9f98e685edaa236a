import FrostglassCore
import FrostglassGL
import Testing

/// Frames that callers write to memory which the device reads.
@Suite struct UploadMemoryTests {
  private static let modes = [GLOptions.TransferMode.direct, .buffered]

  private func fill(_ memory: GLUploadMemory, with image: Image) async throws {
    // On another thread than the backend's, as callers do.
    try await Task.detached {
      try memory.fill { bytes in image.withUnsafeBytes { bytes.copyMemory(from: $0) } }
    }.value
  }

  @Test(arguments: modes) func hasTheBytesOfAnImage(_ mode: GLOptions.TransferMode) async throws {
    let backend = try await GLBackend.start(GLOptions(transfer: mode))
    let extensions = backend.device.capabilities.extensions
    for format in PixelFormat.all {
      let image = Image.noise(67, 41, format)
      let memory = try await backend.uploadMemory(for: Plan.Input(image))
      #expect(
        memory.isMapped == (mode == .buffered && extensions.contains("GL_EXT_buffer_storage")))
      #expect(memory.bytesPerRow == image.bytesPerRow)
      try await fill(memory, with: image)
      let picture = try await backend.upload(memory)
      #expect(picture.input == Plan.Input(image))
      #expect(try await backend.download(picture).bytes == image.bytes, "\(format)")
      let plan = try FilterChain([.gaussian(sigma: 4)]).plan(for: picture.input)
      let blurred = try await backend.download(try await backend.execute(plan, [picture]))
      #expect(try await backend.execute(plan, [image]).bytes == blurred.bytes, "\(format)")
    }
  }

  @Test(arguments: modes) func isFilledAgain(_ mode: GLOptions.TransferMode) async throws {
    let backend = try await GLBackend.start(GLOptions(transfer: mode))
    let frames = (1...9 as ClosedRange<UInt64>).map { Image.noise(90, 70, seed: $0) }
    var memory: [GLUploadMemory] = []
    for _ in 0..<2 { memory.append(try await backend.uploadMemory(for: Plan.Input(frames[0]))) }
    var pictures: [GLImage] = []
    for (index, frame) in frames.enumerated() {
      let next = memory[index % 2]
      try await backend.waitUntilRead(next)
      try await fill(next, with: frame)
      pictures.append(try await backend.upload(next))
    }
    for (picture, frame) in zip(pictures, frames) {
      #expect(try await backend.download(picture).bytes == frame.bytes)
    }
  }

  @Test func isNotWrittenWhileItIsRead() async throws {
    let backend = try await GLBackend.start(GLOptions(transfer: .buffered))
    let image = Image.noise(50, 40)
    let memory = try await backend.uploadMemory(for: Plan.Input(image))
    try await fill(memory, with: image)
    _ = try await backend.upload(memory)
    if memory.isMapped {
      await expectRefusal("still reads") { try await fill(memory, with: image) }
    } else {
      // The process's memory has been copied when the upload returns.
      try await fill(memory, with: image)
    }
    try await backend.waitUntilRead(memory)
    try await fill(memory, with: image)
  }

  @Test(arguments: modes)
  func isNotFilledWhileItIsFilled(_ mode: GLOptions.TransferMode) async throws {
    let backend = try await GLBackend.start(GLOptions(transfer: mode))
    let image = Image.noise(50, 40)
    let memory = try await backend.uploadMemory(for: Plan.Input(image))
    let other = try await backend.uploadMemory(for: Plan.Input(image))
    let refusals = try await Task.detached {
      var refusals: [BackendError] = []
      try memory.fill { bytes in
        do throws(BackendError) { try memory.fill { _ in } } catch { refusals.append(error) }
        // Another one may be filled meanwhile.
        do throws(BackendError) { try other.fill { _ in } } catch { refusals.append(error) }
        image.withUnsafeBytes { bytes.copyMemory(from: $0) }
      }
      return refusals
    }.value
    #expect(refusals.count == 1 && "\(refusals)".contains("is being filled"))
    try await fill(other, with: image)
    for memory in [memory, other] {
      #expect(try await backend.download(try await backend.upload(memory)).bytes == image.bytes)
    }
  }

  @Test func goesBackWithItsLastReference() async throws {
    // Room for a few at a time.
    let backend = try await GLBackend.start(GLOptions(textureBytes: 200_000, transfer: .buffered))
    let image = Image.noise(100, 100)
    for _ in 0..<40 {
      let memory = try await backend.uploadMemory(for: Plan.Input(image))
      try await fill(memory, with: image)
      #expect(try await backend.download(try await backend.upload(memory)).bytes == image.bytes)
    }
    #expect(await backend.textureStatistics.lentBytes == 0)
  }

  @Test func isRefused() async throws {
    let backend = try await GLBackend.start(GLOptions(longestSide: 64))
    let other = try await GLBackend.start()
    let input = Plan.Input(Image.noise(20, 10))
    let memory = try await backend.uploadMemory(for: input)
    await expectRefusal("another backend") { _ = try await other.upload(memory) }
    await expectRefusal("another backend") { try await other.waitUntilRead(memory) }
    await expectRefusal("64×64") {
      _ = try await backend.uploadMemory(for: Plan.Input(Image.noise(65, 10)))
    }
  }

  @Test(arguments: modes) func goesWithItsContext(_ mode: GLOptions.TransferMode) async throws {
    var options = GLOptions(transfer: mode)
    options.faults = GLFaults([.checkpoint: [60...60]])
    let backend = try await GLBackend.start(options)
    let image = Image.noise(20, 10)
    let memory = try await backend.uploadMemory(for: Plan.Input(image))
    var uploads = 0
    await expectRefusal("lost") {
      while uploads < 100 {
        try await backend.waitUntilRead(memory)
        try await fill(memory, with: image)
        _ = try await backend.upload(memory)
        uploads += 1
      }
    }
    #expect(uploads > 0)
    await expectRefusal("lost with its context") { try await fill(memory, with: image) }
    await expectRefusal("lost with its context") { _ = try await backend.upload(memory) }
    let fresh = try await backend.uploadMemory(for: Plan.Input(image))
    try await fill(fresh, with: image)
    #expect(try await backend.download(try await backend.upload(fresh)).bytes == image.bytes)
  }
}
