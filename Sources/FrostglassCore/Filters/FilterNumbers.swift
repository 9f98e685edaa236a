/// A table of the constants of some filters, printed from what the filters themselves use.
///
/// The page docs/contribute/filter-definitions.md has each between two comments, `<!-- numbers: NAME -->` and
/// `<!-- end -->`; `make filters` puts them there, and a test says when one is out of date.
package struct FilterNumbers: Sendable {
  /// The name in the page's comment.
  package let name: String
  /// The table in Markdown.
  package let table: String

  private init(_ name: String, _ head: [String], _ rows: [[String]]) {
    self.name = name
    let rule = [String](repeating: "---", count: head.count)
    table = ([head, rule] + rows).map { "| \($0.joined(separator: " | ")) |" }
      .joined(separator: "\n")
  }

  /// The lines that the page has of it.
  package var block: String { "<!-- numbers: \(name) -->\n\(table)\n<!-- end -->" }

  /// All tables, in the page's order.
  package static var all: [FilterNumbers] {
    [luma, gpuImage, sepia, styles, materials, curves, imageEffects, vibrancy, levels, glass]
  }
}

extension FilterNumbers {
  private static var luma: FilterNumbers {
    FilterNumbers(
      "luma", ["luma", "red", "green", "blue"],
      Luma.allCases.map { ["`\($0.rawValue)`"] + numbers($0.weights) })
  }

  private static var gpuImage: FilterNumbers {
    FilterNumbers(
      "gpuimage", ["sample k"] + GPUImageWeights.samples.map { "\($0.place)" },
      [["weight"] + GPUImageWeights.samples.map { shortest($0.weight) }])
  }

  private static var sepia: FilterNumbers {
    FilterNumbers(
      "sepia", ["", "of red", "of green", "of blue"],
      zip(["red", "green", "blue"], CSSSepia.tones).map { [$0] + numbers($1) })
  }

  private static var styles: FilterNumbers {
    FilterNumbers(
      "styles", ["filter", "σ pt", "saturation", "veil", "alpha"],
      ClassicStyle.Preset.allCases.map { preset in
        ["`\(preset.name)`", shortest(preset.points), shortest(preset.saturation)]
          + veil(preset.veil)
      })
  }

  private static var materials: FilterNumbers {
    FilterNumbers(
      "materials",
      ["filter", "σ pt", "amount", "v0", "v1", "v2", "v3", "saturation", "brightness"],
      Material.Preset.allCases.map { preset in
        let color = preset.color
        return ["`\(preset.name)`", shortest(preset.points), shortest(color.amount)]
          + numbers(color.values) + [shortest(color.saturation), shortest(color.brightness)]
      })
  }

  /// The numbers of materials as one polynomial, as backends get them.
  private static var curves: FilterNumbers {
    FilterNumbers(
      "curves", ["filter", "k", "c0", "c1", "c2", "c3"],
      Material.Preset.allCases.map { preset in
        let color = preset.color
        let pass = color.pass()
        let richness = color.saturation * (1 - color.amount)
        return ["`\(preset.name)`", decimal(richness, places: 4)]
          + pass.curve.indices.map { decimal(Double(pass.curve[$0]), places: 5) }
      })
  }

  private static var imageEffects: FilterNumbers {
    let presets = ImageEffects.Preset.allCases.map { preset in
      [
        "`\(preset.name)`", shortest(preset.points),
        "\(OddBoxes(radius: preset.points).width)", shortest(ImageEffects.saturation),
      ] + veil(preset.veil)
    }
    let tint = ImageEffectsTint()
    return FilterNumbers(
      "image-effects",
      ["filter", "radius pt", "box at 1 px per pt", "saturation", "veil", "alpha"],
      presets + [
        [
          "`\(ImageEffectsTint.definition.name)`", shortest(tint.radius.value),
          "\(OddBoxes(radius: tint.radius.value).width)", shortest(ImageEffectsTint.saturation),
          "`color`", shortest(ImageEffectsTint.alpha),
        ]
      ])
  }

  private static var vibrancy: FilterNumbers {
    FilterNumbers(
      "vibrancy", ["appearance", "g", "l", "b"],
      FilterChain.Appearance.allCases.map { appearance in
        let (gain, contrast, bias) = appearance.numbers
        return ["`\(appearance.rawValue)`"] + [gain, contrast, bias].map(shortest)
      })
  }

  private static var levels: FilterNumbers {
    FilterNumbers(
      "levels", ["level", "s"],
      FilterChain.VibrancyLevel.allCases.map { ["`\($0.rawValue)`", shortest($0.strength)] })
  }

  private static var glass: FilterNumbers {
    FilterNumbers(
      "glass",
      ["variant", "appearance", "σ pt", "black", "white", "chroma", "fill", "brightest"],
      FilterChain.GlassVariant.allCases.flatMap { variant in
        FilterChain.Appearance.allCases.map { appearance in
          let glass = Glass(variant, appearance)
          let face = glass.face
          return [
            "`\(variant.rawValue)`", "`\(appearance.rawValue)`", shortest(glass.ownBlur.value),
          ] + [face.black, face.white, face.chroma, face.fill, face.brightest].map(shortest)
        }
      })
  }

  private static func numbers<Vector: SIMD<Double>>(_ vector: Vector) -> [String] {
    vector.indices.map { shortest(vector[$0]) }
  }

  private static func veil(_ color: Color) -> [String] {
    let parts = [color.red, color.green, color.blue].map(shortest)
    return ["(\(parts.joined(separator: ", ")))", shortest(color.alpha)]
  }
}
