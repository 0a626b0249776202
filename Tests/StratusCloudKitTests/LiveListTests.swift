import CloudKit
import TestSeeds
import Testing

@testable import StratusCloudKit

/// The service, naively: all records that match, and what its events and pages say of them.
private struct NaiveService {
    /// The number of each record, by which they are sorted.
    var numbers: [String: Int] = [:]

    /// The records in their order, and their places.
    var sorted: [LiveList.Entry] {
        numbers.keys.map(entry).sorted { $0.place < $1.place }
    }

    func entry(_ name: String) -> LiveList.Entry {
        let digits = String(1_000_000 + (numbers[name] ?? 0))
        let recordID = CKRecord.ID(recordName: name)
        return LiveList.Entry(
            place: digits + name, record: CKRecord(recordType: "Note", recordID: recordID))
    }

    func page(_ limit: Int) -> (entries: [LiveList.Entry], hasMore: Bool) {
        let all = sorted
        return (Array(all.prefix(limit)), all.count > limit)
    }
}

/// The list of a live query, naively: the records up to the border of the last page.
private struct NaiveList {
    let limit: Int
    var border: String?
    var fetched = 0
    var shown: [String] = []

    mutating func fetch(_ service: NaiveService) {
        let page = service.page(limit)
        border = page.hasMore ? page.entries.last?.place : nil
        fetched = page.entries.count
        shown = page.entries.map(\.record.recordID.recordName)
    }

    /// Looks at the service after an edit, and fetches again where few are left or there are too many.
    mutating func look(at service: NaiveService) {
        let inside = service.sorted.filter { entry in border.map { entry.place <= $0 } ?? true }
        shown = inside.map(\.record.recordID.recordName)
        let isShort = border != nil && inside.count * 2 < fetched
        if isShort || inside.count > limit * 2 { fetch(service) }
    }
}

@Suite struct LiveListTests {
    @Test("A live list removes the record that was named, not one whose name means the same")
    func exactNames() {
        let names = ["\u{E9}", "e\u{301}"]
        for removed in names {
            var list = LiveList(limit: 8)
            for (number, name) in names.enumerated() {
                let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: name))
                _ = list.put(LiveList.Entry(place: "\(number)", record: record))
            }
            let change = list.remove(recordName: removed, zoneName: nil)
            guard case .removed(let recordID, _)? = change else {
                Issue.record("\(removed) was not there")
                continue
            }
            #expect(recordID == CKRecord.ID(recordName: removed))
        }
    }

    @Test("A live list has what lies within its border, whatever is edited", arguments: Seed.some(40))
    func law(seed: Seed) {
        var random = seed.random
        var service = NaiveService()
        let limit = random.int(1...8)
        for number in 0..<random.int(0...30) { service.numbers["r\(number)"] = random.int(0...50) }
        var list = LiveList(limit: limit)
        var model = NaiveList(limit: limit)
        var page = service.page(limit)
        let first = list.show(page.entries, hasMore: page.hasMore)
        #expect(first == .fetched)
        model.fetch(service)
        // What an app shows that only looks at the changes.
        var screen = model.shown
        for step in 0..<300 {
            let name = "r\(random.int(0...40))"
            // Times of growth and of shrinking, since an even mix stays where it is.
            let shallRemove = random.oneIn(step % 100 < 50 ? 6 : 2)
            var change: CKLiveRecords.Change?
            if shallRemove {
                service.numbers[name] = nil
                change = list.remove(recordName: name, zoneName: nil)
            } else {
                service.numbers[name] = random.int(0...50)
                change = list.put(service.entry(name))
            }
            let records = list.records.map(\.recordID.recordName)
            Self.show(change, records, on: &screen)
            #expect(screen == records, "the changes say something else in step \(step)")
            if list.isShort {
                page = service.page(limit)
                change = list.show(page.entries, hasMore: page.hasMore)
                Self.show(change, list.records.map(\.recordID.recordName), on: &screen)
            }
            model.look(at: service)
            #expect(screen == model.shown, "step \(step)")
            #expect(screen.count <= limit * 2)
        }
    }

    private static func show(
        _ change: CKLiveRecords.Change?, _ records: [String], on screen: inout [String]
    ) {
        switch change {
        case nil: break
        case .fetched: screen = records
        case .inserted(let recordID, let index): screen.insert(recordID.recordName, at: index)
        case .changed(let recordID, let from, let to):
            let moved = screen.remove(at: from)
            #expect(moved == recordID.recordName)
            screen.insert(recordID.recordName, at: to)
        case .removed(let recordID, let index):
            let removed = screen.remove(at: index)
            #expect(removed == recordID.recordName)
        }
    }

    @Test("The border is the first page's last place, also when its record has gone")
    func border() {
        var service = NaiveService(numbers: ["a": 1, "b": 2, "c": 3, "d": 4, "e": 5])
        var list = LiveList(limit: 4)
        let page = service.page(4)
        _ = list.show(page.entries, hasMore: page.hasMore)
        let last = CKRecord.ID(recordName: "d")
        var change = list.remove(recordName: "d", zoneName: nil)
        #expect(change == .removed(last, at: 3))
        change = list.put(service.entry("d"))
        #expect(change == .inserted(last, at: 3))
        // The last one stays within the border, after the one before it.
        service.numbers = ["c": 3, "d": 3]
        change = list.put(service.entry("d"))
        #expect(change == .changed(last, from: 3, to: 3))
        service.numbers = ["d": 9, "e": 5]
        change = list.put(service.entry("e"))
        #expect(change == nil)
        change = list.put(service.entry("d"))
        #expect(change == .removed(last, at: 3))
        #expect(!list.isShort)
        for name in ["a", "b"] { _ = list.remove(recordName: name, zoneName: nil) }
        #expect(list.isShort)
    }
}
