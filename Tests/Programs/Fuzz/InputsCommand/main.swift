// Tries broken inputs of all kinds for some minutes and prints a table:
//   frostglass-fuzz-inputs [--minutes N] [--seed N] [--findings DIR] [KIND…]
// What crashes, hangs, or breaks a rule is kept, with the same made small beside it:
//   frostglass-fuzz-inputs --one KIND FILE
import Foundation

exit(try await FuzzCommand.run(CommandLine.arguments))
