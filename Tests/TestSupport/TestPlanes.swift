package import FrostglassCore

/// Images in planes made by arithmetic, the same on every machine.
package enum TestPlanes {
  /// Every format.
  package static let formats: [YCbCrFormat] = YCbCrFormat.Matrix.allCases.flatMap { matrix in
    YCbCrFormat.Levels.allCases.flatMap { range in
      YCbCrFormat.Bits.allCases.flatMap { bits in
        shapes.map { shape in
          YCbCrFormat(
            matrix: matrix, range: range, sampling: shape.sampling, siting: shape.siting,
            bits: bits, arrangement: shape.arrangement)
        }
      }
    }
  }

  /// Every way in which samples can lie, in BT.709, narrow, 8 bits. A quarter of the columns is only
  /// known of video tapes, where samples lie on pixels.
  package static let shapes: [YCbCrFormat] = YCbCrFormat.Sampling.allCases.flatMap { sampling in
    YCbCrFormat.Siting.Place.allCases.filter { sampling != .quarterColumns || $0 == .cosited }
      .flatMap { x in
        YCbCrFormat.Siting.Place.allCases.flatMap { y in
          YCbCrFormat.Arrangement.allCases.map { arrangement in
            YCbCrFormat(
              sampling: sampling, siting: YCbCrFormat.Siting(x: x, y: y), arrangement: arrangement)
          }
        }
      }
  }

  /// Shapes, bits and colors of every kind, without all of their combinations.
  package static let someFormats: [YCbCrFormat] = shapes.enumerated().map { index, shape in
    var format = shape
    format.matrix = YCbCrFormat.Matrix.allCases[index % 3]
    format.range = YCbCrFormat.Levels.allCases[index / 2 % 2]
    format.bits = YCbCrFormat.Bits.allCases[index / 3 % 4]
    return format
  }

  /// An image from codes.
  ///
  /// - Parameters:
  ///   - luma: by column and row.
  ///   - chroma: by column and row of its samples, and true for the red difference.
  package static func make(
    _ width: Int, _ height: Int, _ format: YCbCrFormat, luma: (Int, Int) -> Int,
    chroma: (Int, Int, Bool) -> Int
  ) throws -> YCbCrImage {
    let size = Size(width: width, height: height)
    let planes = format.planes(of: size).enumerated().map { index, input in
      var image = Image(zeros: input.size, format: input.format, alpha: input.alpha)
      for y in 0..<input.size.height {
        for x in 0..<input.size.width {
          let code =
            switch (index, format.arrangement) {
            case (0, _): luma(x, y)
            case (_, .separate): chroma(x, y, index == 2)
            case (_, .interleaved): chroma(x / 2, y, x % 2 == 1)
            }
          image.setSample(Float(code) / input.format.depth.fullScale, x: x, y: y, channel: 0)
        }
      }
      return image
    }
    return try YCbCrImage(size: size, format: format, planes: planes)
  }

  /// Codes without pattern, given for 8 bits: brightness from 100 to 160, differences up to 20 from
  /// none, which is inside the colors of screens for every format, also between samples.
  package static func noise(
    _ width: Int, _ height: Int, _ format: YCbCrFormat, seed: UInt64 = 1
  ) throws -> YCbCrImage {
    var random = TestImages.Random(seed: seed)
    let one = Float(1 << (format.bits.rawValue - 8))
    return try make(width, height, format) { _, _ in
      Int(one * (100 + 60 * random.next()))
    } chroma: { _, _, _ in
      Int(one * (108 + 40 * random.next()))
    }
  }

  /// One code everywhere.
  package static func flat(
    _ width: Int, _ height: Int, _ format: YCbCrFormat, _ codes: [Int]
  ) throws -> YCbCrImage {
    try make(width, height, format) { _, _ in
      codes[0]
    } chroma: { _, _, isRed in
      codes[isRed ? 2 : 1]
    }
  }
}

extension YCbCrImage {
  /// The code of brightness at a pixel.
  package func luma(_ x: Int, _ y: Int) -> Int { code(0, x, y) }

  /// The code of a difference, by column and row of its samples.
  package func chroma(_ x: Int, _ y: Int, isRed: Bool) -> Int {
    switch format.arrangement {
    case .separate: code(isRed ? 2 : 1, x, y)
    case .interleaved: code(1, 2 * x + (isRed ? 1 : 0), y)
    }
  }

  private func code(_ plane: Int, _ x: Int, _ y: Int) -> Int {
    let full = Double(format.bits.depth.fullScale)
    return Int((Double(planes[plane].sample(x: x, y: y, channel: 0)) * full).rounded())
  }

  /// The largest difference of any two codes, in those of 8 bits; `nil` for images of another
  /// kind.
  package func distance(to other: YCbCrImage) -> Double? {
    guard size == other.size, format == other.format else { return nil }
    var largest = 0
    for (index, plane) in planes.enumerated() {
      for y in 0..<plane.size.height {
        for x in 0..<plane.size.width {
          largest = max(largest, abs(code(index, x, y) - other.code(index, x, y)))
        }
      }
    }
    return Double(largest) / Double(1 << (format.bits.rawValue - 8))
  }
}
