// swift-tools-version: 6.2
import PackageDescription

/// What all but the examples are compiled with; the loop at the end hands it to them.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The packages of others on GitHub, and which of their products are used here.
let packages: [(path: String, from: Version, products: String)] = [
    ("hummingbird-project/hummingbird", "2.28.1", "Hummingbird HummingbirdCore"),
    ("hummingbird-project/swift-mustache", "2.1.1", "Mustache"),
    ("swift-server/swift-service-lifecycle", "2.13.0", "ServiceLifecycle UnixSignals"),
    ("apple/swift-argument-parser", "1.8.2", "ArgumentParser"),
    ("apple/swift-configuration", "1.4.0", "Configuration"),
    ("apple/swift-log", "1.16.2", "Logging"),
    ("apple/swift-metrics", "2.13.0", "CoreMetrics"),
    ("apple/swift-nio", "2.101.2", "NIOCore NIOEmbedded NIOHTTP1 NIOPosix NIOTLS"),
    ("apple/swift-nio-extras", "1.35.2", "NIOHTTPTypesHTTP2"),
    ("apple/swift-nio-http2", "1.46.0", "NIOHPACK NIOHTTP2"),
    ("apple/swift-nio-ssl", "2.37.6", "NIOSSL"),
    ("apple/swift-http-types", "1.8.0", "HTTPTypes"),
    ("apple/swift-crypto", "4.5.2", "Crypto CryptoExtras"),
    ("apple/swift-collections", "1.6.0", "DequeModule HashTreeCollections OrderedCollections"),
    ("vapor/jwt-kit", "5.7.1", "JWTKit"),
    ("OpenCombine/OpenCombine", "0.14.0", "OpenCombine OpenCombineDispatch OpenCombineFoundation"),
    ("swiftlang/swift-docc-plugin", "1.5.0", ""),
]

/// Of these, what apps and their tests need as well: CloudKit, CoreData, CloudKitTesting and PhotoScaling. All others come with
/// the trait Service, which is on by default; an app that turns it off, by `traits: []`, resolves five packages.
let neededByApps = ["swift-collections", "swift-crypto", "swift-nio"]

/// Names are written as one text, with spaces between them.
func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

/// Modules of this package, and products of `packages`, by their names; with the platform or the trait that asks for it.
func dependencies(_ names: String) -> [Target.Dependency] {
    words(names).map { word in
        let parts = word.split(whereSeparator: "()".contains).map(String.init)
        let name = parts[0]
        let condition: TargetDependencyCondition? =
            switch parts.dropFirst().first {
            case nil: nil
            case "linux": .when(platforms: [.linux])
            case let trait?: .when(traits: [trait])
            }
        let package = packages.first { words($0.products).contains(name) }?.path.split(separator: "/").last
        guard let package = package.map(String.init) else { return .target(name: name, condition: condition) }
        return .product(
            name: name, package: package,
            condition: condition ?? (neededByApps.contains(package) ? nil : .when(traits: ["Service"])))
    }
}

/// The modules and programs, each with what it uses. The arrows are drawn in ARCHITECTURE.md: nothing here points up.
let table = """
    // Values and languages: no I/O. FoundationGaps is what Foundation lacks on Linux and model layers use.
    FoundationGaps:
    Predicates: FoundationGaps
    RecordModel:
    RecordWire: RecordModel
    RecordImport: RecordModel RecordWire
    SchemaLanguage: RecordModel
    DataModel: CZlib Predicates
    SectionedLists:

    // What the system has. PhotoScaling is for apps: the service knows nothing of pictures.
    CurlAccess: CCurl
    ObjectStorage: CurlAccess Crypto
    PostgresAccess: CLibPQ DequeModule
    SQLiteAccess: CStratusSQLite
    TemporaryFiles:
    PhotoScaling: CGD TemporaryFiles

    // Storage: the protocol, then one module for each engine, and what a store promises as checks that every engine runs.
    RecordStorage: Predicates RecordModel DequeModule NIOCore
    AssetStorageFiles: RecordStorage RecordModel Crypto NIOCore NIOPosix
    RecordStorageSQLite: CReadOnlyFiles CStratusSQLite RecordModel RecordStorage RecordWire SQLiteAccess DequeModule
    RecordStoragePostgres: PostgresAccess RecordModel RecordStorage RecordWire DequeModule
    RecordStorageMemory: RecordModel RecordStorage RecordWire Crypto HashTreeCollections NIOCore
    RecordStorageConformance: RecordModel RecordStorage RecordStorageMemory RecordWire TestSeeds
    RecordStorageOpening: RecordModel RecordStorage RecordStorageMemory RecordStoragePostgres RecordStorageSQLite Crypto

    // The service: rules without a clock or a socket, then HTTP around them, then what one looks at in a browser.
    RecordEngine: Predicates RecordModel RecordStorage RecordWire SchemaLanguage Crypto DequeModule NIOCore
    RecordBackup: AssetStorageFiles CZlib ObjectStorage RecordEngine RecordModel RecordStorage RecordStorageSQLite \
        RecordWire SchemaLanguage Crypto
    RecordTransfer: CZlib RecordEngine RecordModel RecordStorage RecordWire SchemaLanguage TemporaryFiles Crypto NIOCore
    PasswordStretching: RecordEngine RecordModel RecordStorage CryptoExtras
    OpenIDConnect: CurlAccess RecordEngine RecordStorage RecordWire JWTKit
    RecordServer: CAllocator RecordEngine RecordModel RecordStorage RecordWire CoreMetrics DequeModule HTTPTypes \
        Hummingbird HummingbirdCore Logging NIOCore NIOHPACK NIOHTTP1 NIOHTTP2 NIOHTTPTypesHTTP2 NIOPosix NIOSSL NIOTLS \
        ServiceLifecycle
    RecordConsole: Predicates RecordEngine RecordImport RecordModel RecordServer RecordStorage RecordTransfer RecordWire \
        SchemaLanguage Crypto HTTPTypes HummingbirdCore Mustache NIOCore
    DemoData: RecordModel RecordWire
    stratus: AssetStorageFiles CBuildStamp CoreDataInspection CurlAccess DemoData ObjectStorage OpenIDConnect \
        PasswordStretching Predicates RecordBackup RecordConsole RecordEngine RecordImport RecordModel RecordServer \
        RecordStorage RecordStorageOpening RecordStorageSQLite RecordTransfer RecordWire SchemaLanguage SignInClient \
        TemporaryFiles ArgumentParser Configuration Crypto Logging NIOCore ServiceLifecycle UnixSignals

    // The client: Apple's names, on FoundationNetworking's URLSession. Apple's platforms have no libcurl for apps.
    SignInClient: RecordModel RecordWire Crypto
    StratusCloudKit: CurlAccess(linux) Predicates RecordModel RecordWire SignInClient TemporaryFiles Crypto
    CloudKit: CCloudKit(linux) StratusCloudKit OpenCombine(Combine) OpenCombineDispatch(Combine) \
        OpenCombineFoundation(Combine)
    CloudKitTesting: RecordEngine RecordModel RecordStorage RecordStorageMemory RecordWire StratusCloudKit NIOCore

    // The object store: Apple's names for objects, then SQLite in Apple's layout. The graph finds the store by its name, so
    // whoever makes stores depends on both.
    StratusCoreData: CObjectRuntime DataModel Predicates SectionedLists
    CoreDataSQLiteStore: CStratusSQLite DataModel SQLiteAccess StratusCoreData
    CoreData: CCoreData(linux) CoreDataSQLiteStore StratusCoreData OpenCombine(Combine) OpenCombineDispatch(Combine) \
        OpenCombineFoundation(Combine)
    CoreDataCloudKit: StratusCloudKit StratusCoreData
    CoreDataInspection: CoreDataSQLiteStore DataModel Predicates SQLiteAccess StratusCoreData
    CoreDataTesting: CoreDataSQLiteStore StratusCoreData
    ManagedObjectGeneration: DataModel
    managed-object-generator: ManagedObjectGeneration

    // What tests share: seeds, servers and stores, the code of the documents. The simulation of clients, nodes and crashes is
    // a process of its own, since it takes all of Swift's jobs.
    TestSeeds:
    TestSupport: AssetStorageFiles PostgresAccess RecordEngine RecordModel RecordStorage RecordStorageOpening \
        RecordWire SchemaLanguage TestSeeds NIOCore
    ModelTestSupport: DataModel TestSeeds
    DocumentExamples: CloudKit PhotoScaling
    simulation: RecordEngine RecordModel RecordStorage RecordStorageMemory RecordWire TestSeeds

    // Tests. CoreDataInterfaceTests has code as apps write it, which imports nothing but CoreData.
    CoreDataCloudKitTests: CoreDataCloudKit CloudKit CoreData
    CoreDataInspectionTests: CoreDataInspection SQLiteAccess StratusCoreData TestSupport
    CoreDataInterfaceTests: CoreData
    CoreDataTestingTests: CoreDataTesting StratusCoreData
    CoursesTests: Courses CoreData TestSupport NIOCore
    CurlAccessTests: CurlAccess TestSupport
    DataModelTests: DataModel ModelTestSupport Predicates TestSeeds
    DemoDataTests: DemoData RecordModel RecordWire TestSeeds
    FoundationGapsTests: FoundationGaps TestSupport
    FuzzTests: OpenIDConnect RecordEngine RecordModel RecordServer RecordStorage RecordWire TestSeeds Crypto
    ManagedObjectGenerationTests: ManagedObjectGeneration CoreData DataModel TestSeeds
    ObjectStorageTests: ObjectStorage TestSupport
    OpenIDConnectTests: OpenIDConnect RecordEngine RecordModel RecordStorage RecordWire TestSupport Crypto JWTKit
    PhotoScalingTests: PhotoScaling CGD TestSeeds
    PostgresAccessTests: PostgresAccess TestSupport
    PredicatesTests: Predicates TestSeeds
    RecordBackupTests: RecordBackup AssetStorageFiles CZlib ObjectStorage RecordModel RecordStorage RecordStorageSQLite \
        TestSeeds TestSupport Crypto
    RecordConsoleTests: RecordConsole AssetStorageFiles Predicates RecordEngine RecordModel RecordServer RecordStorage \
        RecordStorageSQLite RecordWire TestSupport HTTPTypes
    RecordEngineTests: RecordEngine AssetStorageFiles PasswordStretching Predicates RecordModel RecordStorage \
        RecordStoragePostgres RecordStorageSQLite RecordWire SchemaLanguage TestSeeds TestSupport Crypto NIOCore
    RecordServerTests: RecordServer RecordEngine RecordModel RecordStorage TestSeeds TestSupport Logging NIOCore NIOHPACK \
        NIOHTTP2
    RecordStorageTests: RecordStorage AssetStorageFiles PostgresAccess RecordModel RecordStorageConformance \
        RecordStorageMemory RecordStorageOpening RecordStoragePostgres RecordStorageSQLite RecordWire SQLiteAccess \
        TestSeeds TestSupport NIOCore
    RecordTransferTests: RecordTransfer AssetStorageFiles CZlib RecordEngine RecordModel RecordStorage RecordWire \
        SchemaLanguage TestSeeds TestSupport Crypto NIOCore
    RecordWireTests: RecordWire RecordModel TestSeeds TestSupport
    SchemaLanguageTests: SchemaLanguage RecordModel TestSupport
    SectionedListsTests: SectionedLists TestSupport
    ServiceTests: AssetStorageFiles CloudKit CloudKitTesting CurlAccess DocumentExamples RecordConsole RecordEngine \
        RecordModel RecordServer RecordStorage RecordWire TestSeeds TestSupport HTTPTypes \
        Hummingbird HummingbirdCore NIOCore NIOEmbedded
    SQLiteAccessTests: SQLiteAccess TestSupport
    StratusCloudKitTests: StratusCloudKit CloudKit DocumentExamples RecordModel RecordWire TestSeeds Crypto
    StratusCoreDataTests: StratusCoreData CoreDataSQLiteStore DataModel ModelTestSupport ManagedObjectGeneration \
        Predicates SQLiteAccess TestSupport
    StratusTests: stratus AssetStorageFiles CurlAccess DemoData Predicates RecordConsole RecordEngine RecordImport \
        RecordModel RecordServer RecordStorage RecordStorageOpening RecordStorageSQLite RecordTransfer RecordWire \
        SchemaLanguage SignInClient TestSeeds ArgumentParser Crypto Logging
    TemporaryFilesTests: TemporaryFiles TestSeeds
    """

/// Files that are compiled into a module.
let resources = [
    "RecordServer": [
        "Resources/openapi.json", "Resources/cloudkit-core.js", "Resources/cloudkit-sign-in.js",
        "Resources/cloudkit-sharing.js", "Resources/cloudkit-share-texts.js",
        "Resources/cloudkit-share-dialog.js",
        "Resources/cloudkit-databases.js", "Resources/cloudkit.d.ts",
    ],
    "RecordConsole": ["Templates", "Static"],
    "Courses": ["Resources/courses.css", "Resources/course.js", "Resources/rows.js", "Resources/icon.svg"],
].mapValues { $0.map(Resource.embedInCode) }

/// libFuzzer's library, where `scripts/fuzz.sh` builds a program of FuzzTests' doors around it; nil in all other builds.
let fuzzer = Context.environment["STRATUS_FUZZER"]

/// The doors that strangers stand before: tests of them, or the program that libFuzzer drives.
func doors(_ name: String, _ used: [Target.Dependency]) -> Target {
    guard let fuzzer else { return .testTarget(name: name, dependencies: used, exclude: ["LibFuzzer"]) }
    return .executableTarget(
        name: name, dependencies: used, path: "Tests/\(name)", exclude: ["FuzzTests.swift"],
        linkerSettings: [.unsafeFlags([fuzzer]), .linkedLibrary("stdc++")])
}

/// A line of the table. Programs are written small, tests end so, and what only tests use lies among them.
func target(_ line: Substring) -> Target {
    let parts = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    precondition(parts.count == 2, "A line has a name, a colon, and the names of what it uses: \(line)")
    let (name, used) = (parts[0], dependencies(parts[1]))
    if name == "FuzzTests" { return doors(name, used) }
    if name.hasSuffix("Tests") {
        // Sources that tests read and nobody compiles.
        return .testTarget(
            name: name, dependencies: used, exclude: name == "ManagedObjectGenerationTests" ? ["Corpus"] : [])
    }
    if name.first?.isLowercase == true {
        return .executableTarget(
            name: name, dependencies: used, path: name == "simulation" ? "Tests/Simulation" : nil)
    }
    let isOfTests = ["TestSeeds", "TestSupport", "ModelTestSupport", "DocumentExamples"].contains(name)
    return .target(
        name: name, dependencies: used, path: isOfTests ? "Tests/\(name)" : nil,
        resources: resources[name] ?? [])
}

/// A module of C headers in Sources/NAME, and the Debian package that has the library.
func headers(_ name: String, package: String? = nil, pkgConfig: String? = nil) -> Target {
    .systemLibrary(
        name: name, path: "Sources/\(name)", pkgConfig: pkgConfig, providers: package.map { [.apt([$0])] })
}

// The commit of a package, which 'make package' sets; a developer's build has none, and says 'dev'.
let commit = Context.environment["STRATUS_BUILD_COMMIT"].map { CSetting.define("STRATUS_COMMIT", to: $0) }

/// C: the headers of libraries that the system has, and a few lines of our own.
let system: [Target] = [
    headers("CAllocator"),
    headers("CCloudKit"),
    headers("CCoreData"),
    headers("CCurl", package: "libcurl4-openssl-dev"),
    headers("CGD", package: "libgd-dev"),
    headers("CLibPQ", package: "libpq-dev", pkgConfig: "libpq"),
    headers("CStratusSQLite", package: "libsqlite3-dev"),
    headers("CZlib", package: "zlib1g-dev"),
    .target(name: "CBuildStamp", cSettings: commit.map { [$0] } ?? []),
    .target(name: "CObjectRuntime"),
    .target(name: "CReadOnlyFiles", linkerSettings: [.linkedLibrary("sqlite3")]),
]

/// What Xcode and the Objective-C runtime do for managed objects, done while a package builds.
let plugins: [Target] = [
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

/// Apps to copy from, compiled as an app's own package is: with the defaults.
let examples = [
    (
        "Courses",
        "CoreData ArgumentParser HTTPTypes Hummingbird HummingbirdCore Logging NIOCore ServiceLifecycle"
    ),
    ("Discover", "CloudKit CoreData PhotoScaling ArgumentParser"),
].map { name, used in
    Target.executableTarget(
        name: name, dependencies: dependencies(used), path: "Examples/\(name)/Sources/\(name)",
        resources: resources[name] ?? [], plugins: ["ManagedObjectGenerator"])
}

let modules = table.split(separator: "\n").filter { !$0.hasPrefix("//") }.map(target)
let isFuzzed: [SwiftSetting] =
    fuzzer == nil ? [] : [.unsafeFlags(["-sanitize=fuzzer", "-parse-as-library", "-enable-testing"])]
for module in modules { module.swiftSettings = settings + isFuzzed }

/// What the named targets need, for a quick turn while a change is written: `STRATUS_PART=RecordEngineTests swift test`.
/// nil: everything, as always.
let part = Context.environment["STRATUS_PART"].map { names in
    let all = Dictionary(uniqueKeysWithValues: (modules + system + plugins + examples).map { ($0.name, $0) })
    var needed: Set<String> = []
    func need(_ name: String) {
        guard let target = all[name], needed.insert(name).inserted else { return }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): need(name)
            default: break
            }
        }
        for case .plugin(let name, _) in target.plugins ?? [] { need(name) }
    }
    for name in words(names) { need(name) }
    return needed
}

let package = Package(
    name: "stratus",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "stratus", targets: ["stratus"]),
        .library(name: "RecordStorage", targets: ["RecordModel", "RecordStorage"]),
        .library(name: "StratusCoreData", targets: ["StratusCoreData", "CoreDataSQLiteStore"]),
    ]
        + [
            "CloudKit", "StratusCloudKit", "CloudKitTesting", "CoreData", "CoreDataCloudKit",
            "CoreDataTesting",
            "PhotoScaling", "FoundationGaps", "Predicates", "RecordStorageConformance",
        ].map { .library(name: $0, targets: [$0]) }
        + ["ManagedObjectGenerator", "PortManagedObjects"].map { .plugin(name: $0, targets: [$0]) },
    traits: [
        .trait(name: "Service", description: "The service: the command stratus, its HTTP and its console."),
        // The package Companions asks for it.
        .trait(
            name: "Combine",
            description: "CloudKit and CoreData bring Combine along, as Foundation does on Apple's platforms."
        ),
        .default(enabledTraits: ["Service"]),
    ],
    dependencies: packages.map { .package(url: "https://github.com/\($0.path)", from: $0.from) },
    targets: modules + system + plugins + examples
)

if let part {
    package.targets.removeAll { !part.contains($0.name) }
    package.products.removeAll { product in
        let targets =
            switch product {
            case let product as Product.Library: product.targets
            case let product as Product.Executable: product.targets
            case let product as Product.Plugin: product.targets
            default: [String]()
            }
        return !part.isSuperset(of: targets)
    }
}
