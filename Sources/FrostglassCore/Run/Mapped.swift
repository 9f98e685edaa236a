/// What another module makes; what it throws is thrown as this module's error.
///
/// - Parameter wrap: a case of this module's error, as `FrostglassError.plan`.
package func mapped<Inner: Error, Outer: Error, Value>(
  _ wrap: (Inner) -> Outer, _ value: @autoclosure () throws(Inner) -> Value
) throws(Outer) -> Value {
  do throws(Inner) { return try value() } catch { throw wrap(error) }
}

/// What another module makes in its own time.
package func mapped<Inner: Error, Outer: Error, Value>(
  isolation: isolated (any Actor)? = #isolation, _ wrap: (Inner) -> Outer,
  async value: @autoclosure () async throws(Inner) -> Value
) async throws(Outer) -> Value {
  do throws(Inner) { return try await value() } catch { throw wrap(error) }
}
