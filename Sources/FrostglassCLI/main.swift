internal import FrostglassCore
internal import FrostglassGL
internal import Glibc

// `CommandLine.arguments` would repair file names that are not UTF-8.
let words = CommandLine.unsafeArgv
let arguments = (1..<max(Int(CommandLine.argc), 1)).compactMap { index in
  words[index].map { String(systemPath: $0) }
}
let status = await CommandLineTool.run(arguments)
// Not left to exit handlers: those of a driver may come before and free what a thread still uses.
GLThreads.end()
exit(status)
