import HTTPTypes
import HummingbirdCore
import RecordEngine
import RecordModel
import RecordServer
import RecordWire

/// The deleted records of a type, and bringing them back.
enum BinPages {
    static let routes: [Route] = [
        .get("/c/:container/:environment/bin", list),
        .post("/c/:container/:environment/bin", restore),
    ]

    private static let pageLength = 50
    /// How many values of a record are shown, so that one knows it again.
    private static let valuesShown = 4

    @Sendable private static func list(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context)
        try await scope.auditLook()
        let type = try scope.requiredType()
        var request = RecordsVersionsRequest(deletedOfType: type.name, zoneID: scope.address.zoneID)
        request.resultsLimit = pageLength
        request.continuationMarker = context.query["after"]
        let json = try await scope.ask(.recordsVersions, request).json
        let table = VersionTable(scope: scope, stamps: try await OperatorStamps(scope, []))
        let place = scope.address.placeItems
        let rows = try json.objects("versions").map { state in
            let record = state["record"]?.object ?? JSONObject()
            let name = record["recordName"]?.string ?? ""
            let model = table.model(state, before: nil, isNow: false)
            let fields = record["fields"]?.object?.members ?? []
            return BinPage.Row(
                name: name, tag: model.tag,
                href: scope.href("/record-versions" + RecordsAddress.query(place + [("name", name)])),
                time: model.deleted ?? "", user: model.deletedBy ?? "",
                values: fields.prefix(valuesShown).map {
                    BinPage.Value(name: $0.key, html: table.html($0.value.object))
                })
        }
        let items = place + [("type", type.name)]
        return context.page(
            BinPage(
                type: type.name, rows: rows, isEmpty: rows.isEmpty,
                isFirst: request.continuationMarker == nil,
                action: scope.href("/bin" + RecordsAddress.query(items)),
                listHref: scope.href("/records" + RecordsAddress.query(items)),
                older: json["continuationMarker"]?.string.map {
                    scope.href("/bin" + RecordsAddress.query(items + [("after", $0)]))
                },
                setting: type.keeping.map { "Deleted records stay here for \($0.days) days." }
                    ?? "No versions of this type are kept, and so no deleted records.",
                settingHref: scope.href("/schema") + "#type-" + FormValues.encoded(type.name),
                owner: scope.address.owner,
                zone: scope.address.zone == ZoneID.defaultName ? nil : scope.address.zone),
            title: "Deleted records of \(type.name)", section: .records)
    }

    /// Puts one record back, or all of a page; each by itself, so that one that cannot be does not hold the others.
    @Sendable private static func restore(_ context: ConsoleContext) async throws -> SiteAnswer {
        let scope = try RecordsScope(context)
        let names = context.form["one"].map { [$0] } ?? context.form.all("name")
        let tags = Dictionary(
            zip(context.form.all("name").map { ExactText($0) }, context.form.all("versionTag")),
            uniquingKeysWith: { first, _ in first })
        let operations = Set(names.map { ExactText($0) }).sorted().prefix(Limits.operationsPerRequest).map {
            name in
            var operation = RecordOperation(.restore, RecordInput(recordName: name.text, recordType: nil))
            operation.versionTag = tags[name] ?? ""
            return operation
        }
        let back = scope.path(
            "/bin"
                + RecordsAddress.query(
                    scope.address.placeItems + (scope.address.type.map { [("type", $0)] } ?? [])))
        guard !operations.isEmpty else {
            return context.redirect(to: back, saying: "There was nothing to do.")
        }
        let request = RecordsModifyRequest(
            operations: operations, zoneID: scope.address.zoneID, atomic: false)
        let json = try await context.doing(
            "record.restore",
            scope.auditSubject(operations.compactMap(\.record.recordName).joined(separator: ", "), tag: nil),
            tenant: scope.tenant
        ) {
            try await scope.ask(.recordsModify, request).json
        }
        let failures = (json["records"]?.array ?? []).compactMap { answer in
            answer.object.flatMap { object in
                ErrorDictionary(json: object).map { ($0.recordName ?? "", $0.reason ?? $0.serverErrorCode) }
            }
        }
        let done = operations.count - failures.count
        var sentence = done == 1 ? "1 record is back." : "\(done) records are back."
        if let first = failures.first {
            sentence += " \(failures.count) could not be put back: \(first.0): \(first.1)"
        }
        return context.redirect(to: back, saying: sentence)
    }
}
