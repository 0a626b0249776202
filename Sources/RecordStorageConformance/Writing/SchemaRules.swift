import RecordModel
import RecordStorage
import TestSeeds
import Testing

/// Types, fields, databases and zones.
enum SchemaRules {
    static let all = [
        typesAndFields, indexesChange, databasesAndZones,
    ]

    static let typesAndFields = StoreRule("Types and fields are made, apart for each tenant") { engine in
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

    static let indexesChange = StoreRule("Indexes of a field change, and its values stay") { engine in
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

    static let databasesAndZones = StoreRule("Databases and zones are found by name, deleted ones are not") {
        engine in
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

/// What goes with a field or a type.
enum SchemaRemovalRules {
    static let all = [
        removedField, removedType,
    ]

    static let removedField = StoreRule("A removed field's number is never given again") { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            try await store.write { store in
                try ground.save("a", ["n": .int64(1), "t": .string("x")], in: store)
                var type = try store.removeField(named: "t", from: ground.type, tenant: ground.tenant)
                #expect(type.fields.map(\.name) == ["n"])
                type = try store.addField(
                    named: "t", type: FieldType(.string), indexes: .queryable, to: type,
                    tenant: ground.tenant)
                #expect(type["t"]?.column == 3)
            }
            let type = try #require(store.schema(of: ground.tenant).types["Note"])
            let later = Ground(tenant: ground.tenant, zone: ground.zone, type: type)
            let missing = later.scan(.compare(try later.column("t"), .equal, .null))
            #expect(try await store.read(.long) { try later.names(missing, in: $0).names } == ["a"])
        }
    }

    static let removedType = StoreRule("A removed type takes its records, and a failed removal takes nothing")
    { engine in
        try await engine.run { store in
            let ground = try await Ground.make(store)
            let other = try await Ground.make(store, type: "Other")
            try await store.write { store in
                try ground.save("a", in: store)
                try other.save("b", in: store)
            }
            struct Failure: Error {}
            await #expect(throws: Failure.self) {
                try await store.write { store in
                    try store.removeType(ground.type, tenant: ground.tenant)
                    throw Failure()
                }
            }
            #expect(try await store.read(.short) { try $0.recordCount(of: ground.type) } == 1)
            try await store.write { try $0.removeType(ground.type, tenant: ground.tenant) }
            #expect(store.schema(of: ground.tenant).types.keys.sorted() == ["Other"])
            try await store.read(.short) { store throws in
                #expect(try store.record(named: "a", in: ground.zone.id) == nil)
                #expect(try store.record(named: "b", in: ground.zone.id) != nil)
                #expect(try store.databases(of: ground.tenant) == [ground.zone.database])
            }
            // The name is free for a type of another number.
            let again = try await store.write { try $0.makeType(named: "Note", tenant: ground.tenant) }
            #expect(again.id != ground.type.id)
        }
    }
}
