import RecordModel
import RecordStorage
import TestSeeds
import Testing

/// What is kept of requests with idempotency keys.
enum KeptOutcomeRules {
    static let all = [
        withItsWrite, oldestGo, forgotten,
    ]

    private static func row(_ key: UInt8, at time: Int64, bytes: Int = 3) -> IdempotencyRecord {
        IdempotencyRecord(
            key: [0, key], request: [key, 0, 255], createdAt: time,
            outcome: Array(repeating: key, count: bytes))
    }

    private static let room = Int64(1 << 30)

    static let withItsWrite = StoreRule("An outcome is there with its write, and not without it") { engine in
        try await engine.run { store in
            try await store.write { try $0.keep(Self.row(1, at: 10), room: Self.room) }
            await #expect(throws: TestFailure.self) {
                try await store.write { store in
                    try store.keep(Self.row(2, at: 11), room: Self.room)
                    #expect(try store.keptOutcome(of: [0, 2]) == Self.row(2, at: 11))
                    throw TestFailure("undone")
                }
            }
            try await store.read(.short) { store throws in
                #expect(try store.keptOutcome(of: [0, 1]) == Self.row(1, at: 10))
                #expect(try store.keptOutcome(of: [0, 2]) == nil)
                #expect(try store.keptOutcome(of: [1]) == nil)
            }
            // A later request takes the key over.
            var later = Self.row(1, at: 20, bytes: 0)
            later.request = [7]
            try await store.write { [later] in try $0.keep(later, room: Self.room) }
            #expect(try await store.read(.short) { try $0.keptOutcome(of: [0, 1]) } == later)
        }
    }

    static let oldestGo = StoreRule("What takes more room than there is lets the oldest go") { engine in
        try await engine.run { store in
            let each = Limits.keptOutcomeOverheadBytes + 10
            try await store.write { store in
                for key in 0..<100 as Range<UInt8> {
                    try store.keep(Self.row(key, at: 1, bytes: 10), room: Int64(each * 30))
                }
            }
            let left = try await store.read(.short) { store in
                try (0..<100 as Range<UInt8>).filter { try store.keptOutcome(of: [0, $0]) != nil }
            }
            #expect(left == Array(70..<100))
        }
    }

    static let forgotten = StoreRule("Those of before a time are forgotten in slices") { engine in
        try await engine.run { store in
            try await store.write { store in
                for key in 0..<10 as Range<UInt8> {
                    try store.keep(Self.row(key, at: Int64(key)), room: Self.room)
                }
            }
            var counts: [Int] = []
            for _ in 0..<4 {
                counts.append(try await store.write { try $0.forgetKeptOutcomes(before: 7, limit: 3) })
            }
            #expect(counts == [3, 3, 1, 0])
            let left = try await store.read(.short) { store in
                try (0..<10 as Range<UInt8>).filter { try store.keptOutcome(of: [0, $0]) != nil }
            }
            #expect(left == [7, 8, 9])
        }
    }
}
