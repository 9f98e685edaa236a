internal import FrostglassCLI
internal import FrostglassVideo
internal import Glibc

// The same command, with what reads and writes videos. `frostglass` starts it where it is asked for them.
// SVT-AV1 says nothing by itself. Before there are other threads, which may read the environment meanwhile.
setenv("SVT_LOG", "-1", 0)
await CommandLineTool.main(videos: AVVideos())
