// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "BlurPhoto",
  dependencies: [.package(name: "frostglass", path: "../..")],
  targets: [
    .executableTarget(
      name: "BlurPhoto", dependencies: [.product(name: "Frostglass", package: "frostglass")])
  ]
)
