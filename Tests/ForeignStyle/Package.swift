// swift-tools-version: 6.2
import PackageDescription

// Code in the manner of public apps, by the year whose style it has. It is built as its authors would have built it:
// the old in Swift 5 mode, the new in Swift 6 mode, each file with only its own imports. The tests of the package
// Companions are here as well, so that one build serves both. scripts/tests/foreign.py builds and runs all.
let old: [SwiftSetting] = [.swiftLanguageMode(.v5), .enableUpcomingFeature("MemberImportVisibility")]
let new: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableUpcomingFeature("MemberImportVisibility")]

let cloudKit = Target.Dependency.product(name: "CloudKit", package: "stratus")
let coreData = Target.Dependency.product(name: "CoreData", package: "stratus")
let combine = Target.Dependency.product(name: "Combine", package: "Companions")
let os = Target.Dependency.product(name: "os", package: "Companions")
let osLog = Target.Dependency.product(name: "OSLog", package: "Companions")
let testing = Target.Dependency.product(name: "CloudKitTesting", package: "stratus")

let package = Package(
    name: "foreign-style",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "stratus", path: "../..", traits: []),
        .package(path: "../../Companions"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .target(name: "Closures2014", dependencies: [cloudKit], swiftSettings: old),
        .target(name: "Operations2016", dependencies: [cloudKit], swiftSettings: old),
        .target(name: "Combine2019", dependencies: [cloudKit, coreData, combine, os], swiftSettings: old),
        .target(name: "Async2021", dependencies: [cloudKit, coreData], swiftSettings: old),
        .target(name: "Sync2023", dependencies: [cloudKit, coreData, os, osLog], swiftSettings: old),
        .target(name: "Strict2025", dependencies: [cloudKit, coreData, os], swiftSettings: new),
        .target(
            name: "Stores", dependencies: [coreData], swiftSettings: old,
            plugins: [.plugin(name: "ManagedObjectGenerator", package: "stratus")]),
        // What a newcomer puts into an empty package first: no settings but those of `swift package init`.
        .target(
            name: "Newcomer", dependencies: [cloudKit, coreData, combine, os],
            plugins: [.plugin(name: "ManagedObjectGenerator", package: "stratus")]),
        // All four frameworks in one file, as a program.
        .executableTarget(
            name: "companion-app", dependencies: [cloudKit, testing, coreData, combine, os],
            path: "Sources/CompanionApp"),
        .testTarget(
            name: "ForeignStyleTests",
            dependencies: [
                "Closures2014", "Operations2016", "Combine2019", "Async2021", "Sync2023", "Strict2025",
                "Stores", "Newcomer", cloudKit, coreData, combine, os, testing,
            ],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "CombineTests",
            dependencies: [combine, coreData],
            swiftSettings: new),
        .testTarget(
            name: "OSTests", dependencies: [os, .product(name: "Logging", package: "swift-log")],
            swiftSettings: new),
    ]
)
