internal import FrostglassBench
internal import Frostglass
internal import FrostglassBackends
internal import FrostglassOptions

extension Failure {
  /// The exit code of a command that ends so.
  var exitCode: Int32 { kind.exitCode }
}

extension FrostglassError {
  var failure: Failure { Failure(words, kind) }

  /// The description, naming the option that would help where there is one.
  private var words: String {
    switch self {
    case .encode(.exists(let path)):
      "\(path): this file exists already; add --overwrite or give another name"
    case .decode(.tooManyPixels(let name, let size, let limit)):
      "\(name): \(size) pixels are more than the allowed \(limit); give a smaller image or "
        + "--max-pixels \(size.area)"
    case .decode(.tooMuchMemory(let name, let size, let need, let limit)):
      "\(name): \(size) pixels would take about \(ByteCount(need)) of memory here, more than the "
        + "allowed \(ByteCount(limit)); give a smaller image or --memory \(memory(for: need))"
    case .encode(.profile(let format)):
      "\(format.name) cannot hold the color profile that --profile keep keeps; leave that "
        + "out to have sRGB, or write \(StillFormat.names("or", except: [.gif, .ppm, .pfm]))"
    case .element(let place, let error): "\(place): \(error.words)"
    case .execute(.broken):
      "\(description); --backend auto goes on with the CPU where a GPU fails"
    default: description
    }
  }

  /// The least whole number of GiB, or MiB, as the option takes it.
  private func memory(for need: Int) -> String {
    let (unit, letter) = need > 4 << 30 ? (1 << 30, "G") : (1 << 20, "M")
    return "\((need + unit - 1) / unit)\(letter)"
  }
}

extension BenchError {
  /// What the command says and exits with.
  var failure: Failure {
    switch self {
    case .plan(let error): FrostglassError.plan(error).failure
    case .execute(let error): FrostglassError.execute(error).failure
    }
  }
}

extension RawFile.Failure {
  /// What the command says and exits with.
  var failure: Failure {
    let kind: Failure.Kind =
      switch self {
      case .unreadable: .noInput
      case .length: .badData
      case .unwritable: .cannotCreate
      }
    return Failure(description, kind)
  }
}
