/// Which backend runs the plans.
public enum BackendChoice: String, Sendable, Hashable, CaseIterable {
  /// The GPU where there is a working one, else the fast CPU backend.
  case auto
  /// OpenGL ES, also where the CPU plays the GPU.
  case gl
  /// The CPU, all cores.
  case fast
  /// The CPU, the code that defines what is right.
  case reference
}
