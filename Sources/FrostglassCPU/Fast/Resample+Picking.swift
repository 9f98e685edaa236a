internal import FrostglassCore

// Every second sample of a row, as color differences that take turns are told apart.
extension Resample {
  /// Whether it takes every second column and nothing else.
  var picks: Bool {
    x.stride == 2 && x.phases.count == 1 && x.phases[0].taps == [1] && y.isIdentity
  }

  /// Copies every second pixel of each row.
  func picking(
    _ source: PictureSource<Int16>, into target: PictureRows<Int16>, _ tools: RowTools
  ) -> RowProgram {
    let channels = target.channels
    let reach = source.columns(x.sourceRange(for: target.domain.columns))
    let row: UnsafeMutablePointer<Int16> = tools.scratch(reach.width * channels)
    let present = row + reach.presentOffset * channels
    let wanted = row + reach.wantedOffset * channels
    return { rows in
      for y in rows {
        present.update(from: source.row(y), count: source.rows.rowLength)
        reach.fillOutside(row, channels: channels, transparent: .transparent)
        let picked = target.row(y)
        for pixel in 0..<target.domain.width {
          for channel in 0..<channels {
            picked[pixel * channels + channel] = wanted[2 * pixel * channels + channel]
          }
        }
      }
    }
  }
}
