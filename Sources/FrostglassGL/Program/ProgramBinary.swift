/// A program as a driver has compiled it, in the driver's own form.
package struct ProgramBinary: Sendable, Hashable {
  /// The driver's number for the form.
  package var format: UInt32
  package var bytes: [UInt8]

  package init(format: UInt32, bytes: [UInt8]) {
    self.format = format
    self.bytes = bytes
  }

  /// The first bytes of a file, with the version of its layout.
  private static let signature = Array("frostglass program 1\n".utf8)
  private static let headerBytes = signature.count + 16 + 4 + 4 + 16

  /// The contents of the file that keeps it: signature, key, form, length, checksum of all that, the
  /// driver's bytes included; then those.
  ///
  /// - Parameter key: what the program was made from, and by which driver.
  package func file(for key: ContentHash) -> [UInt8] {
    let description =
      ProgramBinary.signature + ProgramBinary.littleEndian(key.value)
      + ProgramBinary.littleEndian(format) + ProgramBinary.littleEndian(UInt32(bytes.count))
    let checksum = ContentHash([description, bytes].joined())
    return description + ProgramBinary.littleEndian(checksum.value) + bytes
  }

  /// Reads a file back; `nil` where it is not whole, or another program's.
  package init?(file: [UInt8], for key: ContentHash) {
    guard file.count > ProgramBinary.headerBytes else { return nil }
    let start = ProgramBinary.signature.count + 16
    format = file[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    bytes = Array(file[ProgramBinary.headerBytes...])
    // What was read is right if it would be written so.
    guard self.file(for: key) == file else { return nil }
  }

  private static func littleEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }
}
