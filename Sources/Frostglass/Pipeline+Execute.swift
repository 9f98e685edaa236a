extension Pipeline {
  /// Runs a plan, on the fallback where there is one and the chosen backend cannot or fails.
  ///
  /// - Parameter chosen: where it is to run; `nil` has that decided.
  func execute(
    _ plan: Plan, _ image: Image, on chosen: BackendSelector.Selection? = nil
  ) async throws(FrostglassError) -> Execution {
    let recoveries = RecoveryList()
    do throws(BackendError) {
      let selection: BackendSelector.Selection
      if let chosen {
        selection = chosen
      } else {
        selection = try await selector.selection(for: plan)
      }
      do throws(BackendError) {
        let result = try await selection.backend.execute(plan, [image]) { recoveries.add($0) }
        return Execution(
          image: result, backend: selection.backend.name, recoveries: recoveries.all.newTo([]))
      } catch {
        guard error.mayAnotherHelp, let fallback = selection.fallback else { throw error }
        await selector.failed(error)
        let result = try await fallback.execute(plan, [image])
        let remedy = Recovery(
          backend: selection.backend.name, failure: error.reason,
          remedy: .otherBackend(fallback.name))
        return Execution(
          image: result, backend: fallback.name, recoveries: (recoveries.all + [remedy]).newTo([]))
      }
    } catch { throw .execute(error) }
  }
}
