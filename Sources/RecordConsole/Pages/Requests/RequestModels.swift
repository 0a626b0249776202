import Foundation
import RecordModel
import RecordServer
import RecordStorage

/// What templates show of requests.
enum RequestModels {
    /// A request as a row of a list.
    static func row(_ request: KeptRequest) -> RequestRow {
        RequestRow(
            id: request.id.description, short: String(request.id.description.prefix(8)),
            at: TimeModel(request.time), status: request.status, isBad: request.status >= 500,
            isRefused: request.status >= 400 && request.status < 500,
            isPartial: request.status < 400 && request.failedItems > 0, failedItems: request.failedItems,
            route: request.route, path: request.path,
            code: request.code ?? request.itemFailures.first?.code, where: place(of: request),
            user: request.user,
            userShort: request.user.map { $0.count > 14 ? "\($0.prefix(12))…" : $0 },
            duration: duration(request.milliseconds),
            isSlow: request.milliseconds >= Double(Limits.slowRequestMilliseconds),
            isScan: request.plan == .scan)
    }

    /// The page of one request.
    static func page(
        of request: KeptRequest, user: RequestPage.User?, _ context: ConsoleContext
    ) -> RequestPage {
        let base = base(of: request)
        let records = request.recordType.flatMap { type in
            base.map { $0 + "/records?type=" + FormValues.encoded(type) }
        }
        return RequestPage(
            row: row(request), method: request.method, items: request.items, plan: request.plan?.rawValue,
            containerHref: base, container: request.container, environment: request.environment?.rawValue,
            scope: request.scope?.rawValue, bytesIn: NumberText.bytes(Int64(request.bytesIn)),
            bytesOut: NumberText.bytes(Int64(request.bytesOut)), userAgent: request.userAgent,
            recordType: request.recordType, records: records,
            byUser: "/console/requests?user=\(FormValues.encoded(request.user ?? ""))",
            byCode: "/console/requests?code=" + FormValues.encoded(request.code ?? ""),
            byRoute: "/console/requests?route=" + FormValues.encoded(request.route),
            hasItems: request.items > 0 || request.failedItems > 0,
            hasError: request.reason != nil || request.code != nil, planWords: planWords(request),
            reason: request.reason, errorRemedy: context.remedy(request.remedy), cause: request.cause,
            failures: request.itemFailures.map { failure in
                RequestPage.Failure(
                    name: failure.name ?? "", code: failure.code, reason: failure.reason,
                    remedy: context.remedy(failure.remedy))
            },
            hasFailures: !request.itemFailures.isEmpty,
            more: max(0, request.failedItems - request.itemFailures.count),
            hasMoreFailures: request.failedItems > request.itemFailures.count, userLink: user)
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
