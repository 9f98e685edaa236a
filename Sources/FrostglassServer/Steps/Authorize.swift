package import FrostglassSigning
internal import Glibc

/// Admits requests with a signed target, if there are keys.
package struct Authorize: HeadStep {
  private let keys: SigningKeys?
  private let now: @Sendable () -> Int

  /// - Parameters:
  ///   - keys: `nil` lets in everybody.
  ///   - now: seconds since 1970.
  package init(
    _ keys: SigningKeys?, now: @escaping @Sendable () -> Int = { Int(time(nil)) }
  ) {
    self.keys = keys
    self.now = now
  }

  package func run(_ context: inout RequestContext) throws(Problem) {
    // They say nothing about the image.
    context.fields.removeAll { ["expires", "key", "signature"].contains($0.name) }
    guard let keys, context.route.isWork else { return }
    do {
      let grant = try SignedTarget.check(
        context.head.target, method: context.head.method, keys: keys, now: now())
      (context.expires, context.key) = (grant.expires, grant.key)
    } catch {
      switch error {
      case .unsigned:
        throw Problem(
          403, "unsigned", "this address has to be signed: expires, key and signature are missing")
      case .invalid:
        throw Problem(
          403, "bad-signature",
          "the signature is not that of this address and method with a known key")
      case .expired: throw Problem(403, "expired", "this address has expired; ask for a new one")
      }
    }
  }
}
