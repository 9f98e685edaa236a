internal import Glibc

let status = await CommandLineTool.run(Array(CommandLine.arguments.dropFirst()))
exit(status)
