internal import DataModel

/// One version of a model that the program can find: compiled into it, or a file.
struct ModelSource {
    private enum Content {
        case text(StaticString, any BundledClasses.Type)
        case file(URL)
    }

    /// The name of the model, without extension.
    let name: String
    /// The name of the version; the model's own name where there is only one.
    let version: String
    /// Whether it is the version that the model is read as.
    let isCurrent: Bool
    private let content: Content

    /// Where it is, for messages.
    var place: String {
        switch content {
        case .text(_, let classes): "version '\(version)' in module \(classes.moduleName)"
        case .file(let url): url.path
        }
    }

    /// Reads the version.
    ///
    /// - Throws: `CocoaError` that names the place, and what is wrong there.
    func load() throws -> NSManagedObjectModel {
        do {
            switch content {
            case .file(let url): return NSManagedObjectModel(document: try ModelDocument(contentsOf: url))
            case .text(let text, let classes):
                let data = text.withUTF8Buffer { Data($0) }
                var document = try ModelDocument(xml: data, name: "\(name).xcdatamodeld/\(version)")
                for index in document.entities.indices where document.entities[index].className != nil {
                    document.entities[index].className =
                        document.entities[index].className(inModule: classes.moduleName)
                }
                return NSManagedObjectModel(document: document)
            }
        } catch {
            throw CoreDataError.unreadableModel(error)
        }
    }

    /// All versions of a model that is compiled into the program.
    static func versions(of model: any BundledModel.Type) -> [ModelSource] {
        model.versions.map { version in
            ModelSource(
                name: model.name, version: version.name, isCurrent: version.name == model.currentVersion,
                content: .text(version.contents, model.classes))
        }
    }

    /// All versions at a URL, which may be a model of any kind; none where there is no model.
    static func versions(at url: URL) -> [ModelSource] {
        let name = url.deletingPathExtension().lastPathComponent
        guard ["xcdatamodeld", "momd"].contains(url.pathExtension) else {
            return [ModelSource(name: name, version: name, isCurrent: true, content: .file(url))]
        }
        // A folder without versions has none; loading a model by its name says that it is not found.
        guard let versions = try? ModelVersions(contentsOf: url) else { return [] }
        return versions.names.compactMap { version in
            versions.urls[version].map {
                ModelSource(
                    name: name, version: version, isCurrent: version == versions.currentName,
                    content: .file($0))
            }
        }
    }
}
