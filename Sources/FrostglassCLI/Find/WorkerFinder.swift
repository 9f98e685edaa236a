internal import Frostglass
internal import FrostglassOptions
internal import FrostglassServer
internal import FrostglassStills

/// The search for faces of a worker of the service: a process for each model that is installed.
struct WorkerFinder: ImageFinder {
  private let pool: DetectorPool

  /// Starts the processes and gives them the models.
  ///
  /// - Parameter isWorker: true in a worker of the service, which ends them with it.
  /// - Throws: `Failure` with 69 where the program or a model is not installed.
  init(isWorker: Bool) throws(Failure) {
    pool = try DetectorPool(sharesGroup: isWorker)
    try pool.begin()
  }

  var canSearch: Bool { pool.hasIdle }

  func record(
    of source: StillSource, _ decoding: DecodeOptions, for output: Job.Output?,
    _ options: FindOptions
  ) async throws(Failure) -> FindRecord {
    do throws(Failure) {
      return try await ImageSearch(options, pool).record(of: source, decoding, for: output)
    } catch {
      // Words about processes and of codecs are for the operator: they name files.
      switch error.kind {
      case .badData:
        throw Failure(
          "the image is damaged or incomplete, or takes more memory than there is", .badData)
      case .software, .unavailable: throw Failure("the search for faces ended", .unavailable)
      default: throw error
      }
    }
  }

  func file(_ record: FindRecord, named name: String) -> String {
    FoundFile(entries: [FoundFile.Entry(path: name, record: record)]).text(.json)
  }
}
