package import FrostglassSigning

/// A request as far as it is known, which one step after another fills.
package struct RequestContext: Sendable {
  /// A name of its own, for logs, answers and questions.
  package let id: String
  package let head: RequestHead
  package let start: ContinuousClock.Instant
  /// Set by `Routing`.
  package var route = Route.other
  /// The fields of the query, followed by those of the form.
  package var fields: [Field] = []
  /// The body as it came, until it is read.
  package var body: [UInt8] = []
  /// The last second since 1970 in which the address holds, where it is signed.
  package var expires: Int?
  /// The key that it is signed with.
  package var key: SigningKeys.Key?
  /// The operator's preset that is asked for.
  package var preset: Preset?
  /// The disposition of a successful answer; `nil` leaves it to the browser.
  package var disposition: ContentDisposition?
  /// The order for a worker.
  package var order: WorkOrder?
  /// The image of an origin that is asked for.
  package var source: Source?
  /// The share of the memory for bodies that the source takes, once it is read.
  package var room: AdmissionQueue.Room?
  /// An answer that takes no work.
  package var response: Response?
  /// Header fields of a good answer, for caches.
  package var cacheFields: [Field] = []
  /// The time that caches may keep a successful answer, in seconds, unless the address expires earlier; `nil` if they
  /// must not keep it.
  package var cacheSeconds: Int?
  /// The time spent waiting for a worker.
  package var waited: Duration = .zero

  /// A preset with its name.
  package struct Preset: Sendable {
    package var name: String
    package var preset: ServicePreset
  }

  package init(_ head: RequestHead, id: String) {
    self.head = head
    self.id = id
    start = .now
  }
}

/// A step that runs when the head has arrived.
package protocol HeadStep: Sendable {
  /// - Throws: `Problem` where the request ends here.
  func run(_ context: inout RequestContext) throws(Problem)
}

/// Takes a request that is there as a whole one step nearer to its answer.
package protocol BodyStep: Sendable {
  /// - Throws: `Problem` where the request ends here.
  func run(_ context: inout RequestContext) async throws(Problem)
}
