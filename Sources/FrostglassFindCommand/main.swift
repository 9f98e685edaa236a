internal import COpenCV
internal import FrostglassConfinement
internal import FrostglassCore
internal import FrostglassFind
internal import Glibc

// Runs detectors for `frostglass`, which starts it: a socket is its descriptor 3, and models and images come in the
// memory of descriptor 4. It reads both behind walls: it can open no file, no socket and no process.
guard CommandLine.arguments.count == 2, CommandLine.arguments[1] == FindProgram.word,
  let orders = try? SharedMemory(mapping: 4)
else {
  let usage = "\(FindProgram.name) is started by frostglass find, and by what takes --find\n"
  write(STDERR_FILENO, usage, usage.utf8.count)
  exit(EX_USAGE)
}
fgk_network_prepare()
let socket = FrameSocket(descriptor: 3, incoming: orders)
guard (try? Confinement(memory: FindProgram.memory, descriptors: 16).enter()) != nil else {
  exit(EX_OSERR)
}
var networks = Networks()
let limits = FrameLimits(head: FindOrder.mostWords, parts: 1, bytes: FindOrder.mostBytes)
while let frame = try? socket.receive(limits) {
  let answer = networks.answer(to: frame)
  guard (try? socket.send(Message(head: Array(answer.words.utf8)))) != nil else { break }
}
exit(EX_OK)
