/// A model that a stage of a migration names: given, or found when it is needed, and checked against its checksum.
///
/// Unchecked sendable: the model is found once, under a lock, and never changed.
open class NSManagedObjectModelReference: NSObject, @unchecked Sendable {
    /// What the model's ``NSManagedObjectModel/versionChecksum`` has to be.
    open internal(set) var versionChecksum: String
    private let lock = NSLock()
    private var found: NSManagedObjectModel?
    private let find: () throws -> NSManagedObjectModel

    /// Names a model that is at hand.
    public init(model: NSManagedObjectModel, versionChecksum: String) {
        self.versionChecksum = versionChecksum
        find = { model }
    }

    /// Names the model of a file.
    public init(fileURL: URL, versionChecksum: String) {
        self.versionChecksum = versionChecksum
        find = { try NSManagedObjectModel(readingFrom: fileURL) }
    }

    /// Names a version of a model by the version's name, or by the model's where it has one version.
    ///
    /// - Parameters:
    ///   - modelName: the name of the version or of the model.
    ///   - bundle: where to look; nil looks everywhere, as ``NSManagedObjectModel/named(_:)`` does.
    ///   - versionChecksum: the version's checksum, by which it is known again.
    public init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
        self.versionChecksum = versionChecksum
        find = {
            let sources = ModelLibrary.sources(in: bundle.map { [$0] })
            guard
                let source = sources.first(where: { $0.version == modelName })
                    ?? sources.first(where: { $0.name == modelName && $0.isCurrent })
            else {
                let names = Set(sources.map(\.version)).sorted().joined(separator: ", ")
                throw CoreDataError(
                    134504, "There is no version '\(modelName)' of a model.",
                    remedy: "There are: \(names.isEmpty ? "none" : names)."
                ).cocoa
            }
            return try source.load()
        }
    }

    /// Names a model by the hashes of its entities.
    public init(entityVersionHashes versionHash: [String: Data], in bundle: Bundle?, versionChecksum: String)
    {
        self.versionChecksum = versionChecksum
        find = {
            guard let model = ModelLibrary.model(versionHashes: versionHash, in: bundle.map { [$0] }) else {
                throw CoreDataError(
                    134504,
                    "There is no version of a model with these hashes (\(versionHash.keys.sorted().joined(separator: ", ")))."
                ).cocoa
            }
            return model
        }
    }

    /// The model.
    ///
    /// - Throws: `CocoaError`: 134504 where it is not found, 134505 where it has another checksum.
    public func resolved() throws -> NSManagedObjectModel {
        try lock.withLock {
            if let found { return found }
            let model = try find()
            guard model.versionChecksum == versionChecksum else {
                throw CoreDataError(
                    134505,
                    "The model has the checksum \(model.versionChecksum), and \(versionChecksum) was expected.",
                    remedy:
                        "A released version of a model must not change: add a version, or correct the reference."
                ).cocoa
            }
            found = model
            return model
        }
    }

    /// The model; one that is not found, or has another checksum, stops the program with the reason. See
    /// ``resolved()``, which throws it.
    open var resolvedModel: NSManagedObjectModel {
        do { return try resolved() } catch { fatalError("\(error.localizedDescription)") }
    }
}
