extension StillSink {
  /// The format to write: the one chosen, or the path's, or the input's.
  ///
  /// - Parameters:
  ///   - chosen: `nil` takes it from the path's extension, and for standard output from the input
  ///     (PNG when that format is only read).
  ///   - input: the input's.
  /// - Throws: `EncodeError.unknownFormat` for an extension that says nothing.
  func format(_ chosen: StillFormat?, input: StillFormat) throws(EncodeError) -> StillFormat {
    if let chosen { return chosen }
    switch self {
    // Devices and pipes have no extension to tell a format by.
    case .file(let path, _) where !path.hasPrefix("/dev/"):
      return try StillFormat.toWrite(path: path)
    default: return input.canEncode ? input : .png
    }
  }
}
