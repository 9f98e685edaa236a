internal import FrostglassCore

// Passes on their reference kernels, some rows at a time: for those without faster ones.
extension RowStrip {
  /// What computes a step that reads and writes pictures with its pass's reference kernel.
  ///
  /// The kernel gets a picture of the rows that it reads, and makes one of the rows that are wanted, in
  /// parts on all threads there are.
  ///
  /// - Returns: `nil` in strips beside the first, which makes their rows with its own.
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

  /// Whether a band reads so many rows that the one before has read that it pays to keep them: those of
  /// a window 57 rows high.
  private func readsAgain(_ step: Step, _ place: Int, _ picture: PictureRows<Sample>) -> Bool {
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

  /// Bytes of the pictures that a band takes, at its largest.
  private func referenceBytes(
    _ step: Step, _ picture: PictureRows<Sample>, _ sources: [ReferenceSource<Sample>]
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

/// A source of which reference kernels get a part as floats.
///
/// Where a step reads far up and down, its parts overlap: then rows that were converted once are
/// kept, until there is all of the picture.
private final class ReferenceSource<Sample: RowSample> {
  private let source: PictureSource<Sample>
  private let keepsRows: Bool
  private var whole: WorkingPicture?
  private var kept = 0..<0
  private let current: CurrentRun
  /// The run that rows were kept of.
  private var run = 0

  init(_ source: PictureSource<Sample>, keepsRows: Bool, _ current: CurrentRun) {
    self.source = source
    self.keepsRows = keepsRows
    self.current = current
  }

  /// An empty picture, for one that does not show.
  func nothing(in wanted: Rect) -> SourceRows {
    let picture = WorkingPicture(domain: wanted, layout: source.rows.layout)
    return SourceRows(picture: picture, source: source.source)
  }

  /// Bytes of the picture that is made of a part as high as this one.
  func bytes(_ wanted: Rect) -> Int {
    let whole = source.rows.domain
    var part = source.source.footprint(of: wanted)
    // At the picture's edge it may be less high than the same farther inside.
    part.height = max(part.height, min(wanted.height, whole.height))
    return Slot(
      domain: keepsRows ? whole : part, layout: source.rows.layout, precision: .float32
    ).bytes
  }

  func rows(_ wanted: Rect) -> SourceRows {
    let part = source.source.footprint(of: wanted)
    guard keepsRows else {
      var picture = WorkingPicture(domain: part, layout: source.rows.layout)
      convert(part.rows, into: &picture)
      return SourceRows(picture: picture, source: source.source)
    }
    if run != current.number { (kept, run) = (0..<0, current.number) }
    let domain = source.rows.domain
    var picture = whole ?? WorkingPicture(domain: domain, layout: source.rows.layout)
    whole = nil
    if kept.isEmpty { kept = part.y..<part.y }
    if part.y < kept.lowerBound { convert(part.y..<kept.lowerBound, into: &picture) }
    let end = part.rows.upperBound
    if end > kept.upperBound { convert(kept.upperBound..<end, into: &picture) }
    kept = min(kept.lowerBound, part.y)..<max(kept.upperBound, end)
    whole = picture
    return SourceRows(picture: picture, source: source.source)
  }

  private func convert(_ rows: Range<Int>, into picture: inout WorkingPicture) {
    let from = source.rows
    let offset = source.offset(of: picture.domain.columns)
    let (length, layout) = (picture.rowLength, picture.layout)
    let start = picture.rowStart(rows.lowerBound)
    picture.samples.withUnsafeMutableBufferPointer { all in
      for (index, y) in rows.enumerated() {
        // That may be all of a picture; nobody looks at what is made of it then.
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
  /// What computes any step with its pass's reference kernel.
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

  private func load(_ rows: Range<Int>, into picture: PictureRows<Float>, _ load: Load) {
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

extension PictureRows {
  /// What reference kernels are asked for to get a part.
  fileprivate func slot(_ part: Rect) -> Slot {
    Slot(domain: part, layout: layout, precision: .float32)
  }

  /// Takes over a part of a picture with the same columns.
  ///
  /// - Parameter first: the first row there; `nil` for the same as here.
  fileprivate func replace(_ part: Rect, with made: WorkingPicture, from first: Int? = nil) {
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
