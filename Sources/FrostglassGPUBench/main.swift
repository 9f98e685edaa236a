internal import FrostglassBench
internal import Glibc

exit(await GPUReport.main(CommandLine.arguments.dropFirst()))
