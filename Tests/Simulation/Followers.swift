import RecordEngine
import RecordModel
import RecordWire

/// A client that keeps a copy of a zone by its change feed.
final class Mirror: Client, @unchecked Sendable {
    private var token: String?
    private var records: [String: (tag: String, operation: Int)] = [:]

    /// Follows for some answers; they may come in small pages.
    func run(times: Int) async {
        for _ in 0..<times where !world.isBroken { _ = await follow() }
    }

    /// Follows to the end, and compares.
    func finish(_ expected: [String: Int]) async {
        while await follow() { if world.isBroken { return } }
        let mirrored = records.mapValues(\.operation)
        guard mirrored != expected else { return }
        let names = Set(mirrored.keys).union(expected.keys).filter { mirrored[$0] != expected[$0] }.sorted()
        world.find("who followed the feed has other records than there are: \(names)")
    }

    private func follow() async -> Bool {
        let place = token.map { #","syncToken":"\#($0)""# } ?? ""
        let limit = world.oneIn(2) ? #","resultsLimit":\#(world.int(1...4))"# : ""
        let reply = await insist(.changesZone, #"{"zones":[{"zoneID":{"zoneName":"Z"}\#(place)\#(limit)}]}"#)
        guard case .answer(let json) = reply, let zone = json["zones"].array?.first,
            let next = zone["syncToken"].string
        else {
            if !world.isBroken { world.find("the feed could not be read: \(reply)") }
            return false
        }
        for record in zone["records"].array ?? [] { take(record) }
        token = next
        return zone["moreComing"].bool == true
    }

    private func take(_ record: JSONValue) {
        guard let name = record["recordName"].string else { return world.find("a change has no name") }
        if record["deleted"].bool == true {
            records[name] = nil
            return
        }
        let tag = record["recordChangeTag"].string ?? ""
        if records[name]?.tag == tag { world.find("the feed told of \(name) as \(tag) again") }
        records[name] = (tag, Ledger.operation(of: record))
    }
}

/// A client that is told of changes by a subscription.
final class Listener: Client, @unchecked Sendable {
    private let receiver: String
    private let start: Int
    /// How many of the events were told.
    private var told = 0
    private var last: (id: String, sequence: Int64)?

    /// - Parameters:
    ///   - receiver: the token of the receiver.
    ///   - start: how many events there were before the subscription.
    init(_ world: World, _ tenant: Tenant, user: String, receiver: String, start: Int) {
        self.receiver = receiver
        self.start = start
        super.init(world, tenant, user: user)
    }

    func run(times: Int) async {
        for _ in 0..<times where !world.isBroken { _ = await next() }
    }

    /// Takes all that is left: nothing may be missing.
    func finish() async {
        while await next() { if world.isBroken { return } }
        let expected = world.disk.events.count - start
        if !world.isBroken, told < expected {
            let missed = world.disk.events[start + told]
            world.find(
                "told of \(told) of \(expected) changes; \(missed.name) was \(missed.kind) at \(missed.sequence)"
            )
        }
    }

    /// Whether there was something.
    private func next() async -> Bool {
        while !world.isBroken {
            let node = world.anyNode()
            let start = node.starts
            do {
                let found = try await node.service.nextNotification(
                    ofReceiver: receiver, after: last?.id, seconds: 0)
                // A lost answer is asked for again.
                if node.starts != start || world.isFaulty(10) { continue }
                guard let found else { return false }
                node.service.noteDelivered(found)
                take(try JSONReader.read(found.json))
                return true
            } catch { continue }
        }
        return false
    }

    private func take(_ payload: JSONValue) {
        let cloud = payload["ck"]
        let event = cloud["qry"]
        let id = cloud["nid"].string ?? ""
        let sequence = Int64(id.filter { $0 != "-" }.prefix(16), radix: 16) ?? -1
        // At least once: what was told already may come again.
        if let last, sequence <= last.sequence { return }
        last = (id, sequence)
        guard start + told < world.disk.events.count else {
            return world.find("told of a change that there was not: \(payload)")
        }
        let expected = world.disk.events[start + told]
        told += 1
        let kind = ["", "created", "updated", "deleted"][Int(min(max(event["fo"].int ?? 0, 0), 3))]
        guard expected.sequence == sequence, expected.name == event["rid"].string,
            expected.kind.rawValue == kind
        else {
            return world.find(
                "told of \(event["rid"].string ?? "?") \(kind) at \(sequence), and next was \(expected.name) "
                    + "\(expected.kind) at \(expected.sequence)")
        }
    }
}
