/// What a plan asks of a backend, in the two units that its time depends on most.
package struct PlanWork: Sendable, Hashable {
  /// Of the inputs and the result, in 10⁶ bytes.
  package var megabytes: Double
  /// Multiply-adds per channel, in 10⁹.
  package var gigaMultiplyAdds: Double

  package init(megabytes: Double, gigaMultiplyAdds: Double) {
    self.megabytes = megabytes
    self.gigaMultiplyAdds = gigaMultiplyAdds
  }

  package init(_ plan: Plan) {
    let inputs = plan.inputs.reduce(0) { $0 + $1.size.area * $1.format.bytesPerPixel }
    megabytes = Double(inputs + plan.resultBytes) / 1e6
    gigaMultiplyAdds = plan.multiplyAddsPerPixel * Double(plan.result.rect.area) / 1e9
  }

  /// A full HD frame of RGBA in 8 bits there and back, with a chain of a few blurs: what work is
  /// taken to be before there is a plan.
  package static let typical = PlanWork(megabytes: 16.6, gigaMultiplyAdds: 0.1)
}
