internal import FrostglassCore
internal import FrostglassStills

extension Job {
  /// Bytes of images in masks for its image.
  func maskMemory(for size: Size) -> MaskMemory {
    MaskMemory(outputs.compactMap(\.recipe.options.mask), for: size)
  }

  /// Refuses masks that take more memory than the job may before they are made: planning makes them.
  ///
  /// - Parameters:
  ///   - frames: in the file.
  ///   - cpu: the backend that may run the job.
  func checkMasks(
    for reader: StillReader, frames: Int, on cpu: any Backend
  ) throws(FrostglassError) {
    let masks = maskMemory(for: reader.header.size)
    let decoder = StillDecoder(decoding)
    do { return try decoder.checkMemory(masks.making, for: reader) } catch {}
    // The error states the whole need: rows of a mask's image take a little more than
    // those of the outline that stands for it.
    let others = 9 * ((try? othersMemory(for: reader, frames: frames, on: cpu)) ?? 0) / 8
    try mapped(
      FrostglassError.decode,
      decoder.checkMemory(max(masks.making, masks.made + others), for: reader))
  }

  /// Approximate bytes of the job without its masks.
  private func othersMemory(
    for reader: StillReader, frames: Int, on cpu: any Backend
  ) throws -> Int {
    let lines = try outputs.map { output throws(FrostglassError) -> OutputLine in
      var output = output
      output.recipe.options.mask = output.recipe.options.mask?.withoutPictures
      return try OutputLine(output, of: reader, frames: frames)
    }
    return try JobLine.memory(of: lines, Plan(joining: lines.map(\.plan)), reader, on: cpu)
  }
}
