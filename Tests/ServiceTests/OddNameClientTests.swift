import CloudKit
import Testing

/// Records of odd names, and values at the edge of what a field holds, in Swift and back.
@Suite struct OddNameClientTests {
    private static let names = [
        "a/b", "..", "50%", "?q#f", "\u{E9}", "e\u{301}", "\u{212B}", "A\u{30A}", " both ", "\u{200F}rtl",
        "\u{FEFF}bom", "\u{2028}", "'\"\\",
        String(repeating: "\u{1F600}", count: 127), "%@ %K $x",
    ]
    private let zone = CKRecordZone(zoneName: "Odd")

    private func id(_ name: String) -> CKRecord.ID { CKRecord.ID(recordName: name, zoneID: zone.zoneID) }

    @Test(arguments: CloudKind.allCases)
    func `Each odd name is its own record, by ID, query, reference, change and archive`(kind: CloudKind)
        async throws
    {
        try await withCloud(kind) { container in
            let database = try await container("ada").privateCloudDatabase
            try await database.save(zone)
            let names = Self.names
            let records = names.enumerated().map { number, name in
                let record = CKRecord(recordType: "Odd", recordID: id(name))
                record["number"] = number
                record["next"] = CKRecord.Reference(
                    recordID: id(names[(number + 1) % names.count]), action: .none)
                return record
            }
            let results = try await database.modifyRecords(saving: records, deleting: [])
            #expect(results.saveResults.count == names.count)
            let found = try await database.records(for: names.map(id))
            #expect(found.count == names.count)
            for (number, name) in names.enumerated() {
                let record = try #require(try found[id(name)]?.get())
                #expect(record["number"] as? Int == number)
                let before = names[(number + names.count - 1) % names.count]
                let reference = CKRecord.Reference(recordID: id(name), action: .none)
                for (predicate, wanted) in [
                    (NSPredicate(format: "recordID == %@", id(name)), name),
                    (NSPredicate(format: "next == %@", reference), before),
                ] {
                    let query = CKQuery(recordType: "Odd", predicate: predicate)
                    let matches = try await database.records(matching: query, inZoneWith: zone.zoneID)
                    #expect(matches.matchResults.map(\.0) == [id(wanted)])
                }
                let archive = try NSKeyedArchiver.archivedData(
                    withRootObject: id(name), requiringSecureCoding: true)
                let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecordID.self, from: archive)
                #expect(read == id(name))
            }
            let deleted = try await database.modifyRecords(
                saving: [], deleting: [id(names[4]), id(names[7])])
            #expect(deleted.deleteResults.count == 2)
            let changes = try await database.recordZoneChanges(inZoneWith: zone.zoneID, since: nil)
            #expect(changes.modificationResultsByID.count == names.count - 2)
            #expect(
                changes.modificationResultsByID[id(names[5])] != nil
                    && changes.modificationResultsByID[id(names[4])] == nil)
        }
    }

    @Test func `A sync engine's pending changes of odd names survive its state`() throws {
        let names = Self.names
        for name in names {
            let change = CKSyncEngine.PendingRecordZoneChange.saveRecord(id(name))
            let other = CKSyncEngine.PendingRecordZoneChange.saveRecord(id(name + "x"))
            #expect(Set([change, other, .saveRecord(id(name))]).count == 2)
        }
    }

    @Test(arguments: CloudKind.allCases)
    func `Values at the edge come back as they were, or are refused`(kind: CloudKind) async throws {
        try await withCloud(kind) { container in
            let database = try await container("ada").privateCloudDatabase
            let record = CKRecord(recordType: "Edge", recordID: CKRecord.ID(recordName: "edge"))
            record["least"] = Int64.min
            record["most"] = Int64.max
            let precise: Int64 = 9_007_199_254_740_993
            record["precise"] = precise
            record["minusZero"] = -0.0
            record["tiny"] = Double.leastNonzeroMagnitude
            record["large"] = Double.greatestFiniteMagnitude
            record["past"] = Date.distantPast
            record["future"] = Date.distantFuture
            record["nothing"] = Data()
            record["empty"] = ""
            record["list"] = [0.5, 1e300]
            try await database.save(record)
            let found = try await database.record(for: record.recordID)
            #expect(found["least"] as? Int64 == .min && found["most"] as? Int64 == .max)
            #expect(found["precise"] as? Int64 == precise)
            #expect((found["minusZero"] as? Double)?.sign == .minus)
            #expect(found["tiny"] as? Double == .leastNonzeroMagnitude)
            #expect(found["large"] as? Double == .greatestFiniteMagnitude)
            #expect(found["past"] as? Date == .distantPast && found["future"] as? Date == .distantFuture)
            #expect(found["nothing"] as? Data == Data() && found["empty"] as? String == "")
            #expect(found["list"] as? [Double] == [0.5, 1e300])
            for bad in [UInt64.max as any CKRecordValueProtocol, Double.nan, Double.infinity] {
                found["bad"] = bad
                await #expect(throws: CKError.self) { try await database.save(found) }
            }
        }
    }

    @Test(arguments: CloudKind.allCases)
    func `Subscriptions whose IDs mean the same are two`(kind: CloudKind) async throws {
        try await withCloud(kind) { container in
            let database = try await container("ada").privateCloudDatabase
            try await database.save(zone)
            let subscriptions = ["\u{E9}", "e\u{301}"].map {
                CKRecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: $0)
            }
            for subscription in subscriptions {
                let saved = try await database.save(subscription)
                #expect(Array(saved.subscriptionID.utf8) == Array(subscription.subscriptionID.utf8))
            }
            #expect(Set(try await database.allSubscriptions()) == Set(subscriptions))
            _ = try await database.deleteSubscription(withID: subscriptions[0].subscriptionID)
            #expect(try await database.allSubscriptions() == [subscriptions[1]])
        }
    }
}
