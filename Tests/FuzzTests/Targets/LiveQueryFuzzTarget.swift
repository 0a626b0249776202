import RecordModel
import RecordStorage
import RecordWire

@testable import RecordEngine

extension FuzzTarget {
    private static let notes = Schema(types: [
        "Note": RecordType(
            name: "Note", id: 1,
            fields: [
                ("text", FieldType(.string)), ("rank", FieldType(.int64)), ("score", FieldType(.double)),
                ("day", FieldType(.timestamp)), ("place", FieldType(.location)),
                ("link", FieldType(.reference)),
                ("words", FieldType(.string, isList: true)), ("ranks", FieldType(.int64, isList: true)),
            ].enumerated().map { number, field in
                FieldSchema(
                    name: field.0, type: field.1,
                    indexes: field.1.isList ? .queryable : [.queryable, .sortable, .searchable],
                    column: number + 1)
            })
    ])

    /// Records as the change log has them: of every kind of value, of none, and with texts at which foldings differ.
    private static let bodies = [
        #"{"recordName":"a","recordType":"Note","fields":{"text":{"value":"Straße \u0130 ﬁ e\u0301","type":"STRING"},"rank":{"value":7,"type":"INT64"},"score":{"value":-0.5,"type":"DOUBLE"},"day":{"value":1700000000000,"type":"TIMESTAMP"},"place":{"value":{"latitude":90,"longitude":-180},"type":"LOCATION"},"words":{"value":["a","","É"],"type":"STRING_LIST"},"ranks":{"value":[1,-9223372036854775808],"type":"INT64_LIST"}}"#,
        #"{"recordName":"b","recordType":"Note","fields":{}"#,
        #"{"recordName":"\u0000","recordType":"Note","fields":{"text":{"value":"","type":"STRING"},"rank":{"value":9223372036854775807,"type":"INT64"},"words":{"value":[],"type":"STRING_LIST"}}"#,
    ]

    private static let questions = [
        #"{"query":{"recordType":"Note","predicate":"text CONTAINS[cd] 'strasse' OR rank > 5"},"resultsLimit":20}"#,
        #"{"query":{"recordType":"Note","predicate":"text LIKE[cd] '*l?q*' AND ANY words = 'a'","sortBy":[{"fieldName":"rank","ascending":false}]}}"#,
        #"{"query":{"recordType":"Note","filterBy":[{"comparator":"NEAR","fieldName":"place","fieldValue":{"value":{"latitude":1,"longitude":2},"type":"LOCATION"},"distance":5.5}],"sortBy":[{"fieldName":"place","relativeLocation":{"latitude":1,"longitude":2}}]},"zoneWide":true}"#,
        #"{"query":{"recordType":"Note","filterBy":[{"comparator":"IN","fieldName":"rank","fieldValue":{"value":[1,2],"type":"INT64_LIST"}},{"comparator":"CONTAINS_ALL_TOKENS","fieldValue":{"value":"a b"}}]},"numbersAsStrings":true,"desiredKeys":["text"]}"#,
        #"{"query":{"recordType":"Note","predicate":"ALL ranks > 0 AND words.@count BETWEEN {1, 2} AND NOT text ENDSWITH[c] 'é'"},"zoneID":{"zoneName":"Notes"}}"#,
        #"{"query":{"recordType":"Note","predicate":"text != nil AND day < CAST(5, 'NSDate') AND text IN {'a', 'b'}"}}"#,
    ]

    /// What a visitor's live query says in its address. The first byte says whether the rest is the address's query, or the question
    /// in it. A question that is taken is cheap enough for one that is asked of each change, says the same of a change each time,
    /// and is the same question when it is written again.
    static func liveQueries() -> FuzzTarget {
        FuzzTarget(
            name: "live-queries",
            seeds: questions.map { [0] + Array($0.utf8) }
                + [
                    [1]
                        + Array(
                            "lastEventID=12-ab12-7&query=\(encoded(Array(questions[0].utf8)))&ckAPIToken=a"
                                .utf8)
                ],
            words: [
                "predicate", "filterBy", "sortBy", "relativeLocation", "query=", "%", "&", "+", "LIKE[cd]",
                "CONTAINS", "'*?*'",
                "ANY ", "ALL ", "NOT ", " OR ", "BETWEEN", "IN {", "@count", "SELF", "TRUEPREDICATE", "nil",
                "1e309", "-0",
                "9223372036854775808", "\\ud800", "\\u0000", "({[", "]})", "\"zoneWide\":true", "___recordID",
                "createdTimestamp",
                "\"distance\":-1", "\"latitude\":91",
            ], count: 6_000
        ) { input in
            guard let kind = input.first else { return false }
            let rest = Array(input.dropFirst())
            let address = kind % 2 == 0 ? "query=" + encoded(rest) : String(decoding: rest, as: UTF8.self)
            let question = RequestTarget(
                "/database/1/iCloud.test/development/private/records/live?" + address
            )
            .member("query")
            if kind % 2 == 0 {
                try Forgery.unless(
                    question == String(validating: rest, as: UTF8.self),
                    "An address is read as another question.")
            }
            guard let question else { return false }
            return try ask(Array(question.utf8))
        }
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        bytes.map { "%" + String(0x100 | UInt32($0), radix: 16).suffix(2) }.joined()
    }

    private static func ask(_ question: [UInt8]) throws -> Bool {
        let context = try context()
        guard let (request, plan) = try plan(question, context) else { return false }
        let condition = ListenedCondition(plan.condition)
        do throws(ServiceError) {
            try condition.checkPrice()
        } catch {
            return false
        }
        let again = try JSONReader.read(request.encoded()).object ?? JSONObject()
        let same = try QueryPlan(RecordsQueryRequest(json: again), schema: notes, context)
        try Forgery.unless(
            same.condition == plan.condition && same.fingerprint == plan.fingerprint,
            "A question changes when it is written.")
        for (before, after) in [
            (nil, bodies[0]), (bodies[0], bodies[2]), (bodies[2], bodies[1]), (bodies[1], nil),
        ] {
            let change = FollowedChange(
                LoggedChange(
                    sequence: 1, kind: .updated, database: 1, zone: 1, type: 1, name: "a",
                    before: before.map { Array($0.utf8) }, after: after.map { Array($0.utf8) }))
            var records = ChangeRecords()
            let slow = change.verdict(of: condition, [.before, .after], &records)
            let quick = change.quickVerdict(of: ListenedCondition(plan.condition), [.before, .after])
            try Forgery.unless(quick.map { $0 == slow } ?? true, "A change is judged in two ways.")
            try Forgery.unless(
                slow.after ?? false == change.after?.fulfils(plan.condition) ?? false,
                "The record says something else.")
            guard let record = change.after else { continue }
            let places = [Int64(1), 2].map { id in
                LivePlace.text(plan.sort.map { record.value(of: $0.source) }, plan.sort, id: id)
            }
            try Forgery.unless(places[0] < places[1] || places[1] < places[0], "Two records have one place.")
        }
        return true
    }

    private static func context() throws -> CallContext {
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .development)
        return CallContext(
            tenant: tenant, database: DatabaseID(tenant: tenant, owner: "_ada"), caller: .user("_ada"),
            now: 0,
            requestID: "", baseURL: "")
    }

    /// What is asked; nil where it is refused.
    private static func plan(
        _ question: [UInt8], _ context: CallContext
    ) throws -> (RecordsQueryRequest, QueryPlan)? {
        do {
            let json = try JSONReader.read(
                question, maximumDepth: Limits.jsonDepth, maximumTreeBytes: Limits.jsonTreeBytes)
            guard let object = json.object else { return nil }
            let request = try RecordsQueryRequest(json: object)
            return (request, try QueryPlan(request, schema: notes, context))
        } catch let error {
            guard error is ServiceError || error is JSONError else { throw error }
            return nil
        }
    }
}
