import RecordModel
import RecordStorage
import TestSeeds
import Testing

/// Operators, and what they did.
enum OperatorRules {
    static let all = [
        operatorGoes, endedTokens, auditLimit, auditSubjects,
    ]

    static let operatorGoes = StoreRule("An operator goes with all that lets them in") { engine in
        try await engine.run { store in
            try await store.write { store in
                for name in ["bob", "ada"] { try store.insert(OperatorRow(name: name, createdAt: 1)) }
                let kinds: [OperatorTokenRow.Kind] = [
                    .secret, .link, .session, .ticket, .oneTimeCode, .recoveryCode,
                ]
                for (number, kind) in kinds.enumerated() {
                    for (offset, name) in ["ada", "bob"].enumerated() {
                        try store.insert(
                            OperatorTokenRow(kind: kind, operatorName: name, createdAt: 2, expiresAt: 3),
                            digest: [UInt8(number), UInt8(offset)])
                    }
                }
            }
            #expect(try await store.read(.short) { try $0.operators().map(\.name) } == ["ada", "bob"])
            try await store.write { try $0.deleteOperator(named: "ada") }
            try await store.read(.short) { store throws in
                #expect(try store.operators().map(\.name) == ["bob"])
                #expect(try store.operatorToken(digest: [2, 0]) == nil)
                #expect(try store.operatorToken(digest: [2, 1])?.kind == .session)
            }
            // The same name may come back, and starts with nothing.
            try await store.write { try $0.insert(OperatorRow(name: "ada", createdAt: 9)) }
            await #expect(throws: (any Error).self) {
                try await store.write { try $0.insert(OperatorRow(name: "bob", createdAt: 9)) }
            }
        }
    }

    static let endedTokens = StoreRule("Tokens that ended are forgotten, others stay") { engine in
        try await engine.run { store in
            try await store.write { store in
                for (digest, end) in [(1, 99), (2, 100), (3, nil)] as [(UInt8, Int64?)] {
                    try store.insert(
                        OperatorTokenRow(kind: .link, operatorName: "ada", createdAt: 0, expiresAt: end),
                        digest: [digest])
                }
                try store.deleteOperatorTokens(expiredBefore: 100)
            }
            let left = try await store.read(.short) { store throws in
                try [1, 2, 3].filter { try store.operatorToken(digest: [$0]) != nil }
            }
            #expect(left == [2, 3])
        }
    }

    static let auditLimit = StoreRule("The audit log keeps the newest, up to its limit") { engine in
        try await engine.run { store in
            let tenant = try Ground.tenant()
            @Sendable func row(_ number: Int) -> AuditRow {
                AuditRow(
                    at: Int64(number), operatorName: "ada", action: "record.save",
                    tenant: number % 2 == 0 ? tenant : nil, subject: "\(number)", requestID: "r")
            }
            try await store.write { store in
                for number in 0..<Limits.auditEntries { try store.insert(row(number)) }
            }
            try await store.read(.long) { store throws in
                let all = try store.audit(before: nil, limit: Limits.auditEntries + 10)
                #expect(all.count == Limits.auditEntries)
                #expect(all.last?.subject == "0" && all.last?.tenant == tenant)
            }
            try await store.write { try $0.insert(row(-1)) }
            try await store.read(.long) { store throws in
                let all = try store.audit(before: nil, limit: Limits.auditEntries + 10)
                #expect(all.count == Limits.auditEntries)
                #expect(all.first?.subject == "-1" && all.last?.subject == "1")
                let page = try store.audit(before: all[1].id, limit: 2)
                #expect(page.map(\.id) == [all[2].id, all[3].id])
            }
        }
    }

    static let auditSubjects = StoreRule("The audit log is asked for subjects of one tenant") { engine in
        try await engine.run { store in
            let tenant = try Ground.tenant()
            let other = Tenant(container: tenant.container, environment: .production)
            try await store.write { store in
                for (tenant, subject) in [
                    (tenant, "a (1)"), (tenant, "a (2)"), (other, "a (2)"), (nil, "a (2)"),
                    (tenant, "b \"'_%"),
                ] {
                    try store.insert(
                        AuditRow(
                            at: 1, operatorName: "ada", action: "record.save", tenant: tenant,
                            subject: subject, requestID: "r"))
                }
            }
            try await store.read(.short) { store throws in
                func found(_ subjects: [String], _ prefix: String?) throws -> [String] {
                    let rows = try store.audit(of: tenant, subjects: subjects, prefix: prefix)
                    #expect(rows.allSatisfy { $0.tenant == tenant && $0.operatorName == "ada" })
                    return rows.map(\.subject)
                }
                #expect(try found([], nil) == [])
                #expect(try found(["a (2)", "b \"'_%", "c"], nil) == ["b \"'_%", "a (2)"])
                #expect(try found([], "a (") == ["a (2)", "a (1)"])
                #expect(try found(["a (1)"], "b _") == ["a (1)"])
            }
        }
    }
}
