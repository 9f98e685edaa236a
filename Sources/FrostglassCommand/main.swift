internal import FrostglassCLI

await CommandLineTool.main()
