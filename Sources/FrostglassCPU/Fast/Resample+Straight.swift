internal import CKernels
internal import FrostglassCore

// Pixels of 8 bits with straight alpha, of which most are opaque in most pictures: these are what they would be
// without alpha, and go the same way.
extension Resample {
  /// Halves both axes of rows of straight alpha. Where all four rows are opaque, they are halved as they are;
  /// that rounds nowhere, and neither does halving what is loaded of them.
  func fastHalving(
    straight input: InputRows, _ source: Source, _ domain: Rect, into target: PictureRows<Int16>,
    _ tools: RowTools
  ) -> RowProgram {
    let reach = ColumnReach(
      x.sourceRange(for: target.domain.columns), of: domain.columns, edge: source.x)
    let (kernels, width) = (tools.kernels, domain.width)
    let sums: UnsafeMutablePointer<UInt16> = tools.memory.take(reach.width * 4 + 2 * Int(FG_SLACK))
    let sum: UnsafeMutablePointer<Int16> = tools.scratch(reach.width * 4)
    let nothing: UnsafeMutablePointer<Int16> = tools.scratch(width * 4, of: .transparent)
    let bytes: UnsafeMutablePointer<UnsafePointer<UInt8>> = tools.memory.take(4)
    let loaded: UnsafeMutablePointer<UnsafePointer<Int16>> = tools.memory.take(4)
    let ring = (0..<4).map { _ in tools.scratch(width * 4) as UnsafeMutablePointer<Int16> }
    let isOpaque: UnsafeMutablePointer<Bool> = tools.memory.take(4)
    var (looked, held) = (HeldRows(4, tools.current), HeldRows(4, tools.current))

    /// A row as it is; `nil` where nothing is.
    func row(_ y: Int) -> UnsafePointer<UInt8>? {
      (source.y.map { $0.mode.resolve(y, in: $0.range) } ?? y).map {
        input.row($0).assumingMemoryBound(to: UInt8.self) + domain.x * 4
      }
    }
    /// Whether four rows are opaque, which then are `bytes`.
    func areOpaque(from top: Int) -> Bool {
      var all = true
      for y in top..<top + 4 {
        let (place, isNew) = looked.take(y)
        let there = row(y)
        if isNew { isOpaque[place] = there.map { kernels.is_opaque8($0, width) != 0 } ?? false }
        if let there { bytes[y - top] = there }
        all = all && isOpaque[place]
      }
      return all
    }
    return { rows in
      looked.begin()
      held.begin()
      for y in rows {
        let top = self.y.start(of: y).source
        if areOpaque(from: top) {
          kernels.halve_rows8(bytes, sums + reach.presentOffset * 4, width * 4)
          reach.fillOutside(sums, channels: 4, transparent: 0)
          kernels.halve_sums(sums + reach.wantedOffset * 4, target.row(y), target.domain.width)
          continue
        }
        for source in top..<top + 4 {
          guard let there = row(source) else {
            loaded[source - top] = UnsafePointer(nothing)
            continue
          }
          let (place, isNew) = held.take(source)
          if isNew { kernels.load8_straight(there, ring[place], width) }
          loaded[source - top] = UnsafePointer(ring[place])
        }
        kernels.halve_rows(loaded, sum + reach.presentOffset * 4, width * 4)
        reach.fillOutside(sum, channels: 4, transparent: .transparent)
        kernels.halve_columns(sum + reach.wantedOffset * 4, target.row(y), target.domain.width)
      }
    }
  }

  /// Grows rows to 8 bits and straight alpha: where all that a pixel is grown from is opaque, without what is
  /// divided by alpha on the way.
  func fastStoring(
    straight source: PictureSource<Int16>, _ store: Store, into output: OutputRows,
    _ tools: RowTools
  ) -> RowProgram {
    let columns = output.rect.columns
    guard let grown = GrownRows(self, source, columns, store, tools) else { return { _ in } }
    let pixels: UnsafeMutablePointer<Int16> = tools.scratch(columns.count * 4)
    return { rows in
      for y in rows {
        grown.combine(y)
        let target = output.row(y).assumingMemoryBound(to: UInt8.self)
        var x = columns.lowerBound
        while x < columns.upperBound {
          let (end, isFull) = grown.run(of: x..<columns.upperBound)
          let place = target + (x - columns.lowerBound) * 4
          if isFull {
            grown.store(x..<end, place)
          } else {
            grown.grow(x..<end, pixels)
            tools.kernels.store8_straight(pixels, place, end - x)
          }
          x = end
        }
      }
    }
  }
}
