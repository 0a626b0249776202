import CoreData
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension NSPersistentContainer {
    /// Opens the store of the courses; without a path it is in memory.
    static func courses(at path: String?) async throws -> NSPersistentContainer {
        let container = NSPersistentContainer(name: "Courses")
        let url = URL(fileURLWithPath: path ?? "/dev/null")
        container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
        try await container.loadPersistentStores()
        return container
    }

    /// Fills the store from the catalogue's HTTP API.
    ///
    /// - Parameter address: where the catalogue is; the program serves one itself unless it is given.
    func fill(from address: URL?) async throws {
        let catalogue: Catalogue
        if let address {
            catalogue = try await Catalogue.fetch(address)
        } else {
            catalogue = try await CatalogueServer.serve(.sample) { try await Catalogue.fetch($0) }
        }
        try await performBackgroundTask { try catalogue.store(in: $0) }
    }

    /// Whether contents were loaded before, which a count shows without reading any.
    var hasCache: Bool {
        get async { await performBackgroundTask { CoreDataContentStore(context: $0).hasCache } }
    }
}

extension Catalogue {
    /// Reads a catalogue over HTTP.
    static func fetch(_ url: URL) async throws -> Catalogue {
        let (data, _) = try await URLSession.shared.data(from: url)
        return try JSONDecoder().decode(Catalogue.self, from: data)
    }
}
