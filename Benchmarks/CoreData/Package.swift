// swift-tools-version: 6.2
import PackageDescription

// Measures the object store beside SQLite's own functions and GRDB's records, in one process.
let package = Package(
    name: "store-bench",
    dependencies: [
        .package(name: "stratus", path: "../..", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "store-bench",
            dependencies: [
                .product(name: "StratusCoreData", package: "stratus"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")])
    ]
)
