internal import Glibc

/// A program that is installed with this one, and that this one starts.
package enum SiblingProgram {
  /// Returns the program's path: beside this program, where packages put it, or where `PATH` says; `nil` where
  /// it is not.
  package static func path(_ name: String) -> String? {
    var own = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &own, own.count)
    let program = String(systemPath: own.prefix(max(count, 0)).map { UInt8(bitPattern: $0) })
    let folder = program.lastIndex(of: "/").map { String(program[..<$0]) } ?? "."
    let places = getenv("PATH").map {
      String(systemPath: $0).split(separator: ":").map(String.init)
    }
    return ([folder, "\(folder)/../libexec/frostglass"] + (places ?? []))
      .map { "\($0)/\(name)" }.first { access($0.systemPath, X_OK) == 0 }
  }
}
