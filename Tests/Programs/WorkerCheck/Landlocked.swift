import CConfinement
import Glibc

/// The limits of Landlock as the only sandbox.
enum Landlocked {
  /// Threads that were there before, and those that come after, can open nothing either.
  static func check() -> Int32 {
    let version = fgk_landlock_version()
    guard version > 0 else {
      print("no Landlock")
      return 0
    }
    let earlier = OpeningThread()
    let rules = fgk_landlock_nothing(version, 0)
    guard rules >= 0, earlier.canOpen(), fgk_give_up(rules) == 0 else { return 1 }
    let (own, other, later) = (
      OpeningThread.tryToOpen(), earlier.canOpen(), OpeningThread().canOpen()
    )
    print("own \(own), earlier \(other), later \(later)")
    return 0
  }
}

/// A thread that opens a file when asked to.
private final class OpeningThread: @unchecked Sendable {
  private var thread = pthread_t()
  private let asked = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  private let answered = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
  private var could = false

  init() {
    sem_init(asked, 0, 0)
    sem_init(answered, 0, 0)
    pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<OpeningThread>.fromOpaque(argument).takeRetainedValue().work()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
  }

  private func work() {
    while true {
      while sem_wait(asked) != 0 {}
      could = Self.tryToOpen()
      sem_post(answered)
    }
  }

  func canOpen() -> Bool {
    sem_post(asked)
    while sem_wait(answered) != 0 {}
    return could
  }

  static func tryToOpen() -> Bool {
    let file = open(Attack.file, O_RDONLY)
    if file >= 0 { close(file) }
    return file >= 0
  }
}
