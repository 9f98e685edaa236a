import Frostglass
import Glibc

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  print("usage: BlurPhoto INPUT OUTPUT")
  exit(64)
}

// A chain is an array: first blur, then make the colors stronger.
let chain: FilterChain = [.gaussian(sigma: 8), .saturation(1.8)]

// A file.
let pipeline = Pipeline()
let report = try await pipeline.blur(arguments[1], to: arguments[2], chain, overwrite: true)
print(report.plan)

// An image in memory: one white pixel in the middle of black.
var point = Image(zeros: Size(width: 33, height: 33), format: .gray8)
point.setSample(1, x: 16, y: 16, channel: 0)
let spot = try await pipeline.blur(point, [.gaussian(sigma: 2)])

// The middle of a Gaussian is 1 / (2πσ²) of the point: here 4 %.
print("middle of the spot: \(spot.sample(x: 16, y: 16, channel: 0))")
