internal import Foundation

extension ArchiveBuilder {
    /// An archive of its own for one object of another archive; equal objects give equal bytes.
    static func archive(of item: ArchivedItem) throws -> Data {
        var builder = ArchiveBuilder()
        let root = try builder.copy(item)
        return builder.encoded(root: root)
    }

    /// Takes over an object of another archive with everything it refers to.
    mutating func copy(_ root: ArchivedItem) throws -> Value {
        var copier = ArchiveCopier(archive: root.archive)
        let value = copier.reference(root, &self)
        // A list of what is left to copy, so that no depth of the other archive matters.
        while let (item, uid) = copier.next() {
            var fields: [String: Value?] = [:]
            for key in item.keys { fields[key] = copier.field(item, key, &self) }
            fill(uid, copier.chain(item), fields)
        }
        return value
    }
}

private struct ArchiveCopier {
    let archive: KeyedArchive
    private var places: [Int: Value] = [:]
    private var waiting: [(ArchivedItem, Int)] = []
    private var done = 0

    typealias Value = ArchiveBuilder.Value

    init(archive: KeyedArchive) { self.archive = archive }

    mutating func next() -> (ArchivedItem, Int)? {
        guard done < waiting.count else { return nil }
        done += 1
        return waiting[done - 1]
    }

    mutating func reference(_ item: ArchivedItem?, _ builder: inout ArchiveBuilder) -> Value {
        guard let item else { return ArchiveBuilder.null }
        if let place = places[item.index] { return place }
        let value: Value
        if item.className != nil {
            let uid = builder.reserve()
            waiting.append((item, uid))
            value = .uid(uid)
        } else {
            switch item.plain {
            case .string(let text): value = builder.string(text)
            case .array, .dictionary, .uid, .null: value = ArchiveBuilder.null
            case .bool, .int, .wide, .real, .date, .data: value = builder.plain(item.plain)
            }
        }
        places[item.index] = value
        return value
    }

    mutating func field(_ item: ArchivedItem, _ key: String, _ builder: inout ArchiveBuilder) -> Value? {
        guard let index = archive.fields(item.index)?[key] else { return nil }
        return field(index, &builder, depth: 0)
    }

    private mutating func field(_ index: Int, _ builder: inout ArchiveBuilder, depth: Int) -> Value? {
        switch archive.list.objects[index] {
        case .uid: return reference(archive.item(index), &builder)
        case .bool(let value): return .bool(value)
        case .int(let value): return .int(value)
        case .wide(let value): return .wide(value)
        case .real(let value): return .real(value)
        case .string(let text): return .string(text)
        case .data(let data): return .data(data)
        case .array(let elements):
            guard depth == 0 else { return nil }
            return .array(elements.compactMap { field($0, &builder, depth: 1) })
        case .date, .dictionary, .null: return nil
        }
    }

    func chain(_ item: ArchivedItem) -> [String] {
        archive.classChain(item.index) ?? [item.className ?? "NSObject"]
    }
}
