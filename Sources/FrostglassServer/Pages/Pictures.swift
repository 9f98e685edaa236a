internal import CHTTP
internal import Frostglass
internal import FrostglassCore
internal import Glibc

/// An open file of the operator's.
package final class PictureFile: Sendable {
  private let descriptor: Int32
  package let size: Int
  /// Seconds since 1970.
  package let modified: Int
  /// Another text as soon as the file is another one.
  package let version: String

  fileprivate init?(_ descriptor: Int32) {
    self.descriptor = descriptor
    var status = stat()
    let isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    size = Int(status.st_size)
    modified = status.st_mtim.tv_sec
    version =
      "\(status.st_dev).\(status.st_ino).\(status.st_size).\(status.st_mtim.tv_sec)."
      + "\(status.st_mtim.tv_nsec)"
    guard isFile else { return nil }
  }

  deinit { close(descriptor) }

  /// All of it; `nil` where it cannot be read. Waits for the disk.
  fileprivate func contents() -> [UInt8]? {
    var isWhole = false
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let got = pread(descriptor, buffer.baseAddress?.advanced(by: count), size - count, count)
        guard got > 0 else { return }
        count += got
      }
      isWhole = true
    }
    return isWhole ? bytes : nil
  }
}

/// The operator's pictures, below one folder and nowhere else.
package final class PictureFolder: Sendable {
  private let descriptor: Int32

  /// - Returns: `nil` where there is no such folder that can be read.
  package init?(_ path: String) {
    descriptor = open(path.systemPath, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Opens a file by its path below the folder. The kernel keeps the search beneath it, whatever
  /// symbolic links and `..` there are; who is asked for what is not there cannot tell why.
  fileprivate func file(_ path: String) -> PictureFile? {
    let file = fg_open_beneath(descriptor, path)
    return file < 0 ? nil : PictureFile(file)
  }
}

/// Finds the picture that an address names.
package struct OpenPicture: BodyStep {
  private let folder: PictureFolder?
  private let mostBytes: Int
  /// What can be done with them.
  static let operations: [Operation] = [.blur, .redact, .fill, .placeholder]

  package init(_ folder: PictureFolder?, mostBytes: Int) {
    self.folder = folder
    self.mostBytes = mostBytes
  }

  package func run(_ inquiry: inout Inquiry) throws(Problem) {
    guard case .picture(let path) = inquiry.route, let folder else { return }
    var operation = Operation.blur
    if let place = inquiry.fields.firstIndex(where: { $0.name == "operation" }) {
      let name = inquiry.fields.remove(at: place).value
      guard let known = Self.operations.first(where: { $0.rawValue == name }) else {
        throw .badRequest(
          "operation must be one of \(Self.operations.map(\.rawValue).joined(separator: ", "))")
      }
      operation = known
    }
    guard let file = folder.file(path) else {
      throw Problem(404, "no-such-picture", "there is no such picture")
    }
    guard file.size <= mostBytes else {
      throw Problem(
        413, "picture-too-large", "the picture has more than the \(mostBytes) bytes that are taken")
    }
    inquiry.picture = file
    inquiry.order = WorkOrder(operation.rawValue)
  }
}

/// Answers who has the result already, and reads the picture for others.
package struct ReadPicture: BodyStep {
  private let gate: Gate
  private let cacheSeconds: Int
  private let threads = ThreadPool()

  /// - Parameters:
  ///   - gate: what is read counts among the bodies in memory.
  ///   - cacheSeconds: how long a result may be kept without a question.
  package init(_ gate: Gate, cacheSeconds: Int) {
    self.gate = gate
    self.cacheSeconds = cacheSeconds
  }

  package func run(_ inquiry: inout Inquiry) async throws(Problem) {
    guard let file = inquiry.picture, var order = inquiry.order else { return }
    let tag = "\"" + Self.digest(file, order) + "\""
    inquiry.cacheFields += [
      Field("ETag", tag), Field("Last-Modified", HTTPDate.text(file.modified)),
    ]
    inquiry.cacheSeconds = cacheSeconds
    if Self.isCurrent(inquiry.head, tag, file.modified) {
      inquiry.response = Response(304, inquiry.cacheFields)
      return
    }
    // Its head is what this method asks for; the length, which may be left out, would take the work.
    if inquiry.head.method == "HEAD" {
      let format = order.fields.last { $0.name == "format" }.flatMap {
        StillFormat(fileExtension: $0.value)
      }
      let type = format.map { [Field("Content-Type", $0.mediaType)] } ?? []
      inquiry.response = Response(200, type + inquiry.cacheFields)
      inquiry.response?.hasLength = false
      return
    }
    guard !gate.isFull(for: inquiry.head.client) else { throw Gate.full }
    let room = Gate.Room(gate)
    guard room.grow(by: file.size) else { throw Gate.noRoom }
    inquiry.room = room
    let bytes = await threads.run { () -> [UInt8]? in file.contents() }
    guard let bytes, !bytes.isEmpty else {
      throw Problem(404, "no-such-picture", "there is no such picture")
    }
    order.parts["picture"] = bytes
    inquiry.order = order
    inquiry.picture = nil
  }

  /// Another one for another file, other fields, and another version of this program.
  private static func digest(_ file: PictureFile, _ order: WorkOrder) -> String {
    var text = "\(Version.current)\n\(file.version)\n\(order.operation)\n"
    for field in order.fields { text += "\(field.name.utf8.count)\(field.name)=\(field.value)\n" }
    // What a preset says may change while its name stays.
    text += String(decoding: order.parts["preset"] ?? [], as: UTF8.self)
    return String(FileDigest.sha256(of: Array(text.utf8)).prefix(32))
  }

  /// RFC 9110 section 13.2.2: the time counts only where there is no tag.
  static func isCurrent(_ head: RequestHead, _ tag: String, _ modified: Int) -> Bool {
    let tags = head.all("if-none-match")
    guard tags.isEmpty else {
      return tags.flatMap { $0.split(separator: ",") }.contains { part in
        let given = part.filter { !$0.isWhitespace }
        return given == "*" || given == tag || given == "W/" + tag
      }
    }
    guard let text = head["if-modified-since"], let time = HTTPDate.seconds(text) else {
      return false
    }
    return modified <= time
  }
}

/// Times as HTTP writes them, RFC 9110 section 5.6.7.
package enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// - Parameter seconds: since 1970.
  package static func text(_ seconds: Int) -> String {
    var (time, parts) = (time_t(seconds), tm())
    gmtime_r(&time, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) "
      + "\(parts.tm_year + 1900) \(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
  }

  /// Seconds since 1970; `nil` for what is not written the usual way.
  package static func seconds(_ text: String) -> Int? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int32(words[1]),
      let month = months.firstIndex(of: String(words[2])), let year = Int32(words[3])
    else { return nil }
    let clock = words[4].split(separator: ":").compactMap { Int32($0) }
    guard clock.count == 3, (1970...9999).contains(year), (1...31).contains(day),
      zip(clock, [23, 59, 60]).allSatisfy({ (0...$1).contains($0) })
    else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (year - 1900, Int32(month), day)
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (clock[0], clock[1], clock[2])
    return timegm(&parts)
  }
}
