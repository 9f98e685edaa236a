/// The order of colors in the memory of a pixel.
package enum ChannelOrder: Sendable, Hashable {
  /// Red first.
  case rgb
  /// Blue first, as OpenCV, Cairo and most compositors have them. Alpha stays last.
  case bgr
}

extension PixelInput {
  /// The caller's memory, in which blue may come first, as OpenCV, Cairo and most compositors have it.
  ///
  /// - Parameter memory: described as if red came first.
  public static func memory(_ memory: PixelMemory, isBlueFirst: Bool) -> PixelInput {
    isBlueFirst ? .rows(ReorderedSource(memory: memory)) : .memory(memory)
  }
}

extension PixelOutput {
  /// The caller's memory, in which blue may come first.
  ///
  /// - Parameter result: the description of the plan's result.
  public static func memory(
    _ memory: MutablePixelMemory, isBlueFirst: Bool, for result: Plan.Result
  ) -> PixelOutput {
    isBlueFirst
      ? .rows(ReorderedSink(memory: memory, description: Plan.Input(result))) : .memory(memory)
  }
}

/// Rows of memory with red and blue exchanged.
private struct ReorderedSource: RowSource {
  let memory: PixelMemory

  func read(_ rows: Range<Int>, into target: UnsafeMutableRawPointer) throws {
    let length = memory.description.bytesPerRow
    for (index, y) in rows.enumerated() {
      let row = UnsafeMutableRawBufferPointer(start: target + index * length, count: length)
      let start = y * memory.bytesPerRow
      row.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory.bytes[start..<start + length]))
      memory.description.format.exchangeRedAndBlue(row)
    }
  }
}

/// Takes rows into memory with red and blue exchanged.
private struct ReorderedSink: RowSink {
  let memory: MutablePixelMemory
  let description: Plan.Input

  func write(_ rows: Range<Int>, _ bytes: UnsafeRawBufferPointer) throws {
    let length = description.bytesPerRow
    for (index, y) in rows.enumerated() {
      let start = y * memory.bytesPerRow
      let row = UnsafeMutableRawBufferPointer(rebasing: memory.bytes[start..<start + length])
      row.copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes[index * length..<(index + 1) * length]))
      description.format.exchangeRedAndBlue(row)
    }
  }
}

extension PixelFormat {
  /// Exchanges red and blue of pixels without gaps; of gray ones nothing.
  fileprivate func exchangeRedAndBlue(_ pixels: UnsafeMutableRawBufferPointer) {
    switch (layout, depth) {
    case (.gray, _): return
    case (.rgba, .uint8):
      // As words, which vectors hold several of.
      let words = pixels.assumingMemoryBound(to: (UInt8, UInt8, UInt8, UInt8).self)
      for index in words.indices {
        words[index] = (words[index].2, words[index].1, words[index].0, words[index].3)
      }
    case (_, .uint8): exchange(pixels, UInt8.self)
    case (_, .uint16): exchange(pixels, UInt16.self)
    case (_, .float32): exchange(pixels, Float.self)
    }
  }

  private func exchange<Sample>(_ pixels: UnsafeMutableRawBufferPointer, _: Sample.Type) {
    let samples = pixels.assumingMemoryBound(to: Sample.self)
    for first in stride(from: 0, to: samples.count, by: layout.channels) {
      samples.swapAt(first, first + 2)
    }
  }
}

extension Plan {
  /// True if red, green and blue are treated alike, so that their order makes no difference.
  package var treatsColorsAlike: Bool {
    steps.allSatisfy { step in
      switch step.pass {
      case .load, .resample, .convolve, .stencil, .gather, .median, .blend: true
      case .store(let store): store.background == nil
      case .generate: step.target.map { slots[$0].layout == .gray } ?? false
      default: false
      }
    }
  }
}
