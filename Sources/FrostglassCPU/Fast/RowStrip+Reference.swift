internal import FrostglassCore

/// Passes on their reference kernels, some rows at a time: for those without faster ones.
extension RowStrip<Float> {
  /// What computes a step with its pass's reference kernel.
  ///
  /// The kernel gets a picture of the rows that it reads, and makes one of the rows that are wanted.
  func referenceProgram(for step: Step) -> RowProgram? {
    let sources = sources(of: step)
    guard let target = step.target else {
      guard case .store(let store) = step.pass else { return nil }
      return { rows in self.store(rows, of: sources[0], store) }
    }
    guard let picture = pictures[target] else { return nil }
    if case .load(let load) = step.pass { return { rows in self.load(rows, into: picture, load) } }
    return { rows in
      let slot = picture.slot(rows)
      let wanted = step.pass.sourceRect(for: slot.domain)
      let made = ReferenceKernels.run(
        step.pass, sources.map { $0.referenceRows($0.source.footprint(of: wanted)) }, [],
        into: slot)
      if let made { picture.replace(rows, with: made, from: rows.lowerBound) }
    }
  }

  private func load(_ rows: Range<Int>, into picture: PictureRows<Float>, _ load: Load) {
    let input = plan.inputs[load.input]
    var image = Image(
      zeros: Size(width: input.size.width, height: rows.count), format: input.format,
      alpha: input.alpha, transfer: input.transfer)
    let length = image.bytesPerRow
    image.bytes.withUnsafeMutableBytes { bytes in
      for (index, y) in rows.enumerated() {
        let row = UnsafeRawBufferPointer(start: inputs[load.input].row(y), count: length)
        UnsafeMutableRawBufferPointer(rebasing: bytes[index * length..<(index + 1) * length])
          .copyMemory(from: row)
      }
    }
    let made = load.reference(image, into: picture.slot(0..<rows.count))
    picture.replace(rows, with: made, from: 0)
  }

  private func store(_ rows: Range<Int>, of source: PictureSource<Float>, _ store: Store) {
    let rect = Rect(columns: output.rect.columns, rows: rows)
    var result = plan.result
    result.rect = rect
    let image = store.reference(
      source.referenceRows(source.source.footprint(of: rect)), result: result)
    image.bytes.withUnsafeBytes { bytes in
      for (index, y) in rows.enumerated() {
        let start = index * image.bytesPerRow
        UnsafeMutableRawBufferPointer(start: output.row(y), count: image.bytesPerRow)
          .copyMemory(from: .init(rebasing: bytes[start..<start + image.bytesPerRow]))
      }
    }
  }
}

extension PictureSource<Float> {
  /// A part of the picture as reference kernels read it.
  fileprivate func referenceRows(_ part: Rect) -> SourceRows {
    var picture = WorkingPicture(domain: part, layout: rows.layout)
    let offset = (part.x - rows.domain.x) * rows.channels
    picture.fillRows { y, row in
      _ = row.update(
        fromContentsOf: UnsafeBufferPointer(start: rows.row(y) + offset, count: row.count))
    }
    return SourceRows(picture: picture, source: source)
  }
}

extension PictureRows<Float> {
  /// What reference kernels are asked for to get some rows.
  fileprivate func slot(_ rows: Range<Int>) -> Slot {
    Slot(
      domain: Rect(columns: domain.columns, rows: rows), layout: layout, precision: .float32)
  }

  /// Copies rows of a picture with the same columns, from its row `first` on.
  fileprivate func replace(_ rows: Range<Int>, with made: WorkingPicture, from first: Int) {
    made.samples.withUnsafeBufferPointer { samples in
      for (index, y) in rows.enumerated() {
        let start = made.rowStart(first + index)
        _ = UnsafeMutableBufferPointer(start: row(y), count: rowLength)
          .update(fromContentsOf: samples[start..<start + rowLength])
      }
    }
  }
}
