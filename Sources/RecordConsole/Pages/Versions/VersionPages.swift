import HTTPTypes
import HummingbirdCore
import RecordEngine
import RecordModel
import RecordServer
import RecordStorage
import RecordWire

/// What a record was, and putting it back; what a type's setting says.
enum VersionPages {
    static let routes: [Route] =
        [
            .get("/c/:container/:environment/record-versions", show),
            .post("/c/:container/:environment/record-versions", restore),
            .post("/c/:container/:environment/schema/types/:type/versions", set),
        ] + BinPages.routes

    // MARK: A record

    @Sendable private static func show(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context)
        try await scope.auditLook()
        let name = context.query["name"] ?? ""
        var request = RecordsVersionsRequest(recordName: name, zoneID: scope.address.zoneID)
        // All that are kept of one record and the one that it has.
        request.resultsLimit = Limits.versionsPerRecord + 1
        request.continuationMarker = context.query["after"]
        let json = try await scope.ask(.recordsVersions, request).json
        let states = try json.objects("versions")
        let records = states.compactMap { $0["record"]?.object }
        let stamps = try await OperatorStamps(scope, records)
        let type = records.first?["recordType"]?.string ?? ""
        let isThere = states.first.map { $0["replaced"] == nil && $0["deleted"] == nil } ?? false
        let tag = isThere ? records.first?["recordChangeTag"]?.string ?? "" : ""
        let table = VersionTable(scope: scope, stamps: stamps)
        let models = states.enumerated().map { index, state in
            table.model(
                state, before: index + 1 < states.count ? states[index + 1] : nil,
                isNow: index == 0 && isThere)
        }
        let items = scope.address.placeItems + [("name", name)]
        let keeping = scope.schema.types[type]?.keeping
        let page = RecordVersionsPage(
            type: type, isDeleted: !isThere && request.continuationMarker == nil, current: tag,
            states: models, action: scope.href("/record-versions" + RecordsAddress.query(items)),
            formHref: scope.href(scope.address.recordPath(name)),
            jsonHref: scope.href(scope.address.recordPath(name, view: "json")),
            listHref: scope.href(
                "/records" + RecordsAddress.query(scope.address.placeItems + [("type", type)])),
            setting: keeping.map { "\($0.count) versions of each are kept, for \($0.days) days." }
                ?? "No versions of this type are kept.",
            settingHref: scope.href("/schema") + "#type-" + FormValues.encoded(type),
            older: json["continuationMarker"]?.string.map {
                scope.href("/record-versions" + RecordsAddress.query(items + [("after", $0)]))
            }, owner: scope.address.owner,
            zone: scope.address.zone == ZoneID.defaultName ? nil : scope.address.zone)
        return context.page(page, title: name, section: .records)
    }

    @Sendable private static func restore(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context)
        let name = context.query["name"] ?? ""
        let tag = context.form["tag"].flatMap { $0.isEmpty ? nil : $0 }
        var operation = RecordOperation(
            .restore, RecordInput(recordName: name, recordType: nil, recordChangeTag: tag))
        operation.versionTag = context.form["versionTag"] ?? ""
        do {
            try await RecordPages.modify(operation, as: "record.restore", scope)
        } catch let error as ErrorDictionary
            where error.serverErrorCode == ServiceError.Code.conflict.description
        {
            let items = scope.address.placeItems + [("name", name)]
            return context.redirect(
                to: scope.path("/record-versions" + RecordsAddress.query(items)),
                saying:
                    "Somebody changed the record in the meantime, so nothing was restored. Check it again.")
        }
        return context.redirect(
            to: scope.path(scope.address.recordPath(name)), saying: "\(name) is what it was then.")
    }

    // MARK: A type's setting

    @Sendable private static func set(_ context: ConsoleContext) async throws -> SiteAnswer {
        let tenant = try context.tenant()
        let name = context.parameters["type"] ?? ""
        let isKept = context.form["keep"] != nil
        let keeping = VersionKeeping(
            count: Int(context.form["count"] ?? "") ?? 0, days: Int(context.form["days"] ?? "") ?? 0)
        guard !isKept || keeping != nil else {
            throw ServiceError(
                .badRequest, "That many versions, or for that long, cannot be kept.",
                remedy:
                    "From 1 to \(Limits.versionsPerRecord) versions, and from 1 to \(Limits.versionDays) days."
            )
        }
        let wanted = isKept ? keeping : nil
        let words = wanted.map { "\(name): \($0.count) for \($0.days) days" } ?? "\(name): none"
        try await context.doing("versions.set", words, tenant: tenant) {
            try await VersionSettings.set(wanted, ofTypeNamed: name, in: tenant, store: context.store)
        }
        return context.redirect(
            to: ConsoleContext.path(tenant, "/schema"),
            saying: wanted.map { "Of each \(name), \($0.count) versions are kept for \($0.days) days." }
                ?? "Versions of \(name) are no longer kept; existing ones are removed within an hour.")
    }
}

/// Writes what a state of a record brought, field by field.
struct VersionTable {
    let scope: RecordsScope
    let stamps: OperatorStamps

    /// The longest value that is written whole, in bytes of JSON.
    private static let longest = 2_000

    func model(
        _ state: JSONObject, before: JSONObject?, isNow: Bool
    ) -> RecordVersionsPage.State {
        let record = state["record"]?.object ?? JSONObject()
        let fields = record["fields"]?.object
        let old = before?["record"]?.object?["fields"]?.object
        let changed = state["changedFields"]?.array?.compactMap(\.string)
        let rows = (changed ?? fields?.members.map(\.key) ?? []).map { name in
            RecordVersionsPage.Change(
                name: name, before: html(old?[name]?.object), after: html(fields?[name]?.object))
        }
        let made = record["created"]?.object?["timestamp"] == record["modified"]?.object?["timestamp"]
        let ending = state["deleted"]?.object
        return RecordVersionsPage.State(
            tag: record["recordChangeTag"]?.string ?? "",
            time: time(record["modified"]?.object), user: stamps.title("modified", of: record),
            isNow: isNow, isFirst: made, isKnown: changed != nil, hasBefore: old != nil && changed != nil,
            changes: rows, hasChanges: !rows.isEmpty, deleted: ending.map(time),
            deletedBy: ending.map { OperatorStamps.title(ofUser: $0["userRecordName"]?.string ?? "") })
    }

    private func time(_ stamp: JSONObject?) -> String {
        var html = HTMLWriter()
        RecordCells.time(stamp?["timestamp"]?.int ?? 0, to: &html)
        return html.html
    }

    /// A value, cut where it is very long: a page has many of them.
    func html(_ field: JSONObject?) -> String {
        let cells = RecordCells(
            linkBase: scope.href("/records/"), linkQuery: RecordsAddress.query(scope.address.placeItems))
        let value = field?["value"]
        let tag = field?["type"]?.string ?? ""
        guard let value, JSONWriter.text({ $0.value(value) }).count > Self.longest else {
            return cells.html(value, tag)
        }
        var html = HTMLWriter()
        cells.scalar(value, tag: tag, to: &html)
        html.mark(" <span class=\"hint\">… ")
        html.text(NumberText.bytes(Int64(JSONWriter.text { $0.value(value) }.count)))
        html.mark("</span>")
        return html.html
    }
}
