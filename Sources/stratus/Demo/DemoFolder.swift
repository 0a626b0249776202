import DemoData
import Foundation

/// Finds the files that the demo is made of: they are not in the program.
enum DemoFolder {
    /// Reads the folder that was named, or else the first one that is there.
    ///
    /// - Parameters:
    ///   - named: what the option or the environment says.
    ///   - places: where to look without that.
    /// - Throws: a ``Failure`` that says where they were looked for, or a ``DemoFilesError`` about one of them.
    static func files(named: String?, places: [String] = places(of: program)) throws -> DemoFiles {
        if let named {
            guard DemoFiles.isFolder(named) else { throw missing([named]) }
            return try DemoFiles(folder: named)
        }
        guard let folder = places.first(where: DemoFiles.isFolder) else { throw missing(places) }
        return try DemoFiles(folder: folder)
    }

    /// Where the files are beside a program: in the checkout where it was built, and where the packages put them.
    static func places(of program: String) -> [String] {
        var folder = URL(fileURLWithPath: program).deletingLastPathComponent()
        let installed = folder.deletingLastPathComponent().appending(path: "share/stratus/demo").path
        var places = [sources, installed]
        // .build/debug/stratus, and deeper where the folder of products is a link.
        for _ in 0..<4 where folder.path != "/" {
            folder.deleteLastPathComponent()
            places.append(folder.appending(path: sources).path)
        }
        return places
    }

    /// In a checkout.
    private static let sources = "Examples/Demo"

    private static var program: String {
        (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments.first ?? ""))
            .resolvingSymlinksInPath().path
    }

    private static func missing(_ places: [String]) -> Failure {
        let setting = Settings.demoFiles.key
        return .usage(
            "The demo's names, sentences and pictures are not there; looked in \(places.joined(separator: ", ")).",
            remedy: """
                Name their folder with \(setting.exampleCall). It is Examples/Demo of the sources, and \
                share/stratus/demo of the packages.
                """)
    }
}
