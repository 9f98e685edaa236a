import ChainFuzzing
import FrostglassCPU
import FrostglassCore
import FrostglassGL
import TestSupport

/// The cases that digests are made of.
///
/// A line is a name, a tab and a digest of everything that the name covers. The three instruction sets of the CPU
/// share a line, since they give the same bytes; one that differs gets a line of its own.
struct Suite {
  /// The beginning of the names of the lines to print.
  var only = ""

  private static let formats = PixelFormat.all.flatMap { format in
    format.layout.hasAlpha
      ? [(format, AlphaMode.straight), (format, .premultiplied)] : [(format, .opaque)]
  }
  private static let masks: [Mask?] = [
    nil,
    Mask(
      [.ellipse(x: 3, y: 2, width: 14, height: 11)], feather: Length(3), use: .show),
    Mask([.rectangle(x: 4, y: -1, width: 9, height: 12)], grow: Length(1), use: .confine),
    Mask([.ellipse(x: 1, y: 4, width: 20, height: 9)], feather: Length(2), use: .scale),
  ]

  private func line(_ name: @autoclosure () -> String, _ body: (Digest) async -> Void) async {
    let name = name()
    guard only.isEmpty || name.hasPrefix(only) else { return }
    let digest = Digest()
    await body(digest)
    print("\(name)\t\(digest.finish())")
  }

  /// Each filter in two texts, by format, over edges, masks and qualities.
  func filters() async {
    let sets: [(String, FastBackend)] = [
      ("", FastBackend(threads: 1, instructions: .best)),
      (" portable", FastBackend(threads: 1, instructions: .portable)),
      (" baseline", FastBackend(threads: 2, instructions: .baseline)),
    ]
    for (format, alpha) in Self.formats {
      let image = TestImages.noise(23, 17, format, alpha: alpha == .opaque ? .straight : alpha)
      for info in Catalog.filters.map(\.info) {
        let name = "filter \(info.name) \(format) \(alpha)"
        guard only.isEmpty || name.hasPrefix(only) else { continue }
        var first = ""
        for (set, backend) in sets {
          let digest = Digest()
          await addCases(of: info, image, backend, to: digest)
          let made = digest.finish()
          if set.isEmpty { first = made }
          if set.isEmpty || made != first { print("\(name)\(set)\t\(made)") }
        }
      }
    }
  }

  /// Those there were when the digests were first kept.
  private static let edges: [EdgeMode] = [.clamp, .mirror, .wrap, .transparent]
  private static let qualities: [PlanOptions.Quality] = [.high, .fast]

  private func addCases(
    of info: FilterInfo, _ image: Image, _ backend: any Backend, to digest: Digest
  ) async {
    for text in ["\(info.name)()", info.fullExample] {
      for edge in Self.edges {
        for mask in Self.masks {
          for quality in Self.qualities {
            let options = PlanOptions(
              edge: edge, quality: quality, linearLight: edge == .wrap, mask: mask)
            do {
              let plan = try FilterChain(text: text).plan(for: Plan.Input(image), options: options)
              digest.add(try await backend.execute(plan, [image]))
            } catch { digest.add(error) }
          }
        }
      }
    }
  }

  /// The chains that the fuzzer draws first, on the reference and the CPU backend.
  func chains(_ count: UInt64) async {
    for (label, backend) in [
      ("reference", ReferenceBackend() as any Backend),
      ("cpu", FastBackend(threads: 2, instructions: .best)),
    ] {
      for number in 1...count {
        await line("chain \(number) \(label)") { digest in
          let test = ChainCase(number: number)
          do {
            let plan = try test.plan()
            let work = plan.inParts().steps.reduce(0.0) { $0 + Double($1.pass.multiplyAdds + 4) }
            guard work * Double(test.size.area) < 2e6 else { return }
            digest.add(try await backend.execute(plan, [test.image()]))
          } catch { digest.add(error) }
        }
      }
    }
  }

  /// Each filter's example on the GPU, by stage, with each edge.
  func graphics() async throws {
    for stage in [GLOptions.Stage.compute, .fragment] {
      let backend = try await GLBackend.start(GLOptions(stage: stage))
      for info in Catalog.filters.map(\.info) {
        await line("gl \(stage) \(info.name)") { digest in
          for format in [PixelFormat.rgba8, .rgb8, .gray8] {
            let image = TestImages.noise(41, 29, format)
            for edge in Self.edges {
              do {
                let plan = try FilterChain(text: info.fullExample).plan(
                  for: Plan.Input(image), options: PlanOptions(edge: edge))
                digest.add(try await backend.execute(plan, [image]))
              } catch { digest.add(error) }
            }
          }
        }
      }
    }
  }
}
