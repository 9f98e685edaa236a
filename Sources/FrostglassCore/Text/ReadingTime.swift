/// The deadline for parsing texts.
package enum ReadingTime {
  /// The time when it ends; `nil` for never.
  @TaskLocal package static var end: ContinuousClock.Instant?

  /// True if the task was cancelled, or its time has ended. Readers ask now and then, however long their text is.
  package static var isOver: Bool { Task.isCancelled || end.map { .now > $0 } ?? false }

  /// A reason that is not in the text.
  package static let words = "the time for reading it is over"
}
