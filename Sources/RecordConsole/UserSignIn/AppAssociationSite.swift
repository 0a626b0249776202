import HTTPTypes
import HummingbirdCore
import NIOCore
public import RecordEngine
import RecordModel
public import RecordServer
import RecordWire

/// The file by which a system learns which apps open the server's links: `/.well-known/apple-app-site-association`
/// (developer.apple.com/documentation/xcode/supporting-associated-domains) or `/.well-known/assetlinks.json`
/// (developer.android.com/training/app-links/configure-assetlinks).
///
/// It names the apps of all containers of the server, as their operators say.
public struct AppAssociationSite: Site {
    /// Whose file it is.
    public enum System: Sendable {
        /// Apple's systems.
        case apple
        /// Android.
        case android
    }

    public let name = "app-association"
    public let prefix: String
    public let allowsOtherOrigins = false
    private let system: System
    private let accounts: Accounts

    /// Makes the file of a system.
    public init(_ system: System, accounts: Accounts) {
        self.system = system
        self.accounts = accounts
        prefix =
            switch system {
            case .apple: "/.well-known/apple-app-site-association"
            case .android: "/.well-known/assetlinks.json"
            }
    }

    public func answer(_ request: SiteRequest) async -> SiteAnswer {
        do {
            guard request.path.isEmpty, [.get, .head].contains(request.request.method) else {
                throw ServiceError(.notFound, "There is no page at this address.")
            }
            let apps = try await accounts.linkedApps()
            let body = JSONWriter.text { writer in
                switch system {
                case .apple: Self.write(apps, toApple: &writer)
                case .android: Self.write(apps, toAndroid: &writer)
                }
            }
            let headers: HTTPFields = [
                .contentType: "application/json", .contentLength: "\(body.count)",
                .cacheControl: "public, max-age=3600", .contentTypeOptions: "nosniff",
            ]
            return SiteAnswer(
                Response(
                    status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body))))
        } catch {
            return SiteAnswer(error, requestID: request.requestID)
        }
    }

    private static func write(_ apps: [LinkedApp], toApple writer: inout JSONWriter) {
        var names: [String] = []
        for case .apple(let name) in apps { names.append(name) }
        writer.beginObject()
        writer.key("applinks")
        writer.beginObject()
        writer.key("details")
        writer.beginArray()
        if !names.isEmpty {
            writer.beginObject()
            writer.member("appIDs", names)
            writer.key("components")
            writer.beginArray()
            writer.beginObject()
            writer.member("/", "/share/*")
            writer.endObject()
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        writer.endObject()
    }

    private static func write(_ apps: [LinkedApp], toAndroid writer: inout JSONWriter) {
        writer.beginArray()
        for case .android(let package, let fingerprint) in apps {
            writer.beginObject()
            writer.member("relation", ["delegate_permission/common.handle_all_urls"])
            writer.key("target")
            writer.beginObject()
            writer.member("namespace", "android_app")
            writer.member("package_name", package)
            writer.member("sha256_cert_fingerprints", [fingerprint])
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
    }
}
