internal import FrostglassCore
internal import Synchronization

/// Frames from a source to a sink: read one after another, worked on at the same time and written in order,
/// with memory for a few of them.
///
/// Frames before a failure are written. It runs once.
package final class FrameLoop<Failure: Error>: Sendable {
  private let room: FairSemaphore
  private let failure = Mutex<Failure?>(nil)

  /// - Parameter atOnce: frames on their way together, so that frame `n` may use the memory of frame
  ///   `n - atOnce`.
  package init(atOnce: Int) { room = FairSemaphore(atOnce) }

  /// Runs to the end of the source, or to the first failure.
  ///
  /// - Parameters:
  ///   - read: returns a frame by its number, from 0, or `nil` at the end; called when there is memory.
  ///   - work: makes something of a frame; several frames at the same time.
  ///   - write: gets what was made, in the order of frames and one at a time.
  /// - Throws: the failure of the first frame, in their order.
  package func run<Frame: Sendable, Made: Sendable>(
    isolation: isolated (any Actor)? = #isolation,
    read: (_ number: Int) async throws(Failure) -> Frame?,
    work: @escaping @Sendable (Frame) async throws(Failure) -> Made,
    write: @escaping @Sendable (Frame, Made) async throws(Failure) -> Void
  ) async throws(Failure) {
    let unread = await withDiscardingTaskGroup(returning: Failure?.self) { group in
      while true {
        let number = await room.enter()
        guard failure.withLock({ $0 == nil }) else { return nil }
        do throws(Failure) {
          guard let frame = try await read(number) else { return nil }
          group.addTask { [self] in
            var made: Result<Made, Failure>
            do throws(Failure) { made = .success(try await work(frame)) } catch {
              made = .failure(error)
            }
            await room.waitForEarlier(number)
            do throws(Failure) {
              if failure.withLock({ $0 == nil }) { try await write(frame, made.get()) }
            } catch { failure.withLock { $0 = error } }
            room.leave(number)
          }
        } catch { return error }
      }
    }
    if let error = failure.withLock({ $0 }) ?? unread { throw error }
  }

  /// Waits until all frames before are written; for `read`.
  package func drain() async { await room.drain(to: 1) }
}
