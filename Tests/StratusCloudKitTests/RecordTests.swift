import CloudKit
import Foundation
import Testing

@testable import StratusCloudKit

@Suite struct RecordTests {
    private let place = CLLocation(latitude: 48.2, longitude: 16.37)

    @Test("Every type of value is read as any Swift type that fits")
    func values() throws {
        let record = CKRecord(recordType: "T")
        let date = Date(timeIntervalSince1970: 1_700_000_000.123)
        record["text"] = "x"
        record["int"] = 3
        record["small"] = UInt8(7)
        record["flag"] = true
        record["double"] = 2.5
        record["date"] = date
        record["data"] = Data([1, 2])
        record["list"] = ["a", "b"]
        record["numbers"] = [1, 2]
        record["places"] = [place]
        record["link"] = CKRecord.Reference(recordID: CKRecord.ID(recordName: "r"), action: .deleteSelf)
        record["place"] = place
        record["foundation"] = NSNumber(value: 1.5)
        #expect(record["text"] as? String == "x")
        #expect(record["int"] as? Int == 3 && record["int"] as? Int64 == 3 && record["int"] as? Double == 3)
        #expect(record["int"] as? NSNumber == 3)
        #expect(record["small"] as? UInt8 == 7)
        #expect(record["flag"] as? Bool == true && record["flag"] as? Int == 1)
        #expect(record["double"] as? Double == 2.5 && record["double"] as? Int == nil)
        #expect(try #require(record["date"] as? Date).timeIntervalSince1970 == 1_700_000_000.123)
        #expect(record["data"] as? Data == Data([1, 2]))
        #expect(record["list"] as? [String] == ["a", "b"])
        #expect(record["numbers"] as? [Int] == [1, 2])
        #expect(record["places"] as? [CLLocation] == [place])
        #expect((record["link"] as? CKRecord.Reference)?.recordID.recordName == "r")
        #expect((record["link"] as? CKRecord.Reference)?.action == .deleteSelf)
        #expect((record["place"] as? CLLocation)?.coordinate == place.coordinate)
        #expect(record["foundation"] as? Double == 1.5)
        let typed: String? = record["text"]
        #expect(typed == "x")
        #expect(record["text"] as? Int == nil && record["missing"] == nil)
    }

    @Test("The older accessors see the same values")
    func accessors() {
        let record = CKRecord(recordType: "T")
        record.setValue("x", forKey: "a")
        record.setObject(NSString(string: "y"), forKey: "b")
        record["c"] = "z" as any CKRecordValue
        #expect(record.object(forKey: "a") as? String == "x")
        #expect(record.value(forKey: "b") as? String == "y")
        #expect(record.allKeys() == ["a", "b", "c"])
        #expect(record.map(\.0) == ["a", "b", "c"])
        record["a"] = nil
        record.setValue(nil, forKey: "b")
        #expect(record.allKeys() == ["c"])
        #expect(record.changedKeys() == ["a", "b", "c"])
    }

    @Test("A predicate is evaluated on a record, system fields included")
    func evaluation() {
        let record = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "r1"))
        record["age"] = 20
        record["place"] = place
        #expect(NSPredicate(format: "age > 18 AND creationDate == nil").evaluate(with: record))
        #expect(!NSPredicate(format: "age > 30").evaluate(with: record))
        #expect(
            NSPredicate(format: "distanceToLocation:fromLocation:(place, %@) < 10", place)
                .evaluate(with: record))
    }

    @Test("What no field can hold does not stop the app")
    func unsupported() {
        let record = CKRecord(recordType: "T")
        record.setValue(URL(string: "https://example.org"), forKey: "url")
        record.setValue(["a": 1], forKey: "dictionary")
        record.setValue([1, "x"] as [Any], forKey: "mixed")
        record["huge"] = UInt64.max
        for key in ["url", "dictionary", "mixed", "huge"] {
            #expect(record.object(forKey: key) == nil)
            #expect(record.snapshot.values[key]?.refusal != nil, "\(key)")
        }
        record["nan"] = Double.nan
        record["nowhere"] = CLLocation(latitude: 91, longitude: 0)
        #expect(record.snapshot.values["nan"]?.refusal != nil)
        #expect(record.snapshot.values["nowhere"]?.refusal != nil)
    }

    @Test("A copy has its own changes")
    func copying() throws {
        let record = CKRecord(recordType: "T")
        record["a"] = 1
        let copy = try #require(record.copy() as? CKRecord)
        copy["a"] = 2
        #expect(record["a"] as? Int == 1 && copy["a"] as? Int == 2)
        #expect(copy.recordID == record.recordID && copy.recordType == "T")
    }

    @Test("A record is set from many tasks at once")
    func concurrency() async {
        let record = CKRecord(recordType: "T")
        await withTaskGroup { group in
            for index in 0..<50 { group.addTask { record["k\(index)"] = index } }
        }
        #expect(record.allKeys().count == 50 && record.changedKeys().count == 50)
    }

    @Test("IDs, zones and references are equal by value")
    func identity() {
        let zone = CKRecordZone.ID(zoneName: "Z")
        #expect(CKRecord.ID(recordName: "a", zoneID: zone) == CKRecord.ID(recordName: "a", zoneID: zone))
        #expect(CKRecord.ID(recordName: "a", zoneID: zone) != CKRecord.ID(recordName: "a"))
        #expect(Set([CKRecord.ID(recordName: "a"), CKRecord.ID(recordName: "a")]).count == 1)
        #expect(CKRecordZone.ID.default == CKRecordZone.default().zoneID)
        #expect(CKRecord.ID().recordName != CKRecord.ID().recordName)
    }
}

@Suite struct RecordCodingTests {
    private func fetchedRecord() async throws -> CKRecord {
        let cloud = TestCloud(
            .json(
                #"{"records":["# + recordJSON("r1", tag: "7", fields: #""likes":{"value":3,"type":"INT64"}"#)
                    + "]}"))
        let id = CKRecord.ID(recordName: "r1", zoneID: CKRecordZone.ID(zoneName: "Z"))
        return try await cloud.privateDatabase.record(for: id)
    }

    @Test("System fields survive an archive: what an app keeps beside its own data")
    func systemFields() async throws {
        let record = try await fetchedRecord()
        record.setParent(CKRecord.ID(recordName: "p", zoneID: record.recordID.zoneID))
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: archiver)
        archiver.finishEncoding()

        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        unarchiver.requiresSecureCoding = true
        let restored = try #require(CKRecord(coder: unarchiver))
        unarchiver.finishDecoding()
        #expect(restored.recordID == record.recordID && restored.recordType == "Player")
        #expect(restored.recordChangeTag == "7")
        #expect(restored.creationDate == record.creationDate && restored.creationDate != nil)
        #expect(restored.modificationDate == record.modificationDate)
        #expect(restored.creatorUserRecordID?.recordName == "_ann")
        #expect(restored.lastModifiedUserRecordID?.recordName == "_bob")
        #expect(restored.parent == record.parent)
        #expect(restored.allKeys().isEmpty && restored.changedKeys().isEmpty)
    }

    @Test("A parent is sent where it was set, and taken away where it was set to nothing")
    func parents() async throws {
        let zone = CKRecordZone.ID(zoneName: "Z")
        func sent(_ change: (CKRecord) -> Void) async throws -> String {
            let json = recordJSON("r1", tag: "7", fields: "").replacing(
                #""recordName":"r1","#, with: #""recordName":"r1","parent":{"recordName":"p"},"#)
            let cloud = TestCloud(
                .json(#"{"records":["# + json + "]}"), .json(#"{"records":["# + json + "]}"))
            let record = try await cloud.privateDatabase.record(
                for: CKRecord.ID(recordName: "r1", zoneID: zone))
            #expect(record.parent?.recordID.recordName == "p")
            record["likes"] = 9
            change(record)
            _ = try await cloud.privateDatabase.modifyRecords(
                saving: [record], deleting: [], savePolicy: .changedKeys)
            return cloud.transport.bodies.last ?? ""
        }
        #expect(try await !sent { _ in }.contains("parent"))
        #expect(try await sent { $0.setParent(nil as CKRecord.ID?) }.contains(#""parent":null"#))
        let moved = try await sent { $0.setParent(CKRecord.ID(recordName: "q", zoneID: zone)) }
        #expect(moved.contains(#""parent":{"recordName":"q"}"#))
    }

    @Test("A whole record survives an archive, with what changed")
    func wholeRecord() async throws {
        let record = try await fetchedRecord()
        record["likes"] = 4
        record["tags"] = ["a"]
        record["at"] = Date(timeIntervalSince1970: 5)
        let data = try NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: true)
        let restored = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data))
        #expect(restored["likes"] as? Int == 4 && restored["tags"] as? [String] == ["a"])
        #expect(restored["at"] as? Date == Date(timeIntervalSince1970: 5))
        #expect(restored.changedKeys() == ["likes", "tags", "at"])
        #expect(restored.ancestor?["likes"] as? Int == 3)
    }

    @Test("Tokens, IDs, references and places survive an archive")
    func values() throws {
        func roundTrip<T: NSObject & NSCoding>(_ value: T) throws -> T? {
            let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
            return try NSKeyedUnarchiver.unarchivedObject(ofClass: T.self, from: data)
        }
        let id = CKRecord.ID(recordName: "r", zoneID: CKRecordZone.ID(zoneName: "Z", ownerName: "_o"))
        #expect(try roundTrip(id) == id)
        #expect(try roundTrip(id.zoneID) == id.zoneID)
        #expect(try roundTrip(CKServerChangeToken("t")) == CKServerChangeToken("t"))
        let reference = CKRecord.Reference(recordID: id, action: .deleteSelf)
        #expect(try roundTrip(reference) == reference)
        let place = CLLocation(latitude: 1, longitude: 2)
        #expect(try roundTrip(place) == place)
        #expect(try roundTrip(CKRecordZone(zoneName: "Z"))?.zoneID.zoneName == "Z")
    }

    @Test("An archive of something else gives nil")
    func foreignArchive() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        #expect(CKRecord(coder: unarchiver) == nil)
        #expect(CKQueryCursor(coder: unarchiver) == nil)
        #expect(CKServerChangeToken(coder: unarchiver) == nil)
        #expect(CLLocation(coder: unarchiver) == nil)
    }

    @Test("Bytes that hold something else are an error of the unarchiver")
    func wrongClasses() throws {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: NSString(string: "x"), requiringSecureCoding: true)
        #expect((try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data)) == nil)
        #expect((try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKQueryCursor.self, from: data)) == nil)
        #expect((try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: Data([1, 2]))) == nil)
    }
}
