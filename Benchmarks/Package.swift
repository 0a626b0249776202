// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody who uses or tests Stratus has to build it.
let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1")
    ],
    targets: [
        .executableTarget(
            name: "ceiling",
            dependencies: [.product(name: "Hummingbird", package: "hummingbird")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
