internal import CKernels
internal import FrostglassCore

/// Samples that kernels take apart by channel, and put together again.
protocol PlanarSample: RowSample {
  /// Takes pixels' channels apart, to fractions of full scale in rows at a distance.
  typealias Apart = (
    _ pixels: UnsafePointer<Self>, _ planes: UnsafeMutablePointer<Float>, _ plane: Int,
    _ channels: Int, _ count: Int
  ) -> Void
  /// Puts pixels together.
  typealias Together = (
    _ planes: UnsafePointer<Float>, _ pixels: UnsafeMutablePointer<Self>, _ plane: Int,
    _ channels: Int, _ count: Int
  ) -> Void

  static func planar(_ kernels: fgk_row_kernels) -> (apart: Apart, together: Together)
}

extension Int16: PlanarSample {
  static func planar(_ kernels: fgk_row_kernels) -> (apart: Apart, together: Together) {
    (kernels.planar, kernels.from_planar)
  }
}

extension Float: PlanarSample {
  static func planar(_ kernels: fgk_row_kernels) -> (apart: Apart, together: Together) {
    (kernels.float_planar, kernels.float_from_planar)
  }
}

extension Bilateral {
  /// The window's mean of each pixel, some columns at a time, so that the window's rows stay in a cache.
  ///
  /// - Returns: `nil` for images whose layout changes, which only the reference kernel makes.
  func fast<Sample: PlanarSample>(
    _ source: ImageSource<Sample>, into target: ImageRows<Sample>, _ tools: RowTools
  ) -> RowProgram? {
    guard source.rows.layout == target.layout else { return nil }
    let (across, down) = (radius.x * spacing, radius.y * spacing)
    let columns = target.domain.columns
    let channels = target.layout.channels
    let step = target.channels
    let first = source.extended(columns.expanded(by: across), tools)
    let most = RowSchedule.rowsPerBand * (tools.workers?.count ?? 1) + 2 * down
    let plane = Self.pixelsAtOnce + 2 * across + room
    let samples: UnsafeMutablePointer<Float> = tools.memory.take(most * channels * plane)
    let means: UnsafeMutablePointer<Float> = tools.memory.take(channels * plane)
    let window: UnsafeMutablePointer<UnsafePointer<Float>?> = tools.memory.take(2 * radius.y + 1)
    let filter = BilateralNumbers(self, plane: plane, tools.memory)
    let (apart, together) = Sample.planar(tools.kernels)
    return { rows in
      precondition(rows.count + 2 * down <= most, "more rows than a band has")
      for left in stride(from: 0, to: columns.count, by: Self.pixelsAtOnce) {
        let count = min(Self.pixelsAtOnce, columns.count - left)
        for (place, y) in rows.expanded(by: down).enumerated() {
          apart(
            first.row(y) + left * step, samples + place * channels * plane, plane, channels,
            count + 2 * across)
        }
        for (index, y) in rows.enumerated() {
          if tools.current.isCancelled { return }
          for line in 0...2 * radius.y {
            window[line] = UnsafePointer(samples + (index + line * spacing) * channels * plane)
          }
          tools.kernels.bilateral(filter.numbers, window, channels, means, count)
          together(means, target.row(y) + left * step, plane, channels, count)
        }
      }
    }
  }

  private static var pixelsAtOnce: Int { 256 }
  /// Samples beyond the last column that vectors of windows see, and those that they look ahead to.
  private var room: Int { 32 + 2 * spacing }
}

/// A bilateral filter's numbers where kernels read them.
private struct BilateralNumbers {
  let numbers: UnsafePointer<fgk_bilateral>

  init(_ filter: Bilateral, plane: Int, _ memory: RowMemory) {
    func copy(_ values: [Float]) -> UnsafePointer<Float> {
      UnsafePointer(memory.take(copying: values))
    }
    precondition(PowerOfTwo.coefficients.count == Int(FG_POWERS), "another polynomial")
    func mirrored(_ half: [Float]) -> [Float] { half.dropFirst().reversed() + half }
    // Exponents in units of a float's last bit below its own exponent.
    let unit: Float = 0x1p23
    let (isLinear, range): (Int32, Float) =
      switch filter.range {
      case .gaussian(let exponent): (0, exponent * unit)
      case .linear(let fall): (1, fall)
      }
    numbers = UnsafePointer(
      memory.take(
        1,
        of: fgk_bilateral(
          x: copy(mirrored(filter.x) + [0]), radius_x: filter.radius.x,
          y: copy(mirrored(filter.y)), radius_y: filter.radius.y, spacing: filter.spacing,
          is_linear: isLinear, range: range, least: PowerOfTwo.least * unit,
          powers: copy(PowerOfTwo.coefficients), plane: plane)))
  }
}
