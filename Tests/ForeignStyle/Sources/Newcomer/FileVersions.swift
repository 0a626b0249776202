import Foundation

/// Files that are coordinated, in a file that imports Foundation alone.
class FileVersions: NSObject, NSFilePresenter {
    var presentedItemURL: URL?
    let presentedItemOperationQueue = OperationQueue()

    init(folder: URL) {
        presentedItemURL = folder
        super.init()
    }

    func write(_ data: Data, version: String) throws {
        guard let folder = presentedItemURL else { return }
        var coordinationError: NSError?
        var writingError: Error?
        let coordinator = NSFileCoordinator(filePresenter: self)
        coordinator.coordinate(
            writingItemAt: folder.appendingPathComponent(version), options: .forReplacing,
            error: &coordinationError
        ) { url in
            do { try data.write(to: url, options: [.atomicWrite]) } catch { writingError = error }
        }
        if let error = coordinationError ?? writingError { throw error }
    }

    func sizes() throws -> [Int] {
        guard let folder = presentedItemURL else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
            try autoreleasepool { try Data(contentsOf: folder.appendingPathComponent(name)).count }
        }
    }
}
