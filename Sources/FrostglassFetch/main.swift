internal import FrostglassConfinement
internal import FrostglassCore
internal import Glibc

// Fetches images over HTTP for `frostglass serve`, which starts it: a socket is its descriptor 3, and its words
// are the process that started it and the bytes of all bodies that it may hold at once.
let words = CommandLine.arguments.dropFirst().compactMap { Int($0) }
guard words.count == 2, let parent = Int32(exactly: words[0]), dieWithParent(parent) else {
  let usage = "frostglass-fetch is started by frostglass serve, where that has origins of images\n"
  write(STDERR_FILENO, usage, usage.utf8.count)
  exit(EX_USAGE)
}
guard let fetches = Fetches(budget: words[1]) else { exit(EX_UNAVAILABLE) }
exit(fetches.run())
