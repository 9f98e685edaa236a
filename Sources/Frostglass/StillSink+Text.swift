extension StillSink {
  /// Writes a text as a whole file.
  ///
  /// - Throws: `FrostglassError.encode`; then nothing was written.
  public func save(_ text: String) throws(FrostglassError) {
    do throws(EncodeError) { try write(Array(text.utf8)) } catch { throw .encode(error) }
  }
}
