// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "courses",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "stratus", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "Courses",
            dependencies: [
                .product(name: "CoreData", package: "stratus"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [
                .embedInCode("Resources/courses.css"), .embedInCode("Resources/course.js"),
                .embedInCode("Resources/rows.js"), .embedInCode("Resources/icon.svg"),
            ],
            plugins: [.plugin(name: "ManagedObjectGenerator", package: "stratus")])
    ]
)
