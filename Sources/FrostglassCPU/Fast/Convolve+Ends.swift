internal import CKernels
internal import FrostglassCore

// Filters at a plan's ends: along rows of the input that nothing else reads, which are loaded one by one,
// and along columns that are stored as they are. Their pictures would be of full size, and a band of each
// takes more than a cache has.
extension Convolve {
  /// The filter along rows that are loaded as they are read.
  ///
  /// - Parameter source: what the load would make.
  func fast(
    _ load: Load, _ input: InputRows, _ source: PictureSource<Int16>,
    into target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let row = PictureRows<Int16>(
      domain: source.rows.domain, layout: source.rows.layout, capacity: 1, in: tools.memory)
    let loading = load.fast(input, into: row, tools)
    let read = PictureSource(rows: row, source: source.source, transparent: source.transparent)
    let convolving = fast(read, into: target, tools)
    return { rows in
      for y in rows {
        if let there = source.rowStandingFor(y) { loading(there..<there + 1) }
        convolving(y..<y + 1)
      }
    }
  }

  /// The filter along columns, some columns of a band stored at a time.
  ///
  /// - Parameter picture: what would be stored.
  func fastStoring(
    _ source: PictureSource<Int16>, _ picture: PictureRows<Int16>, _ store: Store,
    into output: OutputRows, _ tools: RowTools
  ) -> RowProgram {
    let (channels, kernels) = (picture.channels, tools.kernels)
    let bytes = output.format.bytesPerPixel
    return fast(source, into: picture, tools) { y, part, samples in
      store.store(
        samples, output.row(y) + part.lowerBound / channels * bytes, part.count / channels, kernels)
    }
  }
}

extension Plan {
  /// Whether a slot is a load's, and read along its rows by one filter alone.
  func isOnlyConvolved(_ slot: Int, _ ending: MaskedEnding?) -> Bool {
    guard ending == nil, let making = step(making: slot), case .load = making.pass,
      readers(of: slot).count == 1, case .convolve(let convolve) = readers(of: slot)[0].pass
    else { return false }
    return convolve.axis == .x && convolve.boxes == nil
  }

  /// The step of a filter along columns whose rows a step stores as it makes them; `nil` for other steps.
  func filter(endingIn step: Step, _ ending: MaskedEnding?) -> Step? {
    guard case .store(let store) = step.pass,
      convolving(into: store, step.sources[0].slot, ending) != nil
    else { return nil }
    return self.step(making: step.sources[0].slot)
  }

  /// The filter along columns that makes a slot which is stored as it is and read by nothing else.
  func convolving(into store: Store, _ slot: Int, _ ending: MaskedEnding?) -> Convolve? {
    guard ending == nil, let making = step(making: slot),
      case .convolve(let convolve) = making.pass, convolve.axis == .y, convolve.boxes == nil,
      readers(of: slot).count == 1,
      store.background == nil, slots[slot].domain.columns == results[store.result].rect.columns
    else { return nil }
    let isAlike = Int16.channels(of: slots[slot].layout) == Int16.channels(of: store.format.layout)
    return isAlike ? convolve : nil
  }
}
