internal import FrostglassCore
internal import FrostglassShaders

/// The plans that ran last: what runs a second time is recorded, and played from the third time on.
///
/// Plans are known by their storage, which they share with the copies that are kept here: to find
/// one takes a few comparisons of addresses, whatever its size. Only one that is not found so is
/// compared whole.
final class Recordings {
  private struct Entry {
    var plan: Plan
    var inputs: [InputKind]
    /// The parts that are computed; `nil` for the whole result.
    var parts: [Rect]?
    var recording: Recording?
    var lastUse: Int
  }

  /// The representation of a run's input.
  private enum InputKind: Equatable {
    case image(PixelFormat)
    case resident(SampleKind, Rect, channels: Int)

    init(_ input: RunInput) {
      switch input {
      case .image(let image): self = .image(image.format)
      case .resident(let picture):
        self = .resident(
          picture.kind, picture.domain, channels: picture.input.format.layout.channels)
      }
    }
  }

  /// The handling of a run.
  enum Fate {
    /// It is played, as it has run before.
    case played(Recording)
    /// It runs and is recorded; the recording is given to `keep` with this place.
    case recorded(Int)
    /// It runs.
    case run
  }

  /// As many plans as one caller, or several, may have in turn.
  private static let capacity = 16

  private var entries: [Entry] = []
  private var uses = 0
  /// The number of runs for which a recording was found.
  private(set) var played = 0

  /// Decides how a run is handled.
  ///
  /// - Parameter bytes: the bytes that textures may take.
  func fate(of run: PlanRun, bytes: Int) -> Fate {
    uses += 1
    guard let index = index(of: run) else {
      remember(run)
      return .run
    }
    entries[index].lastUse = uses
    guard let recording = entries[index].recording else { return .recorded(index) }
    // With less memory than then it runs in other tiles.
    guard recording.bytes <= bytes else { return .run }
    played += 1
    return .played(recording)
  }

  func keep(_ recording: Recording?, at index: Int) {
    guard entries.indices.contains(index) else { return }
    entries[index].recording = recording
  }

  /// Forgets all: what ran is run in another way from now on.
  func forget() {
    entries = []
  }

  /// Forgets those that keep pictures on the device, as bytes are short.
  func forgetPictures() {
    for index in entries.indices where entries[index].recording?.keepsPictures == true {
      entries[index].recording = nil
    }
  }

  private func index(of run: PlanRun) -> Int? {
    entries.firstIndex { $0.plan.isSameStorage(as: run.plan) && isAlike($0, run) }
      ?? entries.firstIndex { $0.plan == run.plan && isAlike($0, run) }
  }

  private func isAlike(_ entry: Entry, _ run: PlanRun) -> Bool {
    guard entry.inputs.count == run.inputs.count, entry.parts == run.parts else { return false }
    for (kind, input) in zip(entry.inputs, run.inputs) where kind != InputKind(input) {
      return false
    }
    return true
  }

  private func remember(_ run: PlanRun) {
    let entry = Entry(
      plan: run.plan, inputs: run.inputs.map { InputKind($0) }, parts: run.parts, recording: nil,
      lastUse: uses)
    guard entries.count >= Recordings.capacity,
      let oldest = entries.indices.min(by: { entries[$0].lastUse < entries[$1].lastUse })
    else { return entries.append(entry) }
    entries[oldest] = entry
  }
}

extension PlanRun {
  fileprivate var parts: [Rect]? { changed?.plans.map(\.result.rect) }
}

extension Plan {
  /// Returns true if both are copies of one value. Arrays that share storage are equal as long as both exist.
  func isSameStorage(as other: Plan) -> Bool {
    steps.isSameStorage(as: other.steps) && slots.isSameStorage(as: other.slots)
      && results.isSameStorage(as: other.results) && inputs.isSameStorage(as: other.inputs)
      && roundsBetweenSteps == other.roundsBetweenSteps && wholeSize == other.wholeSize
  }
}

extension Array {
  fileprivate func isSameStorage(as other: [Element]) -> Bool {
    withUnsafeBufferPointer { own in
      other.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress && own.count == $0.count }
    }
  }
}
