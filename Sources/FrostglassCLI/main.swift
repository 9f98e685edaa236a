internal import FrostglassGL
internal import Glibc

let status = await CommandLineTool.run(Array(CommandLine.arguments.dropFirst()))
// Not left to exit handlers: those of a driver may come before and free what a thread still uses.
GLThreads.end()
exit(status)
