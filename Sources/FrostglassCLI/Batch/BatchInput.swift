/// One picture of a batch.
package struct BatchInput: Sendable, Hashable {
  /// Where it is.
  package var path: String
  /// What it is called below the output folder: the file's name, and before it the folders between
  /// it and the directory that was given.
  package var name: String
}
