import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TestSupport
import Testing

/// Sharing by single requests, in the forms that clients send.
@Suite struct ShareRequestTests {
    typealias Sender = TestCloud.Sender

    /// A cloud in which alice has a zone with a list and an item below it.
    private func run(
        quotas: StorageQuotas = StorageQuotas(), _ body: (TestCloud) async throws -> Void
    ) async throws {
        try await TestCloud.run(quotas: quotas) { cloud in
            try await cloud.makeZones("Z")
            let made = try await cloud.post(
                .recordsModify,
                #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"create","record":{"recordName":"list","recordType":"List","createShortGUID":true,"fields":{}}},{"operationType":"create","record":{"recordName":"item","recordType":"Item","parent":{"recordName":"list"},"fields":{"n":{"value":1}}}}]}"#
            )
            #expect(made.codes == [nil, nil])
            try await body(cloud)
        }
    }

    private func share(
        _ cloud: TestCloud, _ more: String = #","publicPermission":"NONE""#, name: String = "s"
    ) async throws -> TestCloud.Answer {
        try await cloud.post(
            .recordsModify,
            #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"create","record":{"recordName":"\#(name)","recordType":"cloudkit.share","createShortGUID":true,"fields":{"cloudkit.title":{"value":"Groceries"}},"forRecord":{"recordName":"list"}\#(more)}}]}"#
        )
    }

    private func participant(_ sender: Sender, _ permission: String = "READ_WRITE") -> String {
        #"{"type":"USER","permission":"\#(permission)","userIdentity":{"userRecordName":"\#(sender.userName)"}}"#
    }

    private static let shared =
        #"{"zoneName":"Z","ownerRecordName":"\#(Sender.alice.userName)"}"#

    @Test func `A root is shared by a second request, and its link resolves`() async throws {
        try await run { cloud in
            let root = try await cloud.record("list", zone: "Z")
            let guid = root?["shortGUID"].string ?? ""
            #expect(guid.utf8.count == 25)
            let answer = try await share(cloud, #","participants":[\#(participant(.bob))]"#)
            #expect(answer.codes == [nil] && answer.records[0]["shortGUID"].string == guid)
            #expect(
                answer.records[0]["participants"].elements.map { $0["type"].string } == ["OWNER", "USER"])
            #expect(answer.records[0]["webpageURL"].string == "http://localhost/share/\(guid)")
            #expect(try await cloud.record("list", zone: "Z")?["share"]["recordName"] == "s")
            for text in [
                guid, "https://x.example/share/\(guid)#Groceries", "Come in: http://x/share/\(guid) !",
            ] {
                let found = try await cloud.links(.recordsResolve, text, as: .bob)
                #expect(found["participantStatus"] == "INVITED" && found["rootRecordName"] == "list")
                #expect(found["databaseScope"] == "SHARED")
            }
            for _ in 0..<2 {
                #expect(
                    try await cloud.links(.recordsAccept, guid, as: .bob)["participantStatus"] == "ACCEPTED")
            }
            let resolved = try await cloud.links(.recordsResolve, guid, as: .bob)
            #expect(resolved["participantStatus"] == "ACCEPTED")
            #expect(resolved["share"]["participants"].elements.count == 2)
        }
    }

    @Test func `An update without a field asks for the link, and gets the same one again`() async throws {
        try await run { cloud in
            try await cloud.save("plain", ["n": ["value": 1]], zone: "Z")
            var links: [String?] = []
            for _ in 0..<2 {
                let answer = try await cloud.post(
                    .recordsModify,
                    #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"forceUpdate","record":{"recordName":"plain","createShortGUID":true}}]}"#
                )
                links.append(answer.records.first?["shortGUID"].string)
            }
            #expect(links[0] != nil && links[0] == links[1])
        }
    }

    @Test(arguments: [true, false])
    func `A new root and its share are saved in one batch, in either order`(isShareFirst: Bool) async throws {
        try await run { cloud in
            var operations = [
                #"{"operationType":"create","record":{"recordName":"r","recordType":"List","share":{"recordName":"rs"},"fields":{}}}"#,
                #"{"operationType":"create","record":{"recordName":"rs","recordType":"cloudkit.share","forRecord":{"recordName":"r"},"fields":{}}}"#,
            ]
            if isShareFirst { operations.reverse() }
            let answer = try await cloud.post(
                .recordsModify,
                #"{"zoneID":{"zoneName":"Z"},"operations":[\#(operations.joined(separator: ","))]}"#)
            #expect(answer.codes == [nil, nil])
            let root = answer.records[isShareFirst ? 1 : 0]
            #expect(root["share"]["recordName"] == "rs" && root["shortGUID"].string != nil)
            #expect(root["recordChangeTag"] == (try await cloud.record("r", zone: "Z"))?["recordChangeTag"])
        }
    }

    @Test func `A share for a root of an old version is a conflict, and stores nothing`() async throws {
        try await run { cloud in
            let answer = try await cloud.post(
                .recordsModify,
                #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"create","record":{"recordName":"s","recordType":"cloudkit.share","forRecord":{"recordName":"list","recordChangeTag":"0"},"fields":{}}}]}"#
            )
            #expect(answer.codes == ["CONFLICT"])
            #expect(try await cloud.record("s", zone: "Z") == nil)
            #expect(cloud.schema.types["cloudkit.share"] == nil)
        }
    }

    @Test(arguments: [
        (#","forRecord":{"recordName":"nothing"}"#, "x", 12), ("", "x", 12),
        (#","forRecord":{"recordName":"list"}"#, "cloudkit.zoneshare", 12),
    ])
    func `What cannot be shared is refused with CloudKit's own number`(
        _ target: String, _ name: String, _ code: Int64
    ) async throws {
        try await run { cloud in
            let answer = try await cloud.post(
                .recordsModify,
                #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"create","record":{"recordName":"\#(name)","recordType":"cloudkit.share","fields":{}\#(target)}}]}"#
            )
            #expect(answer.records[0]["ckErrorCode"].int == code)
        }
    }

    @Test func `What is shared already is not shared again, above and below`() async throws {
        try await run { cloud in
            #expect(try await share(cloud).codes == [nil])
            for root in ["list", "item"] {
                let answer = try await cloud.post(
                    .recordsModify,
                    #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"create","record":{"recordName":"t","recordType":"cloudkit.share","forRecord":{"recordName":"\#(root)"},"fields":{}}}]}"#
                )
                #expect(answer.records[0]["ckErrorCode"].int == 30, "alreadyShared for \(root)")
            }
        }
    }

    @Test func `Links that lead nowhere, were revoked or are for others have one answer`() async throws {
        try await run { cloud in
            let answer = try await share(cloud, #","participants":[\#(participant(.bob))]"#)
            let guid = answer.records[0]["shortGUID"].string ?? ""
            func text(_ link: String, _ sender: Sender) async throws -> String {
                try await cloud.post(
                    .recordsResolve, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#, as: sender, in: .public
                )
                .json["results"][0].with("uuid", .null).with("shortGUID", .null).text
            }
            let unknown = String(guid.reversed())
            #expect(try await text(unknown, .carol) == text(guid, .carol))
            #expect(try await text(unknown, .nobody) == text(guid, .nobody))
            #expect(try await text(guid, .nobody).contains("requireAppleLogin"))
            let ended = try await cloud.post(
                .recordsModify,
                #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"forceDelete","record":{"recordName":"s"}}]}"#
            )
            #expect(ended.codes == [nil])
            #expect(try await text(guid, .bob) == text(unknown, .bob))
            #expect(try await share(cloud, name: "again").records[0]["shortGUID"].string == guid)
        }
    }

    @Test func `A zone of the shared database must name its owner, and cannot be made there`() async throws {
        try await run { cloud in
            let nameless = try await cloud.post(
                .recordsQuery, #"{"zoneID":{"zoneName":"Z"},"query":{"recordType":"Item"}}"#, as: .bob,
                in: .shared)
            #expect(nameless.code == "BAD_REQUEST")
            #expect(nameless.json["reason"].string?.contains("owner") == true)
            let made = try await cloud.post(
                .zonesModify,
                #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Y","ownerRecordName":"\#(Sender.alice.userName)"}}}]}"#,
                as: .bob, in: .shared)
            #expect(made.json["ckErrorCode"].int == 24)
        }
    }

    @Test func `What a participant makes is theirs, in the owner's database and room`() async throws {
        try await run(quotas: StorageQuotas(perUser: 20_000)) { cloud in
            let guid =
                try await share(cloud, #","participants":[\#(participant(.bob))]"#).records[0]["shortGUID"]
                .string ?? ""
            _ = try await cloud.links(.recordsAccept, guid, as: .bob)
            func create(_ name: String, _ text: String) async throws -> TestCloud.Answer {
                try await cloud.post(
                    .recordsModify,
                    #"{"zoneID":\#(Self.shared),"operations":[{"operationType":"create","record":{"recordName":"\#(name)","recordType":"Item","parent":{"recordName":"list"},"fields":{"t":{"value":"\#(text)"}}}}]}"#,
                    as: .bob, in: .shared)
            }
            #expect(try await create("small", "x").codes == [nil])
            let seen = try await cloud.record("small", zone: "Z")
            #expect(seen?["created"]["userRecordName"].string == Sender.bob.userName)
            let large = try await create("large", String(repeating: "x", count: 20_000))
            #expect(large.codes == ["QUOTA_EXCEEDED"])
            #expect(large.records[0]["reason"].string?.contains(Sender.alice.userName) == true)
        }
    }

    @Test func `A reader's edit is refused with a sentence`() async throws {
        try await run { cloud in
            let guid =
                try await share(cloud, #","participants":[\#(participant(.bob, "READ_ONLY"))]"#).records[0][
                    "shortGUID"
                ].string ?? ""
            _ = try await cloud.links(.recordsAccept, guid, as: .bob)
            for operation in ["update", "forceUpdate", "forceReplace", "forceDelete"] {
                let answer = try await cloud.post(
                    .recordsModify,
                    #"{"zoneID":\#(Self.shared),"operations":[{"operationType":"\#(operation)","record":{"recordName":"item","recordType":"Item","recordChangeTag":"x","fields":{}}}]}"#,
                    as: .bob, in: .shared)
                #expect(answer.codes == ["ACCESS_DENIED"], "\(operation)")
                #expect(answer.records[0]["reason"].string?.contains("to look at") == true)
            }
        }
    }

    @Test func `Participants of an open share are not edited one by one`() async throws {
        try await run { cloud in
            #expect(try await share(cloud, #","publicPermission":"READ_ONLY""#).codes == [nil])
            let answer = try await cloud.post(
                .recordsModify,
                #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"forceUpdate","record":{"recordName":"s","participants":[\#(participant(.bob))]}}]}"#
            )
            #expect(answer.codes == ["BAD_REQUEST"])
            #expect(answer.records[0]["remedy"].string?.contains("NONE") == true)
        }
    }

    @Test func `A link for one makes whoever opens it first a participant`() async throws {
        try await run { cloud in
            let answer = try await share(cloud, #","participants":[{"permission":"READ_WRITE"}]"#)
            let link = answer.records[0]["oneTimeStableUrlInfo"]["oneTimeLinks"][0]["shortGUID"].string ?? ""
            #expect(try await cloud.links(.recordsAccept, link, as: .bob)["participantStatus"] == "ACCEPTED")
            #expect(try await cloud.links(.recordsResolve, link, as: .bob)["participantStatus"] == "ACCEPTED")
            #expect(try await cloud.links(.recordsAccept, link, as: .carol)["serverErrorCode"] == "NOT_FOUND")
        }
    }

    @Test func `Requests are asked, denied, blocked and allowed again`() async throws {
        try await run { cloud in
            let guid =
                try await share(cloud, #","denyAccessRequests":false"#).records[0]["shortGUID"].string ?? ""
            func save(_ member: String) async throws -> TestCloud.Answer {
                try await cloud.post(
                    .recordsModify,
                    #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"forceUpdate","record":{"recordName":"s","\#(member)":["\#(Sender.carol.userName)"]}}]}"#
                )
            }
            func requesters() async throws -> Int {
                try await cloud.record("s", zone: "Z")?["requesters"].elements.count ?? -1
            }
            _ = try await cloud.links(.recordsRequestAccess, guid, as: .carol)
            #expect(try await requesters() == 1)
            #expect(try await save("denyRequesters").codes == [nil])
            #expect(try await requesters() == 0)
            _ = try await cloud.links(.recordsRequestAccess, guid, as: .carol)
            #expect(try await save("blockRequesters").records[0]["blocked"].elements.count == 1)
            _ = try await cloud.links(.recordsRequestAccess, guid, as: .carol)
            #expect(try await requesters() == 0)
            #expect(try await save("unblockIdentities").records[0]["blocked"].elements.isEmpty)
            _ = try await cloud.links(.recordsRequestAccess, guid, as: .carol)
            #expect(try await requesters() == 1)
            let approved = try await cloud.post(
                .recordsModify,
                #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"forceUpdate","record":{"recordName":"s","participants":[\#(participant(.carol))]}}]}"#
            )
            #expect(approved.records[0]["participants"][1]["isApprovedRequester"] == true)
            #expect(
                try await cloud.links(.recordsAccept, guid, as: .carol)["participantStatus"] == "ACCEPTED")
            #expect(
                try await cloud.links(.recordsRequestAccess, guid, as: .carol)["ckErrorCode"].int == 37)
        }
    }

    @Test func `More than a hundred participants are too many`() async throws {
        try await run { cloud in
            func list(_ count: Int) -> String {
                (0..<count).map {
                    #"{"permission":"READ_ONLY","userIdentity":{"lookupInfo":{"emailAddress":"p\#($0)@example.com"}}}"#
                }.joined(separator: ",")
            }
            let most = Limits.participantsPerShare
            let refused = try await share(cloud, #","participants":[\#(list(most + 1))]"#)
            #expect(refused.records[0]["ckErrorCode"].int == 29)
            #expect(try await share(cloud, #","participants":[\#(list(most))]"#).codes == [nil])
        }
    }

    @Test func `Production needs the type of shares`() async throws {
        try await TestCloud.run { cloud in
            let zone = #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#
            _ = try await cloud.send(.zonesModify, bytes: Array(zone.utf8), environment: .production)
            let share =
                #"{"zoneID":{"zoneName":"Z"},"operations":[{"operationType":"create","record":{"recordName":"cloudkit.zoneshare","recordType":"cloudkit.share","fields":{}}}]}"#
            let answer = try await cloud.send(
                .recordsModify, bytes: Array(share.utf8), environment: .production)
            #expect(answer.records[0]["reason"].string?.contains("cloudkit.share") == true)
        }
    }
}

extension TestCloud {
    /// Sends a request of JSON text.
    func post(
        _ endpoint: Endpoint, _ body: String, as sender: Sender = .alice, in scope: DatabaseScope = .private
    ) async throws -> Answer {
        try await send(endpoint, bytes: Array(body.utf8), as: sender, in: scope)
    }

    /// The result of one link.
    func links(_ endpoint: Endpoint, _ link: String, as sender: Sender) async throws -> JSONValue {
        try await post(endpoint, #"{"shortGUIDs":[{"value":"\#(link)"}]}"#, as: sender, in: .public)
            .json["results"][0]
    }
}
