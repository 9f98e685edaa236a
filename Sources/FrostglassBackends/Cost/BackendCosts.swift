/// How long a backend takes, as a sum of parts that were measured.
package struct BackendCosts: Sendable, Hashable {
  /// A plan's work, and how long it took in seconds.
  package struct Sample: Sendable, Hashable {
    package var work: PlanWork
    package var seconds: Double

    package init(_ work: PlanWork, seconds: Double) {
      self.work = work
      self.seconds = seconds
    }
  }

  /// Seconds before the first plan runs at the speed of the others.
  package var startUp: Double
  /// Seconds that every plan takes.
  package var perJob: Double
  /// Seconds per 10⁶ bytes that go in or come out.
  package var perMegabyte: Double
  /// Seconds per 10⁹ multiply-adds per channel.
  package var perGiga: Double

  package init(startUp: Double, perJob: Double, perMegabyte: Double, perGiga: Double) {
    self.startUp = startUp
    self.perJob = perJob
    self.perMegabyte = perMegabyte
    self.perGiga = perGiga
  }

  /// Finds the parts that explain three measurements.
  ///
  /// - Parameters:
  ///   - small: a tiny picture.
  ///   - light: a large picture, with little to compute.
  ///   - heavy: a picture of that size, with much to compute.
  package init(startUp: Double, small: Sample, light: Sample, heavy: Sample) {
    self.startUp = startUp
    func slope(_ from: Sample, _ to: Sample, _ unit: (PlanWork) -> Double) -> Double {
      let step = unit(to.work) - unit(from.work)
      // Measurements are noisy, but nothing takes less than no time.
      return step > 0 ? max(0, (to.seconds - from.seconds) / step) : 0
    }
    func computed(_ sample: Sample, _ perGiga: Double) -> Sample {
      Sample(sample.work, seconds: sample.seconds - perGiga * sample.work.gigaMultiplyAdds)
    }
    perGiga = slope(light, heavy) { $0.gigaMultiplyAdds }
    let moved = (small: computed(small, perGiga), light: computed(light, perGiga))
    perMegabyte = slope(moved.small, moved.light) { $0.megabytes }
    perJob = max(0, moved.small.seconds - perMegabyte * small.work.megabytes)
  }

  /// Seconds that one plan takes once the backend has started.
  package func seconds(_ work: PlanWork) -> Double {
    perJob + perMegabyte * work.megabytes + perGiga * work.gigaMultiplyAdds
  }

  /// The same backend with `factor` times the workers.
  package func divided(by factor: Double) -> BackendCosts {
    BackendCosts(
      startUp: startUp, perJob: perJob, perMegabyte: perMegabyte / factor,
      perGiga: perGiga / factor)
  }
}
