import DataModel
public import Foundation

/// The files of a `.momd`: what Xcode's compiler makes of a model for the app's bundle.
public struct ModelBundle {
    /// What each file holds, by its name in the folder.
    public let files: [String: Data]
    /// Versions that could not be compiled, with the reason.
    public let diagnostics: [GeneratorDiagnostic]

    /// Compiles all versions of a model.
    ///
    /// Each becomes a `.mom` with the archive of its `NSManagedObjectModel`, whose classes are those of the module, and an
    /// entry of `VersionInfo.plist` with the hashes of its entities. A version that cannot be read is left out and named.
    public init(_ model: ModelFile, module: String) {
        var files: [String: Data] = [:]
        var hashes: [(version: String, hashes: [String: Data])] = []
        var diagnostics: [GeneratorDiagnostic] = []
        for version in model.versions {
            do {
                let place = "\(model.path)/\(version.name).xcdatamodel"
                var document = try ModelDocument(xml: Data(version.contents.utf8), name: place)
                for index in document.entities.indices where document.entities[index].className != nil {
                    document.entities[index].className = document.entities[index].className(inModule: module)
                }
                files[version.name + ".mom"] = try document.archive()
                hashes.append((version.name, document.entityVersionHashes))
            } catch {
                diagnostics.append(
                    GeneratorDiagnostic(
                        .warning, path: model.path,
                        "the version '\(version.name)' is left out of \(model.name).momd: \(error)"))
            }
        }
        files["VersionInfo.plist"] = Data(Self.versionInfo(current: model.currentVersion, hashes).utf8)
        self.files = files
        self.diagnostics = diagnostics
    }

    /// The property list that says which version is current, and distinguishes versions.
    private static func versionInfo(
        current: String, _ versions: [(version: String, hashes: [String: Data])]
    ) -> String {
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<plist version=\"1.0\">", "<dict>",
            "<key>NSManagedObjectModel_CurrentVersionName</key>", "<string>\(escaped(current))</string>",
            "<key>NSManagedObjectModel_VersionHashes</key>", "<dict>",
        ]
        for (version, hashes) in versions.sorted(by: { $0.version < $1.version }) {
            lines += ["<key>\(escaped(version))</key>", "<dict>"]
            for (entity, hash) in hashes.sorted(by: { $0.key < $1.key }) {
                lines += ["<key>\(escaped(entity))</key>", "<data>\(hash.base64EncodedString())</data>"]
            }
            lines.append("</dict>")
        }
        return (lines + ["</dict>", "</dict>", "</plist>", ""]).joined(separator: "\n")
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: ">", with: "&gt;")
    }
}
