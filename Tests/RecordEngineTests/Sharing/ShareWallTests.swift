import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Each state of a participant, each thing that somebody may try: what comes of it stands in one table.
@Suite struct ShareWallTests {
    typealias Sender = TestCloud.Sender

    /// What bob is to alice's share.
    enum State: String, CaseIterable {
        case stranger, invited, reader, writer, administrator, silenced, left, removed, blocked, requester,
            looker,
            editor
    }

    /// What bob tries.
    enum Attempt: String, CaseIterable {
        case zoneLookup, recordLookup, rootLookup, shareLookup, outsideLookup, query, count, zoneChanges,
            recordChanges, create, createOutside, change, changeRoot, moveOut, delete, deleteRoot,
            changeShare,
            versions, upload, rereference, leave
    }

    private static let reads: Set<State> = [.reader, .writer, .administrator, .looker, .editor]
    private static let writes: Set<State> = [.writer, .administrator, .editor]

    /// The code of the answer; nil where it is done.
    private static func expected(_ state: State, _ attempt: Attempt) -> String? {
        guard reads.contains(state) else { return attempt == .versions ? "ACCESS_DENIED" : "ZONE_NOT_FOUND" }
        let isWriter = writes.contains(state)
        return switch attempt {
        case .zoneLookup, .recordLookup, .rootLookup, .shareLookup, .query, .count, .zoneChanges,
            .recordChanges,
            .leave, .rereference:
            nil
        case .outsideLookup: "NOT_FOUND"
        case .create, .change, .changeRoot, .delete, .upload: isWriter ? nil : "ACCESS_DENIED"
        case .createOutside, .moveOut, .deleteRoot, .versions: "ACCESS_DENIED"
        case .changeShare: state == .administrator ? nil : "ACCESS_DENIED"
        }
    }

    @Test(arguments: State.allCases)
    func `Everybody may do what their part in a share says`(_ state: State) async throws {
        for attempt in Attempt.allCases {
            try await TestCloud.run { cloud in
                try await prepare(cloud, state)
                let answer = try await attempted(attempt, cloud)
                let item = answer.json["records"][0]["serverErrorCode"].string
                let zone = answer.json["zones"][0]["serverErrorCode"].string
                let code = answer.code ?? item ?? zone
                #expect(
                    code == Self.expected(state, attempt),
                    "\(state) \(attempt): \(answer.json.text.prefix(400))")
                // Nothing that bob is told has what is not shared.
                #expect(!answer.json.text.contains("secret"), "\(state) \(attempt)")
            }
        }
    }

    private func save(_ cloud: TestCloud, _ members: String) async throws {
        let answer = try await cloud.post(
            .recordsModify,
            #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"forceUpdate","record":{"recordName":"s"\#(members)}}]}"#
        )
        #expect(answer.codes == [nil])
    }

    private func prepare(_ cloud: TestCloud, _ state: State) async throws {
        try await cloud.makeZones("Z")
        let bob = Sender.bob.userName
        let permission = [.reader, .silenced].contains(state) ? "READ_ONLY" : "READ_WRITE"
        let role = state == .administrator ? "ADMINISTRATOR" : "USER"
        func list(_ permission: String) -> String {
            #","participants":[{"type":"\#(role)","permission":"\#(permission)","userIdentity":{"userRecordName":"\#(bob)"}}]"#
        }
        let isInvited = ![.stranger, .requester, .looker, .editor].contains(state)
        let open = [.looker: "READ_ONLY", .editor: "READ_WRITE"][state] ?? "NONE"
        let terms =
            (isInvited ? list(permission) : "")
            + #","publicPermission":"\#(open)","denyAccessRequests":false"#
        let made = try await cloud.post(
            .recordsModify,
            #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"create","record":{"recordName":"root","recordType":"Item","fields":{"n":{"value":0}}}},{"operationType":"create","record":{"recordName":"child","recordType":"Item","parent":{"recordName":"root"},"fields":{"n":{"value":1}}}},{"operationType":"create","record":{"recordName":"outside","recordType":"Item","fields":{"t":{"value":"secret"}}}},{"operationType":"create","record":{"recordName":"s","recordType":"cloudkit.share","fields":{"cloudkit.title":{"value":"T"}},"forRecord":{"recordName":"root"}\#(terms)}}]}"#
        )
        #expect(made.codes == [nil, nil, nil, nil])
        let guid = made.records[3]["shortGUID"].string ?? ""
        switch state {
        case .stranger, .invited: return
        case .requester:
            _ = try await cloud.links(.recordsRequestAccess, guid, as: .bob)
            return
        default: break
        }
        #expect(try await cloud.links(.recordsAccept, guid, as: .bob)["participantStatus"] == "ACCEPTED")
        switch state {
        case .silenced: try await save(cloud, list("NONE"))
        case .left: _ = try await attempted(.leave, cloud)
        case .removed: try await save(cloud, #","participants":[]"#)
        case .blocked: try await save(cloud, #","blockRequesters":["\#(bob)"]"#)
        default: break
        }
    }

    private func attempted(_ attempt: Attempt, _ cloud: TestCloud) async throws -> TestCloud.Answer {
        let zone = #"{"zoneName":"Z","ownerRecordName":"\#(Sender.alice.userName)"}"#
        func send(_ endpoint: Endpoint, _ members: String) async throws -> TestCloud.Answer {
            try await cloud.post(endpoint, #"{"zoneID":\#(zone),\#(members)}"#, as: .bob, in: .shared)
        }
        func look(_ name: String) async throws -> TestCloud.Answer {
            try await send(.recordsLookup, #""records":[{"recordName":"\#(name)"}]"#)
        }
        func modify(_ type: String, _ record: String) async throws -> TestCloud.Answer {
            try await send(
                .recordsModify, #""operations":[{"operationType":"\#(type)","record":{\#(record)}}]"#)
        }
        switch attempt {
        case .zoneLookup:
            return try await cloud.post(.zonesLookup, #"{"zones":[\#(zone)]}"#, as: .bob, in: .shared)
        case .recordLookup: return try await look("child")
        case .rootLookup: return try await look("root")
        case .shareLookup: return try await look("s")
        case .outsideLookup: return try await look("outside")
        case .query: return try await send(.recordsQuery, #""query":{"recordType":"Item"}"#)
        case .count: return try await send(.recordsCount, #""query":{"recordType":"Item"}"#)
        case .zoneChanges:
            return try await cloud.post(
                .changesZone, #"{"zones":[{"zoneID":\#(zone)}]}"#, as: .bob, in: .shared)
        case .recordChanges: return try await send(.recordsChanges, #""resultsLimit":10"#)
        case .create:
            return try await modify(
                "create", #""recordType":"Item","parent":{"recordName":"root"},"fields":{}"#)
        case .createOutside: return try await modify("create", #""recordType":"Item","fields":{}"#)
        case .change:
            return try await modify("forceUpdate", #""recordName":"child","fields":{"n":{"value":9}}"#)
        case .changeRoot:
            return try await modify("forceUpdate", #""recordName":"root","fields":{"n":{"value":9}}"#)
        case .moveOut: return try await modify("forceUpdate", #""recordName":"child","parent":null"#)
        case .delete: return try await modify("forceDelete", #""recordName":"child""#)
        case .deleteRoot: return try await modify("forceDelete", #""recordName":"root""#)
        case .changeShare:
            return try await modify(
                "forceUpdate", #""recordName":"s","fields":{"cloudkit.title":{"value":"U"}}"#)
        case .versions: return try await send(.recordsVersions, #""recordName":"child""#)
        case .upload:
            return try await send(.assetsUpload, #""tokens":[{"recordType":"Item","fieldName":"file"}]"#)
        case .rereference:
            return try await send(.assetsRereference, #""assets":[]"#)
        case .leave: return try await modify("forceDelete", #""recordName":"s""#)
        }
    }
}
