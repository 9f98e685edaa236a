/// What was measured of something once, as a small text file: names and values, with a checksum.
package struct CacheRecord: Sendable, Hashable {
  private static let signature = "frostglass record 1"
  private static let largestFile = 1 << 16
  /// Records that are kept, of all kinds together; each driver and each GPU adds some.
  package static let most = 64

  /// What it is about. A record of another subject is none.
  package var subject: String
  package var values: [String: String]

  package init(subject: String, values: [String: String] = [:]) {
    self.subject = subject
    self.values = values
  }

  /// Reads the record of a subject; `nil` where there is none, or only a damaged one.
  ///
  /// - Parameter kind: what is known of the subject: a word.
  package init?(_ kind: String, of subject: String, in cache: CacheDirectory) {
    let place = CacheRecord.place(kind, subject, cache)
    guard let bytes = place.folder.read(place.name, atMost: CacheRecord.largestFile),
      let record = CacheRecord(text: String(decoding: bytes, as: UTF8.self)),
      record.subject == CacheRecord.line(subject)
    else { return nil }
    place.folder.touch(place.name)
    self = record
  }

  /// Keeps the record in the place of an older one, if that is possible; those that were of no use
  /// for longest go when there are too many.
  package func keep(as kind: String, in cache: CacheDirectory) {
    let place = CacheRecord.place(kind, subject, cache)
    place.folder.write(Array(text.utf8), to: place.name)
    place.folder.trim(to: CacheRecord.most * CacheRecord.largestFile, files: CacheRecord.most)
  }

  /// A number that was written; `nil` where there is none, or a senseless one.
  package func number(_ name: String) -> Double? {
    values[name].flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
  }

  package var text: String {
    let lines = ["subject\t\(subject)"] + values.sorted { $0.key < $1.key }.map { "\($0)\t\($1)" }
    let body = ([CacheRecord.signature] + lines.map(CacheRecord.line)).joined(separator: "\n")
    return body + "\nchecksum\t\(ContentHash(body.utf8))\n"
  }

  package init?(text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // Signature, subject, values, checksum, and what follows the last end of a line.
    guard lines.count >= 4, lines[0] == CacheRecord.signature else { return nil }
    var pairs: [String: String] = [:]
    for line in lines[1..<(lines.count - 2)] {
      let words = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
      guard words.count == 2 else { return nil }
      pairs[String(words[0])] = String(words[1])
    }
    guard let subject = pairs.removeValue(forKey: "subject") else { return nil }
    self.init(subject: subject, values: pairs)
    // What was read is right if it would be written so.
    guard self.text == text else { return nil }
  }

  private static func place(
    _ kind: String, _ subject: String, _ cache: CacheDirectory
  ) -> (folder: CacheDirectory, name: String) {
    (cache.folder("devices"), "\(kind)-\(ContentHash(line(subject).utf8))")
  }

  /// Subjects have several lines, files one per value.
  private static func line(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: " | ")
  }
}

/// A fingerprint of 128 bits: FNV-1a, which tells texts apart and notices damage; no secret.
package struct ContentHash: Sendable, Hashable, CustomStringConvertible {
  package private(set) var value: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d

  /// One that was written down.
  package init(value: UInt128) {
    self.value = value
  }

  /// The fingerprint of some bytes.
  package init(_ bytes: some Sequence<UInt8>) {
    add(bytes)
  }

  /// The fingerprint of texts in order; where one ends and the next begins counts too.
  package init(texts: [String]) {
    for text in texts {
      add(text.utf8)
      // Occurs in no text.
      add([0xFF])
    }
  }

  /// 32 hexadecimal digits.
  package var description: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }

  private mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      value ^= UInt128(byte)
      value &*= 0x0000_0000_0100_0000_0000_0000_0000_013B
    }
  }
}
