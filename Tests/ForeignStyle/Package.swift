// swift-tools-version: 6.2
import PackageDescription

// Code in the manner of public apps, by the year whose style it has. It is built as its authors would have built it:
// the old in Swift 5 mode, the new in Swift 6 mode, each file with only its own imports.
let old: [SwiftSetting] = [.swiftLanguageMode(.v5), .enableUpcomingFeature("MemberImportVisibility")]
let new: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableUpcomingFeature("MemberImportVisibility")]

let cloudKit = Target.Dependency.product(name: "CloudKit", package: "stratus")
let coreData = Target.Dependency.product(name: "CoreData", package: "stratus")
let combine = Target.Dependency.product(name: "Combine", package: "Companions")
let os = Target.Dependency.product(name: "os", package: "Companions")

let package = Package(
    name: "foreign-style",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "stratus", path: "../.."),
        .package(path: "../../Companions"),
    ],
    targets: [
        .target(name: "Closures2014", dependencies: [cloudKit], swiftSettings: old),
        .target(name: "Operations2016", dependencies: [cloudKit], swiftSettings: old),
        .target(name: "Combine2019", dependencies: [cloudKit, coreData, combine, os], swiftSettings: old),
        .target(name: "Async2021", dependencies: [cloudKit, coreData], swiftSettings: old),
        .target(name: "Sync2023", dependencies: [cloudKit, coreData, os], swiftSettings: old),
        .target(name: "Strict2025", dependencies: [cloudKit, coreData, os], swiftSettings: new),
        .target(
            name: "Stores", dependencies: [coreData], swiftSettings: old,
            plugins: [.plugin(name: "ManagedObjectGenerator", package: "stratus")]),
        .testTarget(
            name: "ForeignStyleTests",
            dependencies: [
                "Closures2014", "Operations2016", "Combine2019", "Async2021", "Sync2023", "Strict2025",
                "Stores", cloudKit,
                coreData, combine, os, .product(name: "CloudKitTesting", package: "stratus"),
            ],
            swiftSettings: [.swiftLanguageMode(.v5)]),
    ]
)
