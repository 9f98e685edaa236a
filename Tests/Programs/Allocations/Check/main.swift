// Renders frames with prepared plans and counts what the process allocates meanwhile: nothing, from the
// second frame on. Needs a process of its own, in which nothing else allocates.
import CAllocationCount
import FrostglassCPU
import FrostglassCore
import Glibc
import TestSupport

/// Chains whose passes have row kernels.
let chains = [
  "blur(20px)", "blur(2px)", "blur(9px) saturate(1.8)", "thin-dark(9px)", "box(6, 3)",
  "blur(5px) mix(0.5)",
  "drop-shadow(5px 9px 4px black)", "saturate(2)",
]

var failures = 0
for format in [PixelFormat.rgba8, .rgb8, .gray8, PixelFormat(.rgba, .float32)] {
  let image = TestImages.noise(320, 200, format)
  for (text, threads) in chains.flatMap({ chain in [1, 3].map { (chain, $0) } }) {
    let plan = try FilterChain(text: text).plan(for: Plan.Input(image))
    let prepared = try FastBackend(threads: threads).prepareRows(plan)
    let result = UnsafeMutableRawBufferPointer.allocate(
      byteCount: plan.result.bytes, alignment: 64)
    let target = MutablePixelMemory(
      bytes: result, bytesPerRow: plan.result.rect.width * plan.result.format.bytesPerPixel)
    let counts = try image.bytes.withUnsafeBytes { bytes in
      let frame = PixelMemory(Plan.Input(image), bytes: bytes)
      // Threads are started with the first.
      for _ in 0..<3 { try prepared.runNow(frame, into: target) }
      let before = fgk_allocations()
      for _ in 0..<20 { try prepared.runNow(frame, into: target) }
      return fgk_allocations() - before
    }
    if counts > 0 {
      print("\(text) of \(format) on \(threads) threads: \(counts) allocations in 20 frames")
      failures += 1
    }
    result.deallocate()
  }
}
guard fgk_allocations() > 0 else {
  print("allocations are not counted")
  exit(70)
}
if failures == 0 { print("no allocation in any frame") }
exit(failures == 0 ? 0 : 1)
