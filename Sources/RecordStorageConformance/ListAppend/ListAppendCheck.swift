/// Says what is wrong with a history of transactions on lists: nothing, where they could have come one after the other, each
/// between its question and its answer (strict serialisability).
package struct ListAppendCheck {
    private let transactions: [ListTransaction]
    /// What the lists have in the end.
    private let lists: [Int: [Int]]
    /// Who appended a value.
    private let writers: [Int: Int]
    package private(set) var findings: [String] = []

    /// Checks a history.
    ///
    /// - Parameters:
    ///   - transactions: all of them, in any order.
    ///   - lists: what the lists have after the last one.
    package init(_ transactions: [ListTransaction], lists: [Int: [Int]]) {
        self.transactions = transactions
        self.lists = lists
        var writers: [Int: Int] = [:]
        for (index, transaction) in transactions.enumerated() {
            for append in transaction.appends { writers[append.value] = index }
        }
        self.writers = writers
        checkLists()
        for (index, transaction) in transactions.enumerated() where transaction.outcome == .stored {
            checkReads(of: transaction, index)
        }
        if findings.isEmpty, let cycle = cycle() {
            findings.append("No order explains " + cycle.map(line).joined(separator: " before "))
        }
    }

    private func line(_ index: Int) -> String { "\(index) \(transactions[index].steps)" }

    private mutating func checkLists() {
        for (list, values) in lists {
            if Set(values).count != values.count {
                findings.append("List \(list) has a value twice: \(values)")
            }
            for value in values {
                guard let writer = writers[value] else {
                    findings.append("List \(list) has \(value), which nobody appended.")
                    continue
                }
                if transactions[writer].outcome == .refused {
                    findings.append(
                        "List \(list) has \(value) of a transaction that was refused: \(line(writer))")
                }
            }
        }
        for (index, transaction) in transactions.enumerated() {
            let found = transaction.appends.count { lists[$0.list]?.contains($0.value) == true }
            if transaction.outcome == .stored, found < transaction.appends.count {
                findings.append("What was acknowledged is lost: \(line(index))")
            }
            if transaction.outcome == .unknown, found > 0, found < transaction.appends.count {
                findings.append("Half of a transaction is there: \(line(index))")
            }
        }
    }

    private mutating func checkReads(of transaction: ListTransaction, _ index: Int) {
        for read in transaction.reads {
            let list = lists[read.list] ?? []
            guard list.starts(with: read.values) else {
                findings.append(
                    "\(line(index)) saw what list \(read.list) never was; in the end it is \(list)")
                continue
            }
            // The next value must not be of the transaction that appended the last one.
            guard let last = read.values.last, list.count > read.values.count,
                let writer = writers[last], writer != index, writers[list[read.values.count]] == writer
            else { continue }
            findings.append("\(line(index)) saw half of \(line(writer))")
        }
        var before: [Int: [Int]] = [:]
        var own: [Int: [Int]] = [:]
        for step in transaction.steps {
            switch step {
            case .append(let list, let value): own[list, default: []].append(value)
            case .read(let list, let values):
                guard values.suffix(own[list]?.count ?? 0) == own[list] ?? [] else {
                    findings.append("\(line(index)) did not see its own values.")
                    continue
                }
                let others = Array(values.dropLast(own[list]?.count ?? 0))
                if let seen = before[list], seen != others {
                    findings.append("\(line(index)) saw list \(list) change under it.")
                }
                before[list] = others
            }
        }
    }

    /// Which transactions must come after each one.
    private func successors() -> [Set<Int>] {
        var after = [Set<Int>](repeating: [], count: transactions.count)
        for values in lists.values {
            for (first, second) in zip(values, values.dropFirst()) {
                guard let first = writers[first], let second = writers[second], first != second else {
                    continue
                }
                after[first].insert(second)
            }
        }
        for (index, transaction) in transactions.enumerated() where transaction.outcome == .stored {
            for read in transaction.reads {
                let list = lists[read.list] ?? []
                if let last = read.values.last, let writer = writers[last], writer != index {
                    after[writer].insert(index)
                }
                let later = list.dropFirst(read.values.count).first { writers[$0] != index }
                if let later, let writer = writers[later] { after[index].insert(writer) }
            }
            for (other, earlier) in transactions.enumerated()
            where earlier.outcome == .stored && earlier.ended < transaction.began {
                after[other].insert(index)
            }
        }
        return after
    }

    /// Transactions each of which must come before the next one, and the last before the first.
    private func cycle() -> [Int]? {
        let after = successors()
        var incoming = [Int](repeating: 0, count: after.count)
        for next in after.joined() { incoming[next] += 1 }
        var free = incoming.indices.filter { incoming[$0] == 0 }
        var left = Set(incoming.indices)
        while let index = free.popLast() {
            left.remove(index)
            for next in after[index] {
                incoming[next] -= 1
                if incoming[next] == 0 { free.append(next) }
            }
        }
        // Whoever is left has a predecessor that is left: backwards, one comes round.
        guard var place = left.min() else { return nil }
        var path: [Int] = []
        while !path.contains(place) {
            path.append(place)
            guard let before = left.filter({ after[$0].contains(place) }).min() else { return nil }
            place = before
        }
        return path[(path.firstIndex(of: place) ?? 0)...].reversed()
    }
}
