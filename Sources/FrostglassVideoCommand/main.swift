internal import FrostglassCLI
internal import FrostglassVideo

// The same command, with what reads and writes films. `frostglass` starts it where it is asked for them.
await CommandLineTool.main(films: AVFilms())
