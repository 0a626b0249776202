import RecordModel
import RecordStorage
import TestSupport
import Testing

@Suite struct SchemaTests {
    @Test(arguments: StoreEngine.allCases)
    func `Types and fields come to be, apart for each tenant`(_ engine: StoreEngine) async throws {
        try await engine.run { store in
            let tenant = try Ground.tenant()
            let other = try Ground.tenant("iCloud.other")
            #expect(store.schema(of: tenant).types.isEmpty)
            let types = try await store.write { store in
                let type = try store.makeType(named: "Note", tenant: tenant)
                #expect(try store.makeType(named: "Note", tenant: tenant) == type)
                let foreign = try store.makeType(named: "Note", tenant: other)
                #expect(foreign.id != type.id)
                var changed = type
                for scalar in FieldType.Scalar.allCases {
                    for fieldType in [FieldType(scalar), .list(scalar)] {
                        changed = try store.addField(
                            named: "\(scalar)\(fieldType.isList)", type: fieldType,
                            indexes: .all(for: fieldType), to: changed, tenant: tenant)
                    }
                }
                // The write sees what it made itself.
                #expect(try store.schema(of: tenant).types["Note"] == changed)
                return [changed, foreign]
            }
            #expect(store.schema(of: tenant).types["Note"] == types[0])
            #expect(store.schema(of: other).types["Note"] == types[1])
            #expect(types[0].fields.count == 16)
            #expect(Set(types[0].fields.map(\.column)).count == 16)
            #expect(try await store.read(.short) { try $0.schema(of: tenant) } == store.schema(of: tenant))
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func `Indexes of a field change, and its values stay`(_ engine: StoreEngine) async throws {
        try await engine.run { store in
            let ground = try await Ground.make(store)
            try await store.write { try ground.save("a", ["n": .int64(5)], in: $0) }
            for indexes in [FieldIndexes.queryable, [], .queryable] {
                let type = try #require(store.schema(of: ground.tenant).types["Note"])
                try await store.write { store in
                    if indexes != [] || type["n"]?.indexes != [] {
                        try store.setIndexes(
                            indexes == [] ? .sortable : indexes, ofField: "n", in: type, tenant: ground.tenant
                        )
                    }
                }
            }
            let type = try #require(store.schema(of: ground.tenant).types["Note"])
            #expect(type["n"]?.indexes == .queryable)
            let later = Ground(tenant: ground.tenant, zone: ground.zone, type: type)
            let scan = later.scan(.compare(try later.column("n"), .equal, .int(5)))
            #expect(try await store.read(.long) { try later.names(scan, in: $0).names } == ["a"])
        }
    }

    @Test(arguments: StoreEngine.allCases)
    func `Databases and zones are found by name, deleted ones are not`(_ engine: StoreEngine) async throws {
        try await engine.run { store in
            let tenant = try Ground.tenant()
            let ids = ["_a", "_b", nil].map { DatabaseID(tenant: tenant, owner: $0) }
            #expect(try await store.read(.short) { try $0.database(ids[0]) } == nil)
            let numbers = try await store.write { store in try ids.map { try store.makeDatabase($0) } }
            #expect(Set(numbers).count == 3)
            #expect(try await store.write { store in try ids.map { try store.makeDatabase($0) } } == numbers)
            let zone = try await store.write { try $0.makeZone(named: "Z", in: numbers[0]) }
            await #expect(throws: StorageError.self) {
                try await store.write { try $0.makeZone(named: "Z", in: numbers[0]) }
            }
            try await store.read(.short) { store throws in
                #expect(try store.zones(in: numbers[0]).map(\.name) == ["Z", "_defaultZone"])
                #expect(try store.zones(in: numbers[1]).map(\.name) == ["_defaultZone"])
                #expect(try store.zone(named: "Z", in: numbers[0]) == zone)
                #expect(try store.zone(named: "Z", in: numbers[1]) == nil)
                #expect(try store.zone(named: "z", in: numbers[0]) == nil)
            }
            try await store.write { try $0.deleteZone(zone) }
            let again = try await store.write { store in
                #expect(try store.zone(named: "Z", in: numbers[0]) == nil)
                return try store.makeZone(named: "Z", in: numbers[0])
            }
            #expect(again.id != zone.id)
            let changed = try await store.read(.short) {
                try $0.zones(in: numbers[0], changedAfter: zone.sequence, limit: 10)
            }
            #expect(changed.map(\.id) == [zone.id, again.id])
            #expect(changed.map(\.isDeleted) == [true, false])
            #expect(
                try await store.read(.short) { try $0.zones(in: numbers[0], changedAfter: 0, limit: 10) }.map(
                    \.id) == [again.id])
        }
    }
}
