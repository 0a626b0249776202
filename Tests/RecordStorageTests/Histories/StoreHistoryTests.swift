import RecordModel
import RecordStorage
import TestSupport
import Testing

/// Every engine is what the engine in memory is: after the same history, the same answers.
@Suite struct StoreHistoryTests {
    @Test(arguments: StoreEngine.allCases.filter { $0 != .memory }, Seed.some(12))
    func `After a random history an engine answers as the model does`(_ engine: StoreEngine, _ seed: Seed)
        async throws
    {
        try await engine.run { store in
            try await StoreEngine.memory.run { model in
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
                        try await eventually(within: .seconds(20)) {
                            try await history.usage(store) == usage
                        },
                        "step \(step)")
                }
            }
        }
    }
}
