import FrostglassGL
import Glibc

// frostglass-digests [cpu|gl|all] [TEXT]: prints the lines that begin with TEXT.
let arguments = CommandLine.arguments
let part = arguments.count > 1 ? arguments[1] : "all"
guard ["cpu", "gl", "all"].contains(part), arguments.count <= 3 else {
  print("usage: frostglass-digests [cpu|gl|all] [TEXT]")
  exit(64)
}
let suite = Suite(only: arguments.count > 2 ? arguments[2] : "")
if part != "gl" {
  await suite.filters()
  await suite.chains(300)
}
if part != "cpu" { try await suite.graphics() }
GLThreads.end()
