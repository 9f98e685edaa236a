import FrostglassOptions
import FrostglassCore
import FrostglassServer
import Testing

@Suite struct ServiceDescriptionTests {
  private func member(_ value: JSONValue?, _ name: String) -> JSONValue? {
    guard case .object(let members)? = value?.content else { return nil }
    return members.first { $0.name == name }?.value
  }

  @Test func everyFieldOfEveryOperationIsDescribed() async throws {
    let server = try TestServer { $0.limits.finds = true }
    let document = try JSONValue(text: try await server.get("/openapi.json").text)
    #expect(member(document, "openapi")?.content == .string("3.1.0"))
    for operation in Operation.allCases {
      let post = member(
        member(member(document, "paths"), "/v1/\(operation.rawValue)"), "post")
      guard case .array(let parameters)? = member(post, "parameters")?.content else {
        Issue.record("no parameters of \(operation)")
        continue
      }
      let names = parameters.compactMap { member($0, "name")?.content }
      for option in operation.options where !operation.parts.contains(option.name) {
        #expect(names.contains(.string(option.name)), "\(operation) \(option.name)")
      }
    }
  }

  /// A client that is made of the description can ask for all that images of the operator's take.
  @Test func everyFieldOfImagesIsDescribed() async throws {
    let folder = try Folder()
    let server = try TestServer {
      $0.pictures = folder.path
      $0.limits.finds = true
    }
    let document = try JSONValue(text: try await server.get("/openapi.json").text)
    let get = member(member(member(document, "paths"), "/v1/pictures/{path}"), "get")
    guard case .array(let parameters)? = member(get, "parameters")?.content else {
      Issue.record("no parameters")
      return
    }
    let names = parameters.compactMap { parameter -> String? in
      guard case .string(let name)? = member(parameter, "name")?.content else { return nil }
      return name
    }
    #expect(Set(names).count == names.count && names.count == parameters.count)
    #expect(names.starts(with: ["path", "operation"]))
    for operation in [Operation.blur, .redact, .fill, .placeholder] {
      for option in operation.options where !operation.parts.contains(option.name) {
        #expect(names.contains(option.name), "\(operation) \(option.name)")
      }
    }
  }

  /// Limits are said as they were given.
  @Test func limitsAreDescribed() async throws {
    for (seconds, words) in [(0.5, "0.5 seconds."), (1, "1 second."), (600, "600 seconds.")] {
      let server = try TestServer { $0.limits.seconds = seconds }
      for page in ["/docs", "/openapi.json"] {
        let text = try await server.get(page).text
        #expect(text.contains("a request takes at most \(words)"), "\(page): \(words)")
      }
    }
  }

  @Test func thePageHasNoScriptAndNothingFromElsewhere() async throws {
    let server = try TestServer { $0.limits.finds = true }
    let reply = try await server.get("/docs")
    #expect(reply["content-type"] == "text/html; charset=utf-8")
    #expect(!reply.text.contains("<script"))
    #expect(!reply.text.contains("http://") && !reply.text.contains("https://"))
    for operation in Operation.allCases {
      #expect(reply.text.contains("/v1/\(operation.rawValue)"))
    }
    #expect(try await server.get("/docs/style.css")["content-type"] == "text/css; charset=utf-8")
  }

  @Test func filtersAreTheCatalog() async throws {
    let server = try TestServer()
    guard
      case .array(let filters) = try JSONValue(text: try await server.get("/v1/filters").text)
        .content
    else {
      Issue.record("no array")
      return
    }
    #expect(filters.count == Catalog.filters.count)
  }
}
