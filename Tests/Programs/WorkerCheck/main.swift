// A program whose workers do what the service's do, and on demand what none should:
//   frostglass-worker-check serve-worker …    a worker's child process
//   frostglass-worker-check landlock          what Landlock forbids by itself
//   frostglass-worker-check unconfined        what an attack does without walls
//   frostglass-worker-check leaks             what a pool leaves behind
//   frostglass-worker-check orphans           starts children, says which, and waits to be killed
import FrostglassServer
import Glibc

switch CommandLine.arguments.dropFirst().first {
case ConfinedChild.word:
  let words = Array(CommandLine.arguments.dropFirst(2))
  exit(ConfinedChild.run(words) { pipeline, _ in Culprit(pipeline) })
case "landlock": exit(Landlocked.check())
case "unconfined":
  for line in Attack.report() { print(line) }
  unlink(Attack.made)
case "leaks": exit(await Leaks.check())
case "orphans": exit(await Orphans.wait())
default: exit(EX_USAGE)
}
