// swift-tools-version: 6.2
import PackageDescription

// Modules with the names of Apple's frameworks that model layers import beside CloudKit and CoreData.
//
// A package of its own, since a module of such a name makes `canImport` true for every package of a build: who does not
// want that does not add this package. Documentation/Companions.md says how to add it, and what it cannot be beside.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Companions",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: ["Combine", "os", "OSLog", "StratusCombine", "StratusOS"].map {
        .library(name: $0, targets: [$0])
    },
    dependencies: [
        // With the trait, CloudKit and CoreData bring Combine along, as Foundation does on Apple's platforms.
        .package(name: "stratus", path: "..", traits: ["Combine"]),
        .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // The same modules under names of our own, for a build in which a package takes Apple's names for Apple's modules: the
        // app has these, and the compiler's -module-alias.
        .target(
            name: "StratusCombine",
            dependencies: [
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineDispatch", package: "OpenCombine"),
                .product(name: "OpenCombineFoundation", package: "OpenCombine"),
                .product(name: "FoundationGaps", package: "stratus"),
            ],
            swiftSettings: settings),
        .target(name: "Combine", dependencies: ["StratusCombine"], swiftSettings: settings),
        // The submodules of `import os.log` and its like, which Swift has for modules of C only.
        .target(name: "COS"),
        .target(
            name: "StratusOS", dependencies: ["COS", .product(name: "Logging", package: "swift-log")],
            swiftSettings: settings),
        .target(name: "os", dependencies: ["StratusOS"], swiftSettings: settings),
        .target(name: "OSLog", dependencies: ["StratusOS"], swiftSettings: settings),
    ]
)
