import FrostglassChrome
import Testing

extension BackdropEffect {
  var capture: BackdropCapture? {
    if case .capture(let capture) = self { capture } else { nil }
  }
}

extension [BackdropEffect] {
  /// The times of the captures that are asked for.
  var captureTimes: [Double] { compactMap(\.capture?.time) }

  /// The first capture that is asked for; fails without one.
  var firstCapture: BackdropCapture {
    get throws { try #require(compactMap(\.capture).first) }
  }

  /// How many timers more run afterwards.
  var timers: Int {
    reduce(0) { count, effect in
      switch effect {
      case .startTimer: count + 1
      case .stopTimer: count - 1
      default: count
      }
    }
  }
}
