import SectionedLists

/// Reads from an object what decides its position in a list: its sort keys and the name of its section.
///
/// Rows that wait in memory are read without turning the object's fault into values, so a long list stays a list of
/// faults and `awakeFromFetch` is not called for objects that nobody looks at.
struct ListReader {
    let sorts: [StoreSort]
    /// The key path of the section's name; nil where the list has no sections.
    let sectionPath: [String]?

    /// The object with its keys. A section name that is known already is not read.
    func entry(_ object: NSManagedObject, section: String? = nil) -> ListEntry<ListedObject, ListKey> {
        ListEntry(
            ListedObject(object: object), key: ListKey(values: keys(of: object), object: object),
            section: section ?? sectionPath.map { Self.sectionName($0, object) })
    }

    private func keys(of object: NSManagedObject) -> [PropertyValue] {
        sorts.map { sort in
            guard let end = Self.end(of: sort.path, from: object) else { return .null }
            return Self.value(sort.path.suffix(from: end.depth), end.object)
        }
    }

    /// The object at which the relationships of a path end, and how many keys lead to it; nil where one leads nowhere.
    static func end(of path: [String], from object: NSManagedObject) -> (object: NSManagedObject, depth: Int)?
    {
        var object = object
        var depth = 0
        while depth < path.count - 1, let slot = object.layout.slots[path[depth]],
            object.layout.toOnes.contains(slot)
        {
            guard let next = object.peekToOne(slot) else { return nil }
            object = next
            depth += 1
        }
        return (object, depth)
    }

    private static func value(_ path: ArraySlice<String>, _ object: NSManagedObject) -> PropertyValue {
        if path.count == 1, let key = path.first, let slot = object.layout.slots[key] {
            if object.layout.attributes.contains(slot) { return object.peekAttribute(slot) }
            if object.layout.toOnes.contains(slot) {
                return object.peekToOne(slot).map { .reference($0.objectID) } ?? .null
            }
        }
        guard let key = path.first, object.offersValue(forKey: key) else { return .null }
        return ObjectOrder.value(Array(path), object)
    }

    // MARK: Section names

    /// The name of an object's section: a text as it is, other values by their description, nothing as "".
    static func sectionName(_ path: [String], _ object: NSManagedObject) -> String {
        guard let end = end(of: path, from: object) else { return "" }
        let rest = path.suffix(from: end.depth)
        guard let key = rest.first else { return "" }
        if rest.count == 1, let slot = end.object.layout.slots[key],
            end.object.layout.attributes.contains(slot)
        {
            switch end.object.peekAttribute(slot) {
            case .null: return ""
            case .string(let text): return text
            case .int(let number): return String(number)
            case let value: return text(value.anyValue(of: end.object.layout.attributeDescriptions[slot]))
            }
        }
        guard end.object.offersValue(forKey: key) else { return "" }
        // By key, so that a class which computes a transient or another key is asked.
        if rest.count == 1 { return text(end.object.value(forKey: key)) }
        return text(end.object.value(forKeyPath: rest.joined(separator: ".")))
    }

    /// A value as the name of a section.
    static func text(_ value: Any?) -> String {
        switch value.flatMap(PropertyValue.unwrapped) {
        case nil, is NSNull: ""
        case let text as String: text
        case let number as NSDecimalNumber: "\(number.decimalValue)"
        // 2, as Apple's numbers describe themselves, and not 2.0.
        case let number as NSNumber: Int(exactly: number.doubleValue).map { "\($0)" } ?? number.stringValue
        case let id as UUID: id.uuidString
        case let data as Data: data.base64EncodedString()
        case let object as NSManagedObject: object.objectID.uriRepresentation().absoluteString
        case let value?: "\(value)"
        }
    }
}

extension NSManagedObject {
    /// Reads the row where nothing is known of it; a fault with a row stays a fault.
    private func readRowIfUnknown() {
        if life.isFault, snapshot == nil { fulfil() }
    }

    /// The value of a stored attribute; a fault whose row is in memory stays a fault.
    func peekAttribute(_ slot: Int) -> PropertyValue {
        readRowIfUnknown()
        return currentAttribute(slot)
    }

    /// What a to-one relationship leads to; a fault whose row is in memory stays a fault.
    func peekToOne(_ slot: Int) -> NSManagedObject? {
        readRowIfUnknown()
        if case .one(let object) = relation(slot) { return object }
        guard case .reference(let objectID)? = snapshot?.value(slot, layout) else { return nil }
        return managedObjectContext?.object(with: objectID)
    }
}
