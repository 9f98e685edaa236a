/// Materials that iOS uses for one kind of surface, from published recipes; nobody measured these.
public enum SurfaceMaterial {
  public enum DockLight: MaterialKind {
    public static let name = "dock-light"
    public static let summary = "iOS material: the light glass under a dock."
    public static let points = 30.0
    public static let color = MaterialColor(
      amount: 0.5, values: SIMD4(0.3, 0.5, 1, 0.77), saturation: 1.8, brightness: 0.08)
  }

  public enum DockDark: MaterialKind {
    public static let name = "dock-dark"
    public static let summary = "iOS material: the dark glass under a dock."
    public static let points = 30.0
    public static let color = MaterialColor(
      amount: 0.5, values: SIMD4(0.29, -0.2, 0.375, 0.65), saturation: 1.6)
  }

  public enum PlatterLight: MaterialKind {
    public static let name = "platter-light"
    public static let summary = "iOS material: the light glass of notices."
    public static let points = 30.0
    public static let color = MaterialColor(
      amount: 0.6, values: SIMD4(0.775, 0.85, 1.05, 0.94), saturation: 2.4)
  }

  public enum PlatterDark: MaterialKind {
    public static let name = "platter-dark"
    public static let summary = "iOS material: the dark glass of notices."
    public static let points = 30.0
    public static let color = MaterialColor(
      amount: 0.4, values: SIMD4(0.41, -0.4, 0.3, 0), saturation: 1.4, brightness: -0.03)
  }

  public enum ToolbarButton: MaterialKind {
    public static let name = "toolbar-button"
    public static let summary = "iOS material: the glass of buttons in toolbars."
    public static let points = 15.0
    public static let color = MaterialColor(
      amount: 0.5, values: SIMD4(0.24, 0.24, 0.3, 0.39), saturation: 1.1)
  }
}
