internal import Glibc

/// The memory of a process, as the kernel counts it.
struct ProcessMemory: Sendable, Hashable {
  /// Bytes that it holds.
  let resident: Int
  /// Bytes that are mapped for it alone to write to, touched or not: what a limit of its data counts.
  let writable: Int

  /// - Returns: `nil` where that cannot be known, as of a process that has ended.
  init?(of process: Int32) {
    guard let file = fopen("/proc/\(process)/statm", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    // Pages of: addresses, memory that is held, that is shared, code, nothing, data with the stack.
    let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let pages = String(decoding: text, as: UTF8.self).split { $0.isWhitespace }
      .compactMap { Int($0) }
    guard pages.count > 5 else { return nil }
    let size = sysconf(Int32(_SC_PAGESIZE))
    resident = pages[1] * size
    writable = pages[5] * size
  }
}
