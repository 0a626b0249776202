import CloudKit
import Foundation
import TestSeeds
import Testing

@testable import StratusCloudKit

/// Dates as apps set them, and as they read them again.
@Suite struct DateTests {
    /// Dates of any precision, near and far.
    private static func date(_ random: inout Random) -> Date {
        switch random.int(0...6) {
        case 0:
            Date(
                timeIntervalSinceReferenceDate: Double(random.int(-1_000_000_000_000...1_000_000_000_000))
                    / 1000)
        case 1: Date(timeIntervalSince1970: Double(random.int(0...2_000_000_000_000)) / 1000)
        case 2: random.oneIn(2) ? .distantPast : .distantFuture
        case 3: Date(timeIntervalSinceReferenceDate: random.oneIn(2) ? 1e17 : -.infinity)
        case 4: Date(timeIntervalSince1970: Double(random.int(-5_000...5_000)) / 3)
        default: Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &random))
        }
    }

    private func place(_ date: Date) -> CLLocation {
        CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 47, longitude: 15), altitude: 1,
            horizontalAccuracy: 1,
            verticalAccuracy: 1, timestamp: date)
    }

    /// A record with a date in every kind of field that has one.
    private func record(_ dates: [Date]) -> CKRecord {
        let record = CKRecord(recordType: "Event", recordID: CKRecord.ID(recordName: "r1"))
        record["date"] = dates[0]
        record["object"] = NSDate(timeIntervalSinceReferenceDate: dates[1].timeIntervalSinceReferenceDate)
        record["list"] = dates
        record["place"] = place(dates[2])
        record["places"] = dates.map(place)
        record.encryptedValues["secret"] = dates[3]
        return record
    }

    private func expect(_ record: CKRecord, has dates: [Date], _ comment: Comment) {
        #expect(record["date"] as? Date == dates[0], comment)
        #expect((record["object"] as? Date) == dates[1], comment)
        #expect(record["list"] as? [Date] == dates, comment)
        #expect((record["place"] as? CLLocation)?.timestamp == dates[2], comment)
        #expect((record["places"] as? [CLLocation])?.map(\.timestamp) == dates, comment)
        #expect(record.encryptedValues["secret"] as? Date == dates[3], comment)
    }

    @Test(
        "A date that is set is read as it was set, from copies and archives too, and after a save",
        arguments: Seed.some(40))
    func asSet(seed: Seed) async throws {
        var random = seed.random
        let dates = (0..<4).map { _ in Self.date(&random) }
        let record = record(dates)
        expect(record, has: dates, "set")
        expect(try #require(record.copy() as? CKRecord), has: dates, "copied")
        if dates.allSatisfy(\.timeIntervalSinceReferenceDate.isFinite) {
            expect(try #require(try archived(record)), has: dates, "archived")
        }
        let cloud = TestCloud(.json(#"{"records":["# + recordJSON("r1", type: "Event") + "]}"))
        let saved = try await cloud.database.save(record)
        expect(saved, has: dates, "saved")
        #expect(saved === record && record.changedKeys().isEmpty)
    }

    @Test("An app that writes only what differs writes a date once")
    func writesOnce() async throws {
        let now = Date(timeIntervalSinceReferenceDate: 793_109_282.061_123_4)
        let cloud = TestCloud(
            .json(#"{"records":["# + recordJSON("r1") + "]}"),
            .json(#"{"records":["# + recordJSON("r1") + "]}"))
        let record = CKRecord(recordType: "Event", recordID: CKRecord.ID(recordName: "r1"))
        record["d"] = now
        try await cloud.database.save(record)
        if record["d"] as? Date != now { record["d"] = now }
        #expect(record.changedKeys().isEmpty)
    }

    @Test("Dates of whole milliseconds come from the service as they were", arguments: Seed.some(20))
    func wholeMilliseconds(seed: Seed) async throws {
        var random = seed.random
        var dates = [Date(timeIntervalSinceReferenceDate: 793_109_282.061), .distantPast, .distantFuture]
        dates += (0..<50).map { _ in
            Date(
                timeIntervalSinceReferenceDate: Double(random.int(-60_000_000_000_000...60_000_000_000_000))
                    / 1000)
        }
        for date in dates {
            let wire = date.milliseconds
            #expect(Date(milliseconds: wire) == date, "\(date.timeIntervalSinceReferenceDate)")
            let fields = #""d":{"value":\#(wire),"type":"TIMESTAMP"}"#
            let cloud = TestCloud(.json(#"{"records":["# + recordJSON("r1", fields: fields) + "]}"))
            let record = try await cloud.database.record(for: CKRecord.ID(recordName: "r1"))
            #expect(record["d"] as? Date == date)
        }
    }

    @Test("Milliseconds at the ends of 64 bits neither trap nor change their order")
    func ends() {
        let ends: [Int64] = [.min, .min + 1, -1, 0, 978_307_200_000, .max - 1, .max]
        let dates = ends.map(Date.init(milliseconds:))
        #expect(dates == dates.sorted())
        for date in dates + [
            Date(timeIntervalSinceReferenceDate: .infinity), Date(timeIntervalSinceReferenceDate: 9e15),
        ] {
            _ = date.milliseconds
        }
        #expect(Date(timeIntervalSinceReferenceDate: .infinity).milliseconds == .max)
        #expect(Date(timeIntervalSinceReferenceDate: -.infinity).milliseconds == .min)
    }

    @Test("A date that is NaN is refused when it is saved, by the field's name")
    func notANumber() async {
        let record = CKRecord(recordType: "Event")
        record["d"] = Date(timeIntervalSinceReferenceDate: .nan)
        let error = await cloudError { try await TestCloud().database.save(record) }
        #expect(error?.code == .invalidArguments && error?.localizedDescription.contains("'d'") == true)
    }

    @Test(
        "A predicate means the same time as the field that was set with the same date",
        arguments: Seed.some(20))
    func predicates(seed: Seed) throws {
        var random = seed.random
        let date = Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &random))
        let record = CKRecord(recordType: "Event")
        record["d"] = date
        let predicate = NSPredicate(format: "d == %@", date as NSDate)
        #expect(predicate.evaluate(with: record))
        let query = try QueryTranslation(isStrict: true).translate(
            CKQuery(recordType: "Event", predicate: predicate))
        #expect("\(query)".contains("\(date.milliseconds)"))
    }
}
