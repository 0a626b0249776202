import RecordModel
import RecordStorage
import TestSeeds
import Testing

/// Opening and closing.
enum LifecycleRules {
    static let all = [
        opensAgain, refusesClosed, closingWaits, tokensAndUsers,
    ]

    static let opensAgain = StoreRule(
        "All that was stored is there after closing and opening again", isForDurable: true
    ) { engine in
        let directory = try TemporaryDirectory()
        let first = try await engine.open(directory)
        let ground = try await Ground.make(first)
        let tenant = ground.tenant
        try await first.write { store in
            for number in 0..<50 { try ground.save("r\(number)", ["n": .int64(Int64(number))], in: store) }
            try ground.delete("r7", in: store)
            try store.insert(
                TokenRow(kind: .api, tenant: tenant, user: nil, label: "app", createdAt: 5, expiresAt: nil),
                digest: [1])
            try store.insert(UserRow(tenant: tenant, recordName: "_a", label: "alice", createdAt: 6))
            try store.setRoles(["Editor", "Chief ü"], ofUserNamed: "_a", tenant: tenant)
            try store.setRoles(["Editor"], ofUserNamed: "_nobody", tenant: tenant)
        }
        let schema = first.schema(of: tenant)
        let sequence = try await first.read(.short) { try $0.lastSequence() }
        await first.close()
        #expect(first.health == .closed)

        let second = try await engine.open(directory)
        #expect(second.schema(of: tenant) == schema)
        #expect(second.health == .good)
        try await second.read(.long) { store throws in
            #expect(try store.lastSequence() == sequence)
            #expect(try ground.names(ground.scan(), in: store).names.count == 49)
            #expect(try store.token(digest: [1])?.label == "app")
            #expect(try store.users(of: tenant).map(\.label) == ["alice"])
            #expect(try store.user(named: "_a", of: tenant)?.roles == ["Editor", "Chief ü"])
            #expect(try store.users(of: tenant).map(\.roles) == [["Editor", "Chief ü"]])
            #expect(try store.tenants() == [tenant])
        }
        #expect(try await second.write { try $0.nextSequence() } > sequence)
        await second.close()
    }

    static let refusesClosed = StoreRule("A closed store refuses, and may be closed again") { engine in
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        await store.close()
        await store.close()
        for attempt in ["read", "long", "write"] {
            let error = await #expect(throws: StorageError.self) {
                switch attempt {
                case "read": _ = try await store.read(.short) { try $0.lastSequence() }
                case "long": _ = try await store.read(.long) { try $0.lastSequence() }
                default: _ = try await store.write { try $0.nextSequence() }
                }
            }
            #expect(error?.code == "STORAGE_CLOSED")
        }
    }

    static let closingWaits = StoreRule("Closing waits for what was begun", isForDurable: true) { engine in
        let directory = try TemporaryDirectory()
        let store = try await engine.open(directory)
        let ground = try await Ground.make(store)
        let done = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    do {
                        try await store.write { try ground.save("r\(number)", in: $0) }
                        return true
                    } catch {
                        #expect((error as? StorageError)?.code == "STORAGE_CLOSED")
                        return false
                    }
                }
            }
            group.addTask {
                await store.close()
                return false
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        // What was acknowledged is there, and no more.
        let again = try await engine.open(directory)
        let found = try await again.read(.long) { try ground.names(ground.scan(), in: $0).names.count }
        #expect(found == done)
        await again.close()
    }

    static let tokensAndUsers = StoreRule("Tokens and users are kept by tenant, the newest first") { engine in
        try await engine.run { store in
            let tenant = try Ground.tenant()
            let other = try Ground.tenant("iCloud.test", .production)
            try await store.write { store in
                for (number, tenant) in [tenant, tenant, other].enumerated() {
                    let row = TokenRow(
                        kind: number == 1 ? .web : .api, tenant: tenant, user: number == 1 ? "_a" : nil,
                        label: "t\(number)",
                        createdAt: Int64(number), expiresAt: number == 1 ? 99 : nil)
                    try store.insert(row, digest: [UInt8(number)])
                    try store.insert(
                        UserRow(
                            tenant: tenant, recordName: "_u\(number)", label: "u\(number)",
                            createdAt: Int64(number)))
                }
            }
            try await store.read(.short) { store throws in
                #expect(try store.identifiedTokens(of: tenant).map(\.row.label) == ["t1", "t0"])
                #expect(try store.identifiedTokens(of: other).map(\.row.label) == ["t2"])
                #expect(try store.users(of: tenant).map(\.label) == ["u1", "u0"])
                let web = try store.token(digest: [1])
                #expect(
                    web
                        == TokenRow(
                            kind: .web, tenant: tenant, user: "_a", label: "t1", createdAt: 1, expiresAt: 99))
                #expect(try store.token(digest: [9]) == nil)
            }
            try await store.write { try $0.deleteToken(digest: [1]) }
            #expect(try await store.read(.short) { try $0.token(digest: [1]) } == nil)
            // A name stands for one user of a tenant.
            await #expect(throws: StorageError.self) {
                try await store.write {
                    try $0.insert(UserRow(tenant: tenant, recordName: "_new", label: "u0", createdAt: 9))
                }
            }
            #expect(store.health == .good)
        }
    }
}
