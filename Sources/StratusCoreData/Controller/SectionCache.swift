/// The section names of a list on disk: for each object in the order of the fetch the section it is in, as runs.
///
/// It is of use where section names are read over relationships or computed; see
/// ``NSFetchedResultsController/deleteCache(withName:)`` for when it is trusted.
struct SectionCache {
    private let file: URL
    private let fingerprint: String
    private let store: any FileStore
    /// The state of the store before the fetch.
    private let state: String

    struct Content: Codable {
        var fingerprint: String
        var state: String
        var names: [String]
        /// Pairs of the index of a name and a number of objects.
        var runs: [Int]
        var checksum: UInt64

        /// A number over everything that decides what the cache says.
        var expectedChecksum: UInt64 {
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
            for text in [fingerprint, state] + names {
                for byte in text.utf8 { add(byte) }
                add(0xff)
            }
            for number in runs { withUnsafeBytes(of: number.littleEndian) { for byte in $0 { add(byte) } } }
            return hash
        }
    }

    /// Nil where the fetch is not one that can be cached: unsaved changes count, or there is no single file.
    init?(name: String, core: ResultsCore, basis: ResultsCore.Basis) {
        let context = core.context
        let fetch = basis.plan.fetch
        guard let sectionKeyPath = core.sectionKeyPath, context.parent == nil, context.generation == nil,
            let coordinator = context.ownCoordinator,
            // Without one store there is no cache; the fetch itself says what is wrong.
            let store = (try? coordinator.onlyStore(for: fetch)) ?? nil,
            store.type == NSSQLiteStoreType, let store = store as? any FileStore,
            let state = store.fileState,
            !context.changed.contains(where: { $0.hasChanges && core.wantsNotice($0, basis) })
        else { return nil }
        self.store = store
        self.state = state
        file = SectionCacheFiles.file(name)
        fingerprint = Self.fingerprint(fetch, basis, sectionKeyPath, store)
    }

    private static func fingerprint(
        _ fetch: StoreFetch, _ basis: ResultsCore.Basis, _ sectionKeyPath: String, _ store: NSPersistentStore
    ) -> String {
        let numbers = basis.family.union(basis.dependencies.entityNumbers).sorted()
        let model = store.persistentStoreCoordinator?.managedObjectModel
        let entities = numbers.compactMap { model?.entitiesByNumber[$0] }.map { entity in
            let properties = entity.properties.sorted { $0.name < $1.name }.map { property in
                let type = (property as? NSAttributeDescription)?.attributeType.rawValue ?? 0
                return "\(property.name):\(type):\(property.versionHashModifier ?? "")"
            }
            return
                "\(entity.name ?? "")(\(properties.joined(separator: ",")))\(entity.versionHashModifier ?? "")"
        }
        let sorts = fetch.sort.map { "\($0.path.joined(separator: ".")) \($0.ascending) \($0.comparison)" }
        return [
            "1", store.identifier ?? "", fetch.entity.name ?? "", "\(fetch.includesSubentities)",
            fetch.predicate.map { "\($0)" } ?? "", sorts.joined(separator: ","),
            "\(fetch.limit) \(fetch.offset)",
            sectionKeyPath, Locale.current.identifier, entities.joined(separator: ";"),
        ].joined(separator: "\n")
    }

    /// The section name of each object; nil where the cache is missing, of another state, or damaged.
    func read(count: Int) -> [String]? {
        // Without the file the sections are counted again.
        guard RegularFile.kind(file.path) == .regular, let data = try? Data(contentsOf: file),
            let content = try? JSONDecoder().decode(Content.self, from: data),
            content.fingerprint == fingerprint, content.state == state, store.fileState == state,
            content.checksum == content.expectedChecksum, content.runs.count.isMultiple(of: 2)
        else { return nil }
        var names: [String] = []
        names.reserveCapacity(count)
        for place in stride(from: 0, to: content.runs.count, by: 2) {
            let (index, length) = (content.runs[place], content.runs[place + 1])
            guard content.names.indices.contains(index), length > 0, length <= count - names.count else {
                return nil
            }
            names += repeatElement(content.names[index], count: length)
        }
        return names.count == count ? names : nil
    }

    /// Keeps the section names; where the store changed during the fetch, or the disk refuses, nothing is kept.
    func write(_ sections: [String]) {
        guard store.fileState == state else { return }
        var names: [String] = []
        var indexes: [String: Int] = [:]
        var runs: [Int] = []
        var last = -1
        for section in sections {
            let index = indexes[section] ?? names.count
            if index == names.count {
                indexes[section] = index
                names.append(section)
            }
            if index == last {
                runs[runs.count - 1] += 1
            } else {
                runs += [index, 1]
                last = index
            }
        }
        var content = Content(fingerprint: fingerprint, state: state, names: names, runs: runs, checksum: 0)
        content.checksum = content.expectedChecksum
        // Without the file the sections are counted again, which takes longer.
        guard let data = try? JSONEncoder().encode(content) else { return }
        // Without the folder the next line writes nothing.
        try? FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        // What else has the name stays, and the sections are counted again.
        guard [.nothing, .regular].contains(RegularFile.kind(file.path)) else { return }
        // Without the file the sections are counted again.
        try? data.write(to: file, options: .atomic)
    }
}

/// Where caches are.
enum SectionCacheFiles {
    static var directory: URL {
        let environment = ProcessInfo.processInfo.environment
        let base =
            environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0) : nil }
            ?? environment["HOME"].map { URL(fileURLWithPath: $0).appendingPathComponent(".cache") }
            ?? FileManager.default.temporaryDirectory
        return base.appendingPathComponent("stratus-coredata")
    }

    static func file(_ name: String) -> URL {
        let safe = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "cache"
        return directory.appendingPathComponent("\(safe).sections.json")
    }

    /// Removes the cache of a name, or all. One that stays is passed over once its store has changed.
    static func delete(_ name: String?) {
        if let name {
            // See above.
            try? RegularFile.remove(file(name).path)
            return
        }
        let files =
            // Where there is no folder, there is no cache.
            (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil))
            ?? []
        for file in files where file.lastPathComponent.hasSuffix(".sections.json") {
            // One that stays is compared with the store before it is used.
            try? RegularFile.remove(file.path)
        }
    }
}
