internal import DataModel

extension NSPropertyDescription {
    func makeVersionHash() -> Data {
        var text = VersionText()
        add(to: &text)
        return text.hash
    }

    fileprivate func add(to text: inout VersionText) {
        text.add(name)
        text.add(isOptional ? "optional" : "required")
        text.add(isTransient ? "transient" : "stored")
        text.add(versionHashModifier ?? "")
        switch self {
        case let attribute as NSAttributeDescription: attribute.addAttribute(to: &text)
        case let relationship as NSRelationshipDescription: relationship.addRelationship(to: &text)
        case is NSFetchedPropertyDescription: text.add("fetched")
        default: text.add("property")
        }
    }
}

extension NSAttributeDescription {
    fileprivate func addAttribute(to text: inout VersionText) {
        text.add("attribute")
        text.add(String(attributeType.rawValue))
        if let composite = self as? NSCompositeAttributeDescription {
            text.add("composite")
            for element in composite.elements { element.add(to: &text) }
        }
        if let derived = self as? NSDerivedAttributeDescription {
            text.add("derived")
            text.add(derived.derivationExpression?.description ?? "")
        }
    }
}

extension NSRelationshipDescription {
    fileprivate func addRelationship(to text: inout VersionText) {
        text.add("relationship")
        text.add(destinationEntity?.name ?? "")
        text.add(inverseRelationship?.name ?? "")
        // No bound has several spellings in archived models.
        text.add("\(minCount) \(max(0, maxCount)) \(deleteRule.rawValue) \(isOrdered ? 1 : 0)")
    }
}

extension NSEntityDescription {
    func makeVersionHash() -> Data {
        var text = VersionText()
        text.add(name ?? "")
        var parent = superentity
        while let current = parent {
            text.add(current.name ?? "")
            parent = current.superentity
        }
        text.add(isAbstract ? "abstract" : "concrete")
        text.add(versionHashModifier ?? "")
        for property in properties.sorted(by: { $0.name < $1.name })
        where !(property is NSFetchedPropertyDescription) {
            property.add(to: &text)
        }
        for constraint in uniquenessConstraints.map(Self.names).sorted(by: {
            $0.lexicographicallyPrecedes($1)
        }) {
            text.add("unique")
            for name in constraint { text.add(name) }
        }
        return text.hash
    }

    /// The names of properties that may be given by name or by description.
    package static func names(_ properties: [Any]) -> [String] {
        properties.compactMap { ($0 as? String) ?? ($0 as? NSPropertyDescription)?.name }
    }
}

extension NSManagedObjectModel {
    func isCompatible(_ configuration: String?, with metadata: [String: Any]) -> Bool {
        guard let entities = entities(forConfigurationName: configuration) else { return false }
        let own = Dictionary(entities.map { ($0.name ?? "", $0.versionHash) }) { first, _ in first }
        if let stored = metadata[StoreMetadata.ownHashesKey] as? [String: Data] { return stored == own }
        guard let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return false }
        if metadata[StoreMetadata.writerKey] != nil { return stored == own }
        return Set(stored.keys) == Set(own.keys)
    }
}

/// The hashes of a model's entities, and what stores keep of them as a whole
/// (Documentation/CoreDataStore.md, 'Version hashes').
struct VersionHashes {
    private let ordered: [(name: String, hash: Data)]

    init(_ hashes: [String: Data]) {
        ordered = hashes.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
            ($0.key, $0.value)
        }
    }

    /// `NSStoreModelVersionChecksumKey`
    var checksum: String {
        var hasher = SHA256()
        for entry in ordered { hasher.update(entry.hash) }
        return hasher.finalized().base64EncodedString()
    }

    /// `NSStoreModelVersionHashesDigest`
    var digest: String {
        var hasher = SHA512()
        for entry in ordered {
            hasher.update(entry.name.utf8)
            hasher.update(entry.hash)
        }
        return hasher.finalized().base64EncodedString()
    }
}

/// Parts whose bounds cannot be confused, to be hashed.
private struct VersionText {
    private var hasher = SHA256()

    mutating func add(_ part: String) {
        hasher.update("\(part.utf8.count):\(part)".utf8)
    }

    var hash: Data { hasher.finalized() }
}
