import RecordEngine
import RecordModel
import RecordWire

/// A client that changes records of its own, with keys and without, and looks at what became of them.
final class Editor: Client, @unchecked Sendable {
    private let ledger: Ledger
    private let name: String
    private let numbers: Numbers
    private let zones: [(name: String, id: Int64)]

    /// Numbers of operations, each given once in a run.
    final class Numbers: @unchecked Sendable {
        private var last = 0

        func next() -> Int {
            last += 1
            return last
        }
    }

    init(
        _ world: World, _ tenant: Tenant, user: String, name: String, ledger: Ledger, numbers: Numbers,
        zones: [(name: String, id: Int64)]
    ) {
        self.ledger = ledger
        self.name = name
        self.numbers = numbers
        self.zones = zones
        super.init(world, tenant, user: user)
    }

    func run(operations: Int) async {
        for _ in 0..<operations where !world.isBroken {
            switch world.int(0...9) {
            case 0, 1: await make()
            case 2: await look()
            case 3: await usage()
            default: await change()
            }
        }
    }

    private func key(_ zone: (name: String, id: Int64), _ number: Int) -> Ledger.Key {
        Ledger.Key(zone: zone.id, name: "\(name)-\(number)")
    }

    private func fields(_ operation: Int) -> String {
        let text = String(repeating: "x", count: world.oneIn(3) ? world.int(0...900) : 10)
        return #""fields":{"n":{"value":\#(operation)},"t":{"value":"\#(text)"}}"#
    }

    private func body(_ operations: [String], zone: String, isAtomic: Bool, hasKey: Bool) -> String {
        var body = #"{"operations":[\#(operations.joined(separator: ","))],"zoneID":{"zoneName":"\#(zone)"}"#
        if isAtomic { body += #","atomic":true"# }
        if hasKey { body += #","idempotencyKey":"\#(name)-key-\#(numbers.next())""# }
        return body + "}"
    }

    /// Makes a record whose name the service chooses: what a repetition could do twice.
    private func make() async {
        let operation = numbers.next()
        let hasKey = !world.oneIn(4)
        let zone = zones[world.int(0...zones.count - 1)]
        let record = #"{"operationType":"create","record":{"recordType":"Note",\#(fields(operation))}}"#
        let body = body([record], zone: zone.name, isAtomic: false, hasKey: hasKey)
        ledger.make(operation, .asked)
        let reply = hasKey ? await insist(.recordsModify, body) : await ask(.recordsModify, body)
        switch reply {
        case .answer(let json):
            ledger.make(operation, Self.codes(json).allSatisfy { $0 == nil } ? .done : .refused)
        case .later, .refused: ledger.make(operation, .refused)
        case .lost: break
        }
    }

    /// Saves or deletes one record, or some as one.
    private func change() async {
        let zone = zones[world.int(0...zones.count - 1)]
        let isAtomic = zone.name == "Z" && world.oneIn(3)
        let first = world.int(0...3)
        let keys = (0..<(isAtomic ? world.int(2...3) : 1)).map { key(zone, (first + $0) % 4) }
        let before = keys.map { ledger.possible($0) }
        let isDeletion = world.oneIn(4)
        let operation = isDeletion ? nil : numbers.next()
        // An operation that cannot be done, behind one that can: nothing of them may stay.
        let isSpoilt = isAtomic && world.oneIn(4)
        var operations = keys.map { key in
            let record =
                operation.map { #""recordType":"Note",\#(fields($0))"# } ?? #""recordType":"Note""#
            return
                #"{"operationType":"\#(isDeletion ? "forceDelete" : "forceReplace")","record":{"recordName":"\#(key.name)",\#(record)}}"#
        }
        if isSpoilt {
            operations.append(
                #"{"operationType":"update","record":{"recordName":"nobody","recordType":"Note","recordChangeTag":"1","fields":{}}}"#
            )
        }
        let hasKey = !world.oneIn(4)
        let body = body(operations, zone: zone.name, isAtomic: isAtomic, hasKey: hasKey)
        ledger.begin(operation, on: keys)
        let reply = hasKey ? await insist(.recordsModify, body) : await ask(.recordsModify, body)
        switch reply {
        case .answer(let json):
            let codes = Self.codes(json)
            if codes.allSatisfy({ $0 == nil }) {
                ledger.end(operation, on: keys)
            } else {
                ledger.refuse(operation, on: keys, before: before)
            }
        case .later, .refused: ledger.refuse(operation, on: keys, before: before)
        case .lost: break
        }
    }

    private static func codes(_ json: JSONValue) -> [String?] {
        (json["records"].array ?? []).map { $0["serverErrorCode"].string }
    }

    /// Looks a record up: what was acknowledged is seen.
    private func look() async {
        let zone = zones[world.int(0...zones.count - 1)]
        let key = key(zone, world.int(0...3))
        let reply = await insist(
            .recordsLookup,
            #"{"records":[{"recordName":"\#(key.name)"}],"zoneID":{"zoneName":"\#(zone.name)"}}"#)
        guard case .answer(let json) = reply else { return }
        let record = json["records"].array?.first ?? .null
        ledger.see(record["serverErrorCode"].string == nil ? Ledger.operation(of: record) : nil, of: key)
    }

    private func usage() async {
        let bytes = await usedBytes()
        if !world.isBroken, !(0...World.quota).contains(bytes) {
            world.find("\(user) was told to have \(bytes) bytes")
        }
    }

    /// Compares what is told of usage with what there is, when nobody writes any more.
    func finish() async {
        let (told, stored) = (await usedBytes(), ledger.bytes[user] ?? 0)
        if !world.isBroken, told != stored {
            world.find("\(user) was told to have \(told) bytes, and has \(stored)")
        }
    }

    private func usedBytes() async -> Int64 {
        guard case .answer(let json) = await insist(.storageUsage, "{}") else { return -1 }
        return json["bytes"].int ?? -1
    }
}
