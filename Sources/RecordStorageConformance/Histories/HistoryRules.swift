import RecordStorage
import RecordStorageMemory
import TestSeeds
import Testing

/// Every engine is what the engine in memory is: after the same history, the same answers.
enum HistoryRules {
    static let all = [model]

    static let model = StoreRule(
        "After a random history an engine answers as the model does", seeds: Seed.some(12)
    ) { engine, seed in
        try await engine.run { store in
            let model = MemoryStore()
            let tenant = try Ground.tenant()
            for step in 0..<120 {
                let history = StoreHistory(
                    tenant: tenant, random: Random(seed: seed.value &+ UInt64(step) &* 7_919))
                let told = (try await history.step(store), try await history.step(model))
                try #require(told.0 == told.1, "step \(step)")
                guard step % 10 == 9 else { continue }
                let answers = (try await history.answers(store), try await history.answers(model))
                for (line, expected) in zip(answers.0, answers.1) where line != expected {
                    Issue.record("After step \(step):\n\(line)\nand not\n\(expected)")
                    return
                }
                try #require(answers.0.count == answers.1.count)
                let usage = try await history.usage(model)
                // What a removal left to the background counts until it is done.
                #expect(
                    try await eventually(within: .seconds(20)) { try await history.usage(store) == usage },
                    "step \(step)")
            }
        }
    }
}
