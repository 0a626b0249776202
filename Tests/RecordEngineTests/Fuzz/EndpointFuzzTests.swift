import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Law: whatever a client sends, the answer is a JSON object with a documented status and code, never a 500.
@Suite struct EndpointFuzzTests {
    /// Good bodies, from which broken ones are made.
    static let bodies: [(Endpoint, JSONValue)] = [
        (
            .recordsModify,
            [
                "operations": [
                    TestCloud.operation(
                        "forceUpdate", "r1", type: "Model",
                        fields: ["int": ["value": 1, "type": "INT64"], "texts": ["value": ["a"]]]),
                    TestCloud.operation(
                        "update", "r2", tag: "1",
                        fields: ["place": ["value": ["latitude": 1.5, "longitude": 2]]]),
                    TestCloud.operation(
                        "create", nil, type: "Model",
                        fields: ["link": ["value": ["recordName": "r1", "action": "DELETE_SELF"]]],
                        parent: "r1"),
                    TestCloud.operation("forceDelete", "r3"),
                    TestCloud.operation("restore", "r4", type: nil).with("versionTag", "1"),
                ], "zoneID": ["zoneName": "Zone"], "atomic": false, "desiredKeys": ["int"],
                "numbersAsStrings": true,
            ]
        ),
        (
            .recordsQuery,
            [
                "query": [
                    "recordType": "Model",
                    "filterBy": [
                        [
                            "comparator": "NEAR", "fieldName": "place",
                            "fieldValue": ["value": ["latitude": 1, "longitude": 2], "type": "LOCATION"],
                            "distance": 5.5,
                        ],
                        [
                            "comparator": "IN", "fieldName": "int",
                            "fieldValue": ["value": [1, 2], "type": "INT64_LIST"],
                        ],
                        ["comparator": "CONTAINS_ALL_TOKENS", "fieldValue": ["value": "a b"]],
                        [
                            "comparator": "GREATER_THAN", "systemFieldName": "createdTimestamp",
                            "fieldValue": ["value": 5],
                        ],
                    ],
                    "sortBy": [
                        ["fieldName": "text", "ascending": false],
                        [
                            "fieldName": "place",
                            "relativeLocation": ["value": ["latitude": 1, "longitude": 2]],
                        ],
                    ],
                    "predicate": "text BEGINSWITH[cd] 'a' OR ANY ints > 5 AND NOT (int BETWEEN {1, 2})",
                ], "resultsLimit": 3, "zoneWide": true, "desiredKeys": ["int"],
            ]
        ),
        (
            .recordsQuery,
            [
                "query": ["recordType": "Model", "sortBy": [["fieldName": "int"]]], "resultsLimit": 1,
                "zoneID": ["zoneName": "Zone"],
            ]
        ),
        (.recordsCount, ["query": ["recordType": "Model", "predicate": "texts.@count > 1 OR int < double"]]),
        (
            .recordsLookup,
            [
                "records": [["recordName": "r1", "desiredKeys": ["int"]]],
                "zoneID": ["zoneName": "Zone", "ownerRecordName": "_x"],
            ]
        ),
        (
            .recordsVersions,
            [
                "recordName": "r1", "zoneID": ["zoneName": "Zone"], "resultsLimit": 2,
                "continuationMarker": "zz",
            ]
        ),
        (.recordsVersions, ["recordType": "Model", "numbersAsStrings": true]),
        (
            .recordsChanges,
            ["zoneID": ["zoneName": "Zone"], "resultsLimit": 2, "desiredRecordTypes": ["Model"]]
        ),
        (.zonesLookup, ["zones": [["zoneName": "Zone"], ["zoneID": ["zoneName": "_defaultZone"]]]]),
        (
            .zonesModify,
            [
                "operations": [
                    ["operationType": "create", "zone": ["zoneID": ["zoneName": "New"]]],
                    ["operationType": "delete", "zone": ["zoneID": ["zoneName": "New"]]],
                ]
            ]
        ),
        (.zonesChanges, ["metaSyncToken": "AAAA", "resultsLimit": 1]),
        (.changesDatabase, ["resultsLimit": 1]),
        (
            .changesZone,
            [
                "zones": [["zoneID": ["zoneName": "Zone"], "syncToken": "x", "desiredKeys": []]],
                "resultsLimit": 2, "desiredRecordTypes": ["Model", "x"],
            ]
        ),
        (.zonesList, [:]), (.usersCaller, [:]),
        (.usersDiscover, ["lookupInfos": [["emailAddress": "a@b.example"], ["userRecordName": "_x"]]]),
        (.usersDiscover, ["resultsLimit": 2, "continuationMarker": "_a"]),
        (.usersLookupEmail, ["users": [["emailAddress": "a@b.example"]]]),
    ]

    @Test(arguments: Seed.some(4))
    func `No request is answered by a failure of the service`(_ seed: Seed) async throws {
        var random = seed.random
        let records = random.records(20)
        var bodies = Self.bodies
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Zone")
            try await cloud.save(records)
            try await cloud.save(records, zone: "Zone")
            let token = try await cloud.changes(zone: "Zone", limit: 3).token
            let page = try await cloud.send(bodies[2].0, bodies[2].1)
            bodies.append(
                (.recordsQuery, bodies[2].1.with("continuationMarker", page.json["continuationMarker"])))
            bodies.append((.recordsChanges, ["zoneID": ["zoneName": "Zone"], "syncToken": .string(token)]))
            for _ in 0..<1_500 {
                let (endpoint, body) = bodies[random.int(0...bodies.count - 1)]
                let sender: TestCloud.Sender = random.oneIn(20) ? .nobody : .alice
                let scope: DatabaseScope = random.oneIn(6) ? .public : .private
                var bytes: [UInt8]
                if random.oneIn(3) {
                    bytes = body.bytes
                    for _ in 0..<random.int(1...3) { random.mutate(&bytes) }
                } else {
                    bytes = random.mutated(body, rate: 25).bytes
                }
                let answer = try await cloud.send(endpoint, bytes: bytes, as: sender, in: scope)
                Self.check(answer, "\(endpoint.rawValue) \(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }

    /// Whether an answer is one of those listed in Documentation/Protocol.md, 'Errors'.
    static func check(_ answer: TestCloud.Answer, _ comment: String) {
        let cause = answer.trace.error.map { "\($0)" } ?? ""
        #expect(answer.json.object != nil, "\(comment)")
        guard answer.status != 200 else {
            #expect(answer.code == nil, "\(comment)")
            for item in answer.records + answer.zones {
                guard let code = item["serverErrorCode"].string else { continue }
                #expect(
                    ServiceError.Code(text: code) != nil && code != "INTERNAL_ERROR", "\(comment) \(cause)")
            }
            return
        }
        let code = answer.code.flatMap(ServiceError.Code.init(text:))
        #expect(
            code != nil && code != .internalError && code != .tryAgainLater,
            "\(comment)\n\(answer.json.text)\n\(cause)")
        #expect(answer.status == code.map { ServiceError($0, "").httpStatus }, "\(comment)")
        #expect(
            answer.json["reason"].string?.isEmpty == false && answer.json["uuid"].string != nil, "\(comment)")
    }
}

extension Random {
    /// A value in which about one of so many parts is changed.
    mutating func mutated(_ value: JSONValue, rate: Int) -> JSONValue {
        if oneIn(rate) { return strange(value) }
        switch value {
        case .array(let elements):
            var elements = elements.map { mutated($0, rate: rate) }
            if oneIn(rate), let element = elements.first { elements.append(element) }
            return .array(elements)
        case .object(let object):
            var members = object.members.map {
                (
                    key: oneIn(rate * 3) ? pick(Self.keys, else: $0.key) : $0.key,
                    value: mutated($0.value, rate: rate)
                )
            }
            if oneIn(rate) { members.append((key: pick(Self.keys, else: "x"), value: strange(.null))) }
            if oneIn(rate * 2), !members.isEmpty { members.removeLast() }
            return .object(JSONObject(members))
        default: return value
        }
    }

    private static let keys = [
        "recordName", "recordType", "value", "type", "zoneID", "zoneName", "ownerRecordName", "fields",
        "filterBy",
        "sortBy", "predicate", "comparator", "fieldName", "systemFieldName", "syncToken", "resultsLimit",
        "parent",
        "int", "text", "texts", "place", "places", "link", "links", "", "é", "___recordID",
    ]

    private static let oddWords = [
        "", "a", "r1", "Model", "Zone", "_defaultZone", "int", "text", "texts", "ints", "place", "places",
        "link", "links", "time",
        "___recordID", "___createTime", "EQUALS", "NOT_IN", "LIST_CONTAINS_ALL", "LIST_MEMBER_BEGINS_WITH",
        "NEAR", "STRING", "INT64", "TIMESTAMP_LIST",
        "LIST", "UNKNOWN_LIST", "ENCRYPTED_BYTES", "create", "delete", "replace", "forceReplace",
        "DELETE_SELF", "VALIDATE", "\0", "'", "\u{10FFFF}",
        "int == nil", "place == nil", "links == nil", "places == nil", "text == recordID",
        "NOT NOT NOT (int = 1)", "ANY links == 'r1'", "self CONTAINS 'a'", "int > 1e400",
        "ALL doubles < 5", "text LIKE '*'", "createdTimestamp > 5", "CAST(5, 'NSDate') < time",
        "texts.@count == 0", "text ==[cd] 'a'",
    ]

    private mutating func strange(_ value: JSONValue) -> JSONValue {
        switch int(0...9) {
        case 0: .null
        case 1: .bool(oneIn(2))
        case 2: .int(pick([.min, .max, 0, -1, 1, 201, 1 << 53], else: 0))
        case 3: .double(pick([-0x1p63, 0x1p63, 1e308, -0.0, 0.5, 5e-300, 1e19], else: 0.5))
        case 4: .array([])
        case 5: .object(JSONObject())
        case 6: .array([JSONValue](repeating: value, count: pick([1, 2, 201, 501], else: 1)))
        case 7: (0..<40).reduce(value) { inner, _ in .array([inner]) }
        default: .string(pick(Self.oddWords, else: ""))
        }
    }

    /// Changes, removes or doubles a byte or a run of them.
    mutating func mutate(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let place = int(0...bytes.count - 1)
        switch int(0...3) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: next())
        case 1: bytes.remove(at: place)
        case 2: bytes.removeLast(min(bytes.count, int(0...20)))
        default: bytes.insert(contentsOf: Array(bytes[place..<min(bytes.count, place + 5)]), at: place)
        }
    }
}
