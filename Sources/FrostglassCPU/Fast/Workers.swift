internal import Glibc

/// Threads that wait for work, so that starting it on all cores takes microseconds.
///
/// The calling thread is one of them. The others are started with the first work and end with
/// this object.
final class Workers: Sendable {
  /// How many work at once, the caller among them.
  let count: Int
  private let crew: Crew

  init(count: Int) {
    self.count = max(count, 1)
    crew = Crew()
  }

  deinit { crew.dismiss() }

  /// Calls `body` once for each task, on as many threads as there are, and returns when all are
  /// done. A second caller waits for the first.
  ///
  /// - Parameters:
  ///   - goesAlone: whether a second caller does its tasks itself instead of waiting.
  ///   - body: gets the number of its thread, 0..<count, and the task's.
  func run(
    _ tasks: Int, orAlone goesAlone: Bool = false, _ body: (_ worker: Int, _ task: Int) -> Void
  ) {
    crew.run(tasks, threads: count, goesAlone, body)
  }
}

/// What the threads share. They hold on to it, and not to `Workers`, so that its end is theirs.
private final class Crew: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// One caller at a time.
  private let turnstile = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var threads: [pthread_t] = []
  private var body: ((_ worker: Int, _ task: Int) -> Void)?
  private var tasks = 0
  private var next = 0
  private var running = 0
  private var ends = false

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
    pthread_mutex_init(turnstile, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(turnstile)
    mutex.deallocate()
    changed.deallocate()
    turnstile.deallocate()
  }

  func dismiss() {
    locked {
      ends = true
      pthread_cond_broadcast(changed)
    }
    for thread in threads { pthread_join(thread, nil) }
  }

  func run(_ tasks: Int, threads count: Int, _ goesAlone: Bool, _ body: (Int, Int) -> Void) {
    func alone() { for task in 0..<tasks { body(0, task) } }
    if goesAlone {
      guard count > 1, tasks > 1, pthread_mutex_trylock(turnstile) == 0 else { return alone() }
    } else {
      pthread_mutex_lock(turnstile)
    }
    defer { pthread_mutex_unlock(turnstile) }
    guard count > 1, tasks > 1 else { return alone() }
    startThreads(count - 1)
    withoutActuallyEscaping(body) { body in
      locked {
        self.body = body
        self.tasks = tasks
        next = 0
        pthread_cond_broadcast(changed)
      }
      work(as: 0)
      locked {
        while running > 0 { pthread_cond_wait(changed, mutex) }
        self.body = nil
      }
    }
  }

  /// Takes tasks until none is left.
  private func work(as worker: Int) {
    while runTask(as: worker) {
      locked {
        running -= 1
        if running == 0 { pthread_cond_broadcast(changed) }
      }
    }
  }

  /// Runs one task; the body is let go of before the task counts as done.
  private func runTask(as worker: Int) -> Bool {
    guard let task = takeTask() else { return false }
    task.body(worker, task.number)
    return true
  }

  private func takeTask() -> (body: (Int, Int) -> Void, number: Int)? {
    locked {
      guard let body, next < tasks else { return nil }
      next += 1
      running += 1
      return (body, next - 1)
    }
  }

  private func waitAndWork(as worker: Int) {
    while true {
      let leaves = locked {
        while !ends && (body == nil || next >= tasks) { pthread_cond_wait(changed, mutex) }
        return ends
      }
      if leaves { return }
      work(as: worker)
    }
  }

  private func startThreads(_ count: Int) {
    guard threads.isEmpty else { return }
    for worker in 1...count {
      let start = Unmanaged.passRetained(Start(crew: self, worker: worker))
      var thread = pthread_t()
      let failure = pthread_create(
        &thread, nil,
        { argument in
          guard let argument else { return nil }
          let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
          start.crew.waitAndWork(as: start.worker)
          return nil
        }, start.toOpaque())
      // Fewer threads are slower and nothing worse.
      if failure == 0 { threads.append(thread) } else { start.release() }
    }
  }

  private func locked<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// What a new thread is told.
  private final class Start {
    let crew: Crew
    let worker: Int

    init(crew: Crew, worker: Int) {
      self.crew = crew
      self.worker = worker
    }
  }
}
