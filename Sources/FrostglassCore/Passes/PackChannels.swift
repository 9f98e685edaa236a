/// Puts a gray image in front of another's channels: red is the first source's gray, green and
/// blue are the second's red and green.
///
/// As a gray image's red and green are the same, two of these make one image of three gray
/// ones. Nothing is computed, and values outside 0…1 are kept.
package struct PackChannels: Sendable, Hashable {
  package init() {}
}

extension PackChannels: PassKind {
  package var sourceCount: Int { 2 }
  package var multiplyAdds: Int { 0 }
  package var summary: String { "" }
}
