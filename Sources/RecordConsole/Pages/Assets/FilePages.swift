import RecordEngine
import RecordServer

/// The files that pages of the console show, at addresses of the console: what an operator looks at is not a request
/// of an app, so neither the history nor the charts count it.
enum FilePages {
    static let routes: [Route] = [.get("\(path)/:address/:name", file)]

    private static let path = "/files"

    /// The console's address of a file that the service gave an address for.
    static func address(_ download: some StringProtocol) -> String {
        "/console\(path)\(download.dropFirst(AssetPath.download.count))"
    }

    @Sendable private static func file(_ context: ConsoleContext) async throws -> SiteAnswer {
        await AssetDownloadSite(service: context.console.service).answer(context.request.below(path))
    }
}
