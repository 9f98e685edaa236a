internal import CKernels
internal import FrostglassCore

extension Resample {
  /// Combines the source rows of each target row, then the columns of that one row.
  func fast(
    _ source: PictureSource<Float>, into target: PictureRows<Float>, _ tools: RowTools
  ) -> RowProgram {
    let channels = target.channels
    let reach = source.columns(x.sourceRange(for: target.domain.columns))
    let row: UnsafeMutablePointer<Float> = tools.scratch(reach.width * channels)
    let present = row + reach.presentOffset * channels
    let wanted = UnsafePointer(row + reach.wantedOffset * channels)
    let length = source.rows.rowLength
    return { rows in
      for y in rows {
        let start = self.y.start(of: y)
        let taps = self.y.phases[start.phase].taps
        let sources = taps.indices.map { UnsafePointer<Float>?(source.row(start.source + $0)) }
        tools.kernels.float_mix_rows(sources, taps, taps.count, present, length)
        reach.fillOutside(row, channels: channels, transparent: .transparent)
        x.combineColumns(
          wanted, reach.wanted.lowerBound, channels, into: target.row(y), target.domain.columns)
      }
    }
  }
}

extension Polyphase {
  /// Computes the target's columns of a row that begins at column `first`.
  ///
  /// Each pixel is computed as if it had four samples. What is too much belongs to the next pixel,
  /// which comes later, or to the room around the row.
  fileprivate func combineColumns(
    _ row: UnsafePointer<Float>, _ first: Int, _ channels: Int,
    into target: UnsafeMutablePointer<Float>, _ columns: Range<Int>
  ) {
    if isIdentity {
      return target.update(
        from: row + (columns.lowerBound - first) * channels, count: columns.count * channels)
    }
    var period = floorDivide(columns.lowerBound, phases.count)
    var phase = columns.lowerBound - period * phases.count
    var pixel = UnsafeMutableRawPointer(target)
    let end = pixel + columns.count * channels * MemoryLayout<Float>.stride
    while pixel < end {
      let source = row + (period * stride - first) * channels
      while phase < phases.count, pixel < end {
        let sum = phases[phase].sum(source, channels)
        pixel.storeBytes(of: sum, as: SIMD4<Float>.self)
        pixel += channels * MemoryLayout<Float>.stride
        phase += 1
      }
      phase = 0
      period += 1
    }
  }
}

extension Polyphase.Phase {
  /// The sum of tap × sample for four samples side by side.
  @inline(__always)
  fileprivate func sum(_ period: UnsafePointer<Float>, _ channels: Int) -> SIMD4<Float> {
    taps.withUnsafeBufferPointer { taps in
      var source = UnsafeRawPointer(period + first * channels)
      let step = channels * MemoryLayout<Float>.stride
      @inline(__always) func next(_ index: Int) -> SIMD4<Float> {
        defer { source += step }
        return taps[index] * source.loadUnaligned(as: SIMD4<Float>.self)
      }
      switch taps.count {
      case 2: return next(0) + next(1)
      case 3: return next(0) + next(1) + next(2)
      case 4: return next(0) + next(1) + next(2) + next(3)
      default:
        var sum = SIMD4<Float>.zero
        for index in taps.indices { sum += next(index) }
        return sum
      }
    }
  }
}
