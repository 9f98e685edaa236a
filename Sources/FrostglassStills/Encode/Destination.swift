// The compiler finds `struct stat` in whichever C module includes it first, here CVips.
internal import CVips
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// A path to write to, with the state of the existing file.
struct Destination {
  /// The kind of thing at a path.
  private enum Kind {
    /// A descriptor of this process, by a path such as `/dev/stdout`.
    case descriptor(Int32)
    /// A pipe, a terminal or another thing without contents of its own.
    case inPlace
    /// A file to replace, with the mode and owner to keep.
    case existing(stat)
    /// Nothing yet.
    case new
  }

  /// The path as it was given, for messages.
  private let path: String
  /// The path behind all symbolic links.
  private let target: String
  private let kind: Kind
  private let overwrite: Bool

  init(_ path: String, overwrite: Bool) throws(EncodeError) {
    self.path = path
    self.overwrite = overwrite
    if let descriptor = FilePlace.descriptor(path) {
      (target, kind) = (path, .descriptor(descriptor))
      return
    }
    var status = stat()
    if stat(path.systemPath, &status) == 0 {
      switch status.st_mode & S_IFMT {
      case S_IFDIR: throw .unwritable(path: path, reason: systemWords(EISDIR))
      case S_IFREG: (target, kind) = (FilePlace.resolved(path), .existing(status))
      default: (target, kind) = (path, .inPlace)
      }
    } else if errno == ENOENT {
      (target, kind) = (FilePlace.resolved(path), .new)
    } else {
      throw .unwritable(path: path, reason: systemWords(errno))
    }
  }

  /// The folder in which a file is made, ending with a slash; empty for the current one.
  var folder: String {
    guard let slash = target.lastIndex(of: "/") else { return "" }
    return String(target[...slash])
  }

  /// True if the path is or will be a regular file.
  var holdsFile: Bool {
    switch kind {
    case .existing, .new: true
    case .descriptor, .inPlace: false
    }
  }

  /// Finds what can be found without writing.
  func check() throws(EncodeError) {
    switch kind {
    case .descriptor: return
    case .inPlace: try demandAccess(path, W_OK)
    case .existing:
      guard overwrite else { throw .exists(path: path) }
      try demandAccess(target, W_OK)
      try demandAccess(folder.isEmpty ? "." : folder, W_OK | X_OK)
    case .new:
      guard !target.isEmpty, !target.hasSuffix("/") else {
        throw .unwritable(path: path, reason: "this names no file")
      }
      try demandAccess(folder.isEmpty ? "." : folder, W_OK | X_OK)
    }
  }

  private func demandAccess(_ place: String, _ mode: Int32) throws(EncodeError) {
    guard access(place.systemPath, mode) != 0 else { return }
    let words = systemWords(errno)
    throw .unwritable(path: path, reason: place == path ? words : "\(place): \(words)")
  }
}

extension Destination {
  private var temporaries: TemporaryFiles { .ofProcess }

  /// Writes everything next to the destination, which is unchanged until the file is published.
  ///
  /// A destination without such a place, such as a pipe, is written when it is published, and cannot be taken
  /// back.
  ///
  /// - Parameter isDurable: true to have the bytes on the disk first, so that no incomplete file has its name after
  ///   the machine went down.
  func stage(_ bytes: EncodedBytes, isDurable: Bool) throws(EncodeError) -> StagedFile {
    try check()
    switch kind {
    case .descriptor, .inPlace: return StagedFile(self, .bytes(bytes))
    case .existing, .new:
      // Not even a killed process leaves a part of a file that has no name until it is whole.
      let descriptor = openUnnamed(in: folder, O_WRONLY, mode)
      guard descriptor >= 0 else {
        return StagedFile(self, .named(try named(bytes, isDurable: isDurable)))
      }
      let staged = StagedFile(self, .unnamed(descriptor, bytes, isDurable: isDurable))
      try demand(fill(descriptor, with: bytes, isDurable: isDurable))
      return staged
    }
  }

  fileprivate func publish(_ place: StagedFile.Place) throws(EncodeError) {
    switch (place, kind) {
    case (.bytes(let bytes), .descriptor(let descriptor)):
      try demand(bytes.write(to: descriptor))
    case (.bytes(let bytes), _): try writeInPlace(bytes)
    case (.named(let temporary), _): try publish(temporary)
    case (.unnamed(let descriptor, let bytes, isDurable: let isDurable), _):
      // Some file systems have files without names, and no names for them later.
      if try !link(descriptor) { try publish(named(bytes, isDurable: isDurable)) }
    }
  }

  /// Gives a whole file a temporary name, if it has none: only its own is left to be given.
  fileprivate func prepare(_ place: inout StagedFile.Place) throws(EncodeError) {
    guard case .unnamed(let descriptor, let bytes, isDurable: let isDurable) = place else { return }
    if let name = named(descriptor) {
      place = .named(name)
    } else {
      place = .named(try named(bytes, isDurable: isDurable))
    }
    close(descriptor)
  }

  /// Gives the existing file a second name, to restore it.
  ///
  /// - Returns: the name; `nil` where nothing is there, or nothing that would be replaced.
  fileprivate func setAside() throws(EncodeError) -> String? {
    guard holdsFile, overwrite else { return nil }
    let (kept, result) = temporaries.make(in: folder) { path in
      let linked = Glibc.link(target.systemPath, path.systemPath)
      // Some file systems have one name for a file.
      return linked == 0 || errno == ENOENT ? linked : rename(target.systemPath, path.systemPath)
    }
    guard result != -ENOENT else { return nil }
    try demand(result < 0 ? -result : nil)
    return kept
  }

  /// Takes the file away: what was set aside is there again, or nothing is.
  fileprivate func bringBack(_ kept: String?) {
    guard holdsFile else { return }
    guard let kept else { return _ = unlink(target.systemPath) }
    _ = temporaries.finish(kept) {
      guard rename(kept.systemPath, target.systemPath) == 0 else { return -1 }
      // Where both are names of one file, both stay.
      unlink(kept.systemPath)
      return 0
    }
  }

  /// Removes what was not published.
  fileprivate func drop(_ place: StagedFile.Place) {
    switch place {
    case .bytes: return
    case .unnamed(let descriptor, _, isDurable: _): close(descriptor)
    case .named(let temporary): remove(temporary)
    }
  }

  private func writeInPlace(_ bytes: EncodedBytes) throws(EncodeError) {
    let descriptor = open(target.systemPath, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return try demand(errno) }
    let failure = bytes.write(to: descriptor)
    let closing = close(descriptor) == 0 ? nil : errno
    try demand(failure ?? closing)
  }

  /// 0666 less the umask for a new file; one that replaces a private file is never open to others.
  private var mode: mode_t {
    if case .existing = kind { 0o600 } else { 0o666 }
  }

  /// Writes everything to a file with a temporary name, which is returned.
  private func named(_ bytes: EncodedBytes, isDurable: Bool) throws(EncodeError) -> String {
    let (temporary, descriptor) = temporaries.make(in: folder) {
      open($0.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    }
    guard descriptor >= 0 else {
      try demand(-descriptor)
      return temporary
    }
    var failure = fill(descriptor, with: bytes, isDurable: isDurable)
    // Some file systems report a full disk only here.
    if close(descriptor) != 0, failure == nil { failure = errno }
    if failure != nil { remove(temporary) }
    try demand(failure)
    return temporary
  }

  private func fill(
    _ descriptor: Int32, with bytes: EncodedBytes, isDurable: Bool
  ) -> Int32? {
    if case .existing(let status) = kind, let failure = keep(status, on: descriptor) {
      return failure
    }
    if let failure = bytes.write(to: descriptor) { return failure }
    return isDurable && fdatasync(descriptor) != 0 ? errno : nil
  }

  /// Gives the new file the old one's mode, and its owner where that is allowed.
  private func keep(_ status: stat, on descriptor: Int32) -> Int32? {
    _ = fchown(descriptor, status.st_uid, status.st_gid)
    return fchmod(descriptor, status.st_mode & 0o7777) == 0 ? nil : errno
  }

  /// Gives an unnamed file its own name.
  ///
  /// - Returns: true if it has the name; false if the file system cannot give it.
  private func link(_ descriptor: Int32) throws(EncodeError) -> Bool {
    let file = "/proc/self/fd/\(descriptor)"
    let failure = temporaries.name {
      linkat(AT_FDCWD, file, AT_FDCWD, target.systemPath, AT_SYMLINK_FOLLOW)
    }
    guard let failure else { return true }
    guard failure == EEXIST else { return false }
    guard overwrite else { throw .exists(path: path) }
    // A link replaces nothing, a rename does.
    guard let temporary = named(descriptor) else { return false }
    try publish(temporary)
    return true
  }

  /// Gives an open file without a name a temporary one, which is returned; `nil` where the file system has none.
  fileprivate func named(_ descriptor: Int32) -> String? {
    let (temporary, result) = temporaries.make(in: folder) {
      linkat(
        AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, $0.systemPath, AT_SYMLINK_FOLLOW)
    }
    return result == 0 ? temporary : nil
  }

  /// Moves the finished file to its name, or removes it; a file that appeared there meanwhile is not
  /// replaced unless overwriting is allowed.
  private func publish(_ temporary: String) throws(EncodeError) {
    if !overwrite {
      let failure = temporaries.name { Glibc.link(temporary.systemPath, target.systemPath) }
      guard let failure else { return remove(temporary) }
      // File systems without hard links fall through to the rename.
      if failure == EEXIST {
        remove(temporary)
        throw .exists(path: path)
      }
    }
    guard
      let failure = temporaries.finish(
        temporary, { rename(temporary.systemPath, target.systemPath) })
    else { return }
    remove(temporary)
    try demand(failure)
  }

  private func remove(_ temporary: String) {
    _ = temporaries.finish(temporary) { unlink(temporary.systemPath) }
  }

  /// Throws what a call reported, if anything.
  private func demand(_ failure: Int32?) throws(EncodeError) {
    guard let failure else { return }
    throw failure == EEXIST
      ? .exists(path: path) : .unwritable(path: path, reason: systemWords(failure))
  }
}

extension Destination {
  /// Opens a file next to the destination for output that is not sequential.
  ///
  /// - Returns: its descriptor, and its path where the file system has no files without names.
  fileprivate func begin() throws(EncodeError) -> (descriptor: Int32, path: String?) {
    try check()
    var name: String?
    var descriptor = openUnnamed(in: folder, O_RDWR, mode)
    if descriptor < 0 {
      let (temporary, result) = temporaries.make(in: folder) {
        open($0.systemPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      }
      if result < 0 { try demand(-result) }
      (name, descriptor) = (temporary, result)
    }
    if case .existing(let status) = kind, let failure = keep(status, on: descriptor) {
      close(descriptor)
      if let name { remove(name) }
      try demand(failure)
    }
    return (descriptor, name)
  }

  /// Puts the contents on the disk: who goes on with a batch takes a name for a whole file, also after the
  /// machine went down.
  fileprivate func sync(_ descriptor: Int32) throws(EncodeError) {
    try demand(fdatasync(descriptor) == 0 ? nil : errno)
  }

  fileprivate func publish(_ descriptor: Int32, _ name: String?) throws(EncodeError) {
    if let name { return try publish(name) }
    // Some file systems have files without names, and no names for them later.
    if try !link(descriptor) { try publish(copied(descriptor)) }
  }

  /// Writes what an open file holds to one with a temporary name, which is returned.
  fileprivate func copied(_ descriptor: Int32) throws(EncodeError) -> String {
    guard let copy = SpoolFile(duplicating: descriptor) else {
      try demand(errno)
      return ""
    }
    return try named(EncodedBytes(in: copy), isDurable: true)
  }

  fileprivate func drop(_ name: String) { remove(name) }
}

/// A file that is written here and there for a long time, and has its name when it is whole: what a video
/// is written to.
package final class FileInProgress: Sendable {
  /// The open file, to be read and written.
  package let descriptor: Int32
  private let destination: Destination
  private let state: Mutex<State>

  private struct State {
    /// The name where the file system has no files without names, and once it is prepared.
    var temporary: String?
    var isPublished = false
  }

  /// Opens a file next to its destination.
  ///
  /// - Throws: `EncodeError.exists` or `.unwritable`, also of what is no file, such as a pipe.
  package init(_ path: String, overwrite: Bool) throws(EncodeError) {
    destination = try Destination(path, overwrite: overwrite)
    guard destination.holdsFile else {
      throw .unwritable(path: path, reason: "only a file can be written here and there")
    }
    let (descriptor, temporary) = try destination.begin()
    self.descriptor = descriptor
    state = Mutex(State(temporary: temporary))
  }

  deinit {
    close(descriptor)
    let state = state.withLock { $0 }
    if let temporary = state.temporary, !state.isPublished { destination.drop(temporary) }
  }

  /// A path that opens the same file again.
  package var path: String { "/proc/self/fd/\(descriptor)" }

  /// Bytes that are in it.
  package var count: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Puts the contents on the disk, where a full one may be found out only now.
  ///
  /// - Throws: `EncodeError.unwritable`.
  package func sync() throws(EncodeError) { try destination.sync(descriptor) }

  /// Does what may take long of giving the file its name.
  ///
  /// - Throws: `EncodeError.unwritable`.
  package func prepare() throws(EncodeError) {
    try state.withLock { state throws(EncodeError) in
      if state.temporary == nil { state.temporary = destination.named(descriptor) }
      if state.temporary == nil { state.temporary = try destination.copied(descriptor) }
    }
  }

  /// Gives the file its name, once; `sync` comes before.
  ///
  /// - Throws: `EncodeError.exists` or `.unwritable`.
  package func publish() throws(EncodeError) {
    let temporary = state.withLock { state in
      state.isPublished = true
      return state.temporary
    }
    try destination.publish(descriptor, temporary)
  }
}

/// A complete file next to its destination, removed with this object unless it is published.
final class StagedFile {
  fileprivate enum Place {
    /// Bytes for a place that nothing can be put beside: a pipe, a device, a descriptor.
    case bytes(EncodedBytes)
    /// An open file that is whole and has no name, and its bytes.
    case unnamed(Int32, EncodedBytes, isDurable: Bool)
    /// A file that is whole, under a temporary name.
    case named(String)
  }

  private let destination: Destination
  private var place: Place
  private var isPublished = false
  /// The name under which the earlier file is set aside, to restore it if necessary.
  private var before: String?

  fileprivate init(_ destination: Destination, _ place: Place) {
    self.destination = destination
    self.place = place
  }

  /// Its SHA-256; `nil` for what is written in place, and where it cannot be read.
  var digest: String? {
    switch place {
    case .bytes: nil
    case .unnamed(let descriptor, _, isDurable: _):
      FileDigest.sha256(of: "/proc/self/fd/\(descriptor)")
    case .named(let path): FileDigest.sha256(of: path)
    }
  }

  deinit {
    if case .named = place, isPublished { return }
    destination.drop(place)
  }

  /// True if it gets a name. Otherwise its bytes go to a reader that may keep them waiting.
  var isNamed: Bool { destination.holdsFile }

  /// Does what may take long of giving the file its name.
  func prepare() throws(EncodeError) { try destination.prepare(&place) }

  /// Gives the file its name, once.
  func publish() throws(EncodeError) {
    isPublished = true
    try destination.publish(place)
  }

  /// Gives the file its name, which `withdraw` can take back until `settle`, and has that on the disk.
  func publishForNow() throws(EncodeError) {
    before = try destination.setAside()
    do { try publish() } catch {
      if before != nil { destination.bringBack(before) }
      throw error
    }
    if isNamed { Folder.sync(destination.folder) }
  }

  /// Has everything as it was before it was published; what went into a pipe stays there.
  func withdraw() { destination.bringBack(before) }

  /// It stays: what was there before is not needed any more.
  func settle() {
    if let before { destination.drop(before) }
  }
}
