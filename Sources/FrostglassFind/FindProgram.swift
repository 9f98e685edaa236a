/// The program that runs detectors, in a process of its own: nothing else links what runs networks.
package enum FindProgram {
  /// The file's name.
  package static let name = "frostglass-find"
  /// The word that it is started with.
  package static let word = "look"
  /// Bytes of memory that it may take.
  package static let memory = 3 << 30
}
