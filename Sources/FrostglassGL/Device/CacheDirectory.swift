internal import FrostglassCore
internal import Glibc

/// A folder for what was worked out once and may be lost at any time: programs, measurements.
///
/// Nothing here fails. What cannot be read is worked out again, what cannot be written is not kept.
/// Files appear whole or not at all, however a process ends.
package struct CacheDirectory: Sendable, Hashable {
  /// A file of the folder.
  package struct Entry: Sendable, Hashable {
    package var name: String
    package var bytes: Int
    /// When it was last written or used, in seconds since 1970.
    package var seconds: Int
  }

  /// What the names of unfinished files begin with.
  private static let unfinished = ".new-"

  package var path: String

  package init(_ path: String) {
    self.path = path
  }

  /// Where this user's things are kept, or `nil` where nothing is to be.
  ///
  /// `FROSTGLASS_CACHE_DIR` if it is set, and nothing is kept if it is empty; else `frostglass` in
  /// `XDG_CACHE_HOME`, or in `.cache` in `HOME`.
  package static func ofUser(_ environment: (String) -> String?) -> CacheDirectory? {
    if let path = environment("FROSTGLASS_CACHE_DIR") {
      return path.isEmpty ? nil : CacheDirectory(path)
    }
    // A relative one is to be ignored, says the specification.
    if let caches = environment("XDG_CACHE_HOME"), caches.hasPrefix("/") {
      return CacheDirectory(caches + "/frostglass")
    }
    guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
    return CacheDirectory(home + "/.cache/frostglass")
  }

  /// That of the user whose process this is.
  package static var ofUser: CacheDirectory? {
    ofUser { name in getenv(name).map { String(cString: $0) } }
  }

  /// A folder in this one.
  package func folder(_ name: String) -> CacheDirectory { CacheDirectory("\(path)/\(name)") }

  /// A file's contents; `nil` where there is none, or more than `most` bytes.
  package func read(_ name: String, atMost most: Int) -> [UInt8]? {
    let file = open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // A folder or a pipe has no end to seek to, or a senseless one.
    let length = Int(lseek(file, 0, SEEK_END))
    guard (0...most).contains(length) else { return nil }
    var bytes = [UInt8](repeating: 0, count: length)
    guard pread(file, &bytes, length, 0) == length else { return nil }
    return bytes
  }

  /// Says that a file was of use, so that it is among the last to go.
  func touch(_ name: String) {
    utimensat(AT_FDCWD, "\(path)/\(name)", nil, 0)
  }

  package func remove(_ name: String) {
    unlink("\(path)/\(name)")
  }

  /// All files, finished or not.
  package var entries: [Entry] {
    ((try? namesOfFiles(in: path)) ?? []).compactMap { name in
      var status = stat()
      guard lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        return nil
      }
      return Entry(name: name, bytes: Int(status.st_size), seconds: status.st_mtim.tv_sec)
    }
  }
}

extension CacheDirectory {
  /// Makes or replaces a file.
  ///
  /// - Returns: whether that was possible.
  @discardableResult
  package func write(_ bytes: [UInt8], to name: String) -> Bool {
    make()
    let target = "\(path)/\(name)"
    if let done = writeUnnamed(bytes, to: target) { return done }
    let temporary = newName
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    let isWhole = fill(file, bytes)
    close(file)
    return publish(temporary, as: target, if: isWhole)
  }

  /// Writes a file that has no name until it is whole. A killed process leaves nothing, or, where
  /// it was about to replace a file, a whole one under an unfinished one's name: see `trim`.
  ///
  /// - Returns: whether it was written; `nil` where the file system has no such files.
  private func writeUnnamed(_ bytes: [UInt8], to target: String) -> Bool? {
    // O_TMPFILE, which the headers keep to themselves: the same on every architecture of Swift's.
    let unnamed = 0o20_000_000 | O_DIRECTORY
    let file = open(path, unnamed | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
    defer { close(file) }
    guard fill(file, bytes) else { return false }
    let own = "/proc/self/fd/\(file)"
    if linkat(AT_FDCWD, own, AT_FDCWD, target, AT_SYMLINK_FOLLOW) == 0 { return true }
    guard errno == EEXIST else { return nil }
    // A link replaces nothing, a rename does.
    let temporary = newName
    guard linkat(AT_FDCWD, own, AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) == 0 else { return false }
    return publish(temporary, as: target, if: true)
  }

  private var newName: String {
    path + "/" + CacheDirectory.unfinished + String(UInt64.random(in: 0 ... .max), radix: 36)
  }

  private func publish(_ temporary: String, as target: String, if isWhole: Bool) -> Bool {
    if isWhole, rename(temporary, target) == 0 { return true }
    unlink(temporary)
    return false
  }

  private func fill(_ file: Int32, _ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { writeAll($0, to: file) } == nil
  }

  /// Makes the folder and those above it, for this user alone.
  private func make() {
    guard mkdir(path, 0o700) != 0, errno == ENOENT,
      let slash = path.lastIndex(of: "/"), slash > path.startIndex
    else { return }
    CacheDirectory(String(path[..<slash])).make()
    mkdir(path, 0o700)
  }

  /// Removes the files that were of no use for longest until the rest is small, and unfinished ones
  /// that nobody can still be writing.
  ///
  /// - Parameters:
  ///   - most: bytes that may be left.
  ///   - files: how many of them.
  /// - Returns: the bytes that are left.
  @discardableResult
  package func trim(to most: Int, files: Int = .max, now: Int = time(nil)) -> Int {
    var kept: [Entry] = []
    for entry in entries {
      if entry.name.hasPrefix(CacheDirectory.unfinished) {
        if entry.seconds < now - 3600 { remove(entry.name) }
      } else {
        kept.append(entry)
      }
    }
    var total = kept.reduce(0) { $0 + $1.bytes }
    var count = kept.count
    for entry in kept.sorted(by: { $0.seconds < $1.seconds }) where total > most || count > files {
      remove(entry.name)
      total -= entry.bytes
      count -= 1
    }
    return total
  }
}

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
