// Blurs in this process and in ones forked from it, after and before use, and says whether all gave the
// same bytes. Swift has no `fork`, as much of it does not survive one: C and Python programs do it.
import FrostglassCPU
import FrostglassCore
import Glibc
import TestSupport

typealias Fork = @convention(c) () -> pid_t

let image = TestImages.noise(300, 200)
let plan = try FilterChain(text: "blur(9px) median(1)").plan(for: Plan.Input(image))

func blurred(by backend: FastBackend) -> [UInt8] {
  let output = ImageOutput()
  _ = try? backend.runNow(plan, PixelIO([.image(image)], to: [.image(output)]))
  return output.take()?.bytes ?? []
}

let backend = FastBackend(threads: 3)
let expected = blurred(by: backend)
guard !expected.isEmpty, let symbol = dlsym(nil, "fork") else { exit(70) }
let fork = unsafeBitCast(symbol, to: Fork.self)
for _ in 0..<20 {
  let child = fork()
  guard child != 0 else {
    // One that waits for a thread it does not have is a failure, too.
    alarm(60)
    // Twice: where its threads are started, and where they are.
    _exit(blurred(by: backend) == expected && blurred(by: backend) == expected ? 0 : 1)
  }
  var status: Int32 = 0
  waitpid(child, &status, 0)
  guard status == 0, blurred(by: backend) == expected else {
    print("a forked process ended with status \(status)")
    exit(1)
  }
}
print("the same in 20 processes")
