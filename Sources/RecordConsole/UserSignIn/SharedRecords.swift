import Foundation
import RecordEngine
import RecordModel
import RecordServer

/// What a link leads to, as its page lists it.
struct SharedRecords: TemplateModel {
    /// A field with its value in words.
    struct Field: TemplateModel {
        let name: String
        let value: String
    }

    /// A record.
    struct Record: TemplateModel {
        let label: String
        let type: String
        let fields: [Field]
        /// Where the records below it are listed; nil where there are none, and on that page.
        var belowHref: String?
    }

    let heading: String
    var empty: String?
    /// The record whose records below are listed.
    var record: Record?
    var records: [Record]
    let belowText: String
    var links: [UserPage.Link] = []
}

extension SignInContext {
    func sharedRecords(_ list: SharedList?, _ link: String) -> SharedRecords {
        func address(_ items: [(String, String)]) -> String {
            let path = path("/share/\(link)")
            guard !items.isEmpty else { return path }
            return path + (path.contains("?") ? "&" : "?") + FormValues(items: items.map { ($0, $1) }).query()
        }
        var shared = SharedRecords(
            heading: text(.shareContents),
            records: (list?.records ?? []).map { record in
                var row = self.record(record)
                if record.hasMore { row.belowHref = address([("record", record.name)]) }
                return row
            }, belowText: text(.shareBelow))
        shared.record = list?.record.map { record($0) }
        if shared.record == nil, shared.records.isEmpty { shared.empty = text(.shareEmpty) }
        if let next = list?.next {
            let place = list?.record.map { [("record", $0.name)] } ?? []
            shared.links.append(.init(href: address(place + [("after", "\(next)")]), text: text(.shareMore)))
        }
        if let above = list?.above {
            shared.links.append(.init(href: address([("record", above)]), text: text(.shareAbove)))
        }
        if query["record"] != nil || query["after"] != nil {
            shared.links.append(.init(href: address([]), text: text(.shareBeginning)))
        }
        return shared
    }

    private func record(_ record: SharedList.Record) -> SharedRecords.Record {
        var label = record.name
        for case (_, .string(let text)) in record.fields where !text.isEmpty {
            label = Self.shortened(text, to: 80)
            break
        }
        return SharedRecords.Record(
            label: label, type: record.type,
            fields: record.fields.map { .init(name: $0.name, value: value($0.value)) })
    }

    /// The longest text of a field that the page shows, in characters.
    private static let longestText = 500
    /// The most elements of a list that the page shows.
    private static let mostElements = 20

    /// The moments that are written as dates: those of years with four digits.
    private static let written = Int64(-62_135_596_800_000)...253_402_300_799_999

    private static func shortened(_ text: String, to most: Int) -> String {
        text.count > most ? text.prefix(most) + "…" : text
    }

    private func value(_ value: FieldValue) -> String {
        switch value {
        case .string(let text): return Self.shortened(text, to: Self.longestText)
        case .int64(let number): return "\(number)"
        case .double(let number): return "\(number)"
        case .timestamp(let milliseconds):
            // Calendars are not asked for years beyond the ninth thousand.
            guard Self.written.contains(milliseconds) else { return "\(milliseconds)" }
            return Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
        case .bytes(let bytes): return text(.shareBytes, ["count": "\(bytes.count)"])
        case .asset(let asset): return text(.shareBytes, ["count": "\(asset.size)"])
        case .reference(let reference): return reference.recordName
        case .location(let place): return "\(place.latitude), \(place.longitude)"
        case .list(let elements, of: _):
            return elements.prefix(Self.mostElements).map { self.value($0) }.joined(separator: ", ")
                + (elements.count > Self.mostElements ? "…" : "")
        }
    }
}
