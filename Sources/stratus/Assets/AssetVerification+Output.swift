import AssetStorageFiles
import RecordModel
import RecordStorage
import RecordWire

extension AssetVerification {
    /// What puts right a file that is missing or damaged, as steps from the best to the last.
    static let remedy =
        "Restore these files from a backup, under the same paths: files never change, so one of any age will do. Or upload "
        + "the same file again: the copy takes the place of the damaged one. Otherwise save the records with another file, or "
        + "without."
}

extension AssetVerification.Fault {
    /// `missing`, `damaged`, `unreadable`.
    var name: String {
        switch condition {
        case .good: "good"
        case .missing: "missing"
        case .damaged: "damaged"
        case .unreadable: "unreadable"
        }
    }

    fileprivate var lines: [String] {
        var text = "\(name)  \(path)"
        switch condition {
        case .good, .missing: break
        case .damaged(let size) where size != content.size:
            text += "  (\(size) bytes; it should have \(content.size))"
        case .damaged: text += "  (other bytes than its name says)"
        case .unreadable(let reason): text += "  (\(reason))"
        }
        var lines = [text]
        if uses == 0 { lines.append("  no record refers to it; a sweep removes it in time") }
        for (tenant, use) in holders {
            let database = use.owner.map { "private of \($0)" } ?? "public"
            lines.append(
                "  \(tenant.container) \(tenant.environment.rawValue), \(database), zone \(use.zoneName): record "
                    + "\(use.recordName), field \(use.field)")
        }
        if uses > holders.count { lines.append("  and \(Format.grouped(uses - holders.count)) more fields") }
        return lines
    }
}

extension AssetVerification.Report {
    /// For people.
    func text(readsFiles: Bool) -> String {
        if files == 0 { return "There are no files." }
        let count = "\(Format.grouped(files)) \(files == 1 ? "file" : "files")"
        guard !faults.isEmpty else {
            return readsFiles
                ? "\(count) with \(Format.bytes(bytes)) hold what their names say."
                : "\(count) with \(Format.bytes(bytes)) are in place; their bytes were not read."
        }
        var lines = faults.flatMap(\.lines)
        lines.append("\(Format.grouped(faults.count)) of \(count) are not as they should be.")
        return lines.joined(separator: "\n")
    }

    /// For scripts.
    var json: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("files", Int64(files))
            writer.member("bytes", bytes)
            writer.key("faults")
            writer.beginArray()
            for fault in faults { writer.fault(fault) }
            writer.endArray()
            writer.endObject()
        }
    }
}

extension JSONWriter {
    fileprivate mutating func fault(_ fault: AssetVerification.Fault) {
        beginObject()
        member("fault", fault.name)
        member("path", fault.path)
        member("size", fault.content.size)
        if case .damaged(let size) = fault.condition { member("foundSize", size) }
        if case .unreadable(let reason) = fault.condition { member("reason", reason) }
        member("uses", Int64(fault.uses))
        key("records")
        beginArray()
        for (tenant, use) in fault.holders {
            beginObject()
            member("container", tenant.container.rawValue)
            member("environment", tenant.environment.rawValue)
            member("database", use.owner == nil ? "public" : "private")
            member("owner", use.owner)
            member("zone", use.zoneName)
            member("recordName", use.recordName)
            member("fieldName", use.field)
            endObject()
        }
        endArray()
        endObject()
    }
}
