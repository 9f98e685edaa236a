extension Preset {
  /// More is no preset.
  private static let mostMebibytes = 1

  /// Reads a preset's file.
  ///
  /// - Throws: `PresetError`.
  public init(file path: String) throws(PresetError) {
    let text = try Self.contents(path)
    do throws(PresetError) { try self.init(text: text) } catch { throw error.inFile(path) }
  }

  /// Writes the preset to a file, which appears whole or not at all.
  ///
  /// - Throws: `EncodeError.exists` or `.unwritable`.
  public func write(to path: String, overwrite: Bool = false) throws(EncodeError) {
    try StillSink.file(path, overwrite: overwrite).write(Array(text.utf8))
  }

  private static func contents(_ path: String) throws(PresetError) -> String {
    do throws(TextFile.Failure) {
      return try TextFile.contents(path, most: mostMebibytes)
    } catch {
      switch error {
      case .missing: throw .missing(path: path)
      case .unreadable(let reason): throw .unreadable(path: path, reason: reason)
      }
    }
  }
}
