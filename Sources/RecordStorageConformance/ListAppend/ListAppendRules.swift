import TestSeeds
import Testing

/// One order that everybody saw, over all nodes.
enum ListAppendRules {
    static let all = [appends]

    static let appends = StoreRule(
        "Transactions of many clients, over nodes where there are several, have one order",
        seeds: Seed.some(6)
    ) { engine, seed in
        try await engine.run(nodes: 2) { stores in
            let history = try await ListAppendHistory(stores)
            let (findings, stored, refused, unknown) = try await history.run(
                clients: 6, transactions: 25, seed)
            for finding in findings { Issue.record("\(finding)") }
            #expect(stored > 0 && refused > 0 && unknown == 0)
        }
    }
}
