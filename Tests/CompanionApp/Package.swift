// swift-tools-version: 6.2
import PackageDescription

// An app that has everything in one graph, as Documentation/Companions.md says; scripts/tests/companions.py builds and
// runs it.
let package = Package(
    name: "companion-app",
    dependencies: [
        .package(name: "stratus", path: "../.."),
        .package(path: "../../Companions"),
    ],
    targets: [
        .executableTarget(
            name: "companion-app",
            dependencies: [
                .product(name: "CloudKit", package: "stratus"),
                .product(name: "CloudKitTesting", package: "stratus"),
                .product(name: "CoreData", package: "stratus"),
                .product(name: "Combine", package: "Companions"),
                .product(name: "os", package: "Companions"),
            ])
    ]
)
