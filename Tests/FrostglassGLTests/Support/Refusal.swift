import Testing

/// Expects something to be refused by an error whose text holds some words.
func expectRefusal(
  _ words: String, _ body: () async throws -> Void,
  sourceLocation: SourceLocation = #_sourceLocation
) async {
  do {
    try await body()
    Issue.record("nothing was refused", sourceLocation: sourceLocation)
  } catch {
    #expect("\(error)".contains(words), sourceLocation: sourceLocation)
  }
}
