internal import Frostglass
internal import FrostglassCore
internal import Glibc
internal import Synchronization

/// Makes the response of what came of a request: header fields that keep browsers from guessing, and a
/// problem document where something is wrong.
package struct Answer: Sendable {
  /// Nothing that is answered runs, loads, or is framed.
  private static let policy = "default-src 'none'; frame-ancestors 'none'; sandbox"

  private let crossOrigin: CrossOrigin
  private let fallback: Fallback?
  private let staleSeconds: Int
  private let isImmutable: Bool
  private let now: @Sendable () -> Int

  /// - Parameters:
  ///   - fallback: an image in place of problems; `nil` for none.
  ///   - staleSeconds: the time that caches may serve a stale answer while they revalidate it.
  ///   - isImmutable: true if the content at an address never changes.
  ///   - now: seconds since 1970.
  package init(
    _ crossOrigin: CrossOrigin = CrossOrigin(), fallback: Fallback? = nil, staleSeconds: Int = 0,
    isImmutable: Bool = false, now: @escaping @Sendable () -> Int = { Int(time(nil)) }
  ) {
    self.crossOrigin = crossOrigin
    self.fallback = fallback
    self.staleSeconds = staleSeconds
    self.isImmutable = isImmutable
    self.now = now
  }

  /// A worker's answer, with what caches have to know where it is a good one.
  package func response(_ answer: WorkAnswer, to context: RequestContext) -> Response {
    var body = answer.body
    let isGood = answer.status < 400
    if answer.contentType == Problem.contentType, body.last == UInt8(ascii: "}") {
      // Workers do not know the request's id.
      body.removeLast()
      body += Array(",\"requestId\":\(JSONText.string(context.id))}".utf8)
    }
    var response = Response(
      answer.status, [Field("Content-Type", answer.contentType)] + answer.fields, body: body)
    if isGood { response.headers += context.cacheFields }
    return finished(response, context)
  }

  package func response(_ problem: Problem, to context: RequestContext) -> Response {
    var response = Response(
      problem.status, [Field("Content-Type", Problem.contentType)] + problem.headers,
      body: Array(problem.document(requestID: context.id).utf8))
    response.closes = problem.closes
    return finished(response, context)
  }

  package func response(_ page: Response, to context: RequestContext) -> Response {
    finished(page, context)
  }

  private func finished(_ response: Response, _ context: RequestContext) -> Response {
    var response = response
    response.headers += [
      Field("X-Content-Type-Options", "nosniff"), Field("Referrer-Policy", "no-referrer"),
      Field("X-Request-Id", context.id),
    ]
    if response.status == 200, let disposition = context.disposition {
      response.headers.append(
        Field("Content-Disposition", disposition.value(for: response["content-type"])))
    }
    if response["content-security-policy"] == nil {
      response.headers.append(Field("Content-Security-Policy", Self.policy))
    }
    if response["cache-control"] == nil {
      response.headers.append(Field("Cache-Control", caching(response, context)))
    }
    crossOrigin.mark(&response, to: context)
    fallback?.replace(&response, to: context)
    return response
  }

  /// Returns the `Cache-Control` of a response. Caches cannot check whether an address has expired, so what they keep
  /// expires with it, counted from now on, as the work has taken its time.
  private func caching(_ response: Response, _ context: RequestContext) -> String {
    guard response.status < 400, let most = context.cacheSeconds else { return "no-store" }
    let left = context.expires.map { max($0 - now(), 0) }
    let age = min(most, left ?? most)
    // Caches must not keep it longer than the signature is valid.
    let stale = min(staleSeconds, left.map { $0 - age } ?? staleSeconds)
    return "public, max-age=\(age)" + (stale > 0 ? ", stale-while-revalidate=\(stale)" : "")
      + (isImmutable ? ", immutable" : "")
  }
}

/// The lengths of answers that were made, by their tags: a 304, and the answer to HEAD, which make none, may then say
/// theirs, and their connection goes on.
///
/// Two lots: where the newer is full, it takes the place of the older.
final class AnswerLengths: Sendable {
  private let lots = Mutex((newer: [String: Int](), older: [String: Int]()))
  private static let most = 4096

  func note(_ length: Int, of tag: String) {
    lots.withLock { lots in
      if lots.newer.count >= Self.most { lots = ([:], lots.newer) }
      lots.newer[tag] = length
    }
  }

  /// `nil` where none was made lately.
  subscript(tag: String) -> Int? { lots.withLock { $0.newer[tag] ?? $0.older[tag] } }
}
