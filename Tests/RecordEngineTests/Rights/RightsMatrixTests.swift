import Foundation
import RecordEngine
import RecordModel
import RecordWire
import TestSupport
import Testing

/// Every role against every operation on every endpoint: each right alone and all of them together, given to one role,
/// asked for by everybody, one operation at a time and in batches.
@Suite struct RightsMatrixTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var role: String
        var permissions: SecurityPermissions
        var grants: [SecurityGrant] { [SecurityGrant(permissions, to: role)] }
        var testDescription: String { "\(permissions.words.joined(separator: ", ")) to \(role)" }
    }

    static let cases: [Case] = ["_world", "_icloud", "_creator", "Editor"].flatMap { role in
        (1...7).map { Case(role: role, permissions: SecurityPermissions(rawValue: $0)) }
    }

    /// What is done to a record.
    enum AuditedAction: String, CaseIterable {
        case createNew, createTaken, forceUpdateNew, forceUpdate, forceReplace, update, updateOldTag, replace
        case updateMissing, delete, deleteOldTag, forceDelete, forceDeleteMissing

        /// The operation's name in the protocol.
        var operation: String {
            switch self {
            case .createNew, .createTaken: "create"
            case .forceUpdateNew, .forceUpdate: "forceUpdate"
            case .forceReplace: "forceReplace"
            case .update, .updateOldTag, .updateMissing: "update"
            case .replace: "replace"
            case .delete, .deleteOldTag: "delete"
            case .forceDelete, .forceDeleteMissing: "forceDelete"
            }
        }

        var isOnRecordThatIsThere: Bool {
            ![.createNew, .forceUpdateNew, .updateMissing, .forceDeleteMissing].contains(self)
        }
        var hasOldTag: Bool { self == .updateOldTag || self == .deleteOldTag }

        /// What is tried of an operation: one that is new does not compile before somebody has decided on that.
        static func all(of operation: OperationType) -> [AuditedAction] {
            switch operation {
            case .create: [.createNew, .createTaken]
            case .update: [.update, .updateOldTag, .updateMissing]
            case .forceUpdate: [.forceUpdateNew, .forceUpdate]
            case .replace: [.replace]
            case .forceReplace: [.forceReplace]
            case .delete: [.delete, .deleteOldTag]
            case .forceDelete: [.forceDelete, .forceDeleteMissing]
            // `VersionTests` walks it, with the versions that it needs.
            case .restore: []
            }
        }
    }

    /// What an operation is to come to, by the model.
    struct Expected: Equatable {
        var code: String?
        /// Whether the record is changed, made or gone.
        var isDone: Bool
        /// Whether the answer shows the record's fields, its own or the server's in a conflict.
        var showsFields: Bool
    }

    static func expected(_ deed: AuditedAction, _ grants: [SecurityGrant], _ asker: RightsGround.Asker)
        -> Expected
    {
        let isAlice = asker == .alice
        let read = RightsGround.allows(.read, grants, asker, isOwn: isAlice)
        let write = RightsGround.allows(.write, grants, asker, isOwn: isAlice)
        let create = RightsGround.allows(.create, grants, asker, isOwn: false)
        let readsOwn = RightsGround.allows(.read, grants, asker, isOwn: true)
        let denied = Expected(code: "ACCESS_DENIED", isDone: false, showsFields: false)
        let absent = Expected(code: "NOT_FOUND", isDone: false, showsFields: false)
        switch deed {
        case .createNew, .forceUpdateNew:
            return create ? Expected(code: nil, isDone: true, showsFields: readsOwn) : denied
        case .createTaken:
            return create ? Expected(code: "CONFLICT", isDone: false, showsFields: read) : denied
        case .updateMissing: return absent
        case .forceDeleteMissing: return Expected(code: nil, isDone: false, showsFields: false)
        case .forceUpdate, .forceReplace:
            return write ? Expected(code: nil, isDone: true, showsFields: read) : denied
        case .update, .replace, .delete, .updateOldTag, .deleteOldTag:
            guard write else { return read ? denied : absent }
            if deed.hasOldTag { return Expected(code: "CONFLICT", isDone: false, showsFields: read) }
            return Expected(code: nil, isDone: true, showsFields: read && deed != .delete)
        case .forceDelete:
            guard write else {
                // As if it were not there, and it stays.
                return read ? denied : Expected(code: nil, isDone: false, showsFields: false)
            }
            return Expected(code: nil, isDone: true, showsFields: false)
        }
    }

    @Test(arguments: OperationType.allCases)
    func `The walk has every operation`(_ operation: OperationType) {
        let deeds = AuditedAction.allCases.filter { $0.operation == operation.rawValue }
        #expect(Set(deeds) == Set(AuditedAction.all(of: operation)))
        #expect(deeds.isEmpty == (operation == .restore))
    }

    /// Whether a request to write is refused as a whole, since nobody without a name could write anything.
    static func isRefusedWhole(_ item: Case, _ asker: RightsGround.Asker) -> Bool {
        asker == .nobody
            && !(item.role == "_world" && !item.permissions.isDisjoint(with: [.create, .write]))
    }

    @Test(arguments: cases, [nil, false, true] as [Bool?])
    func `Every operation, by every caller`(_ item: Case, _ batch: Bool?) async throws {
        try await TestCloud.run { cloud in
            let ground = try await RightsGround(cloud)
            for asker in RightsGround.Asker.allCases {
                let named = AuditedAction.allCases.map { ($0, "\(asker.rawValue)-\($0.rawValue)") }
                try await ground.set(SecurityGrant.defaults)
                for (deed, name) in named where deed.isOnRecordThatIsThere {
                    try await cloud.save(name, ["n": ["value": 1]], in: .public)
                }
                try await ground.set(item.grants)
                var operations: [JSONValue] = []
                for (deed, name) in named {
                    let tag = try await ground.record(name)?["recordChangeTag"].string
                    let sent = deed.hasOldTag ? "0" : deed == .updateMissing ? "1" : tag
                    operations.append(
                        TestCloud.operation(
                            deed.operation, name, tag: sent,
                            fields: deed.operation.lowercased().hasSuffix("delete")
                                ? nil : ["n": ["value": 2]]))
                }
                let requests = batch == nil ? operations.map { [$0] } : [operations]
                var answers: [JSONValue] = []
                for request in requests {
                    var body: JSONValue = ["operations": .array(request)]
                    if let batch { body = body.with("atomic", .bool(batch)) }
                    let answer = try await ground.send(.recordsModify, body, as: asker)
                    if Self.isRefusedWhole(item, asker) {
                        #expect(answer.code == "AUTHENTICATION_REQUIRED")
                    }
                    answers += answer.records
                }
                if Self.isRefusedWhole(item, asker) { answers = [] }
                for (index, (deed, name)) in named.enumerated() {
                    var expected = Self.expected(deed, item.grants, asker)
                    let answer = answers.indices.contains(index) ? answers[index] : .null
                    if answers.isEmpty { expected = Expected(code: nil, isDone: false, showsFields: false) }
                    let after = try await ground.record(name)
                    let isDone =
                        deed.operation.lowercased().hasSuffix("delete")
                        ? deed.isOnRecordThatIsThere && after == nil
                        : after?["fields"]["n"]["value"] == .int(2)
                    let shown =
                        answer["fields"]["n"] != .null || answer["serverRecord"]["fields"]["n"] != .null
                    #expect(
                        Expected(
                            code: answer["serverErrorCode"].string, isDone: isDone, showsFields: shown)
                            == expected, "\(asker) \(deed): \(answer.text)")
                }
            }
        }
    }

    @Test(arguments: cases)
    func `Everything that reads, by every caller`(_ item: Case) async throws {
        try await TestCloud.run { cloud in
            let ground = try await RightsGround(cloud)
            for index in 0..<5 { try await cloud.save("r\(index)", ["n": ["value": 1]], in: .public) }
            try await ground.set(item.grants)
            for asker in RightsGround.Asker.allCases {
                let isAlice = asker == .alice
                let mayRead = RightsGround.allows(.read, item.grants, asker, isOwn: isAlice)
                let readsOwn = RightsGround.allows(.read, item.grants, asker, isOwn: true)
                // Who could read records of their own gets none of others; who could read none is refused.
                let refusal: String? =
                    readsOwn
                    ? nil
                    : asker == .nobody && item.permissions.contains(.read)
                        ? "AUTHENTICATION_REQUIRED" : "ACCESS_DENIED"
                let query: JSONValue = ["query": ["recordType": "Note"]]
                let page = try await ground.send(.recordsQuery, query, as: asker)
                #expect(page.code == refusal && page.names.count == (mayRead ? 5 : 0), "\(asker)")
                let count = try await ground.send(.recordsCount, query, as: asker)
                #expect(count.code == refusal, "\(asker)")
                #expect(count.json["count"] == (refusal == nil ? .int(mayRead ? 5 : 0) : .null), "\(asker)")
                let lookup = try await ground.send(
                    .recordsLookup, ["records": [["recordName": "r1"], ["recordName": "missing"]]], as: asker)
                #expect(lookup.codes == [mayRead ? nil : "NOT_FOUND", "NOT_FOUND"], "\(asker)")
                if !mayRead {
                    #expect(
                        lookup.records[0]["reason"] == lookup.records[1]["reason"]
                            && lookup.records[0].object?.members.count
                                == lookup.records[1].object?.members.count
                    )
                }
                let versions = try await ground.send(.recordsVersions, ["recordName": "r1"], as: asker)
                #expect(versions.code == (mayRead ? nil : "NOT_FOUND"), "\(asker)")
                for endpoint in [Endpoint.zonesChanges, .changesDatabase, .changesZone, .recordsChanges] {
                    let feed = try await ground.send(
                        endpoint, ["zones": [["zoneID": ["zoneName": "_defaultZone"]]]], as: asker)
                    #expect(feed.code != nil || feed.zones.allSatisfy { $0["serverErrorCode"] != .null })
                }
                let zone = try await ground.send(
                    .zonesModify,
                    ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "Z"]]]]],
                    as: asker)
                #expect(zone.code == "BAD_REQUEST")
            }
        }
    }

    @Test(arguments: cases)
    func `Files, by every caller`(_ item: Case) async throws {
        try await TestCloud.run { cloud in
            let ground = try await RightsGround(cloud)
            let file = try await cloud.upload([1, 2, 3], in: .public)
            #expect(try await cloud.save("p", file: file, in: .public).codes == [nil])
            try await ground.set(item.grants, type: "Photo")
            for asker in RightsGround.Asker.allCases {
                let isRefused = Self.isRefusedWhole(item, asker)
                let mayRead = RightsGround.allows(.read, item.grants, asker, isOwn: asker == .alice)
                let mayUpload =
                    RightsGround.allows(.create, item.grants, asker, isOwn: false)
                    || RightsGround.allows(.write, item.grants, asker, isOwn: true)
                let wish: JSONValue = ["tokens": [["recordType": "Photo", "fieldName": "file"]]]
                let upload = try await ground.send(.assetsUpload, wish, as: asker)
                #expect(
                    upload.code
                        == (isRefused ? "AUTHENTICATION_REQUIRED" : mayUpload ? nil : "ACCESS_DENIED"),
                    "\(asker)")
                let again = try await ground.send(
                    .assetsRereference, ["assets": [["recordName": "p", "fieldName": "file"]]], as: asker)
                if isRefused {
                    #expect(again.code == "AUTHENTICATION_REQUIRED")
                } else {
                    let code = again.json["assets"][0]["serverErrorCode"].string
                    #expect(again.code == nil && code == (mayRead ? nil : "NOT_FOUND"), "\(asker)")
                }
                let lookup = try await ground.send(
                    .recordsLookup, ["records": [["recordName": "p"]]], as: asker)
                let address = lookup.records[0]["fields"]["file"]["value"]["downloadURL"].string
                #expect((address != nil) == mayRead, "\(asker)")
                // What not everybody may read has no address that is good for ever.
                guard let address, let path = address.range(of: "/assets/get/") else { continue }
                let download = try await cloud.service.download(address[path.upperBound...])
                #expect(
                    (download.remaining == nil)
                        == (item.role == "_world" && item.permissions.contains(.read)), "\(asker)")
            }
        }
    }

    @Test func `In a private database grants mean nothing`() async throws {
        try await TestCloud.run { cloud in
            let ground = try await RightsGround(cloud)
            try await ground.set([SecurityGrant(.read, to: "Editor")])
            try await cloud.save("r", ["n": ["value": 1]])
            #expect(try await cloud.record("r") != nil)
            #expect(try await cloud.query(["recordType": "Note"]).names == ["r"])
            #expect(try await cloud.record("r", as: .carol) == nil)
            let nobody = try await cloud.query(["recordType": "Note"], as: .nobody)
            #expect(nobody.code == "AUTHENTICATION_REQUIRED")
        }
    }
}
