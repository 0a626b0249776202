/// Where models are looked for.
struct ModelPlaces {
    static let extensions = ["momd", "xcdatamodeld", "mom", "xcdatamodel"]

    /// Folders, the most specific first, each once.
    let folders: [URL]

    /// The places of a program: the main bundle, all bundles that are loaded, what lies beside the executable, and
    /// `Resources` in the current directory.
    static var program: ModelPlaces {
        var folders: [URL] = []
        for bundle in [Bundle.main] + Bundle.allBundles { folders += Self.folders(of: bundle) }
        if let executable = Bundle.main.executableURL?.resolvingSymlinksInPath() {
            folders += withBundles(executable.deletingLastPathComponent())
        }
        let current = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        folders.append(current.appendingPathComponent("Resources"))
        return ModelPlaces(folders: folders)
    }

    init(folders: [URL]) {
        var seen: Set<String> = []
        self.folders = folders.filter { seen.insert($0.standardizedFileURL.path).inserted }
    }

    init(bundles: [Bundle]) {
        self.init(folders: bundles.flatMap { Self.folders(of: $0) })
    }

    private static func folders(of bundle: Bundle) -> [URL] {
        var result: [URL] = []
        if let resources = bundle.resourceURL { result += withBundles(resources) }
        return result + withBundles(bundle.bundleURL)
    }

    /// The folder and the resource bundles that SwiftPM puts in it.
    private static func withBundles(_ folder: URL) -> [URL] {
        let inside = names(in: folder).filter { $0.hasSuffix(".resources") || $0.hasSuffix(".bundle") }
        return [folder] + inside.map { folder.appendingPathComponent($0) }
    }

    private static func names(in folder: URL) -> [String] {
        // A place that does not exist holds no models.
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    /// The models in the folders themselves.
    var models: [URL] { files(withExtensions: Self.extensions) }

    /// The files of some kinds in the folders themselves, in the order of folders and names.
    func files(withExtensions extensions: [String]) -> [URL] {
        folders.flatMap { folder in
            Self.names(in: folder).map { folder.appendingPathComponent($0) }
                .filter { extensions.contains($0.pathExtension) }
        }
    }

    /// The model of a name, of the first folder that has one; compiled ones before others.
    func model(named name: String) -> URL? {
        for folder in folders {
            for pathExtension in Self.extensions {
                let url = folder.appendingPathComponent("\(name).\(pathExtension)")
                if FileManager.default.fileExists(atPath: url.path) { return url }
            }
        }
        return nil
    }
}
