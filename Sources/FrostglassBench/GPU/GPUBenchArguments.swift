internal import FrostglassBackends
internal import FrostglassGL

/// The arguments of `frostglass-gpu-bench`: few options and no library for them, as the program is carried to
/// machines that have none.
struct GPUBenchArguments {
  var size = Size(width: 3840, height: 2160)
  var sigmas: [Double] = [2, 4, 5, 10, 20, 50, 100]
  var rounds = 9
  /// Only whether images are right.
  var checks = false
  /// Only the times of filters other than the Gaussian.
  var filters = false
  /// The chains to measure, as text; empty for all of the page's.
  var chosenFilters: [String] = []
  /// Only the times, one JSON object per line.
  var json = false
  /// The stage to measure. By default all for the page, and the fastest for times in JSON.
  var stage: GLOptions.Stage?
  /// The most that groups of invocations share, as if the device had no more; `nil` is what it has.
  var sharedBytes: Int?
  /// True if groups share windows and images are in storage buffers, as on a GPU, also where the CPU plays one.
  var asGPU = false
  /// Raw RGBA samples of 8 bits to blur, opaque; `nil` is a texture.
  var frame: String?
  /// The file to write the last blur's samples to.
  var output: String?

  /// `nil` for what cannot be meant.
  init?(_ arguments: ArraySlice<String>) {
    var words = arguments
    while let word = words.popFirst() {
      switch word {
      case "--json":
        json = true
        continue
      case "--check":
        checks = true
        continue
      case "--filters":
        filters = true
        continue
      case "--as-gpu":
        asGPU = true
        continue
      default: break
      }
      guard let value = words.popFirst() else { return nil }
      switch word {
      case "--size":
        let sides = value.split(separator: "x").map { Int($0) ?? 0 }
        guard sides.count == 2, sides.allSatisfy({ 1...32768 ~= $0 }) else { return nil }
        size = Size(width: sides[0], height: sides[1])
      case "--sigma":
        let sigmas = value.split(separator: ",").map { Double($0) ?? -1 }
        guard !sigmas.isEmpty, sigmas.allSatisfy({ Sigma.range.contains($0) }) else { return nil }
        self.sigmas = sigmas
      case "--rounds":
        guard let rounds = Int(value), 1...1000 ~= rounds else { return nil }
        self.rounds = rounds
      case "--stage":
        guard let stage = GLOptions.Stage(named: value), stage != .automatic else { return nil }
        self.stage = stage
      case "--filter":
        filters = true
        chosenFilters.append(value)
      case "--shared":
        guard let bytes = Int(value), bytes >= 0 else { return nil }
        sharedBytes = bytes
      case "--frame": frame = value
      case "--out": output = value
      default: return nil
      }
    }
  }

  /// Returns the options that a stage's backend is started with.
  func options(
    _ stage: GLOptions.Stage, programs: GLOptions.Programs = .automatic
  ) -> GLOptions {
    var options = GLOptions(stage: stage, programs: programs)
    options.mostSharedBytes = sharedBytes
    options.sharesWindows = asGPU ? true : nil
    return options
  }

  static let usage = """
    usage: frostglass-gpu-bench [--stage STAGE] [--size WxH] [--sigma A,B,…] [--rounds N]
           frostglass-gpu-bench --check [--as-gpu] [--stage STAGE]
           frostglass-gpu-bench --filters [--filter CHAIN]… [--stage STAGE] [--size WxH] [--rounds N]
           frostglass-gpu-bench --json [--stage STAGE] [--frame FILE] [--out FILE] …
    Checks every filter on this machine's GPU and measures Gaussians and other filters, as Markdown.
    --check only checks, --filters only measures other filters, in all stages or in one: fragment,
    compute or blocked. --filter measures that chain instead of those on the page, and its draws.
    --shared N is as if groups of invocations could share no more than N bytes: 0 leaves out what shares.
    --json prints times only, of the stage that is fastest at the first sigma unless one is named. --frame
    names raw RGBA samples of 8 bits, --out a new file for the samples of the last blur.
    --as-gpu has groups share windows and images lie in storage buffers on a software renderer, too.
    W and H are 1…32768, each sigma 0…1000 (pixels), N is 1…1000.
    """
}
