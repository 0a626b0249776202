package import Foundation

/// Makes a keyed archive of Foundation's values, each exactly what it was.
///
/// Foundation's archiver on Linux joins numbers that are equal, so that `[1, true]` comes back as `[1, 1]`, and calls itself
/// without end for a decimal. This one keeps truth values, whole numbers and floating-point numbers apart, also zero and
/// minus zero, and texts that differ in their bytes. Apple's and Foundation's unarchivers read what it writes.
///
/// ```swift
/// var archive = ValueArchive()
/// let list = archive.list([archive.integer(1), archive.bool(true)])
/// let data = archive.data(root: list)
/// ```
package struct ValueArchive {
    private var builder = ArchiveBuilder()

    /// A value in the archive, which lists and dictionaries can hold any number of times.
    package struct Place {
        fileprivate let value: ArchiveBuilder.Value
    }

    /// An empty archive.
    package init() {}

    /// The bytes of the archive of one of its values.
    package func data(root: Place) -> Data { builder.encoded(root: root.value) }

    package mutating func null() -> Place { object("NSNull", [:]) }
    package mutating func bool(_ value: Bool) -> Place { Place(value: builder.plain(.bool(value))) }
    package mutating func integer(_ value: Int64) -> Place { Place(value: builder.plain(.int(value))) }
    package mutating func integer(_ value: UInt64) -> Place {
        Place(value: builder.plain(Int64(exactly: value).map { .int($0) } ?? .wide(value)))
    }
    package mutating func real(_ value: Double) -> Place { Place(value: builder.plain(.real(value))) }
    package mutating func string(_ text: String) -> Place { Place(value: builder.string(text)) }
    package mutating func data(_ data: Data) -> Place { object("NSData", ["NS.data": .data(data)]) }

    package mutating func date(_ date: Date) -> Place {
        object("NSDate", ["NS.time": .real(date.timeIntervalSinceReferenceDate)])
    }

    package mutating func uuid(_ uuid: UUID) -> Place {
        object("NSUUID", ["NS.uuidbytes": .data(withUnsafeBytes(of: uuid.uuid) { Data($0) })])
    }

    package mutating func url(_ text: String) -> Place {
        object("NSURL", ["NS.base": ArchiveBuilder.null, "NS.relative": builder.string(text)])
    }

    /// - Throws: ``ModelDocumentError`` for a decimal that is not a number.
    package mutating func decimal(_ value: Decimal) throws -> Place {
        Place(value: try builder.decimal(value))
    }

    package mutating func list(_ elements: [Place]) -> Place {
        object("NSArray", ["NS.objects": .array(elements.map(\.value))])
    }

    package mutating func set(_ elements: [Place]) -> Place {
        object("NSSet", ["NS.objects": .array(elements.map(\.value))])
    }

    package mutating func dictionary(_ entries: [(key: Place, value: Place)]) -> Place {
        object(
            "NSDictionary",
            [
                "NS.keys": .array(entries.map(\.key.value)), "NS.objects": .array(entries.map(\.value.value)),
            ])
    }

    /// The root of another archive, with all that it leads to.
    ///
    /// - Throws: ``ModelDocumentError`` where the bytes are no archive, or hold what cannot be copied.
    package mutating func root(of archive: Data) throws -> Place {
        let archive = try KeyedArchive(archive)
        guard let root = archive.root, archive.hasOnlyPlainFields else {
            throw ModelDocumentError(.notExpressible("a property list within an object"))
        }
        return Place(value: try builder.copy(root))
    }

    private mutating func object(_ name: String, _ fields: [String: ArchiveBuilder.Value?]) -> Place {
        Place(value: builder.object([name, "NSObject"], fields))
    }
}

extension KeyedArchive {
    /// Whether the named values of all objects are references, plain values, and lists of these.
    fileprivate var hasOnlyPlainFields: Bool {
        func isPlain(_ index: Int, depth: Int) -> Bool {
            switch list.objects[index] {
            case .date, .dictionary, .null: false
            case .array(let elements): depth == 0 && elements.allSatisfy { isPlain($0, depth: 1) }
            default: true
            }
        }
        return objectFields.allSatisfy { fields in
            fields.allSatisfy { $0.key.hasPrefix("$") || isPlain($0.value, depth: 0) }
        }
    }
}
