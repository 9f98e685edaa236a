internal import CKernels
internal import FrostglassCore

// Passes on their reference kernels, some rows at a time: for those without faster ones.
extension RowStrip {
  /// Returns the program of a step between images on its pass's reference kernel.
  ///
  /// The kernel reads an image of the source rows and makes one of the wanted rows, in parts on all threads.
  ///
  /// - Returns: `nil` in strips other than the first, which makes their rows with its own.
  func referenceProgram(for step: Step) -> RowProgram? {
    guard tools.isFirst, let target = step.target, let picture = pictures[target] else {
      return nil
    }
    let sources = sources(of: step).enumerated().map { place, source in
      ReferenceSource(source, keepsRows: readsAgain(step, place, picture), tools.current)
    }
    tools.memory.note(referenceBytes(step, picture, sources))
    return { rows in
      let slot = picture.slot(Rect(columns: picture.domain.columns, rows: rows))
      let read = sources.enumerated().map { place, source in
        let wanted = step.pass.sourceRect(for: slot.domain, of: place)
        return step.pass.reads(place, for: rows) ? source.rows(wanted) : source.nothing(in: wanted)
      }
      let parts = tools.workers.map { rows.strips($0.count) } ?? [rows]
      let compute = { (_: Int, part: Int) in
        for block in plan.blocks(
          of: Rect(columns: slot.domain.columns, rows: parts[part]), step)
        {
          if tools.current.isCancelled { return }
          let made = ReferenceKernels.run(step.pass, read, [], into: picture.slot(block))
          if let made { picture.replace(block, with: made) }
        }
      }
      guard let workers = tools.workers else { return compute(0, 0) }
      workers.run(parts.count, orAlone: true, compute)
    }
  }
}

extension RowStrip {
  /// Rows of a band, at most.
  private var mostRows: Int { RowSchedule.rowsPerBand * (tools.workers?.count ?? 1) }

  /// Returns true if consecutive bands read so many rows in common that keeping them pays: those of a window 57 rows
  /// high.
  private func readsAgain(_ step: Step, _ place: Int, _ picture: ImageRows<Sample>) -> Bool {
    let (rows, most) = (picture.domain.rows, mostRows)
    guard rows.count > most else { return false }
    func read(_ rows: Range<Int>) -> Range<Int> {
      step.pass.sourceRect(for: Rect(columns: picture.domain.columns, rows: rows), of: place).rows
    }
    // How far rows lie apart that are read is least somewhere between the first and the last.
    let last = rows.dropLast(most)
    let bands = [
      (rows.prefix(most), rows.dropFirst(most).prefix(most)),
      (last.suffix(most), rows.suffix(most)),
    ]
    return bands.contains { read($0).clamped(to: read($1)).count >= 56 }
  }

  /// Bytes of the images that a band takes, at its largest.
  private func referenceBytes(
    _ step: Step, _ picture: ImageRows<Sample>, _ sources: [ReferenceSource<Sample>]
  ) -> Int {
    let (rows, most) = (picture.domain.rows, mostRows)
    let bands = [
      rows.prefix(most), rows.suffix(most),
    ].map { Rect(columns: picture.domain.columns, rows: $0) }
    return bands.map { band in
      let read = sources.enumerated().map { place, source in
        source.bytes(step.pass.sourceRect(for: band, of: place))
      }
      return read.reduce(Slot(domain: band, layout: picture.layout, precision: .float32).bytes, +)
    }.max() ?? 0
  }
}

/// A source that reference kernels read in part, as floats.
///
/// Where a step reads far up and down, its parts overlap: then rows that were converted once are
/// kept, until there is all of the image.
private final class ReferenceSource<Sample: RowSample> {
  private let source: ImageSource<Sample>
  private let keepsRows: Bool
  private var whole: WorkingImage?
  private var kept = 0..<0
  private let current: CurrentRun
  /// The run that rows were kept of.
  private var run = 0

  init(_ source: ImageSource<Sample>, keepsRows: Bool, _ current: CurrentRun) {
    self.source = source
    self.keepsRows = keepsRows
    self.current = current
  }

  /// An empty image, for one that does not show.
  func nothing(in wanted: Rect) -> SourceRows {
    let picture = WorkingImage(domain: wanted, layout: source.rows.layout)
    return SourceRows(picture: picture, source: source.source)
  }

  /// Bytes of the image that is made of a part as high as this one.
  func bytes(_ wanted: Rect) -> Int {
    let whole = source.rows.domain
    var part = source.source.footprint(of: wanted)
    // At the image's edge it may be less high than the same farther inside.
    part.height = max(part.height, min(wanted.height, whole.height))
    return Slot(
      domain: keepsRows ? whole : part, layout: source.rows.layout, precision: .float32
    ).bytes
  }

  func rows(_ wanted: Rect) -> SourceRows {
    let part = source.source.footprint(of: wanted)
    guard keepsRows else {
      var picture = WorkingImage(domain: part, layout: source.rows.layout)
      convert(part.rows, into: &picture)
      return SourceRows(picture: picture, source: source.source)
    }
    if run != current.number { (kept, run) = (0..<0, current.number) }
    let domain = source.rows.domain
    var picture = whole ?? WorkingImage(domain: domain, layout: source.rows.layout)
    whole = nil
    if kept.isEmpty { kept = part.y..<part.y }
    if part.y < kept.lowerBound { convert(part.y..<kept.lowerBound, into: &picture) }
    let end = part.rows.upperBound
    if end > kept.upperBound { convert(kept.upperBound..<end, into: &picture) }
    kept = min(kept.lowerBound, part.y)..<max(kept.upperBound, end)
    whole = picture
    return SourceRows(picture: picture, source: source.source)
  }

  private func convert(_ rows: Range<Int>, into picture: inout WorkingImage) {
    let from = source.rows
    let offset = source.offset(of: picture.domain.columns)
    let (length, layout) = (picture.rowLength, picture.layout)
    let start = picture.rowStart(rows.lowerBound)
    picture.samples.withUnsafeMutableBufferPointer { all in
      for (index, y) in rows.enumerated() {
        // That may be a whole image; the result is not read then.
        if current.isCancelled { return }
        let place = start + index * length
        Sample.give(
          from.row(y) + offset, layout,
          into: UnsafeMutableBufferPointer(rebasing: all[place..<place + length]))
      }
    }
  }
}

extension RowStrip<Float> {
  /// Returns the program of any step on its pass's reference kernel.
  func wholeReferenceProgram(for step: Step) -> RowProgram? {
    guard let target = step.target else {
      guard case .store(let store) = step.pass, let source = sources(of: step).first else {
        return nil
      }
      return self.store(store, of: ReferenceSource(source, keepsRows: false, tools.current))
    }
    guard let picture = pictures[target] else { return nil }
    if case .load(let load) = step.pass { return { rows in self.load(rows, into: picture, load) } }
    return referenceProgram(for: step)
  }

  private func load(_ rows: Range<Int>, into picture: ImageRows<Float>, _ load: Load) {
    let input = plan.inputs[load.input]
    var image = Image(
      zeros: Size(width: input.size.width, height: rows.count), format: input.format,
      alpha: input.alpha, transfer: input.transfer)
    let length = image.bytesPerRow
    image.withUnsafeMutableBytes { bytes in
      for (index, y) in rows.enumerated() {
        let row = UnsafeRawBufferPointer(start: inputs[load.input].row(y), count: length)
        UnsafeMutableRawBufferPointer(rebasing: bytes[index * length..<(index + 1) * length])
          .copyMemory(from: row)
      }
    }
    let made = load.reference(
      image, into: picture.slot(Rect(columns: picture.domain.columns, rows: 0..<rows.count)))
    picture.replace(Rect(columns: picture.domain.columns, rows: rows), with: made, from: 0)
  }

  private func store(_ store: Store, of source: ReferenceSource<Float>) -> RowProgram {
    let (output, planned) = (outputs[store.result], plan.results[store.result])
    return { rows in
      var result = planned
      result.rect = Rect(columns: output.rect.columns, rows: rows)
      let image = store.reference(source.rows(result.rect), result: result)
      image.withUnsafeBytes { bytes in
        for (index, y) in rows.enumerated() {
          let start = index * image.bytesPerRow
          UnsafeMutableRawBufferPointer(start: output.row(y), count: image.bytesPerRow)
            .copyMemory(from: .init(rebasing: bytes[start..<start + image.bytesPerRow]))
        }
      }
    }
  }
}

extension ImageRows {
  /// Returns the slot that a reference kernel is given to make a part.
  fileprivate func slot(_ part: Rect) -> Slot {
    Slot(domain: part, layout: layout, precision: .float32)
  }

  /// Takes over a part of an image with the same columns.
  ///
  /// - Parameter first: the first row there; `nil` for the same as here.
  fileprivate func replace(_ part: Rect, with made: WorkingImage, from first: Int? = nil) {
    let offset = (part.x - domain.x) * channels
    made.samples.withUnsafeBufferPointer { samples in
      for (index, y) in part.rows.enumerated() {
        let start = made.rowStart((first ?? part.y) + index)
        Sample.take(
          UnsafeBufferPointer(rebasing: samples[start..<start + made.rowLength]), layout,
          into: row(y) + offset)
      }
    }
  }
}

// Samples as the floats of reference kernels.
extension Int16 {
  /// To the nearest unit; values outside 0…1 are limited, and what is not a number becomes 0.
  static func take(
    _ source: UnsafeBufferPointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutablePointer<Int16>
  ) {
    let full = Float(2 * FG_FULL)
    func sample(_ value: Float) -> Int16 {
      // In this order NaN becomes 0; comparisons can be vectorized.
      let positive = value > 0 ? value : 0
      let limited = positive < 1 ? positive : 1
      return Int16(truncatingIfNeeded: Int32(limited * full + 0.5) - Int32(FG_FULL))
    }
    guard layout == .rgb else {
      for index in source.indices { target[index] = sample(source[index]) }
      return
    }
    for pixel in 0..<source.count / 3 {
      for channel in 0..<3 { target[4 * pixel + channel] = sample(source[3 * pixel + channel]) }
      target[4 * pixel + 3] = Int16(FG_FULL)
    }
  }

  static func give(
    _ source: UnsafePointer<Int16>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutableBufferPointer<Float>
  ) {
    let unit = 1 / Float(2 * FG_FULL)
    guard layout == .rgb else {
      for index in target.indices { target[index] = Float(Int32(source[index]) + FG_FULL) * unit }
      return
    }
    for pixel in 0..<target.count / 3 {
      for channel in 0..<3 {
        target[3 * pixel + channel] = Float(Int32(source[4 * pixel + channel]) + FG_FULL) * unit
      }
    }
  }
}

extension Float {
  static func take(
    _ source: UnsafeBufferPointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutablePointer<Float>
  ) {
    _ = UnsafeMutableBufferPointer(start: target, count: source.count).update(
      fromContentsOf: source)
  }

  static func give(
    _ source: UnsafePointer<Float>, _ layout: PixelFormat.Layout,
    into target: UnsafeMutableBufferPointer<Float>
  ) {
    _ = target.update(fromContentsOf: UnsafeBufferPointer(start: source, count: target.count))
  }
}
