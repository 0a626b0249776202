import Crypto
import Foundation
import NIOCore
import RecordEngine
import RecordModel
import RecordStorage
import RecordWire
import TemporaryFiles

/// Compares a copy with the service record by record, files included, and changes nothing.
///
/// A record that changed between the two looks is looked at again, so that a service in use is not said to differ.
public struct CopyVerification: Sendable {
    private let plan: CopyPlan
    private let target: CopyTarget
    private let pages: SourcePages
    private let scratch = ScratchDirectory(name: "stratus-copy")
    private let progress: @Sendable (Int) -> Void
    private var comparison = CopyComparison()
    private var inZone = 0

    /// Prepares a comparison.
    ///
    /// - Parameter progress: told how many records were compared.
    public init(
        _ plan: CopyPlan, with service: any SourceService, and target: CopyTarget,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        self.plan = plan
        self.target = target
        self.progress = progress
        pages = SourcePages(service: service, identity: plan.identity)
    }

    /// Compares everything.
    ///
    /// - Throws: what the service throws, `ErrorDictionary` among others; `JSONError` for an answer that cannot be read;
    ///   `StorageError`; `ScratchError` or `CocoaError` where a fetched file cannot be kept or read; `CancellationError`.
    public mutating func run() async throws -> CopyComparison {
        comparison = CopyComparison()
        for scope in plan.scopes {
            for type in plan.types { try await compare(type, of: scope) }
            if scope == .private { try await compareZones() }
        }
        return comparison
    }

    private mutating func compare(_ type: String, of scope: DatabaseScope) async throws {
        inZone = 0
        var marker: String?
        repeat {
            let page: SourcePage
            do {
                page = try await pages.query(scope, type: type, marker: marker, since: nil)
            } catch let error as ErrorDictionary
                where error.serverErrorCode == ServiceError.Code.notFound.description
            {
                break
            }
            try await compare(page, of: scope, in: .default)
            marker = page.next
        } while marker != nil
        try await findExtras([type], of: scope, in: .default)
    }

    private mutating func compareZones() async throws {
        let list = try await pages.service.send(.zonesList, to: .private, EmptyRequest())
        var names: Set<String> = []
        for item in try list.objects("zones") {
            guard let object = try item.object("zoneID") else { continue }
            let zone = try ZoneID(json: object)
            guard !zone.isDefault else { continue }
            names.insert(zone.zoneName)
            inZone = 0
            var token: String?
            var isMore = true
            while isMore {
                let page = try await pages.changes(in: zone, after: token)
                try await compare(page, of: .private, in: zone)
                token = page.next
                isMore = page.isMoreComing
            }
            try await findExtras(
                target.store.schema(of: plan.tenant).types.keys.sorted(), of: .private, in: zone)
        }
        for name in try await outlet(.private).zones()
        where name != ZoneID.defaultName && !names.contains(name) {
            comparison.add(
                .init(scope: .private, zone: name, recordName: "", what: "the zone is only here"))
        }
    }

    private func outlet(_ scope: DatabaseScope) -> RecordOutlet {
        RecordOutlet(store: target.store, database: plan.database(scope))
    }

    // MARK: Pages

    private mutating func compare(_ page: SourcePage, of scope: DatabaseScope, in zone: ZoneID) async throws {
        let here = try await outlet(scope).records(
            named: page.records.map(\.recordName), in: zone.zoneName)
        for record in page.records {
            var there = try await withDigests(record)
            var mine = here[ExactText(record.recordName)]
            var what = try await difference(there, mine)
            if what != nil {
                let again = pages.read(try await pages.lookup([record.recordName], scope, in: zone)).records
                    .first
                mine = try await outlet(scope).records(named: [record.recordName], in: zone.zoneName)[
                    ExactText(record.recordName)]
                guard let again else { continue }
                there = try await withDigests(again)
                what = try await difference(there, mine)
            }
            comparison.compared += 1
            inZone += mine == nil ? 0 : 1
            comparison.there.add(there.digest)
            if let mine { comparison.here.add(mine.digest) }
            if let what {
                comparison.add(
                    .init(scope: scope, zone: zone.zoneName, recordName: record.recordName, what: what))
            }
        }
        for refusal in page.refusals {
            comparison.add(
                .init(
                    scope: scope, zone: zone.zoneName, recordName: refusal.recordName, what: refusal.reason))
        }
        progress(comparison.compared)
    }

    /// What is different; nil where nothing is.
    private func difference(_ there: IncomingRecord, _ here: IncomingRecord?) async throws -> String? {
        guard let here else { return "missing here" }
        guard there.digest == here.digest else { return there.differences(from: here) }
        for content in here.contents {
            guard let file = try await target.files.open(content.digest), file.size == content.size else {
                return "its file \(content.digest) is missing here"
            }
            var hash = SHA256()
            var offset: Int64 = 0
            while offset < file.size {
                let bytes = try await file.read(at: offset, count: 1 << 20)
                guard bytes.readableBytes > 0 else { break }
                offset += Int64(bytes.readableBytes)
                hash.update(data: Array(buffer: bytes))
            }
            guard Array(hash.finalize()) == content.digest.bytes else {
                return "its file \(content.digest) is damaged here"
            }
        }
        return nil
    }

    /// Records here that the service does not have: looked for where there are more of a type here than were compared.
    private mutating func findExtras(
        _ types: [String], of scope: DatabaseScope, in zone: ZoneID
    ) async throws {
        let outlet = outlet(scope)
        var count = 0
        for type in types { count += try await outlet.count(ofType: type, in: zone.zoneName) }
        guard count > inZone else { return }
        for type in types {
            var position: ScanCursor?
            repeat {
                let page = try await outlet.page(
                    ofType: type, in: zone.zoneName, after: position, limit: SourcePages.pageRecords)
                position = page.next
                guard !page.records.isEmpty else { break }
                let missing = Set(
                    try await pages.missing(page.records.map(\.recordName), scope, in: zone).map {
                        ExactText($0)
                    })
                for record in page.records where missing.contains(ExactText(record.recordName)) {
                    comparison.here.add(record.digest)
                    comparison.add(
                        .init(
                            scope: scope, zone: zone.zoneName, recordName: record.recordName,
                            what: "only here"))
                }
            } while position != nil
        }
    }

    // MARK: Files

    /// The record with its files in the form in which they are kept here; those whose digest is not known are fetched.
    private func withDigests(_ record: IncomingRecord) async throws -> IncomingRecord {
        guard record.hasFiles else { return record }
        var record = record
        for index in record.fields.indices {
            switch record.fields[index].value {
            case .asset(let asset): record.fields[index].value = .asset(try await withDigest(asset))
            case .list(let elements, of: .asset):
                var files: [FieldValue] = []
                for case .asset(let asset) in elements { files.append(.asset(try await withDigest(asset))) }
                record.fields[index].value = .list(files, of: .asset)
            default: continue
            }
        }
        return record
    }

    private func withDigest(_ asset: Asset) async throws -> Asset {
        if let digest = AssetDigest(checksum: asset.fileChecksum) {
            return Asset(AssetContent(digest: digest, size: asset.size))
        }
        guard let url = asset.downloadURL else { return asset }
        var content = try await fetch(url)
        for attempt in 1..<SourceFiles.attempts where asset.size != 0 && content?.size != asset.size {
            // A connection that breaks looks like the end of a file whose length was not said.
            try await Task.sleep(for: SourceFiles.pause(after: attempt))
            content = try await fetch(url)
        }
        return content.map { Asset($0) } ?? asset
    }

    private func fetch(_ url: String) async throws -> AssetContent? {
        let file = try TemporaryFile(in: scratch)
        try await pages.service.download(
            url.replacingOccurrences(of: "${f}", with: "file"), to: file.url.path,
            maximumBytes: Int64(Limits.assetBytes))
        let handle = try FileHandle(forReadingFrom: file.url)
        defer { try? handle.close() }
        var hash = SHA256()
        var size: Int64 = 0
        while let data = try handle.read(upToCount: 1 << 20), !data.isEmpty {
            hash.update(data: data)
            size += Int64(data.count)
        }
        return AssetDigest(bytes: Array(hash.finalize())).map { AssetContent(digest: $0, size: size) }
    }
}

extension IncomingRecord {
    /// The files of the record, as far as their digests are known.
    var contents: Set<AssetContent> {
        var contents: Set<AssetContent> = []
        for (_, value) in fields where value.type?.scalar == .asset {
            let values: [FieldValue] = if case .list(let elements, _) = value { elements } else { [value] }
            for case .asset(let asset) in values {
                guard let digest = AssetDigest(checksum: asset.fileChecksum) else { continue }
                contents.insert(AssetContent(digest: digest, size: asset.size))
            }
        }
        return contents
    }

    /// What is different between a record there and the one here, in a few words.
    fileprivate func differences(from here: IncomingRecord) -> String {
        if modified.timestamp < here.modified.timestamp { return "changed here later" }
        var parts: [String] = []
        if recordType != here.recordType { parts.append("the type is \(here.recordType) here") }
        if created != here.created { parts.append("who made it when") }
        if modified != here.modified { parts.append("who changed it when") }
        if parent != here.parent { parts.append("the parent") }
        let mine = Dictionary(
            here.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        let theirs = Dictionary(fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        let names = Set(mine.keys).union(theirs.keys).filter { mine[$0] != theirs[$0] }.sorted()
        parts += names.prefix(5).map { "field \($0)" }
        if names.count > 5 { parts.append("\(names.count - 5) more fields") }
        return parts.joined(separator: ", ") + (parts.count == 1 ? " differs" : " differ")
    }
}
