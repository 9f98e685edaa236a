internal import Frostglass
internal import FrostglassGL

extension Console {
  /// Says what failed and was made good.
  static func tell(_ recoveries: [Recovery], of command: String) {
    for recovery in recoveries.newTo([]) { error("frostglass \(command): \(recovery)") }
  }
}

extension BackendSelector.Selection {
  /// What pictures have taken on the GPU, for `--verbose`; `nil` without one.
  var memoryLine: String? {
    get async {
      guard let gl = backend as? GLBackend else { return nil }
      let used = await gl.textureStatistics
      let (peak, ceiling) = (ByteCount(used.peakBytes).text, ByteCount(used.ceilingBytes).text)
      return "gpu       at most \(peak) of \(ceiling), \(used.textures) textures kept, "
        + "\(used.made) made, \(used.reused) used again"
    }
  }
}
