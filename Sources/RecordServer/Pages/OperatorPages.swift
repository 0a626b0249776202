import HTTPTypes
import NIOCore
import RecordModel
import RecordStorage
import RecordWire

/// The pages for whoever runs the server, and for whoever writes for it: health, readiness, metrics, limits, the
/// description of the protocol, and cloudkit.js.
struct OperatorPages {
    /// Their addresses, besides `/`.
    static let addresses = [
        "/openapi.json", "/cloudkit.js", "/ck/2/cloudkit.js", "/cloudkit.d.ts", "/limits", "/healthz",
        "/readyz", "/metrics",
    ]

    let state: ServerState

    /// - Throws: `NOT_FOUND` for an address that is none of them.
    func reply(
        to path: Substring, method: HTTPRequest.Method, ifNoneMatch: String? = nil
    ) throws(ServiceError) -> Reply {
        guard method == .get || method == .head else {
            throw ServiceError(.notFound, "Nothing at this address accepts \(method.rawValue).")
        }
        switch path {
        case "/": return Reply(status: 200, json: index)
        case "/healthz": return Reply(status: 200, json: health)
        case "/readyz": return readiness
        case "/limits": return Reply(status: 200, json: limits)
        case "/metrics":
            let text = state.metrics.text(of: state)
            return Reply(
                status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8",
                body: ByteBuffer(string: text))
        case "/openapi.json": return EmbeddedFile.protocolDescription.reply(ifNoneMatch: ifNoneMatch)
        case "/cloudkit.js": return EmbeddedFile.cloudKitModule.reply(ifNoneMatch: ifNoneMatch)
        // Where Apple has it.
        case "/ck/2/cloudkit.js": return EmbeddedFile.cloudKitScript.reply(ifNoneMatch: ifNoneMatch)
        case "/cloudkit.d.ts": return EmbeddedFile.cloudKitTypes.reply(ifNoneMatch: ifNoneMatch)
        default:
            throw ServiceError(
                .notFound, "There is nothing at this address.",
                remedy:
                    "GET / lists what is served; requests go to /database/1/{container}/{environment}/{database}/…."
            )
        }
    }

    private var index: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("service", "Stratus")
            writer.member("version", state.version)
            writer.member(
                "addresses",
                ["/database/1/{container}/{environment}/{database}/{entity}/{action}"] + Self.addresses)
            writer.endObject()
        }
    }

    private var health: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("status", "ok")
            writer.member("version", state.version)
            writer.endObject()
        }
    }

    private var readiness: Reply {
        let reason = state.unreadyReason
        let json = JSONWriter.text { writer in
            writer.beginObject()
            writer.member("status", reason == nil ? "ready" : "not ready")
            writer.member("reason", reason)
            let warnings = state.reports.warnings()
            if !warnings.isEmpty { writer.member("warnings", warnings) }
            let work = state.store.backgroundWork
            if !work.isDone {
                writer.key("background")
                writer.beginObject()
                for kind in BackgroundWork.Kind.allCases {
                    guard let count = work.waiting[kind] else { continue }
                    writer.key(text: kind.rawValue)
                    writer.int(count)
                }
                writer.endObject()
            }
            writer.endObject()
        }
        return Reply(status: reason == nil ? 200 : 503, json: json)
    }

    private var limits: [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.key("limits")
            writer.beginObject()
            let set = state.rates.limits.byName
            for (name, value) in Limits.published {
                writer.key(text: name)
                writer.int(set[name] ?? value)
            }
            writer.endObject()
            writer.member(
                "extensions",
                [
                    "query.predicate", "records/count", "records/live", "records/live/count", "serverRecord",
                    "remedy",
                ])
            writer.member("version", state.version)
            writer.endObject()
        }
    }
}
