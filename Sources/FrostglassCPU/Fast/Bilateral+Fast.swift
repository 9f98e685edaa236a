internal import CKernels
internal import FrostglassCore

extension Bilateral {
  /// The window's mean of each pixel, some columns at a time, so that the window's rows stay in a cache.
  ///
  /// - Returns: `nil` for pictures whose layout changes, which only the reference kernel makes.
  func fast(
    _ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram? {
    guard source.rows.layout == target.layout else { return nil }
    let (across, down) = (radius.x * spacing, radius.y * spacing)
    let columns = target.domain.columns
    let channels = target.layout.channels
    let step = target.channels
    let first = source.extended(columns.expanded(by: across), tools)
    let most = RowSchedule.rowsPerBand * (tools.workers?.count ?? 1) + 2 * down
    let plane = Self.pixelsAtOnce + 2 * across + 16
    let samples: UnsafeMutablePointer<Float> = tools.memory.take(most * channels * plane)
    let window: UnsafeMutablePointer<UnsafePointer<Float>?> = tools.memory.take(2 * radius.y + 1)
    let filter = BilateralNumbers(self, plane: plane, tools.memory)
    return { rows in
      precondition(rows.count + 2 * down <= most, "more rows than a band has")
      for left in stride(from: 0, to: columns.count, by: Self.pixelsAtOnce) {
        let count = min(Self.pixelsAtOnce, columns.count - left)
        for (place, y) in rows.expanded(by: down).enumerated() {
          tools.kernels.planar(
            first.row(y) + left * step, samples + place * channels * plane, plane, channels,
            count + 2 * across)
        }
        for (index, y) in rows.enumerated() {
          if tools.current.isCancelled { return }
          for line in 0...2 * radius.y {
            window[line] = UnsafePointer(samples + (index + line * spacing) * channels * plane)
          }
          tools.kernels.bilateral(
            filter.numbers, window, channels, target.row(y) + left * step, count)
        }
      }
    }
  }

  private static let pixelsAtOnce = 256
}

/// A bilateral filter's numbers where kernels read them.
private struct BilateralNumbers {
  let numbers: UnsafePointer<fg_bilateral>

  init(_ filter: Bilateral, plane: Int, _ memory: RowMemory) {
    func copy(_ values: [Float]) -> UnsafePointer<Float> {
      let copy: UnsafeMutablePointer<Float> = memory.take(values.count)
      copy.update(from: values, count: values.count)
      return UnsafePointer(copy)
    }
    let place: UnsafeMutablePointer<fg_bilateral> = memory.take(1)
    place.update(
      repeating: fg_bilateral(
        x: copy(filter.x), radius_x: filter.radius.x, y: copy(filter.y),
        radius_y: filter.radius.y, spacing: filter.spacing, range: copy(filter.range),
        entries: filter.range.count, fineness: filter.fineness, plane: plane), count: 1)
    numbers = UnsafePointer(place)
  }
}
