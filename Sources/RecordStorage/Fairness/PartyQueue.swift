internal import DequeModule

/// A line in which parties take turns: who comes with many stands behind whoever comes with one, however late.
///
/// The first of each party is in the order in which the parties came; of one party, who came first is first. Taking somebody out of
/// it puts the party at the end.
package struct PartyQueue<Party: Hashable, Element> {
    private var lines: [Party: Deque<Element>] = [:]
    /// The parties of which somebody stands in line, the next first.
    private var order: Deque<Party> = []
    /// How many stand in line.
    package private(set) var count = 0

    /// Makes a line in which nobody stands.
    package init() {}

    /// Whether nobody stands in line.
    package var isEmpty: Bool { count == 0 }

    /// Whose turn it is; nil where nobody stands in line.
    package var first: Element? { order.first.flatMap { lines[$0]?.first } }

    /// How many parties there are of which somebody stands in line.
    package var parties: Int { order.count }

    /// How many stand in line of a party.
    package func count(of party: Party) -> Int { lines[party]?.count ?? 0 }

    /// Puts somebody at the end of the line of its party.
    package mutating func append(_ element: Element, of party: Party) {
        if lines[party] == nil { order.append(party) }
        lines[party, default: []].append(element)
        count += 1
    }

    /// Takes out whose turn it is, with its party; nil where nobody stands in line.
    package mutating func popFirst() -> (party: Party, element: Element)? {
        guard let party = order.popFirst(), let element = lines[party]?.popFirst() else { return nil }
        if lines[party]?.isEmpty == true { lines[party] = nil } else { order.append(party) }
        count -= 1
        return (party, element)
    }

    /// The party of which most stand in line, of several the one whose turn comes last; nil where nobody does.
    package var largest: Party? {
        order.reversed().max { lines[$0, default: []].count < lines[$1, default: []].count }
    }

    /// Takes out who came last of a party; nil where nobody of it stands in line.
    package mutating func popLast(of party: Party) -> Element? {
        guard let index = lines[party]?.indices.last else { return nil }
        return remove(at: index, of: party)
    }

    /// Takes out the first of a party that is meant; nil where none is.
    package mutating func removeFirst(of party: Party, where isMeant: (Element) -> Bool) -> Element? {
        guard let index = lines[party]?.firstIndex(where: isMeant) else { return nil }
        return remove(at: index, of: party)
    }

    private mutating func remove(at index: Int, of party: Party) -> Element? {
        let element = lines[party]?.remove(at: index)
        if lines[party]?.isEmpty == true {
            lines[party] = nil
            order.removeAll { $0 == party }
        }
        count -= 1
        assert(count >= 0 && order.count == lines.count)
        return element
    }
}
