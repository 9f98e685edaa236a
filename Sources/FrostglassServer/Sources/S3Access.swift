internal import Frostglass
internal import FrostglassCore
package import FrostglassFetching
package import FrostglassOptions
internal import Glibc

/// The region and credentials for signing requests to a bucket. The credentials' place is a file or the environment,
/// never an address.
package struct S3Access: Sendable, Hashable {
  package let region: String
  /// A file as AWS's tools have it; `nil` for the environment.
  private let file: String?
  private let profile: String
  /// True if everybody may read the bucket, and nothing is signed.
  private let isAnonymous: Bool

  init(_ options: inout OriginOptions) throws(Failure) {
    region = options.take("region") ?? "us-east-1"
    file = options.take("credentials")
    profile = options.take("profile") ?? "default"
    isAnonymous = try options.takeSwitch("anonymous")
  }

  /// The address of a bucket.
  ///
  /// - Parameters:
  ///   - bucket: with a prefix of keys behind `/`, or without one.
  ///   - endpoint: another server than Amazon's.
  func base(
    of bucket: Substring, endpoint: String?, _ origin: String
  ) throws(Failure) -> String {
    let parts = bucket.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0]
    guard (3...63).contains(name.utf8.count),
      name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) }),
      region.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }),
      !region.isEmpty
    else {
      throw .usage(
        "--origin \(origin): s3: needs a bucket of 3 to 63 letters, digits, - and ., and a region such "
          + "as eu-central-1")
    }
    let prefix = parts.count > 1 ? parts[1] : ""
    if let endpoint {
      let slash = endpoint.hasSuffix("/") ? "" : "/"
      return try Origin.base("\(endpoint)\(slash)\(name)/\(prefix)", origin)
    }
    // A dot is another level of names, which Amazon's certificates do not cover.
    let host = "s3.\(region).amazonaws.com"
    return try Origin.base(
      name.contains(".")
        ? "https://\(host)/\(name)/\(prefix)" : "https://\(name).\(host)/\(prefix)",
      origin)
  }

  /// Reads the credentials anew, as they are replaced while the service runs; `nil` where none are wanted.
  ///
  /// - Throws: `Failure` where there are none; for the operator, with paths.
  package func signing() throws(Failure) -> FetchSigning? {
    guard !isAnonymous else { return nil }
    let values: [String: String]
    if let file {
      values = Self.values(of: profile, in: try ServerConfiguration.text(of: file))
    } else {
      let names = ["aws_access_key_id", "aws_secret_access_key", "aws_session_token"]
      values = names.reduce(into: [:]) { values, name in
        values[name] = getenv(name.uppercased()).map { String(cString: $0) }
      }
    }
    guard let key = values["aws_access_key_id"], let secret = values["aws_secret_access_key"],
      !key.isEmpty, !secret.isEmpty
    else {
      let place = file.map { "\($0) has no profile \(profile) with" } ?? "the environment lacks"
      throw Failure(
        "\(place) aws_access_key_id and aws_secret_access_key; give credentials=FILE, or anonymous=1 "
          + "for a bucket that everybody may read", .unavailable)
    }
    return FetchSigning(
      region: region, key: key, secret: secret, token: values["aws_session_token"])
  }

  /// The values of a section of a file with `[section]` and `name = value` in lines.
  private static func values(of section: String, in text: String) -> [String: String] {
    var values: [String: String] = [:]
    var current = ""
    for line in text.split(whereSeparator: \.isNewline).map({ trimmed($0) })
    where !line.hasPrefix("#") && !line.hasPrefix(";") {
      if line.hasPrefix("["), line.hasSuffix("]") {
        current = trimmed(line.dropFirst().dropLast())
        continue
      }
      let parts = line.split(separator: "=", maxSplits: 1).map { trimmed($0) }
      if current == section, parts.count == 2 { values[parts[0].lowercased()] = parts[1] }
    }
    return values
  }
}
