// swift-tools-version: 6.3
import PackageDescription

/// The same language rules for every target, set once.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// For tests that wait for programs more than they compute: without optimization they compile in half the
/// time.
let waiting: [SwiftSetting] = strict + [.unsafeFlags(["-Onone"])]

let package = Package(
  name: "frostglass",
  products: [
    .library(name: "Frostglass", targets: ["Frostglass"]),
    .library(name: "FrostglassCore", targets: ["FrostglassCore"]),
    .library(name: "FrostglassStills", targets: ["FrostglassStills"]),
    .library(name: "FrostglassScenes", targets: ["FrostglassScenes"]),
    .library(name: "FrostglassCPU", targets: ["FrostglassCPU"]),
    .library(name: "FrostglassGL", targets: ["FrostglassGL"]),
    .library(name: "FrostglassBackends", targets: ["FrostglassBackends"]),
    // What scripts/c-library.sh makes libfrostglass.so and libfrostglass-files.so of.
    .library(name: "FrostglassC", type: .static, targets: ["FrostglassC"]),
    .library(name: "FrostglassCFiles", type: .static, targets: ["FrostglassCFiles"]),
    .executable(name: "frostglass", targets: ["FrostglassCommand"]),
    .executable(name: "frostglass-video", targets: ["FrostglassVideoCommand"]),
    .executable(name: "frostglass-fetch", targets: ["FrostglassFetch"]),
    .executable(name: "frostglass-find", targets: ["FrostglassFindCommand"]),
    .executable(name: "frostglass-gpu-bench", targets: ["FrostglassGPUBench"]),
  ],
  targets: [
    // C libraries, one per Swift target that imports one. EGL and OpenGL ES are opened when they are needed.
    .target(name: "CGLES", path: "Sources/CShims/CGLES"),
    // Where libvips' own headers are every compiler looks; those that they include have a place of their
    // own. What pkg-config says of libvips itself has a flag that SwiftPM warns of, in each package
    // that depends on this one.
    .systemLibrary(
      name: "CVips", path: "Sources/CShims/CVips", pkgConfig: "gobject-2.0",
      providers: [.apt(["libvips-dev"])]),
    .systemLibrary(
      name: "CFontconfig", path: "Sources/CShims/CFontconfig", pkgConfig: "fontconfig",
      providers: [.apt(["libfontconfig-dev"])]),
    .systemLibrary(
      name: "CGLib", path: "Sources/CShims/CGLib", pkgConfig: "glib-2.0",
      providers: [.apt(["libglib2.0-dev"])]),

    .systemLibrary(
      name: "CHTTP", path: "Sources/CShims/CHTTP", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"])]),

    .systemLibrary(
      name: "CSeccomp", path: "Sources/CShims/CSeccomp", pkgConfig: "libseccomp",
      providers: [.apt(["libseccomp-dev"])]),

    .systemLibrary(
      name: "CCurl", path: "Sources/CShims/CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"])]),

    // libavformat, libavcodec and libavutil, which are one project.
    .systemLibrary(
      name: "CAV", path: "Sources/CShims/CAV", pkgConfig: "libavformat",
      providers: [.apt(["libavformat-dev", "libavcodec-dev", "libavutil-dev"])]),

    // Networks in ONNX files. Debian's OpenCV has no pkg-config file without all of its other modules.
    .target(
      name: "COpenCV", path: "Sources/CShims/COpenCV",
      cxxSettings: [.unsafeFlags(["-isystem", "/usr/include/opencv4"])],
      linkerSettings: [.linkedLibrary("opencv_dnn"), .linkedLibrary("opencv_core")]),

    // Cameras, as Linux has them.
    .systemLibrary(name: "CV4L2", path: "Sources/CShims/CV4L2"),

    // NVIDIA's driver, opened when it is needed, and kernels for it, which `make ptx` compiles.
    .target(name: "CCUDA", path: "Sources/CShims/CCUDA", exclude: ["blur.cu", "blur.ptx"]),
    // What a process gives up in all of its threads.
    .target(name: "CConfinement", path: "Sources/CShims/CConfinement"),
    // Row kernels compiled per instruction set.
    .target(
      name: "CKernels",
      exclude: [
        "bilateral_kernels.inc", "cell_kernels.inc", "wide_convolve_kernels.inc",
        "wide_depth_kernels.inc", "wide_float_kernels.inc", "wide_kernels.inc",
        "float_kernels.inc",
        "gather_even_kernels.inc", "gather_kernels.inc", "grain_kernels.inc", "level_kernels.inc",
        "light_kernels.inc", "median_kernels.inc", "mix_kernels.inc", "rank_kernels.inc",
        "row_kernels.inc", "stencil_kernels.inc", "sum_kernels.inc",
      ]),

    // Level 0: images, filters, plans. Pure Swift.
    .target(name: "FrostglassCore", swiftSettings: strict),

    // Level 1: things to hide that detectors find in images; no detector.
    .target(name: "FrostglassFind", dependencies: ["FrostglassCore"], swiftSettings: strict),

    // Level 1: one way each of getting pixels in, out or through.
    .target(
      name: "FrostglassShaders", dependencies: ["FrostglassCore"], path: "Shaders",
      resources: [
        .embedInCode("common.glsl"), .embedInCode("source.glsl"), .embedInCode("transfer.glsl"),
        .embedInCode("vertex.glsl"), .embedInCode("fragment.glsl"), .embedInCode("compute.glsl"),
        .embedInCode("compute_blocks.glsl"), .embedInCode("target.glsl"),
        .embedInCode("copy.glsl"), .embedInCode("pack.glsl"), .embedInCode("tiling.glsl"),
        .embedInCode("shape.glsl"), .embedInCode("range_weight.glsl"), .embedInCode("passes"),
        .embedInCode("blocks"),
      ], swiftSettings: strict),
    .target(
      name: "FrostglassCPU", dependencies: ["FrostglassCore", "CKernels"], swiftSettings: strict),
    .target(name: "FrostglassFonts", dependencies: ["CFontconfig"], swiftSettings: strict),
    .target(
      name: "FrostglassStills", dependencies: ["FrostglassCore", "FrostglassFonts", "CVips"],
      swiftSettings: strict),

    // Level 1: the walls around a process that works on strangers' files.
    .target(
      name: "FrostglassConfinement", dependencies: ["CConfinement", "CSeccomp", "FrostglassCore"],
      swiftSettings: strict),

    // Level 2: messages between the service and the program that fetches for it.
    .target(
      name: "FrostglassFetching", dependencies: ["FrostglassConfinement"], swiftSettings: strict),

    // Level 3: images of other servers, in a program of its own: nothing else links a network library.
    .executableTarget(
      name: "FrostglassFetch",
      dependencies: ["CCurl", "FrostglassConfinement", "FrostglassCore", "FrostglassFetching"],
      swiftSettings: strict),

    // Level 2: networks, in a program of its own behind walls: nothing else links OpenCV.
    .executableTarget(
      name: "FrostglassFindCommand",
      dependencies: ["COpenCV", "FrostglassConfinement", "FrostglassCore", "FrostglassFind"],
      swiftSettings: strict),

    // Level 2: the GPU.
    .target(
      name: "FrostglassGL", dependencies: ["FrostglassCore", "FrostglassShaders", "CGLES"],
      swiftSettings: strict),

    // Level 2: images that are in a CUDA device's memory.
    .target(
      name: "FrostglassCUDA", dependencies: ["CCUDA", "FrostglassCore"], swiftSettings: strict),

    // Level 2: the choice between backends, and what they cost; no codec.
    .target(
      name: "FrostglassBackends",
      dependencies: ["FrostglassCore", "FrostglassCPU", "FrostglassGL"], swiftSettings: strict),

    // Level 3: what blurs cost here, on CPUs and GPUs, for the commands that measure.
    .target(
      name: "FrostglassBench",
      dependencies: [
        "CKernels", "FrostglassBackends", "FrostglassCore", "FrostglassCPU", "FrostglassGL",
      ],
      swiftSettings: strict),

    // Level 3: the module people import.
    .target(
      name: "Frostglass",
      dependencies: [
        "CVips", "FrostglassBackends", "FrostglassCore", "FrostglassCPU", "FrostglassFind",
        "FrostglassStills",
      ],
      swiftSettings: strict),

    // Level 4: bars, status bars and backdrop views as values, scene files, and what plays them.
    .target(
      name: "FrostglassScenes", dependencies: ["Frostglass", "FrostglassCore"],
      swiftSettings: strict),

    // Level 4: what can be asked for in words, on a command line and over HTTP.
    .target(
      name: "FrostglassOptions", dependencies: ["Frostglass", "FrostglassCPU", "FrostglassFind"],
      swiftSettings: strict),

    // Level 4: addresses that only who has a key can make.
    .target(name: "FrostglassSigning", dependencies: ["CGLib"], swiftSettings: strict),

    // Level 4: pixels in and out for C, and for what can call C; no codec, and GPUs for what is on them.
    .systemLibrary(name: "CFrostglass"),
    .target(
      name: "FrostglassC",
      dependencies: ["CFrostglass", "FrostglassCore", "FrostglassCPU", "FrostglassCUDA"],
      swiftSettings: strict),

    // Level 5: the same with image files and GPUs.
    .target(
      name: "FrostglassCFiles",
      dependencies: [
        "CFrostglass", "Frostglass", "FrostglassC", "FrostglassCPU", "FrostglassCore",
        "FrostglassStills",
      ],
      swiftSettings: strict),

    // Level 5: images over HTTP.
    .target(
      name: "FrostglassServer",
      dependencies: [
        "Frostglass", "FrostglassConfinement", "FrostglassFetching", "FrostglassFind",
        "FrostglassGL", "FrostglassOptions", "FrostglassScenes", "FrostglassSigning", "CHTTP",
      ],
      resources: [.embedInCode("Playground")], swiftSettings: strict),

    // Level 4: videos as files.
    .target(name: "FrostglassVideo", dependencies: ["Frostglass", "CAV"], swiftSettings: strict),

    // Level 4: frames of cameras.
    .target(
      name: "FrostglassCamera", dependencies: ["Frostglass", "CV4L2"], swiftSettings: strict),

    // Level 6: the command, of which there are two programs: one links libav.
    .target(
      name: "FrostglassCLI",
      dependencies: [
        "Frostglass", "FrostglassBackends", "FrostglassBench", "FrostglassCPU", "FrostglassCamera",
        "FrostglassConfinement", "FrostglassFind", "FrostglassGL", "FrostglassOptions",
        "FrostglassScenes", "FrostglassServer", "FrostglassSigning", "CGLib",
      ],
      swiftSettings: strict),

    .executableTarget(
      name: "FrostglassCommand", dependencies: ["FrostglassCLI"], swiftSettings: strict),
    .executableTarget(
      name: "FrostglassVideoCommand", dependencies: ["FrostglassCLI", "FrostglassVideo"],
      swiftSettings: strict),

    // Level 4: the bench of a GPU, in one program without codecs that can be carried anywhere.
    .executableTarget(
      name: "FrostglassGPUBench", dependencies: ["FrostglassBench"], swiftSettings: strict),

    // Tests mirror Sources; ParityTests hold every backend to every filter.
    .target(
      name: "TestSupport", dependencies: ["FrostglassCore", "FrostglassStills"],
      path: "Tests/TestSupport", swiftSettings: strict),
    // Broken files and texts, for a slice of tests and for hours of them.
    .target(
      name: "InputFuzzing",
      dependencies: [
        "CVips", "Frostglass", "FrostglassScenes", "FrostglassCore", "FrostglassStills",
        "TestSupport",
      ],
      path: "Tests/Programs/Fuzz/Inputs", swiftSettings: strict),
    // What commands that fuzz start of themselves.
    .target(name: "FuzzProcesses", path: "Tests/Programs/Fuzz/Processes", swiftSettings: strict),
    .executableTarget(
      name: "frostglass-fuzz-inputs", dependencies: ["FuzzProcesses", "InputFuzzing"],
      path: "Tests/Programs/Fuzz/InputsCommand", swiftSettings: strict),
    .testTarget(
      name: "FrostglassFindTests",
      dependencies: ["FrostglassFind", "FrostglassCore", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "FrostglassCoreTests", dependencies: ["FrostglassCore", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "FrostglassScenesTests",
      dependencies: ["FrostglassScenes", "FrostglassCore", "TestSupport"],
      swiftSettings: waiting),
    // The CPU backend in forked processes, which needs a process of its own.
    .executableTarget(
      name: "frostglass-fork-check",
      dependencies: ["FrostglassCore", "FrostglassCPU", "TestSupport"],
      path: "Tests/Programs/Fork", swiftSettings: strict),
    // What rendering frames allocates, counted in a process of its own. No test target depends on it, as
    // what replaces `malloc` would be linked into the tests.
    .target(name: "CAllocationCount", path: "Tests/Programs/Allocations/Count"),
    .executableTarget(
      name: "frostglass-allocation-check",
      dependencies: ["CAllocationCount", "FrostglassCore", "FrostglassCPU", "TestSupport"],
      path: "Tests/Programs/Allocations/Check", swiftSettings: strict),
    .testTarget(
      name: "FrostglassCPUTests",
      dependencies: [
        "CKernels", "FrostglassCore", "FrostglassCPU", "FrostglassStills", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "FrostglassCLITests",
      dependencies: [
        "FrostglassCLI", "Frostglass", "FrostglassBench", "FrostglassCore", "FrostglassFind",
        "FrostglassGL", "FrostglassStills",
        "FrostglassCommand", "FrostglassFindCommand", "FrostglassVideo", "FrostglassVideoCommand",
        "example-blur-photo",
        "frostglass-fork-check", "FrostglassC", "FrostglassCFiles", "TestSupport",
      ],
      swiftSettings: waiting),

    .testTarget(
      name: "FrostglassCTests",
      dependencies: [
        "CFrostglass", "FrostglassC", "FrostglassCFiles", "FrostglassCPU", "FrostglassCore",
        "FrostglassStills", "TestSupport",
      ],
      swiftSettings: strict),

    // Workers that do what none should, which needs processes of their own.
    .executableTarget(
      name: "frostglass-worker-check",
      dependencies: ["CConfinement", "Frostglass", "FrostglassCore", "FrostglassServer"],
      path: "Tests/Programs/WorkerCheck", swiftSettings: strict),
    .testTarget(
      name: "FrostglassServerTests",
      dependencies: [
        "Frostglass", "FrostglassConfinement", "FrostglassCore", "FrostglassFetch",
        "FrostglassFetching", "FrostglassFind", "FrostglassFindCommand", "FrostglassOptions",
        "FrostglassServer", "FrostglassSigning",
        "FrostglassStills", "TestSupport", "FrostglassCommand", "frostglass-worker-check",
      ],
      swiftSettings: waiting),
    .testTarget(
      name: "FrostglassStillsTests",
      dependencies: ["FrostglassCore", "FrostglassFonts", "FrostglassStills", "TestSupport"],
      swiftSettings: waiting),
    .testTarget(
      name: "FrostglassGLTests",
      dependencies: [
        "CGLES", "FrostglassBackends", "FrostglassBench", "FrostglassCore", "FrostglassCPU",
        "FrostglassGL", "FrostglassShaders", "TestSupport",
      ],
      swiftSettings: waiting),
    .testTarget(
      name: "FrostglassCUDATests",
      dependencies: [
        "CFrostglass", "FrostglassC", "FrostglassCore", "FrostglassCPU", "FrostglassCUDA",
        "TestSupport",
      ],
      swiftSettings: waiting),
    .testTarget(
      name: "FrostglassBackendsTests",
      dependencies: [
        "FrostglassBackends", "FrostglassBench", "FrostglassCPU", "FrostglassGL", "TestSupport",
      ],
      swiftSettings: waiting),
    .testTarget(
      name: "FrostglassTests",
      dependencies: [
        "CV4L2", "Frostglass", "FrostglassBackends", "FrostglassCamera", "FrostglassFind",
        "FrostglassScenes", "FrostglassCPU", "FrostglassGL", "InputFuzzing", "TestSupport",
      ],
      swiftSettings: waiting),
    // The example package's program, built with everything else so that tests need not build twice.
    .executableTarget(
      name: "example-blur-photo", dependencies: ["Frostglass"],
      path: "Examples/BlurPhoto/Sources/BlurPhoto", swiftSettings: strict),

    // Cases drawn by chance: what must hold for any of them, the command that looks for more, and a
    // part that every change runs.
    .target(
      name: "ChainFuzzing",
      dependencies: ["FrostglassCore", "FrostglassCPU", "FrostglassGL", "TestSupport"],
      path: "Tests/Programs/Fuzz/Chains", swiftSettings: strict),
    .executableTarget(
      name: "frostglass-fuzz", dependencies: ["FrostglassGL", "ChainFuzzing", "FuzzProcesses"],
      path: "Tests/Programs/Fuzz/ChainsCommand", swiftSettings: strict),
    // Digests of what every filter, chain and stage makes, to compare before and after a change of structure.
    .executableTarget(
      name: "frostglass-digests",
      dependencies: [
        "CGLib", "FrostglassCore", "FrostglassCPU", "FrostglassGL", "ChainFuzzing", "TestSupport",
      ],
      path: "Tests/Programs/Digests", swiftSettings: strict),
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "FrostglassCore", "FrostglassCPU", "FrostglassGL", "ChainFuzzing", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ParityTests",
      dependencies: ["FrostglassCore", "FrostglassCPU", "FrostglassGL", "TestSupport"],
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)
