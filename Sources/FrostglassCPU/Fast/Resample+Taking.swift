internal import FrostglassCore

// Samples that are taken as they are: a picture moved by whole samples, or every second sample of a
// row, as color differences that take turns are told apart.
extension Resample {
  /// Whether it does nothing else.
  var takesSamples: Bool {
    x.phases.count == 1 && x.phases[0].taps == [1] && x.stride <= 2 && y.move != nil
  }

  /// Copies the samples of each row.
  func taking(
    _ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let channels = target.channels
    let reach = source.columns(x.sourceRange(for: target.domain.columns))
    let row: UnsafeMutablePointer<Int16> = tools.scratch(reach.width * channels)
    let present = row + reach.presentOffset * channels
    let wanted = row + reach.wantedOffset * channels
    let everySecond = x.stride == 2
    return { rows in
      for y in rows {
        present.update(from: source.row(self.y.start(of: y).source), count: source.rows.rowLength)
        reach.fillOutside(row, channels: channels, transparent: .transparent)
        let taken = target.row(y)
        guard everySecond else {
          taken.update(from: wanted, count: target.rowLength)
          continue
        }
        for pixel in 0..<target.domain.width {
          for channel in 0..<channels {
            taken[pixel * channels + channel] = wanted[2 * pixel * channels + channel]
          }
        }
      }
    }
  }
}
