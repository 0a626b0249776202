// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "discover",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "stratus", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .executableTarget(
            name: "Discover",
            dependencies: [
                .product(name: "CloudKit", package: "stratus"),
                .product(name: "CoreData", package: "stratus"),
                .product(name: "PhotoScaling", package: "stratus"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            plugins: [.plugin(name: "ManagedObjectGenerator", package: "stratus")])
    ]
)
