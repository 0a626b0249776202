internal import DataModel
public import Foundation
internal import StratusCoreData

/// What came of loading one model.
public struct ModelCheck: Sendable, Codable, Equatable {
    /// The path of the model.
    public var path: String
    /// The number of entities.
    public var entities = 0
    /// The number of attributes, each counted where it is declared.
    public var attributes = 0
    /// The number of relationships.
    public var relationships = 0
    /// Oddities that were read over, each with its position.
    public var warnings: [String] = []
    /// Why the model could not be loaded, with file, line, element and attribute where they are known.
    public var error: String?

    /// Loads a model through the reader of files and as descriptions, and puts it to use.
    public static func check(_ url: URL) -> ModelCheck {
        var check = ModelCheck(path: url.path)
        do {
            let (model, warnings) = try NSManagedObjectModel.reading(contentsOf: url)
            check.entities = model.entities.count
            for entity in model.entities {
                let own = entity.properties.filter { $0.entity === entity }
                check.attributes += own.filter { $0 is NSAttributeDescription }.count
                check.relationships += own.filter { $0 is NSRelationshipDescription }.count
            }
            check.warnings = warnings
            // A coordinator numbers the entities and lays out their objects.
            // The app's classes are not in this program.
            for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
            _ = NSPersistentStoreCoordinator(managedObjectModel: model)
        } catch let error as ModelDocumentError {
            check.error = error.description
        } catch {
            check.error = error.localizedDescription
        }
        return check
    }

    /// One line about a model that was loaded, two about one that was not.
    public var text: String {
        if let error {
            return "FAILED  \(path)\n        \(error.replacingOccurrences(of: "\n", with: "\n        "))"
        }
        let numbers = "\(entities) entities, \(attributes) attributes, \(relationships) relationships"
        return "ok      \(path): \(numbers)\(warnings.isEmpty ? "" : ", \(warnings.count) warnings")"
    }
}

/// Finds models and stores in folders.
public enum FileSearch {
    /// The models at a path, which may be one itself: every version of a bundle counts, the bundle itself too.
    public static func models(at url: URL) -> [URL] {
        search(url, isFound: { ["xcdatamodeld", "xcdatamodel", "mom", "momd"].contains($0.pathExtension) })
    }

    /// The files at a path that begin as SQLite databases do; a file that is named itself always counts.
    public static func stores(at url: URL) -> [URL] {
        var isFolder: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
        guard exists, isFolder.boolValue else { return [url] }
        return search(url, isFound: isDatabase)
    }

    private static func search(_ url: URL, isFound: (URL) -> Bool) -> [URL] {
        var found: [URL] = isFound(url) ? [url] : []
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue,
            let inside = FileManager.default.enumerator(atPath: url.path)
        else { return found.isEmpty ? [url] : found }
        for case let name as String in inside {
            let candidate = url.appendingPathComponent(name)
            if isFound(candidate) { found.append(candidate) }
        }
        return found.sorted { $0.path < $1.path }
    }

    /// Whether a file that is found in a folder is looked at; one that cannot be read is none of them.
    private static func isDatabase(_ url: URL) -> Bool {
        // Reading a pipe would wait for a writer.
        guard RegularFile.kind(url.path, followsLinks: true) == .regular,
            !RegularFile.logSuffixes.contains(where: url.path.hasSuffix),
            let handle = try? FileHandle(forReadingFrom: url)  // see above
        else { return false }
        defer { try? handle.close() }
        return (try? handle.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
    }
}
