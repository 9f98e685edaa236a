internal import Glibc

/// The processor's cores.
public enum ProcessorCores {
  /// How many this process may use: 1 or more.
  public static var count: Int { max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1) }
}
