internal import Synchronization

/// Jobs that say when they begin, and end when they are told to.
package final class GatedJobs: Sendable {
  private let state = Mutex(State())

  private struct State {
    var begun: [Int] = []
    var open: Set<Int> = []
    var gates: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  package init() {}

  /// Those that have begun, in order.
  package var begun: [Int] { state.withLock { $0.begun } }

  package func run(_ name: Int) async {
    await withCheckedContinuation { gate in
      let isOpen = state.withLock { state in
        state.begun.append(name)
        if state.open.contains(name) { return true }
        state.gates[name] = gate
        return false
      }
      if isOpen { gate.resume() }
    }
  }

  /// Lets one end, also before it begins.
  package func end(_ name: Int) {
    let gate = state.withLock { state in
      state.open.insert(name)
      return state.gates.removeValue(forKey: name)
    }
    gate?.resume()
  }
}

/// Waits for what must come.
package func until(_ holds: () -> Bool) async {
  while !holds() { await Task.yield() }
}
