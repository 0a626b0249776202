// swift-tools-version: 6.2
import PackageDescription

/// What all but the examples are compiled with; the loop at the end hands it to them.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The packages of others, and which of their products are used here.
let packages: [(url: String, from: Version, products: [String])] = [
    ("https://github.com/hummingbird-project/hummingbird", "2.28.1", ["Hummingbird", "HummingbirdCore"]),
    ("https://github.com/hummingbird-project/swift-mustache", "2.1.1", ["Mustache"]),
    (
        "https://github.com/swift-server/swift-service-lifecycle", "2.13.0",
        ["ServiceLifecycle", "UnixSignals"]
    ),
    ("https://github.com/apple/swift-argument-parser", "1.8.2", ["ArgumentParser"]),
    ("https://github.com/apple/swift-configuration", "1.4.0", ["Configuration"]),
    ("https://github.com/apple/swift-log", "1.16.2", ["Logging"]),
    ("https://github.com/apple/swift-metrics", "2.13.0", ["CoreMetrics"]),
    (
        "https://github.com/apple/swift-nio", "2.101.2",
        ["NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix", "NIOTLS"]
    ),
    ("https://github.com/apple/swift-nio-ssl", "2.37.6", ["NIOSSL"]),
    ("https://github.com/apple/swift-http-types", "1.8.0", ["HTTPTypes"]),
    ("https://github.com/apple/swift-crypto", "4.5.2", ["Crypto", "CryptoExtras"]),
    (
        "https://github.com/apple/swift-collections", "1.6.0",
        ["DequeModule", "HashTreeCollections", "OrderedCollections"]
    ),
    ("https://github.com/vapor/jwt-kit", "5.7.1", ["JWTKit"]),
    ("https://github.com/swiftlang/swift-docc-plugin", "1.5.0", []),
]

/// A module of this package, or a product of one of `packages`.
func dependency(_ name: String) -> Target.Dependency {
    guard let package = packages.first(where: { $0.products.contains(name) }) else {
        return .target(name: name)
    }
    return .product(name: name, package: String(package.url.split(separator: "/").last ?? ""))
}

/// A module in Sources/NAME, or at `path`.
func module(
    _ name: String, on used: String..., onLinux: [Target.Dependency] = [], path: String? = nil,
    resources: [String] = []
) -> Target {
    .target(
        name: name, dependencies: used.map(dependency) + onLinux, path: path,
        resources: resources.map { .embedInCode($0) })
}

/// A module of C headers in Sources/NAME, and the Debian package that has the library.
func headers(_ name: String, package: String? = nil, pkgConfig: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/\(name)", pkgConfig: pkgConfig,
        providers: package.map { [.apt([$0])] })
}

/// A program in Sources/NAME, or at `path`.
func program(
    _ name: String, on used: String..., path: String? = nil, resources: [String] = [],
    plugins: [Target.PluginUsage] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: used.map(dependency), path: path,
        resources: resources.map { .embedInCode($0) }, plugins: plugins)
}

/// Tests in Tests/NAMETests.
func tests(_ name: String, on used: String..., excluding excluded: [String] = []) -> Target {
    .testTarget(name: "\(name)Tests", dependencies: used.map(dependency), exclude: excluded)
}

// The commit of a package, which 'make package' sets; a developer's build has none, and says 'dev'.
let commit = Context.environment["STRATUS_BUILD_COMMIT"].map { CSetting.define("STRATUS_COMMIT", to: $0) }

// The arrows between the modules are drawn in ARCHITECTURE.md. Nothing here points up.

// Values and languages: no I/O.
let values = [
    // What Foundation lacks on Linux and model layers use; CloudKit and CoreData bring it along.
    module("FoundationGaps"),
    module("Predicates", on: "FoundationGaps"),
    module("RecordModel"),
    module("RecordWire", on: "RecordModel"),
    module("RecordImport", on: "RecordModel", "RecordWire"),
    module("SchemaLanguage", on: "RecordModel"),
    module("DataModel", on: "CZlib", "Predicates"),
    module("SectionedLists"),
]

// What the system has, and the libraries of C that do what Swift's do not.
let system = [
    headers("CAllocator"),
    headers("CCurl", package: "libcurl4-openssl-dev"),
    headers("CGD", package: "libgd-dev"),
    headers("CLibPQ", package: "libpq-dev", pkgConfig: "libpq"),
    headers("CStratusSQLite", package: "libsqlite3-dev"),
    headers("CZlib", package: "zlib1g-dev"),
    .target(name: "CBuildStamp", cSettings: commit.map { [$0] } ?? []),
    .target(name: "CObjectRuntime"),
    .target(name: "CReadOnlyFiles", linkerSettings: [.linkedLibrary("sqlite3")]),
    module("CurlAccess", on: "CCurl"),
    // Objects by name, in a folder or an S3-compatible store.
    module("ObjectStorage", on: "CurlAccess", "Crypto"),
    module("PostgresAccess", on: "CLibPQ", "DequeModule", "OrderedCollections"),
    module("SQLiteAccess", on: "CStratusSQLite"),
    module("TemporaryFiles"),
    // Photos made small enough to be sent, for apps; the service knows nothing of pictures.
    module("PhotoScaling", on: "CGD", "TemporaryFiles"),
]

// Storage: the protocol, then one module for each engine.
let storage = [
    module("RecordStorage", on: "Predicates", "RecordModel", "NIOCore"),
    module("AssetStorageFiles", on: "RecordStorage", "RecordModel", "Crypto", "NIOCore", "NIOPosix"),
    module(
        "RecordStorageSQLite", on: "CReadOnlyFiles", "CStratusSQLite", "RecordModel", "RecordStorage",
        "RecordWire", "SQLiteAccess", "DequeModule"),
    module(
        "RecordStoragePostgres", on: "PostgresAccess", "RecordModel", "RecordStorage", "RecordWire",
        "DequeModule"),
    // The model that engines are compared with, and the store of tests.
    module(
        "RecordStorageMemory", on: "RecordModel", "RecordStorage", "RecordWire", "Crypto",
        "HashTreeCollections", "NIOCore"),
    // What a store promises, as checks that every engine runs, those of others too.
    module(
        "RecordStorageConformance", on: "RecordModel", "RecordStorage", "RecordStorageMemory", "RecordWire",
        "TestSeeds"),
    module(
        "RecordStorageOpening", on: "RecordModel", "RecordStorage", "RecordStorageMemory",
        "RecordStoragePostgres", "RecordStorageSQLite", "Crypto"),
]

// The service: rules without a clock or a socket, then HTTP around them.
let service = [
    module(
        "RecordEngine", on: "Predicates", "RecordModel", "RecordStorage", "RecordWire", "SchemaLanguage",
        "Crypto", "NIOCore"),
    // Copies of a data directory that are whole, and data directories made of them.
    module(
        "RecordBackup", on: "AssetStorageFiles", "CZlib", "ObjectStorage", "RecordEngine", "RecordModel",
        "RecordStorage", "RecordStorageSQLite", "RecordWire", "SchemaLanguage", "Crypto"),
    // Containers moved from and to elsewhere.
    module(
        "RecordTransfer", on: "CZlib", "RecordEngine", "RecordModel", "RecordStorage", "RecordWire",
        "SchemaLanguage", "TemporaryFiles", "Crypto", "NIOCore"),
    // Stretching passwords, on threads of their own.
    module("PasswordStretching", on: "RecordEngine", "RecordModel", "CryptoExtras"),
    // Asking providers who somebody is.
    module("OpenIDConnect", on: "CurlAccess", "RecordEngine", "RecordModel", "RecordStorage", "JWTKit"),
    module(
        "RecordServer", on: "CAllocator", "RecordEngine", "RecordModel", "RecordStorage", "RecordWire",
        "CoreMetrics", "DequeModule", "HTTPTypes", "Hummingbird", "HummingbirdCore", "Logging", "NIOCore",
        "NIOHTTP1", "NIOPosix", "NIOSSL", "NIOTLS", "ServiceLifecycle",
        resources: [
            "Resources/openapi.json", "Resources/cloudkit-core.js", "Resources/cloudkit-sign-in.js",
            "Resources/cloudkit-databases.js", "Resources/cloudkit.d.ts",
        ]),
    // What one looks at in a browser.
    module(
        "RecordConsole", on: "Predicates", "RecordEngine", "RecordImport", "RecordModel", "RecordServer",
        "RecordStorage", "RecordTransfer", "RecordWire", "SchemaLanguage", "Crypto", "HTTPTypes",
        "HummingbirdCore", "Mustache", "NIOCore", resources: ["Templates", "Static"]),
    module("DemoData", on: "RecordModel", "RecordWire"),
    program(
        "stratus", on: "AssetStorageFiles", "CBuildStamp", "CurlAccess", "DemoData", "ObjectStorage",
        "OpenIDConnect", "PasswordStretching", "Predicates", "RecordBackup", "RecordConsole", "RecordEngine",
        "RecordImport", "RecordModel", "RecordServer", "RecordStorage", "RecordStorageOpening",
        "RecordStorageSQLite", "RecordTransfer", "RecordWire", "SchemaLanguage", "SignInClient",
        "CoreDataInspection", "TemporaryFiles", "ArgumentParser", "Configuration", "Crypto", "Logging",
        "NIOCore", "ServiceLifecycle", "UnixSignals"),
]

// The client: Apple's names, on FoundationNetworking's URLSession.
let client = [
    // Signing in from a program: by code, by the browser beside it, and the file that keeps tokens.
    module("SignInClient", on: "RecordModel", "RecordWire", "Crypto"),
    module(
        "StratusCloudKit", on: "Predicates", "RecordModel", "RecordWire", "SignInClient", "TemporaryFiles",
        "Crypto",
        // Apple's platforms have no libcurl for apps.
        onLinux: [.target(name: "CurlAccess", condition: .when(platforms: [.linux]))]),
    module("CloudKit", on: "StratusCloudKit"),
    module(
        "CloudKitTesting", on: "RecordEngine", "RecordModel", "RecordStorage", "RecordStorageMemory",
        "RecordWire", "StratusCloudKit", "NIOCore"),
]

// The object store: Apple's names for objects, then SQLite in Apple's layout. The graph finds the store by its
// name, so whoever makes stores depends on both.
let objectStore = [
    module("StratusCoreData", on: "CObjectRuntime", "DataModel", "Predicates", "SectionedLists", "Crypto"),
    module(
        "CoreDataSQLiteStore", on: "CStratusSQLite", "DataModel", "Predicates", "SQLiteAccess",
        "StratusCoreData"),
    module("CoreData", on: "CoreDataSQLiteStore", "StratusCoreData"),
    // Looks into stores and models for the command line, Core Data beside plain SQL.
    module(
        "CoreDataInspection", on: "CoreDataSQLiteStore", "DataModel", "Predicates", "SQLiteAccess",
        "StratusCoreData"),
    module("CoreDataTesting", on: "CoreDataSQLiteStore", "StratusCoreData"),
    // What Xcode and the Objective-C runtime do for managed objects, done while a package builds.
    module("ManagedObjectGeneration", on: "DataModel"),
    program("managed-object-generator", on: "ManagedObjectGeneration"),
    .plugin(
        name: "ManagedObjectGenerator", capability: .buildTool(), dependencies: ["managed-object-generator"]),
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
]

// Apps to copy from, compiled as an app's own package is: with the defaults.
let examples = [
    program(
        "Courses", on: "CoreData", "ArgumentParser", "HTTPTypes", "Hummingbird", "HummingbirdCore", "Logging",
        "NIOCore", "ServiceLifecycle", path: "Examples/Courses/Sources/Courses",
        resources: [
            "Resources/courses.css", "Resources/course.js", "Resources/rows.js", "Resources/icon.svg",
        ],
        plugins: ["ManagedObjectGenerator"]),
    program(
        "Discover", on: "CloudKit", "CoreData", "PhotoScaling", "ArgumentParser",
        path: "Examples/Discover/Sources/Discover", plugins: ["ManagedObjectGenerator"]),
]

let testSupport = [
    // What laws stand on: seeds (fixed, one, or very many random ones), a folder of their own, waiting.
    module("TestSeeds", path: "Tests/TestSeeds"),
    module(
        "TestSupport", on: "AssetStorageFiles", "PostgresAccess", "RecordEngine", "RecordModel",
        "RecordStorage", "RecordStorageOpening", "RecordStoragePostgres", "RecordStorageSQLite", "RecordWire",
        "SchemaLanguage", "TestSeeds", "NIOCore", path: "Tests/TestSupport"),
    module("ModelTestSupport", on: "DataModel", path: "Tests/ModelTestSupport"),
    // The code of the documents that the project answers to, as an app has it; tests run it.
    module("DocumentExamples", on: "CloudKit", "PhotoScaling", path: "Tests/DocumentExamples"),
    // Clients, nodes and crashes decided by a seed: in a process of its own, since it takes all of Swift's jobs.
    program(
        "simulation", on: "RecordEngine", "RecordModel", "RecordStorage", "RecordStorageMemory", "RecordWire",
        "TestSeeds", path: "Tests/Simulation"),
]

let testTargets = [
    tests("CoreDataTesting", on: "CoreDataTesting", "StratusCoreData"),
    tests("Courses", on: "Courses", "CoreData", "TestSupport", "NIOCore"),
    tests("CurlAccess", on: "CurlAccess"),
    tests("DataModel", on: "DataModel", "ModelTestSupport", "Predicates", "TestSeeds"),
    tests("DemoData", on: "DemoData", "RecordModel", "RecordWire"),
    tests("FoundationGaps", on: "FoundationGaps", "TestSupport"),
    tests(
        "ManagedObjectGeneration", on: "ManagedObjectGeneration", "CoreData", "DataModel", "TestSeeds",
        excluding: ["Corpus"]),
    tests("ObjectStorage", on: "ObjectStorage", "TestSupport"),
    tests(
        "OpenIDConnect", on: "OpenIDConnect", "CurlAccess", "RecordEngine", "RecordModel", "RecordStorage",
        "TestSupport", "Crypto", "JWTKit", "NIOCore"),
    tests("PhotoScaling", on: "PhotoScaling", "CGD", "TestSeeds"),
    tests("PostgresAccess", on: "PostgresAccess", "TestSupport"),
    tests("Predicates", on: "Predicates", "TestSeeds"),
    tests(
        "RecordBackup", on: "RecordBackup", "CZlib", "ObjectStorage", "RecordModel", "RecordStorage",
        "RecordStorageSQLite", "TestSeeds", "TestSupport", "Crypto"),
    tests(
        "RecordConsole", on: "RecordConsole", "AssetStorageFiles", "Predicates", "RecordEngine",
        "RecordModel", "RecordServer", "RecordStorage", "RecordStorageSQLite", "RecordWire", "TestSupport"),
    tests(
        "RecordEngine", on: "RecordEngine", "AssetStorageFiles", "PasswordStretching", "Predicates",
        "RecordModel", "RecordStorage", "RecordStoragePostgres", "RecordStorageSQLite", "RecordWire",
        "SchemaLanguage", "TestSupport", "NIOCore"),
    tests(
        "RecordServer", on: "RecordServer", "RecordEngine", "RecordModel", "RecordStorage", "TestSeeds",
        "TestSupport", "Logging"),
    tests(
        "RecordStorage", on: "RecordStorage", "AssetStorageFiles", "PostgresAccess", "Predicates",
        "RecordModel", "RecordStorageConformance", "RecordStorageMemory", "RecordStorageOpening",
        "RecordStoragePostgres", "RecordStorageSQLite", "RecordWire", "SQLiteAccess", "TestSupport",
        "NIOCore"),
    tests(
        "RecordTransfer", on: "RecordTransfer", "AssetStorageFiles", "CZlib", "RecordEngine", "RecordModel",
        "RecordStorage", "RecordWire", "SchemaLanguage", "TestSeeds", "TestSupport", "Crypto", "NIOCore"),
    tests("RecordWire", on: "RecordWire", "RecordModel", "TestSupport"),
    tests("SQLiteAccess", on: "SQLiteAccess", "CStratusSQLite", "TestSupport"),
    tests("SchemaLanguage", on: "SchemaLanguage", "RecordModel", "TestSupport"),
    tests("SectionedLists", on: "SectionedLists", "TestSupport"),
    tests("CoreDataInspection", on: "CoreDataInspection", "SQLiteAccess", "StratusCoreData", "TestSupport"),
    tests(
        "StratusCloudKit", on: "StratusCloudKit", "CloudKit", "DocumentExamples", "Predicates", "RecordModel",
        "RecordWire", "TestSeeds"),
    tests(
        "StratusCoreData", on: "StratusCoreData", "CStratusSQLite", "CoreDataSQLiteStore", "DataModel",
        "ModelTestSupport", "ManagedObjectGeneration", "Predicates", "SQLiteAccess", "SectionedLists",
        "TestSupport"),
    tests("TemporaryFiles", on: "TemporaryFiles"),
    // Code as apps write it, which imports nothing but CoreData.
    tests("CoreDataInterface", on: "CoreData"),
    tests(
        "Service", on: "AssetStorageFiles", "CloudKit", "CloudKitTesting", "CurlAccess", "DocumentExamples",
        "RecordConsole", "RecordEngine", "RecordModel", "RecordServer", "RecordStorage", "RecordWire",
        "TestSeeds", "TestSupport", "HTTPTypes", "Hummingbird",
        "HummingbirdCore", "NIOCore", "NIOEmbedded"),
    tests(
        "Stratus", on: "stratus", "AssetStorageFiles", "CurlAccess", "DemoData", "RecordEngine",
        "RecordImport", "RecordModel", "RecordServer", "RecordStorage", "RecordStorageSQLite",
        "RecordTransfer", "RecordWire", "SchemaLanguage", "SignInClient", "TestSeeds", "ArgumentParser"),
]

let package = Package(
    name: "stratus",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "stratus", targets: ["stratus"]),
        .library(name: "RecordStorage", targets: ["RecordModel", "RecordStorage"]),
        .library(name: "StratusCoreData", targets: ["StratusCoreData", "CoreDataSQLiteStore"]),
    ]
        + [
            "CloudKit", "StratusCloudKit", "CloudKitTesting", "CoreData", "CoreDataTesting", "PhotoScaling",
            "Predicates", "RecordServer", "RecordStorageConformance",
        ].map { .library(name: $0, targets: [$0]) }
        + ["ManagedObjectGenerator", "PortManagedObjects"].map { .plugin(name: $0, targets: [$0]) },
    dependencies: packages.map { .package(url: $0.url, from: $0.from) },
    targets: values + system + storage + service + client + objectStore + examples + testSupport + testTargets
)

for target in values + system + storage + service + client + objectStore + testSupport + testTargets
where [.regular, .executable, .test].contains(target.type) {
    target.swiftSettings = settings
}
