internal import Glibc

/// How much memory this process may take: the machine's, or the limit of the control groups that it
/// is in.
package struct MachineMemory {
  /// Where `/proc` and `/sys` are; tests give a folder of their own.
  private let root: String
  private let physical: Int

  /// This machine.
  package init() {
    self.init(root: "", physical: sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)))
  }

  package init(root: String, physical: Int) {
    self.root = root
    self.physical = physical
  }

  /// What a job may take unless told otherwise: half, as others want some too.
  package static let half = MachineMemory().limit / 2

  /// Bytes.
  package var limit: Int {
    let groups = text(ofFile: "\(root)/proc/self/cgroup") ?? ""
    let limits = groups.split(separator: "\n").flatMap { groupLimits($0) }
    return min(physical, limits.min() ?? physical)
  }

  /// The limits of a group and of those around it.
  ///
  /// A line is `0::/path` in version 2 and `4:memory:/path` in version 1. In a container the path
  /// can be one of the host that does not exist here; the container's own group is then at the top.
  private func groupLimits(_ line: Substring) -> [Int] {
    let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard fields.count == 3 else { return [] }
    let (top, file): (String, String)
    if fields[1].isEmpty {
      (top, file) = ("/sys/fs/cgroup", "memory.max")
    } else if fields[1].split(separator: ",").contains("memory") {
      (top, file) = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
    } else {
      return []
    }
    let names = fields[2].split(separator: "/")
    return (0...names.count).compactMap { depth in
      let group = names.prefix(depth).map { "/\($0)" }.joined()
      // "max" is no number, and no limit.
      return text(ofFile: "\(root)\(top)\(group)/\(file)").flatMap { text in
        Int(text.prefix { $0.isNumber })
      }
    }
  }
}

/// A short file of the system's.
private func text(ofFile path: String) -> String? {
  (try? bytesOfFile(path, most: 65536)).map { String(decoding: $0, as: UTF8.self) }
}

/// An amount of memory, as people write and read it.
package struct ByteCount: Sendable, Hashable, CustomStringConvertible {
  package var bytes: Int

  package init(_ bytes: Int) { self.bytes = bytes }

  /// Reads a number with or without one of the units K, M, G and T, which are powers of 1024; `2G`,
  /// `512M`, `1.5g`, `2GB` and `2GiB` are accepted.
  ///
  /// - Returns: `nil` for everything else, for less than a byte and for more than an `Int` holds.
  package init?(text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    let unit = text.dropFirst(digits.count).lowercased()
    let power = ["", "k", "m", "g", "t"].firstIndex { letter in
      unit == letter || unit == letter + "b" || !letter.isEmpty && unit == letter + "ib"
    }
    guard let number = Double(digits), let power else { return nil }
    let bytes = (0..<power).reduce(number) { value, _ in value * 1024 }
    guard bytes >= 1, bytes < 0x1p62 else { return nil }
    self.bytes = Int(bytes)
  }

  /// With the largest unit that leaves 1 or more, rounded to one decimal place: `1.5 GiB`.
  package var description: String {
    var value = Double(bytes)
    var units = ["B", "KiB", "MiB", "GiB", "TiB"][...]
    while value >= 1024, units.count > 1 {
      value /= 1024
      units = units.dropFirst()
    }
    let tenths = (value * 10).rounded() / 10
    let number = tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
    return "\(number) \(units.first ?? "")"
  }
}
