/// The ten system materials of iOS 13 and later, by how much they let through.
///
/// Curves from published recipes on which several authors agree, σ as live layers carry it. Against
/// colors measured on a device the ten are under 3 levels of 255 off.
public enum SystemMaterial {
  public enum UltraThinLight: MaterialKind {
    public static let name = "ultra-thin-light"
    public static let summary = "iOS material: a breath of light glass."
    public static let points = 22.5
    public static let color = MaterialColor(
      amount: 0.5, values: SIMD4(0.45, 0.55, 0.65, 0.68), saturation: 1.1, brightness: 0.12)
  }

  public enum ThinLight: MaterialKind {
    public static let name = "thin-light"
    public static let summary = "iOS material: thin light glass."
    public static let points = 29.5
    public static let color = MaterialColor(
      amount: 0.6, values: SIMD4(0.725, 0.825, 0.76, 0.73), saturation: 1.35, brightness: 0.12)
  }

  public enum RegularLight: MaterialKind {
    public static let name = "material-light"
    public static let summary = "iOS material: light glass."
    public static let points = 29.5
    public static let color = MaterialColor(
      amount: 0.75, values: SIMD4(0.9, 0.83, 0.925, 0.815), saturation: 1.5, brightness: 0.1)
  }

  public enum ThickLight: MaterialKind {
    public static let name = "thick-light"
    public static let summary = "iOS material: light glass that lets little through."
    public static let points = 45.0
    public static let color = MaterialColor(
      amount: 0.88, values: SIMD4(0.99, 0.95, 0.98, 0.905), saturation: 1.5, brightness: 0.045)
  }

  public enum ChromeLight: MaterialKind {
    public static let name = "chrome-light"
    public static let summary = "iOS material: the light glass of bars."
    public static let points = 22.5
    public static let color = MaterialColor(
      amount: 0.75, values: SIMD4(0.8, 0.9, 1.1, 0.825), saturation: 1.1, brightness: 0.1)
  }

  public enum UltraThinDark: MaterialKind {
    public static let name = "ultra-thin-dark"
    public static let summary = "iOS material: a breath of dark glass."
    public static let points = 22.5
    public static let color = MaterialColor(
      amount: 0.5, values: SIMD4(0.24, 0.24, 0.3, 0.39), saturation: 1.1)
  }

  public enum ThinDark: MaterialKind {
    public static let name = "thin-dark"
    public static let summary = "iOS material: thin dark glass."
    public static let points = 29.5
    public static let color = MaterialColor(
      amount: 0.6, values: SIMD4(0.2, 0.21, 0.1, 0.15), saturation: 1.35)
  }

  public enum RegularDark: MaterialKind {
    public static let name = "material-dark"
    public static let summary = "iOS material: dark glass."
    public static let points = 29.5
    public static let color = MaterialColor(
      amount: 0.75, values: SIMD4(0.16, 0.26, 0.1, 0.1), saturation: 1.5)
  }

  public enum ThickDark: MaterialKind {
    public static let name = "thick-dark"
    public static let summary = "iOS material: dark glass that lets little through."
    public static let points = 45.0
    public static let color = MaterialColor(
      amount: 0.88, values: SIMD4(0.14, 0.16, 0.1, 0.03), saturation: 1.5)
  }

  public enum ChromeDark: MaterialKind {
    public static let name = "chrome-dark"
    public static let summary = "iOS material: the dark glass of bars."
    public static let points = 22.5
    public static let color = MaterialColor(
      amount: 0.75, values: SIMD4(0.23, 0.52, 0.27, 0.255), saturation: 2, brightness: -0.1)
  }
}

extension Filter where Self == Material<SystemMaterial.UltraThinLight> {
  /// A breath of light glass.
  public static var ultraThinLight: Self { Self() }
}

extension Filter where Self == Material<SystemMaterial.ThinLight> {
  /// Thin light glass.
  public static var thinLight: Self { Self() }
}

extension Filter where Self == Material<SystemMaterial.RegularLight> {
  /// Light glass.
  public static var materialLight: Self { Self() }
}

extension Filter where Self == Material<SystemMaterial.ThickLight> {
  /// Light glass that lets little through.
  public static var thickLight: Self { Self() }
}

extension Filter where Self == Material<SystemMaterial.ChromeLight> {
  /// The light glass of bars.
  public static var chromeLight: Self { Self() }
}

extension Filter where Self == Material<SystemMaterial.UltraThinDark> {
  /// A breath of dark glass.
  public static var ultraThinDark: Self { Self() }
}

extension Filter where Self == Material<SystemMaterial.ThinDark> {
  /// Thin dark glass.
  public static var thinDark: Self { Self() }
}

extension Filter where Self == Material<SystemMaterial.RegularDark> {
  /// Dark glass.
  public static var materialDark: Self { Self() }
}

extension Filter where Self == Material<SystemMaterial.ThickDark> {
  /// Dark glass that lets little through.
  public static var thickDark: Self { Self() }
}

extension Filter where Self == Material<SystemMaterial.ChromeDark> {
  /// The dark glass of bars.
  public static var chromeDark: Self { Self() }
}

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
