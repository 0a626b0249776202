import RecordModel
import RecordStorage
import RecordWire

/// One thing to tell a webhook: its body is the same each time it is sent.
struct WebhookDelivery: Sendable {
    /// The sequence number of the change.
    let sequence: Int64
    /// What it follows, and what waits for it.
    let lane: WebhookLaneKey
    var zoneName: String { lane.zoneName }
    let reason: WebhookPlan.Reason
    /// The name of the record, the zone or the type.
    let name: String
    /// By which a receiver recognises a repetition: the hook and the change.
    let id: String
    let body: [UInt8]

    init(
        _ reason: WebhookPlan.Reason, of change: FollowedChange, _ plan: WebhookPlan, _ service: RecordService
    ) {
        let logged = change.logged
        self.init(
            reason, sequence: logged.sequence, lane: WebhookLaneKey(of: logged), name: logged.name, plan,
            suffix: ""
        ) { writer, isShort in
            let type =
                reason == .typeDelete
                ? logged.name
                : service.store.schema(of: plan.context.tenant).type(numbered: logged.type)?.name
            writer.member("recordType", type)
            guard let body = logged.after ?? logged.before else { return }
            writer.member("recordName", logged.name)
            writer.key("record")
            Self.write(body, of: logged, plan, service, isShort: isShort, to: &writer)
            if isShort { writer.member("fieldsLeftOut", true) }
        }
    }

    /// Tells a receiver that changes up to a position are gone: those of a zone, or of all.
    init(startAgainAt sequence: Int64, in lane: WebhookLaneKey, _ plan: WebhookPlan) {
        self.init(
            .startAgain, sequence: sequence, lane: lane, name: "", plan, suffix: "-again"
        ) { _, _ in }
    }

    /// Something to look at.
    init(testOf plan: WebhookPlan, random: [UInt8]) {
        self.init(
            .test, sequence: 0, lane: .allZones, name: "", plan,
            suffix: "-test-" + random.hex
        ) { _, _ in }
    }

    private init(
        _ reason: WebhookPlan.Reason, sequence: Int64, lane: WebhookLaneKey, name: String,
        _ plan: WebhookPlan, suffix: String, _ members: (inout JSONWriter, _ isShort: Bool) -> Void
    ) {
        self.sequence = sequence
        self.lane = lane
        let zoneName = lane.zoneName
        self.reason = reason
        self.name = name
        let id = "\(plan.id)-\(sequence)\(suffix)"
        self.id = id
        func text(isShort: Bool) -> [UInt8] {
            JSONWriter.text { writer in
                writer.beginObject()
                writer.member("id", id)
                writer.member("webhook", plan.id)
                writer.member("reason", reason.rawValue)
                writer.member("change", sequence)
                writer.member("containerID", plan.context.tenant.container.rawValue)
                writer.member("environment", plan.context.tenant.environment.rawValue)
                writer.member("database", plan.definition.owner == nil ? "public" : "private")
                writer.member("owner", plan.definition.owner)
                if !zoneName.isEmpty {
                    writer.key("zoneID")
                    writer.zoneDictionary(zoneName, plan.context)
                }
                members(&writer, isShort)
                writer.endObject()
            }
        }
        let whole = text(isShort: false)
        body = whole.count <= Limits.webhookBytes ? whole : text(isShort: true)
    }

    /// Writes a record as answers have it, without its encrypted fields: they stay between the service and its clients.
    private static func write(
        _ body: [UInt8], of logged: LoggedChange, _ plan: WebhookPlan, _ service: RecordService,
        isShort: Bool,
        to writer: inout JSONWriter
    ) {
        var context = plan.context
        context.now = service.environment.now()
        let type = service.store.schema(of: context.tenant).type(numbered: logged.type)
        // The files of a deleted record may be gone, and without an address of our own there is none of theirs.
        let hasFiles = logged.after != nil && !context.baseURL.isEmpty && type?.hasAssets == true
        let areForEverybody = type?.isReadableByEverybody == true
        let selection = RecordBody.Selection(
            desiredKeys: isShort ? [] : nil, suffix: context.zoneSuffix(logged.zoneName),
            assetURL: hasFiles ? context.assetURLs(service.secret, areForEverybody: areForEverybody) : nil)
        do {
            try RecordBody.withoutEncryptedFields(body).withUnsafeBytes {
                try RecordBody.write($0, selection, to: &writer)
            }
        } catch {
            // `stratus doctor` finds a body that cannot be read; the change is told without it.
            writer.null()
        }
    }
}
