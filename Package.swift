// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// The commit of a package, which 'make package' sets; a developer's build has none, and says 'dev'.
let commit = Context.environment["STRATUS_BUILD_COMMIT"].map { CSetting.define("STRATUS_COMMIT", to: $0) }

// The arrows between the modules are drawn in ARCHITECTURE.md. Nothing here points up.
let package = Package(
    name: "stratus",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "stratus", targets: ["stratus"]),
        .library(name: "CloudKit", targets: ["CloudKit"]),
        .library(name: "StratusCloudKit", targets: ["StratusCloudKit"]),
        .library(name: "CloudKitTesting", targets: ["CloudKitTesting"]),
        .library(name: "CoreData", targets: ["CoreData"]),
        .library(name: "StratusCoreData", targets: ["StratusCoreData", "CoreDataSQLiteStore"]),
        .library(name: "CoreDataTesting", targets: ["CoreDataTesting"]),
        .library(name: "Predicates", targets: ["Predicates"]),
        .library(name: "RecordServer", targets: ["RecordServer"]),
        .library(name: "RecordStorage", targets: ["RecordModel", "RecordStorage"]),
        .library(name: "RecordStorageConformance", targets: ["RecordStorageConformance"]),
        .library(name: "PhotoScaling", targets: ["PhotoScaling"]),
        .plugin(name: "ManagedObjectGenerator", targets: ["ManagedObjectGenerator"]),
        .plugin(name: "PortManagedObjects", targets: ["PortManagedObjects"]),
    ],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
    ],
    targets: [
        // What Foundation lacks on Linux and model layers use; CloudKit and CoreData bring it along.
        .target(name: "FoundationGaps", swiftSettings: settings),
        // Values and languages: no I/O.
        .target(name: "Predicates", dependencies: ["FoundationGaps"], swiftSettings: settings),
        .target(name: "RecordModel", swiftSettings: settings),
        .systemLibrary(
            name: "CZlib", path: "Sources/CZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CAllocator", path: "Sources/CAllocator"),
        .systemLibrary(name: "CCurl", path: "Sources/CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "CurlAccess", dependencies: ["CCurl"], swiftSettings: settings),
        .testTarget(name: "CurlAccessTests", dependencies: ["CurlAccess"], swiftSettings: settings),
        // Objects by name, in a folder or an S3-compatible store.
        .target(
            name: "ObjectStorage",
            dependencies: ["CurlAccess", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings),
        .testTarget(
            name: "ObjectStorageTests", dependencies: ["ObjectStorage", "TestSupport"],
            swiftSettings: settings),
        .target(name: "DataModel", dependencies: ["CZlib", "Predicates"], swiftSettings: settings),
        .target(name: "RecordWire", dependencies: ["RecordModel"], swiftSettings: settings),
        .target(name: "RecordImport", dependencies: ["RecordModel", "RecordWire"], swiftSettings: settings),
        .target(name: "SchemaLanguage", dependencies: ["RecordModel"], swiftSettings: settings),
        .target(name: "SectionedLists", swiftSettings: settings),
        .target(name: "TemporaryFiles", swiftSettings: settings),

        // What Xcode and the Objective-C runtime do for managed objects, done while a package builds.
        .target(name: "ObjectGenerator", dependencies: ["DataModel"], swiftSettings: settings),
        .executableTarget(
            name: "managed-object-generator", dependencies: ["ObjectGenerator"], swiftSettings: settings),
        .plugin(
            name: "ManagedObjectGenerator", capability: .buildTool(),
            dependencies: ["managed-object-generator"]),
        .plugin(
            name: "PortManagedObjects",
            capability: .command(
                intent: .custom(
                    verb: "port-managed-objects",
                    description: "Takes Objective-C, which Linux lacks, out of sources; --help tells more"),
                permissions: [
                    .writeToPackageDirectory(reason: "With --write, sources are rewritten in place.")
                ]),
            dependencies: ["managed-object-generator"]),

        // Storage: the protocol, then one module for each engine.
        .target(
            name: "RecordStorage",
            dependencies: ["Predicates", "RecordModel", .product(name: "NIOCore", package: "swift-nio")],
            swiftSettings: settings),
        .target(
            name: "AssetStorageFiles",
            dependencies: [
                "RecordStorage", "RecordModel",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .systemLibrary(
            name: "CStratusSQLite", path: "Sources/CStratusSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "SQLiteAccess", dependencies: ["CStratusSQLite"], swiftSettings: settings),
        .target(name: "CReadOnlyFiles", linkerSettings: [.linkedLibrary("sqlite3")]),
        .systemLibrary(
            name: "CLibPQ", path: "Sources/CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "PostgresAccess",
            dependencies: [
                "CLibPQ", .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: settings),
        .target(
            name: "RecordStorageSQLite",
            dependencies: [
                "RecordStorage", "RecordModel", "RecordWire", "SQLiteAccess", "CReadOnlyFiles",
                .product(name: "DequeModule", package: "swift-collections"),
                "CStratusSQLite",
            ],
            swiftSettings: settings),

        .target(
            name: "RecordStoragePostgres",
            dependencies: [
                "PostgresAccess", "RecordStorage", "RecordModel", "RecordWire",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            swiftSettings: settings),
        // The model that engines are compared with, and the store of tests.
        .target(
            name: "RecordStorageMemory",
            dependencies: [
                "RecordStorage", "RecordModel", "RecordWire",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HashTreeCollections", package: "swift-collections"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings),
        // What a store promises, as checks that every engine runs, those of others too.
        .target(
            name: "RecordStorageConformance",
            dependencies: [
                "RecordModel", "RecordStorage", "RecordStorageMemory", "RecordWire", "TestSeeds",
            ],
            swiftSettings: settings),

        .target(
            name: "RecordStorageOpening",
            dependencies: [
                "RecordModel", "RecordStorage", "RecordStorageMemory", "RecordStoragePostgres",
                "RecordStorageSQLite", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings),

        // Copies of a data directory that are whole, and data directories made of them.
        .target(
            name: "RecordBackup",
            dependencies: [
                "AssetStorageFiles", "CZlib", "ObjectStorage", "RecordEngine", "RecordModel", "RecordStorage",
                "RecordStorageSQLite", "RecordWire", "SchemaLanguage",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings),

        // Containers moved from and to elsewhere.
        .target(
            name: "RecordTransfer",
            dependencies: [
                "CZlib", "RecordEngine", "RecordModel", "RecordStorage", "RecordWire", "SchemaLanguage",
                "TemporaryFiles",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings),

        // The service: rules without a clock or a socket, then HTTP around them.
        .target(
            name: "RecordEngine",
            dependencies: [
                "Predicates", "RecordModel", "RecordWire", "RecordStorage", "SchemaLanguage",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings),
        // Stretching passwords, on threads of their own.
        .target(
            name: "PasswordStretching",
            dependencies: [
                "RecordEngine", "RecordModel", .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: settings),
        // Asking providers who somebody is.
        .target(
            name: "OpenIDConnect",
            dependencies: [
                "CurlAccess", "RecordEngine", "RecordModel", "RecordStorage",
                .product(name: "JWTKit", package: "jwt-kit"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "OpenIDConnectTests",
            dependencies: [
                "CurlAccess", "OpenIDConnect", "RecordEngine", "RecordModel", "RecordStorage", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .target(
            name: "RecordServer",
            dependencies: [
                "CAllocator", "RecordEngine", "RecordModel", "RecordWire", "RecordStorage",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
            ],
            resources: [
                .embedInCode("Resources/openapi.json"), .embedInCode("Resources/cloudkit-core.js"),
                .embedInCode("Resources/cloudkit-sign-in.js"),
                .embedInCode("Resources/cloudkit-databases.js"),
                .embedInCode("Resources/cloudkit.d.ts"),
            ],
            swiftSettings: settings),
        // What one looks at in a browser.
        .target(
            name: "RecordConsole",
            dependencies: [
                "Predicates", "RecordEngine", "RecordImport", "RecordModel", "RecordServer", "RecordStorage",
                "RecordTransfer", "RecordWire", "SchemaLanguage",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            resources: [.embedInCode("Templates"), .embedInCode("Static")],
            swiftSettings: settings),
        .target(
            name: "DemoData", dependencies: ["CZlib", "RecordModel", "RecordWire"], swiftSettings: settings),
        .target(name: "CBuildStamp", cSettings: commit.map { [$0] } ?? []),
        .executableTarget(
            name: "stratus",
            dependencies: [
                "AssetStorageFiles", "CBuildStamp", "CurlAccess", "DemoData", "ObjectStorage",
                "OpenIDConnect",
                "PasswordStretching",
                "Predicates",
                "RecordBackup", "RecordConsole", "RecordEngine",
                "RecordImport",
                "RecordModel",
                "RecordServer", "RecordStorage", "RecordStorageOpening", "RecordStorageSQLite",
                "RecordTransfer", "RecordWire",
                "SchemaLanguage", "SignInClient", "StoreInspection", "TemporaryFiles",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),

        // Signing in from a program: by code, by the browser beside it, and the file that keeps tokens.
        .target(
            name: "SignInClient",
            dependencies: ["RecordModel", "RecordWire", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: settings),
        // The client: Apple's names, on FoundationNetworking's URLSession.
        .target(
            name: "StratusCloudKit",
            dependencies: [
                // Apple's platforms have no libcurl for apps.
                .target(name: "CurlAccess", condition: .when(platforms: [.linux])),
                "Predicates", "RecordModel", "RecordWire", "SignInClient", "TemporaryFiles",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings),
        .target(name: "CloudKit", dependencies: ["StratusCloudKit"], swiftSettings: settings),
        .target(
            name: "CloudKitTesting",
            dependencies: [
                "StratusCloudKit", "RecordEngine", "RecordModel", "RecordStorage", "RecordStorageMemory",
                "RecordWire", .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings),

        // The object store: Apple's names for objects, then SQLite in Apple's layout. The graph finds the store by its
        // name, so whoever makes stores depends on both.
        .target(name: "CObjectRuntime"),
        .target(
            name: "StratusCoreData",
            dependencies: [
                "CObjectRuntime", "DataModel", "Predicates", "SectionedLists",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings),
        .target(
            name: "CoreDataSQLiteStore",
            dependencies: ["CStratusSQLite", "DataModel", "Predicates", "SQLiteAccess", "StratusCoreData"],
            swiftSettings: settings),
        .target(
            name: "CoreData", dependencies: ["CoreDataSQLiteStore", "StratusCoreData"],
            swiftSettings: settings),
        // Looks into stores and models for the command line, Core Data beside plain SQL.
        .target(
            name: "StoreInspection",
            dependencies: [
                "CoreDataSQLiteStore", "DataModel", "Predicates", "SQLiteAccess", "StratusCoreData",
            ],
            swiftSettings: settings),
        .target(
            name: "CoreDataTesting", dependencies: ["CoreDataSQLiteStore", "StratusCoreData"],
            swiftSettings: settings),
        .executableTarget(
            name: "Courses",
            dependencies: [
                "CoreData", .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Examples/Courses/Sources/Courses",
            resources: [
                .embedInCode("Resources/courses.css"), .embedInCode("Resources/course.js"),
                .embedInCode("Resources/rows.js"), .embedInCode("Resources/icon.svg"),
            ],
            plugins: [.plugin(name: "ManagedObjectGenerator")]),

        // Photos made small enough to be sent, for apps; the service knows nothing of pictures.
        .systemLibrary(name: "CGD", path: "Sources/CGD", providers: [.apt(["libgd-dev"])]),
        .target(name: "PhotoScaling", dependencies: ["CGD", "TemporaryFiles"], swiftSettings: settings),
        .executableTarget(
            name: "Discover",
            dependencies: [
                "CloudKit", "CoreData", "PhotoScaling",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Examples/Discover/Sources/Discover", plugins: [.plugin(name: "ManagedObjectGenerator")]),

        // The code of the documents that the project answers to, as an app has it; tests run it.
        .target(
            name: "DocumentExamples", dependencies: ["CloudKit", "PhotoScaling"],
            path: "Tests/DocumentExamples",
            swiftSettings: settings),
        .testTarget(
            name: "ObjectGeneratorTests",
            dependencies: ["CoreData", "DataModel", "ObjectGenerator", "TestSeeds"],
            exclude: ["Corpus"], swiftSettings: settings),
        .testTarget(
            name: "DataModelTests",
            dependencies: ["DataModel", "ModelTestSupport", "Predicates", "TestSeeds"],
            swiftSettings: settings),
        .target(
            name: "ModelTestSupport", dependencies: ["DataModel"], path: "Tests/ModelTestSupport",
            swiftSettings: settings),
        .testTarget(
            name: "StratusCoreDataTests",
            dependencies: [
                "CoreDataSQLiteStore", "CStratusSQLite", "DataModel", "ModelTestSupport", "ObjectGenerator",
                "Predicates", "SectionedLists", "SQLiteAccess", "StratusCoreData", "TestSupport",
            ],
            swiftSettings: settings),
        // Code as apps write it, which imports nothing but CoreData.
        .testTarget(name: "CoreDataInterfaceTests", dependencies: ["CoreData"], swiftSettings: settings),
        .testTarget(
            name: "CoreDataTestingTests", dependencies: ["CoreDataTesting", "StratusCoreData"],
            swiftSettings: settings),
        .testTarget(
            name: "FoundationGapsTests", dependencies: ["FoundationGaps", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SQLiteAccessTests", dependencies: ["CStratusSQLite", "SQLiteAccess", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "PostgresAccessTests", dependencies: ["PostgresAccess", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "StoreInspectionTests",
            dependencies: ["SQLiteAccess", "StoreInspection", "StratusCoreData", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "PhotoScalingTests", dependencies: ["CGD", "PhotoScaling", "TestSeeds"],
            swiftSettings: settings),
        .testTarget(
            name: "TemporaryFilesTests", dependencies: ["TemporaryFiles"], swiftSettings: settings),
        .testTarget(
            name: "PredicatesTests", dependencies: ["Predicates", "TestSeeds"], swiftSettings: settings),
        // Clients, nodes and crashes decided by a seed: in a process of its own, since it takes all of Swift's jobs.
        .executableTarget(
            name: "simulation",
            dependencies: [
                "RecordEngine", "RecordModel", "RecordStorage", "RecordStorageMemory", "RecordWire",
                "TestSeeds",
            ],
            path: "Tests/Simulation", swiftSettings: settings),
        .testTarget(
            name: "ServiceTests",
            dependencies: [
                "AssetStorageFiles", "CloudKit", "CloudKitTesting", "CurlAccess", "DocumentExamples",
                "RecordConsole", "RecordEngine",
                "RecordModel",
                "RecordServer", "RecordStorage", "RecordWire",
                "RecordStorageSQLite", "TestSeeds", "TestSupport",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RecordServerTests",
            dependencies: [
                "RecordEngine", "RecordModel", "RecordServer", "RecordStorage", "TestSeeds", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RecordBackupTests",
            dependencies: [
                "CZlib", "ObjectStorage", "RecordBackup", "RecordModel", "RecordStorage",
                "RecordStorageSQLite", "TestSeeds", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RecordTransferTests",
            dependencies: [
                "AssetStorageFiles", "CZlib", "RecordEngine", "RecordModel", "RecordStorage",
                "RecordTransfer",
                "RecordWire",
                "SchemaLanguage", "TestSeeds", "TestSupport", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RecordConsoleTests",
            dependencies: [
                "AssetStorageFiles", "Predicates", "RecordConsole", "RecordEngine", "RecordModel",
                "RecordServer",
                "RecordStorage", "RecordStorageSQLite", "RecordWire", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CoursesTests",
            dependencies: [
                "CoreData", "Courses", "TestSupport", .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DemoDataTests", dependencies: ["CZlib", "DemoData", "RecordModel", "RecordWire"],
            swiftSettings: settings),
        .testTarget(
            name: "StratusTests",
            dependencies: [
                "stratus", "AssetStorageFiles", "CurlAccess", "DemoData", "RecordEngine", "RecordImport",
                "RecordModel",
                "RecordServer", "RecordStorage", "RecordStorageSQLite", "RecordTransfer", "RecordWire",
                "SchemaLanguage", "SignInClient",
                "TestSeeds",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "StratusCloudKitTests",
            dependencies: [
                "CloudKit", "DocumentExamples", "StratusCloudKit", "Predicates", "RecordModel", "RecordWire",
                "TestSeeds",
            ],
            swiftSettings: settings),
        // What laws stand on: seeds (fixed, one, or very many random ones), a folder of their own, waiting.
        .target(name: "TestSeeds", path: "Tests/TestSeeds", swiftSettings: settings),
        .target(
            name: "TestSupport",
            dependencies: [
                "AssetStorageFiles", "RecordEngine", "RecordModel", "RecordStorage", "RecordStorageOpening",
                "RecordStoragePostgres", "PostgresAccess", "RecordStorageSQLite",
                "RecordWire", .product(name: "NIOCore", package: "swift-nio"), "SchemaLanguage", "TestSeeds",
            ],
            path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(
            name: "SectionedListsTests", dependencies: ["SectionedLists", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "RecordWireTests", dependencies: ["RecordModel", "RecordWire", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "RecordStorageTests",
            dependencies: [
                "AssetStorageFiles", .product(name: "NIOCore", package: "swift-nio"), "Predicates",
                "RecordModel", "RecordStorage", "RecordStorageConformance", "RecordStorageMemory",
                "RecordStorageOpening", "RecordStoragePostgres", "RecordStorageSQLite", "RecordWire",
                "SQLiteAccess", "PostgresAccess", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RecordEngineTests",
            dependencies: [
                "AssetStorageFiles", "PasswordStretching", "Predicates", "RecordEngine", "RecordModel",
                "RecordStorage",
                "RecordStoragePostgres", "RecordStorageSQLite", "RecordWire", "SchemaLanguage", "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SchemaLanguageTests", dependencies: ["RecordModel", "SchemaLanguage", "TestSupport"],
            swiftSettings: settings),
    ]
)
