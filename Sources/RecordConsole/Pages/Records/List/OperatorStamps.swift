import RecordEngine
import RecordModel
import RecordStorage
import RecordWire

/// Which operator made the versions of records that the console saved.
///
/// Records carry one name for all operators, so that apps learn none. The audit log has who saved which change tag,
/// and a change tag is given once: an entry with a record's tag is about the very version that the record is.
struct OperatorStamps {
    private let scope: RecordsScope
    /// Who did what, by the audit log's name of a record's version.
    private var saves: [ExactText: String] = [:]
    /// Who made records, by the same.
    private var creates: [ExactText: String] = [:]
    /// Who made the one record of a page, and when that was noted.
    private var creations: [(subject: Substring, at: Int64, operatorName: String)] = []

    /// Looks for those records that an operator saved.
    ///
    /// - Parameter created: whether to look for who made a record that was saved again since; for one record.
    /// - Throws: ``StorageError``.
    init(_ scope: RecordsScope, _ records: [JSONObject], created: Bool = false) async throws {
        self.scope = scope
        let stamped = records.filter { record in
            Self.isOperator(record, "modified") || Self.isOperator(record, "created")
        }
        guard !stamped.isEmpty else { return }
        let subjects = stamped.map { record in
            scope.auditSubject(
                record["recordName"]?.string ?? "", tag: record["recordChangeTag"]?.string ?? "")
        }
        let prefix = created ? stamped.first.map { Self.prefix($0, scope) } : nil
        let found = try await scope.context.read { [tenant = scope.tenant] in
            try $0.audit(of: tenant, subjects: subjects, prefix: prefix)
        }
        for row in found where ["record.save", "record.create", "record.restore"].contains(row.action) {
            saves[ExactText(row.subject)] = row.operatorName
            if row.action == "record.create" { creates[ExactText(row.subject)] = row.operatorName }
            if let prefix, row.action == "record.create", row.subject.hasPrefix(prefix) {
                creations.append((row.subject.dropFirst(prefix.count), row.at, row.operatorName))
            }
        }
    }

    /// Whom a stamp names, for people: a user's record name, or an operator where the audit log tells which.
    ///
    /// - Parameter key: `created` or `modified`.
    func title(_ key: String, of record: JSONObject) -> String {
        let user = record[key]?.object?["userRecordName"]?.string ?? ""
        guard Self.isOperator(record, key) else { return user }
        let name = record["recordName"]?.string ?? ""
        let subject = scope.auditSubject(name, tag: record["recordChangeTag"]?.string ?? "")
        var found = key == "created" ? creates[ExactText(subject)] : saves[ExactText(subject)]
        if found == nil, key == "created", let time = record[key]?.object?["timestamp"]?.int {
            // Entries are noted after the deed, the newest first: of all since then, the oldest is the one.
            found =
                creations.last { creation in
                    creation.at >= time && creation.subject.last == ")"
                        && creation.subject.dropLast().allSatisfy {
                            $0.isASCII && ($0.isLetter || $0.isNumber)
                        }
                }?.operatorName
        }
        return found.map { "operator \($0)" } ?? Self.title(ofUser: user)
    }

    /// The same where the audit log was not asked.
    static func title(ofUser user: String) -> String {
        user == Caller.administratorRecordName ? "an operator" : user
    }

    /// What the record's page shows of both stamps.
    func models(of record: JSONObject) -> [RecordPage.Stamp] {
        ["created", "modified"].compactMap { key in
            record[key]?.object.map { stamp in
                var html = HTMLWriter()
                RecordCells.time(stamp["timestamp"]?.int ?? 0, to: &html)
                return .init(title: key, time: html.html, user: title(key, of: record))
            }
        }
    }

    private static func isOperator(_ record: JSONObject, _ key: String) -> Bool {
        record[key]?.object?["userRecordName"]?.string == Caller.administratorRecordName
    }

    private static func prefix(_ record: JSONObject, _ scope: RecordsScope) -> String {
        scope.auditSubject(record["recordName"]?.string ?? "", tag: nil) + RecordsScope.auditTag
    }
}
