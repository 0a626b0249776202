import Foundation

/// A moment: in the reader's time zone where scripts run, in UTC elsewhere.
struct TimeModel: TemplatePage {
    static let template = Template("time", PackageResources.time_mustache)

    let ms: Int64
    let iso: String

    /// - Parameter milliseconds: since 1970.
    init(_ milliseconds: Int64) {
        ms = milliseconds
        iso = Date(timeIntervalSince1970: Double(milliseconds) / 1_000).formatted(.iso8601)
    }
}
