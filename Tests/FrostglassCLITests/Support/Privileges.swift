import Glibc

/// Privileges of the user who runs the tests.
enum Privileges {
  /// Words that run the rest of a shell line as a user whom file modes bind; `nil` where root
  /// cannot become one.
  static let unprivileged: String? = {
    guard geteuid() == 0 else { return "" }
    let words = "setpriv --reuid 65534 --regid 65534 --clear-groups "
    return works(words + "\"$frostglass\" --version") ? words : nil
  }()

  /// Words that run a shell script with mounts of its own; `nil` where that is not allowed.
  static let ownMounts: String? = {
    let words = geteuid() == 0 ? "unshare --mount " : "unshare --map-root-user --mount "
    return works(words + "mount -t tmpfs -o size=64k none /mnt") ? words : nil
  }()

  private static func works(_ script: String) -> Bool {
    guard let scratch = try? Scratch(), let run = try? scratch.shell(script) else { return false }
    return run.exitCode == 0
  }
}
