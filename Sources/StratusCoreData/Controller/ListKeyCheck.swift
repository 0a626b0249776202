/// Finds keys that an order or a section name cannot use, before anything is fetched.
enum ListKeyCheck {
    /// - Throws: `CocoaError` 134060 that names the key.
    static func checkSort(_ path: [String], _ entity: NSEntityDescription) throws {
        try check(path, entity) { key, entity in
            throw unknown(key, path, "sort key", entity)
        }
    }

    /// - Throws: `CocoaError` 134060 that names the key.
    static func checkSection(_ path: [String], _ entity: NSEntityDescription) throws {
        guard !path.isEmpty else {
            throw CoreDataError(
                134060, "The section name key path is empty.", remedy: "Give nil for a list without sections."
            ).cocoa
        }
        try check(path, entity, allowsTransients: true) { key, entity in
            let offers = entity.withDescendants.contains { candidate in
                let object = ObjectBirth.make(
                    candidate.layout.objectClass, layout: candidate.layout, objectID: .temporary(candidate),
                    isFault: false)
                return object.offersUndefinedKey(key)
            }
            guard !offers else { return }
            throw unknown(key, path, "section name key path", entity)
        }
    }

    /// Says why all sections may be without a name: a transient attribute that nothing sets, and whose getter, if the
    /// class has one, Key-Value Coding does not know.
    static func noteEmptySections(_ path: [String], _ entity: NSEntityDescription) {
        var end = entity
        for key in path.dropLast() {
            let relationship = end.withDescendants.lazy.compactMap { $0.relationshipsByName[key] }.first
            guard let destination = relationship?.destinationEntity else { return }
            end = destination
        }
        guard let key = path.last, end.attributesByName[key]?.isTransient == true,
            end.layout.objectClass != NSManagedObject.self, !ComputedKeys.has(key, end.layout.objectClass)
        else { return }
        CoreDataLog.report(
            "All sections by '\(path.joined(separator: "."))' are without a name: no object of \(end.name ?? "?") has a value "
                + "for this transient attribute. If \(end.layout.objectClass) computes it, build the target with the plugin "
                + "ManagedObjectGenerator, which finds the getter, or override value(forKey:).")
    }

    private static func check(
        _ path: [String], _ entity: NSEntityDescription, allowsTransients: Bool = false,
        unknownKey: (String, NSEntityDescription) throws -> Void
    ) throws {
        var entity = entity
        for (place, key) in path.enumerated() {
            let isLast = place == path.count - 1
            let property = entity.withDescendants.lazy.compactMap { $0.propertiesByName[key] }.first
            switch property {
            case let relationship as NSRelationshipDescription:
                guard !relationship.isToMany, let destination = relationship.destinationEntity else {
                    throw refused(key, path, "leads to many objects", "Use a path of to-one relationships.")
                }
                entity = destination
            case let attribute as NSAttributeDescription:
                guard allowsTransients || !attribute.isTransient else {
                    throw refused(
                        key, path, "is transient, and the store cannot sort by it",
                        "Sort by stored attributes; a transient one may be the section name.")
                }
                guard isLast || attribute.attributeType == .compositeAttributeType else {
                    throw refused(
                        key, path, "is an attribute, which leads no further", "End the path with it.")
                }
                return
            case nil:
                if isLast, key == "objectID" || key == "self" { return }
                return try unknownKey(key, entity)
            default:
                throw refused(key, path, "is a fetched property", "Use attributes and to-one relationships.")
            }
        }
    }

    private static func unknown(
        _ key: String, _ path: [String], _ what: String, _ entity: NSEntityDescription
    ) -> CocoaError {
        let whole = path.count > 1 ? " (in '\(path.joined(separator: "."))')" : ""
        let known = entity.propertiesByName.keys.sorted().joined(separator: ", ")
        let computed =
            what == "sort key"
            ? "" : " A key that the class computes needs value(forUndefinedKey:) and offersUndefinedKey(_:)."
        return CoreDataError(
            134060, "The \(what) '\(key)'\(whole) is not a property of \(entity.name ?? "?").",
            remedy: "It has: \(known).\(computed)"
        ).cocoa
    }

    private static func refused(_ key: String, _ path: [String], _ why: String, _ remedy: String)
        -> CocoaError
    {
        let whole = path.count > 1 ? " of '\(path.joined(separator: "."))'" : ""
        return CoreDataError(134060, "The key '\(key)'\(whole) \(why).", remedy: remedy).cocoa
    }
}
