public import FrostglassCore

extension Renderer {
  /// Renders the frames of a sequence, such as those of a camera.
  ///
  ///     for try await frame in renderer.frames(from: camera, whenBehind: .newestWins) {
  ///       view.show(frame.image)
  ///     }
  ///
  /// A frame is rendered when it is asked for, and meanwhile the next one is already awaited. Each loop over
  /// the result begins a loop over `source`, which ends with it: when the last frame was rendered, when
  /// either fails, when the task is cancelled, or when the iterator is given up, as `break` does.
  ///
  /// - Parameters:
  ///   - source: frames that are all as the plan's input is described.
  ///   - policy: the handling of frames that arrive faster than they are consumed.
  /// - Returns: results in the order of their frames. Iterating throws what `source` throws, and
  ///   `FrostglassError.execute` for a frame that cannot be rendered; a cancelled task gets `nil`.
  public func frames<Source: AsyncSequence & Sendable>(
    from source: Source, whenBehind policy: RenderedFrames<Source>.Policy = .sourceWaits
  ) -> RenderedFrames<Source> where Source.Element == Image {
    RenderedFrames(source: source, policy: policy) { image in
      let output = ImageOutput()
      try await self.render(PixelIO([.image(image)], to: [.image(output)]))
      return output.take()
    }
  }
}

extension YCbCrRenderer {
  /// Renders the frames of a sequence, such as those of a decoder, in planes; everything else is as with
  /// `Renderer`.
  ///
  /// - Parameters:
  ///   - source: frames that are all of the plan's size and format.
  ///   - policy: the handling of frames that arrive faster than they are consumed.
  /// - Returns: results in the order of their frames. Iterating throws what `source` throws, and
  ///   `FrostglassError.execute` for a frame that cannot be rendered; a cancelled task gets `nil`.
  public func frames<Source: AsyncSequence & Sendable>(
    from source: Source, whenBehind policy: RenderedFrames<Source>.Policy = .sourceWaits
  ) -> RenderedFrames<Source> where Source.Element == YCbCrImage {
    RenderedFrames(source: source, policy: policy) { picture in try await self.render(picture) }
  }
}

/// Frames of a sequence, rendered one by one; made by `frames(from:whenBehind:)` of `Renderer` and
/// `YCbCrRenderer`.
public struct RenderedFrames<Source: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Source.Element: Sendable {
  /// The handling of frames that arrive faster than they are consumed.
  public enum Policy: Sendable, Hashable {
    /// The source is asked for another frame only when the last one was taken: every frame is rendered.
    /// For files.
    case sourceWaits
    /// The source is asked all the time, and the newest frame is rendered; those before it are left out. For
    /// cameras, which do not wait.
    case newestWins
  }

  /// A frame that was rendered.
  public struct Element: Sendable {
    /// The result, as the plan's results are described: an `Image`, or a `YCbCrImage`.
    public let image: Source.Element
    /// The frame's index in the source, from 0. Missing indices are frames that were dropped.
    public let index: Int
  }

  fileprivate typealias Render = @Sendable (Source.Element) async throws -> Source.Element?

  fileprivate let source: Source
  fileprivate let policy: Policy
  fileprivate let render: Render

  /// Begins to ask the source for frames.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// Gives rendered frames, one after another.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let render: Render
    private let feed: Feed

    fileprivate init(_ frames: RenderedFrames) {
      render = frames.render
      feed = Feed(frames.source, frames.policy)
    }

    /// Waits for a frame and renders it.
    ///
    /// - Returns: `nil` behind the last frame, and in a cancelled task.
    /// - Throws: what the source throws, or `FrostglassError.execute`; then there are no more frames.
    public mutating func next() async throws -> Element? {
      let (render, feed) = (render, feed)
      return try await withTaskCancellationHandler {
        do {
          guard let (image, index) = try await feed.queue.take() else { return nil }
          return try await render(image).map { Element(image: $0, index: index) }
        } catch {
          feed.end()
          if Task.isCancelled { return nil }
          throw error
        }
      } onCancel: {
        feed.end()
      }
    }
  }

  /// The loop over the source.
  private final class Feed: Sendable {
    let queue: BoundedQueue<(Source.Element, Int), any Error>
    private let task: Task<Void, Never>

    init(_ source: Source, _ policy: Policy) {
      let queue = BoundedQueue<(Source.Element, Int), any Error>(capacity: 1)
      self.queue = queue
      task = Task {
        do {
          var index = 0
          for try await image in source {
            queue.put((image, index))
            index += 1
            if policy == .sourceWaits, !(try await queue.waitForRoom()) { return }
            if Task.isCancelled { return }
          }
          queue.finish()
        } catch { queue.finish(.failure(error)) }
      }
    }

    deinit { end() }

    /// Takes no more frames, and asks for none.
    func end() {
      task.cancel()
      queue.close()
    }
  }
}
