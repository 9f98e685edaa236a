extension Color {
  /// Reads a CSS color: a name, `#rgb`, `#rgba`, `#rrggbb`, `#rrggbbaa`, `rgb()`, `rgba()`, `hsl()`
  /// or `hsla()`, with commas or spaces; `nil` for anything else.
  public init?(text: String) {
    let lower = text.lowercased()
    if lower == "transparent" {
      self.init(white: 0, alpha: 0)
    } else if let code = CSSColorNames.codes[lower] {
      self.init(code: code, alpha: 1)
    } else if lower.hasPrefix("#") {
      self.init(hexadecimal: lower.dropFirst())
    } else {
      self.init(function: lower)
    }
  }

  private init(code: UInt32, alpha: Double) {
    self.init(
      red: Double(code >> 16 & 255) / 255, green: Double(code >> 8 & 255) / 255,
      blue: Double(code & 255) / 255, alpha: alpha)
  }

  private init?(hexadecimal digits: Substring) {
    guard digits.allSatisfy(\.isHexDigit), [3, 4, 6, 8].contains(digits.count) else { return nil }
    let long = digits.count <= 4 ? digits.map { "\($0)\($0)" }.joined() : String(digits)
    guard let value = UInt32(long, radix: 16) else { return nil }
    if long.count == 8 {
      self.init(code: value >> 8, alpha: Double(value & 255) / 255)
    } else {
      self.init(code: value, alpha: 1)
    }
  }

  private init?(function text: String) {
    guard let open = text.firstIndex(of: "("), text.hasSuffix(")") else { return nil }
    let name = trimmed(text[..<open])
    let inside = text[text.index(after: open)...].dropLast()
    let parts = inside.split { $0 == "," || $0 == "/" || $0.isWhitespace }.map { String($0) }
    guard parts.count == 3 || parts.count == 4 else { return nil }
    guard let alpha = parts.count == 4 ? Self.fraction(parts[3], of: 1) : 1 else { return nil }
    switch name {
    case "rgb", "rgba":
      let channels = parts.prefix(3).compactMap { Self.fraction($0, of: 255) }
      guard channels.count == 3 else { return nil }
      self.init(red: channels[0], green: channels[1], blue: channels[2], alpha: alpha)
    case "hsl", "hsla":
      guard let hue = Angle(text: parts[0]), parts[1].hasSuffix("%"), parts[2].hasSuffix("%"),
        let saturation = Self.fraction(parts[1], of: 100),
        let lightness = Self.fraction(parts[2], of: 100)
      else { return nil }
      self.init(hue: hue, saturation: saturation, lightness: lightness, alpha: alpha)
    default: return nil
    }
  }

  /// A number of `whole`, or a percentage, limited to 0…1 as CSS does.
  private static func fraction(_ text: String, of whole: Double) -> Double? {
    guard let quantity = Quantity(text, units: ["", "%"]) else { return nil }
    return min(max(quantity.number / (quantity.unit == "%" ? 100 : whole), 0), 1)
  }

  /// CSS Color 4, section on HSL to sRGB.
  private init(hue: Angle, saturation: Double, lightness: Double, alpha: Double) {
    let amplitude = saturation * min(lightness, 1 - lightness)
    func channel(_ offset: Double) -> Double {
      let turned = (offset + hue.degrees / 30).truncatingRemainder(dividingBy: 12)
      let k = turned < 0 ? turned + 12 : turned
      return lightness - amplitude * max(-1, min(k - 3, 9 - k, 1))
    }
    self.init(red: channel(0), green: channel(8), blue: channel(4), alpha: alpha)
  }
}
