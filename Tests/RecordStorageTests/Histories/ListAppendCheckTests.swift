import RecordStorageConformance
import Testing

/// The check of list-append histories finds what it is for, and nothing where nothing is wrong.
@Suite struct ListAppendCheckTests {
    private static func findings(_ transactions: [ListTransaction], _ lists: [Int: [Int]]) -> [String] {
        ListAppendCheck(transactions, lists: lists).findings
    }

    private static func write(
        _ list: Int, _ values: Int..., at time: Int, until end: Int? = nil,
        _ outcome: ListTransaction.Outcome = .stored
    ) -> ListTransaction {
        ListTransaction(
            values.map { .append(list: list, value: $0) }, outcome: outcome, began: time,
            ended: end ?? time + 1)
    }

    private static func read(
        _ lists: [(Int, [Int])], at time: Int, until end: Int? = nil
    ) -> ListTransaction {
        ListTransaction(
            lists.map { .read(list: $0.0, values: $0.1) }, began: time, ended: end ?? time + 1)
    }

    @Test func `A history that one after the other explains has no findings`() {
        let own = ListTransaction(
            [.read(list: 0, values: [1]), .append(list: 0, value: 2), .read(list: 0, values: [1, 2])],
            began: 4, ended: 5)
        let history = [
            Self.write(0, 1, at: 1), own, Self.write(1, 3, at: 2, until: 9, .unknown),
            Self.write(1, 4, at: 3, .refused), Self.read([(0, [1, 2]), (1, [])], at: 6, until: 8),
        ]
        #expect(Self.findings(history, [0: [1, 2], 1: [3]]).isEmpty)
        #expect(Self.findings(history, [0: [1, 2], 1: []]).isEmpty)
    }

    @Test(
        arguments: [
            // Acknowledged and lost; refused and there; twice; of nobody.
            ([write(0, 1, at: 1)], [0: []]),
            ([write(0, 1, at: 1, .refused)], [0: [1]]),
            ([write(0, 1, at: 1)], [0: [1, 1]]),
            ([], [0: [1]]),
            // Half of a transaction, stored and seen.
            ([write(0, 1, 2, at: 1, .unknown)], [0: [1]]),
            ([write(0, 1, 2, at: 1), read([(0, [1])], at: 1)], [0: [1, 2]]),
            // A lost update: two that saw the same.
            ([write(0, 1, at: 1), write(0, 2, at: 1), read([(0, [2])], at: 3)], [0: [1, 2]]),
            // Seen in two orders: the one first and the other first.
            (
                [
                    write(0, 1, at: 1, until: 9), write(1, 2, at: 1, until: 9),
                    read([(0, [1]), (1, [])], at: 2, until: 3), read([(0, []), (1, [2])], at: 2, until: 3),
                ], [0: [1], 1: [2]]
            ),
            // Old news: acknowledged before the question, and not seen.
            ([write(0, 1, at: 1), read([(0, [])], at: 5)], [0: [1]]),
            // The state changes under a reader.
            ([write(0, 1, at: 1, until: 9), read([(0, []), (0, [1])], at: 2)], [0: [1]]),
        ] as [([ListTransaction], [Int: [Int]])])
    func `An anomaly is found`(_ history: [ListTransaction], _ lists: [Int: [Int]]) {
        #expect(!Self.findings(history, lists).isEmpty)
    }

    @Test func `Write skew is found: each read what the other then wrote`() {
        let first = ListTransaction(
            [.read(list: 0, values: []), .append(list: 1, value: 1)], began: 1, ended: 9)
        let second = ListTransaction(
            [.read(list: 1, values: []), .append(list: 0, value: 2)], began: 1, ended: 9)
        #expect(Self.findings([first, second], [0: [2], 1: [1]]).first?.contains("No order") == true)
    }
}
