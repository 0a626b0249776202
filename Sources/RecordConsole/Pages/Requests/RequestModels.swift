import Foundation
import RecordModel
import RecordServer
import RecordStorage

/// What templates show of requests.
enum RequestModels {
    /// A request as a row of a list.
    static func row(_ request: KeptRequest) -> [String: Any] {
        let code = request.code ?? request.itemFailures.first?.code
        return [
            "id": request.id.description, "short": String(request.id.description.prefix(8)),
            "sequence": request.sequence, "at": Model.time(request.time), "status": request.status,
            "isBad": request.status >= 500, "isRefused": request.status >= 400 && request.status < 500,
            "isPartial": request.status < 400 && request.failedItems > 0, "method": request.method,
            "route": request.route, "path": request.path as Any, "code": code as Any,
            "where": place(of: request), "user": request.user as Any,
            "userShort": request.user.map { $0.count > 14 ? "\($0.prefix(12))…" : $0 } as Any,
            "duration": duration(request.milliseconds),
            "isSlow": request.milliseconds >= Double(Limits.slowRequestMilliseconds),
            "items": request.items, "failedItems": request.failedItems,
            "isScan": request.plan == .scan, "plan": request.plan?.rawValue as Any,
        ]
    }

    /// What only the page of one request shows.
    static func details(_ request: KeptRequest, _ context: ConsoleContext) -> [String: Any] {
        let base = base(of: request)
        let records = request.recordType.flatMap { type in
            base.map { $0 + "/records?type=" + FormValues.encoded(type) }
        }
        let user = FormValues.encoded(request.user ?? "")
        return [
            "base": base as Any, "container": request.container as Any,
            "environment": request.environment?.rawValue as Any, "scope": request.scope?.rawValue as Any,
            "bytesIn": NumberText.bytes(Int64(request.bytesIn)),
            "bytesOut": NumberText.bytes(Int64(request.bytesOut)),
            "userAgent": request.userAgent as Any, "recordType": request.recordType as Any,
            "records": records as Any, "byUser": "/console/requests?user=\(user)",
            "byCode": "/console/requests?code=" + FormValues.encoded(request.code ?? ""),
            "byRoute": "/console/requests?route=" + FormValues.encoded(request.route),
            "hasItems": request.items > 0 || request.failedItems > 0, "isFailed": request.isFailed,
            "hasError": request.reason != nil || request.code != nil,
            "planWords": planWords(request) as Any, "reason": request.reason as Any,
            "remedy": context.remedy(request.remedy) as Any, "cause": request.cause as Any,
            "failures": request.itemFailures.map { failure -> [String: Any] in
                [
                    "name": failure.name ?? "", "code": failure.code, "reason": failure.reason,
                    "remedy": context.remedy(failure.remedy) as Any,
                ]
            },
            "hasFailures": !request.itemFailures.isEmpty,
            "more": max(0, request.failedItems - request.itemFailures.count),
            "hasMoreFailures": request.failedItems > request.itemFailures.count,
        ]
    }

    /// The address of the pages of a request's container.
    static func base(of request: KeptRequest) -> String? {
        guard let container = request.container, let environment = request.environment else { return nil }
        return "/console/c/\(container)/\(environment.rawValue)"
    }

    private static func place(of request: KeptRequest) -> String {
        [request.container, request.environment?.rawValue, request.scope?.rawValue].compactMap(\.self)
            .joined(separator: "/")
    }

    private static func planWords(_ request: KeptRequest) -> String? {
        switch request.plan {
        case .index: "It walked an index in the order of the result."
        case .scan: "It looked at more rows than it returned, or sorted them."
        case nil: nil
        }
    }

    /// A duration for people.
    static func duration(_ milliseconds: Double) -> String {
        switch milliseconds {
        case ..<10: String(format: "%.2f ms", milliseconds)
        case ..<100: String(format: "%.1f ms", milliseconds)
        case ..<10_000: String(format: "%.0f ms", milliseconds)
        default: String(format: "%.1f s", milliseconds / 1_000)
        }
    }
}
