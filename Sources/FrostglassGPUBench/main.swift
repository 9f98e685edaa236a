internal import FrostglassBench
internal import FrostglassBackends
internal import FrostglassGL
internal import Glibc

let arguments = GPUBenchArguments(CommandLine.arguments.dropFirst())
guard let arguments else {
  GPUBenchArguments.complain()
  exit(64)
}
let report: GPUReport
do { report = try GPUReport(arguments) } catch {
  GPUText.complain("frostglass-gpu-bench: \(error)")
  exit(66)
}
let status = await report.run()
GLThreads.end()
exit(status)
