import RecordModel
import RecordWire
import TestSupport
import Testing

@Suite struct RequestTests {
    func read<Request: WireRequest>(_ json: JSONValue) throws -> Request {
        try Request(json: try #require(json.object))
    }

    @Test(arguments: Comparator.allCases)
    func `Every comparator is read by its word`(_ comparator: Comparator) throws {
        let filter: JSONValue = [
            "comparator": .string(comparator.rawValue), "fieldName": "n", "fieldValue": ["value": 1],
            "distance": 5,
        ]
        let request: RecordsQueryRequest = try read(["query": ["recordType": "T", "filterBy": [filter]]])
        #expect(request.query.filterBy.first?.comparator == comparator)
        #expect(request.query.filterBy.first?.selector == .field("n"))
        #expect(request.query.filterBy.first?.distance == 5)
    }

    @Test(arguments: [
        ("recordName", SystemField.recordName), ("___recordID", .recordName), ("___recordId", .recordName),
        ("createdTimestamp", .createdTimestamp), ("___createTime", .createdTimestamp),
        ("modifiedTimestamp", .modifiedTimestamp), ("___modTime", .modifiedTimestamp),
        ("createdUserRecordName", .createdUserRecordName), ("___createdBy", .createdUserRecordName),
        ("modifiedUserRecordName", .modifiedUserRecordName), ("___modifiedBy", .modifiedUserRecordName),
        ("share", .share), ("___share", .share), ("parent", .parent), ("___parent", .parent),
    ])
    func `System fields are known by every spelling`(_ spelling: String, _ field: SystemField) throws {
        let sort: JSONValue = ["systemFieldName": .string(spelling), "ascending": false]
        let request: RecordsQueryRequest = try read(["query": ["recordType": "T", "sortBy": [sort]]])
        #expect(request.query.sortBy == [SortDictionary(.system(field), ascending: false)])
        guard spelling.hasPrefix("___") else { return }
        let native: RecordsQueryRequest = try read(
            ["query": ["recordType": "T", "sortBy": [["fieldName": .string(spelling)]]]])
        #expect(native.query.sortBy.first?.selector == .system(field))
    }

    static let broken: [(JSONValue, String)] = [
        ([:], "'query' is missing"),
        (["query": []], "'query' must be an object"),
        (["query": [:]], "'recordType' is missing"),
        (["query": ["recordType": 5]], "'recordType' must be a string"),
        (["query": ["recordType": "T", "filterBy": [:]]], "'filterBy' must be a list"),
        (["query": ["recordType": "T", "filterBy": [1]]], "'filterBy' must be a list of objects"),
        (["query": ["recordType": "T", "filterBy": [[:]]]], "'comparator' is missing"),
        (["query": ["recordType": "T", "filterBy": [["comparator": "IS"]]]], "'IS' is not a comparator"),
        (["query": ["recordType": "T", "filterBy": [["comparator": "EQUALS"]]]], "'fieldName' is missing"),
        (
            ["query": ["recordType": "T", "filterBy": [["comparator": "EQUALS", "fieldName": "n"]]]],
            "'fieldValue' is missing"
        ),
        (["query": ["recordType": "T", "sortBy": [[:]]]], "'fieldName' is missing"),
        (["query": ["recordType": "T", "sortBy": [["systemFieldName": "x"]]]], "'x' is not a system field"),
        (["query": ["recordType": "T"], "resultsLimit": "5"], "'resultsLimit' must be an integer"),
        (["query": ["recordType": "T"], "resultsLimit": 1.5], "'resultsLimit' must be an integer"),
        (["query": ["recordType": "T"], "zoneWide": "yes"], "'zoneWide' must be true or false"),
        (["query": ["recordType": "T"], "desiredKeys": [1]], "'desiredKeys' must be a list of strings"),
        (["query": ["recordType": "T"], "zoneID": "Z"], "'zoneID' must be an object"),
    ]

    @Test(arguments: broken)
    func `A query of the wrong shape is refused by name`(_ json: JSONValue, _ part: String) throws {
        let error = #expect(throws: JSONError.self) { let _: RecordsQueryRequest = try read(json) }
        let message = try #require(error).message
        #expect(message.contains(part), "\(message)")
    }

    @Test func `Requests are read as they were written`() throws {
        var query = RecordsQueryRequest(
            query: QueryDictionary(
                recordType: "T",
                filterBy: [FilterDictionary(.near, .field("p"), WireField(.string("x")), distance: 2.5)],
                sortBy: [
                    SortDictionary(
                        .field("p"), ascending: false,
                        relativeLocation: Location(latitude: 1.5, longitude: 2.5))
                ], predicate: "a == 1"))
        query.zoneID = ZoneID(zoneName: "Z", ownerName: "_o")
        query.resultsLimit = 5
        query.continuationMarker = "m"
        query.desiredKeys = ["a"]
        query.numbersAsStrings = true
        #expect(try read(JSONReader.read(query.encoded())) == query)

        var record = RecordInput(recordName: "r", recordType: "T", recordChangeTag: "1")
        record.fields = [("a", WireField(.int64(1))), ("b", WireField(value: .null, type: "STRING"))]
        record.parent = "p"
        var operation = RecordOperation(.forceReplace, record)
        operation.desiredKeys = ["a"]
        operation.numbersAsStrings = true
        let modify = RecordsModifyRequest(
            operations: [operation], zoneID: ZoneID(zoneName: "Z"), atomic: false)
        #expect(try read(JSONReader.read(modify.encoded())) == modify)

        let zone = ZoneChangesRequest(
            zoneID: ZoneID(zoneName: "Z"), syncToken: "t", desiredKeys: [], resultsLimit: 1)
        #expect(
            try read(JSONReader.read(ZonesChangesRequest(zones: [zone]).encoded()))
                == ZonesChangesRequest(zones: [zone]))
        #expect(
            try read(JSONReader.read(RecordsChangesRequest(zone: zone).encoded()))
                == RecordsChangesRequest(zone: zone))
        let lookup = RecordsLookupRequest(
            records: [.init(recordName: "a", desiredKeys: ["x"])], zoneID: .default)
        #expect(try read(JSONReader.read(lookup.encoded())) == lookup)
        let zones = ZonesModifyRequest(operations: [.init(isDelete: true, zoneID: ZoneID(zoneName: "Z"))])
        #expect(try read(JSONReader.read(zones.encoded())) == zones)
    }

    @Test func `Both spellings of a zone's owner are read, the newer one first`() throws {
        func owner(_ json: JSONValue) throws -> String? {
            try ZoneID(json: try #require(json.object)).ownerName
        }
        #expect(try owner(["zoneName": "Z", "ownerName": "_a"]) == "_a")
        #expect(try owner(["zoneName": "Z", "ownerRecordName": "_a"]) == "_a")
        #expect(try owner(["ownerName": "_a", "ownerRecordName": "_b"]) == "_b")
        #expect(try owner([:]) == nil)
        #expect(try ZoneID(json: JSONObject()).isDefault)
    }

    @Test func `Wishes at the top of changes/zone hold for zones without their own`() throws {
        let request: ZonesChangesRequest = try read([
            "zones": [
                ["zoneID": ["zoneName": "A"]],
                ["zoneID": ["zoneName": "B"], "resultsLimit": 2, "desiredKeys": []],
            ],
            "resultsLimit": 5, "desiredKeys": ["x"], "desiredRecordTypes": ["T"], "numberAsStrings": true,
        ])
        #expect(request.zones.map(\.resultsLimit) == [5, 2])
        #expect(request.zones.map(\.desiredKeys) == [["x"], []])
        #expect(request.zones.map(\.desiredRecordTypes) == [["T"], ["T"]])
        #expect(request.zones.map(\.numbersAsStrings) == [true, true])
    }

    /// A look at each member for each zone would be ten billion comparisons, and never come to the end.
    @Test(.timeLimit(.minutes(10)))
    func `Many zones beside many members are read in linear time`() throws {
        let noise = (0..<100_000).map { (key: "m\($0)", value: JSONValue.int(1)) }
        let zones = [JSONValue](repeating: ["zoneID": ["zoneName": "Z"]], count: 100_000)
        let json = JSONValue.object(JSONObject(noise + [(key: "zones", value: .array(zones))]))
        let request: ZonesChangesRequest = try read(json)
        #expect(request.zones.count == 100_000)
    }

    @Test func `Errors are written with what the client may know and their documented status`() throws {
        let statuses: [String: Int] = [
            "ACCESS_DENIED": 403, "ATOMIC_ERROR": 400, "AUTHENTICATION_FAILED": 401,
            "AUTHENTICATION_REQUIRED": 421, "BAD_REQUEST": 400, "CONFLICT": 409, "EXISTS": 409,
            "INTERNAL_ERROR": 500, "NOT_FOUND": 404, "QUOTA_EXCEEDED": 413, "THROTTLED": 429,
            "TRY_AGAIN_LATER": 503, "VALIDATING_REFERENCE_ERROR": 412, "ZONE_NOT_FOUND": 404,
            "ZONE_BUSY": 409,
        ]
        #expect(Set(ServiceError.Code.all.map(\.description)) == Set(statuses.keys))
        for code in ServiceError.Code.all {
            var error = ServiceError(code, "why", remedy: "what", cause: TestFailure("secret"))
            error.retryAfterSeconds = 3
            error.serverRecord = Array("{\"recordName\":\"r\"}".utf8)
            #expect(error.httpStatus == statuses[code.description])
            let bytes = JSONWriter.text { writer in
                writer.beginObject()
                error.writeMembers(to: &writer, uuid: "id")
                writer.endObject()
            }
            #expect(!String(decoding: bytes, as: UTF8.self).contains("secret"))
            let object = try #require(try JSONReader.read(bytes).object)
            let read = try #require(ErrorDictionary(json: object))
            #expect(read.serverErrorCode == code.description)
            #expect(read.reason == "why")
            #expect(read.retryAfter == 3)
            #expect(read.uuid == "id")
            #expect(read.serverRecord?["recordName"] == "r")
            #expect(ServiceError.Code(text: code.description) == code)
        }
        #expect(ServiceError.Code(text: "SECRET") == nil)
    }
}
