/// Connections that wait for the head of a request, in the order in which they began to wait.
///
/// The list is intrusive: with thousands of open connections, each new one may end the first, which must not take a
/// search through all of them. `Connections` guards the list.
struct WaitingLine {
  /// A connection's own part of the list.
  struct Place {
    fileprivate var before: Link?
    fileprivate var behind: Link?
    fileprivate var isTaken = false
  }

  /// The connection that has waited longest.
  private(set) var first: Link?
  private var last: Link?

  /// Puts a connection behind all others, wherever it was before.
  mutating func join(_ link: Link) {
    leave(link)
    link.place.isTaken = true
    link.place.before = last
    if let last { last.place.behind = link } else { first = link }
    last = link
  }

  /// Takes a connection out; one that is not in it stays as it is.
  mutating func leave(_ link: Link) {
    guard link.place.isTaken else { return }
    let (before, behind) = (link.place.before, link.place.behind)
    // Drop the references to its neighbors, so that they can be freed.
    link.place = Place()
    if let before { before.place.behind = behind } else { first = behind }
    if let behind { behind.place.before = before } else { last = before }
  }
}
