/// The version of this package.
package enum Version {
  package static let current = "0.2.0"
}
