import FrostglassGL
import Glibc

let status: Int32
do {
  let arguments = try FuzzArguments(Array(CommandLine.arguments.dropFirst()))
  switch arguments.task {
  case .search: status = try await FuzzSearch(arguments).run()
  case .work(let numbers, let report):
    status = try await FuzzWorker(arguments, report: report).run(numbers)
  case .probe(let line): status = try await FuzzWorker(arguments, report: nil).probe(line)
  }
} catch {
  Line.write("frostglass-fuzz: \(error)", to: STDERR_FILENO)
  status = 64
}
GLThreads.end()
exit(status)
