import CloudKit
import RecordModel
import Testing

@testable import StratusCloudKit

/// Archives in the manner of apps that keep records in queues and files of their own.
@Suite struct ArchiveTests {
    private func file(_ text: String) throws -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(text.utf8).write(to: url)
        return url
    }

    @Test("A dictionary that holds an asset is archived securely")
    func assetInDictionary() throws {
        let url = try file("photo")
        defer { try? FileManager.default.removeItem(at: url) }
        let dictionary = NSDictionary(dictionary: [
            NSString("photo"): CKAsset(fileURL: url), NSString("name"): NSString("x"),
        ])
        let data = try NSKeyedArchiver.archivedData(withRootObject: dictionary, requiringSecureCoding: true)
        let read = try #require(
            try NSKeyedUnarchiver.unarchivedObject(
                ofClasses: [NSDictionary.self, NSString.self, CKAsset.self], from: data) as? NSDictionary)
        #expect((read["photo"] as? CKAsset)?.fileURL == url)
        #expect(read["name"] as? String == "x")
    }

    @Test("A record that was not saved keeps its assets in an archive")
    func recordWithAssets() throws {
        let url = try file("photo")
        defer { try? FileManager.default.removeItem(at: url) }
        let record = CKRecord(recordType: "Note")
        record["title"] = "x"
        record["photo"] = CKAsset(fileURL: url)
        record["pages"] = [CKAsset(fileURL: url), CKAsset(fileURL: url)]
        record.encryptedValues["secret"] = "s"
        let read = try #require(try archived(record))
        #expect((read["photo"] as? CKAsset)?.fileURL == url)
        #expect((read["pages"] as? [CKAsset])?.map(\.fileURL) == [url, url])
        #expect(read["title"] as? String == "x")
        #expect(read["secret"] == nil && read.encryptedValues["secret"] as? String == "s")
        #expect(read.allKeys() == ["pages", "photo", "title"])
        #expect(Set(read.changedKeys()) == ["title", "photo", "pages"])
        #expect(read.encryptedValues.changedKeys() == ["secret"])
    }

    @Test("An asset that the service has stays one, without its temporary file")
    func uploadedAsset() throws {
        let origin = CKAsset.Origin(place: "p", recordID: CKRecord.ID(recordName: "r"), field: "photo")
        let asset = CKAsset(uploaded: .init(fileChecksum: "AbC=", size: 5), origin: origin)
        let read = try #require(try archived(asset))
        #expect(read == asset && read.origin == origin && read.fileURL == nil)
    }

    @Test("A query is archived with its order")
    func query() throws {
        let query = CKQuery(
            recordType: "Note", predicate: NSPredicate(format: "stars IN %@ OR title == 'x'", [1, 2]))
        query.sortDescriptors = [
            NSSortDescriptor(key: "title", ascending: false),
            CKLocationSortDescriptor(key: "place", relativeLocation: CLLocation(latitude: 1, longitude: 2)),
        ]
        let read = try #require(try archived(query))
        #expect(read.recordType == "Note" && read.predicate.meansTheSame(as: query.predicate))
        #expect(read.sortDescriptors?.first?.key == "title")
        #expect(read.sortDescriptors?.first?.ascending == false)
        let place = try #require(read.sortDescriptors?.last as? CKLocationSortDescriptor)
        #expect(place.relativeLocation.coordinate.longitude == 2 && place.locationKey == "place")
        let plain = try #require(
            try archived(CKQuery(recordType: "Note", predicate: NSPredicate(value: false))))
        #expect(plain.sortDescriptors == nil)
    }

    @Test("Groups and configurations are archived with what was set")
    func groups() throws {
        let group = CKOperationGroup()
        group.name = "Sync"
        group.quantity = 4
        group.expectedSendSize = .megabytes
        group.defaultConfiguration.timeoutIntervalForRequest = 9
        let read = try #require(try archived(group))
        #expect(read.operationGroupID == group.operationGroupID && read.name == "Sync")
        #expect(read.quantity == 4 && read.expectedSendSize == .megabytes)
        #expect(read.expectedReceiveSize == .unknown)
        #expect(read.defaultConfiguration.timeoutIntervalForRequest == 9)
        #expect(read.defaultConfiguration.settings.allowsCellularAccess == nil)
        let zone = CKFetchRecordZoneChangesOperation.ZoneConfiguration(
            previousServerChangeToken: CKServerChangeToken("t"), resultsLimit: 5, desiredKeys: ["a"])
        let readZone = try #require(try archived(zone))
        #expect(readZone.previousServerChangeToken == zone.previousServerChangeToken)
        #expect(readZone.resultsLimit == 5 && readZone.desiredKeys == ["a"])
        #expect((zone.copy() as? CKFetchRecordZoneChangesOperation.ZoneConfiguration)?.resultsLimit == 5)
    }
}
