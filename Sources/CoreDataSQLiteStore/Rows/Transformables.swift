internal import StratusCoreData

/// The bytes of transformable attributes.
enum Transformables {
    /// The value of stored bytes; the bytes themselves where nothing can read them, so that they are not lost.
    static func value(_ data: Data, of attribute: NSAttributeDescription) -> PropertyValue {
        guard let transformer = transformer(of: attribute) else { return .object(ObjectBox(data)) }
        let value =
            transformer is NSSecureUnarchiveFromDataTransformer
            ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
        return .object(ObjectBox(value ?? data))
    }

    /// The bytes of a value.
    ///
    /// - Throws: `CocoaError` where nothing can make bytes of it.
    static func data(_ value: Any, of attribute: NSAttributeDescription) throws -> Data {
        if let transformer = transformer(of: attribute) {
            let made =
                transformer is NSSecureUnarchiveFromDataTransformer
                ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value)
            if let data = made as? Data { return data }
        } else if let data = value as? Data {
            // What could not be read is written as it was.
            return data
        }
        throw CoreDataError(
            134030,
            "The value of '\(attribute.entity?.name ?? "?").\(attribute.name)' cannot be made bytes: it is a \(Swift.type(of: value)).",
            remedy:
                "Register a ValueTransformer under the name that the model gives, or use a class of Foundation's."
        ).cocoa
    }

    /// What models call the archiver by: nothing, its name, its class's name, and its older relative's.
    private static let standard: Set<String> = [
        "", "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSKeyedUnarchiveFromData",
        "NSKeyedUnarchiveFromDataTransformer",
    ]

    private static func transformer(of attribute: NSAttributeDescription) -> ValueTransformer? {
        guard let name = attribute.valueTransformerName, !standard.contains(name) else {
            return ValueTransformer.named(.secureUnarchiveFromDataTransformerName)
        }
        return ValueTransformer.named(NSValueTransformerName(rawValue: name))
    }
}
