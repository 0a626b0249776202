import Foundation

/// Where objects are: the endpoint of a store, a bucket, and what their keys begin with.
public struct S3Location: Sendable, Equatable {
    /// How a bucket stands in an address.
    public enum Addressing: String, Sendable {
        /// `https://HOST/BUCKET/KEY`, which every store understands.
        case path
        /// `https://BUCKET.HOST/KEY`, as AWS wants it.
        case virtual
    }

    /// The bucket.
    public let bucket: String
    /// What keys begin with: empty, or ends in `/`.
    public let prefix: String
    /// The scheme, host and port of the store.
    public let endpoint: String
    /// The region that requests are signed for.
    public let region: String
    /// How the bucket stands in addresses.
    public let addressing: Addressing

    /// As it was written, without what comes after `?`.
    public var text: String { "s3://\(bucket)" + (prefix.isEmpty ? "" : "/" + prefix.dropLast()) }

    /// Reads `s3://BUCKET/PREFIX?endpoint=URL&region=NAME&addressing=path`. What it leaves out comes from `AWS_ENDPOINT_URL_S3`,
    /// `AWS_ENDPOINT_URL`, `AWS_REGION` and `AWS_DEFAULT_REGION`; without an endpoint it is AWS.
    ///
    /// - Throws: ``ObjectStorageError``.
    public init(_ text: String, environment: [String: String]) throws(ObjectStorageError) {
        guard let parts = URLComponents(string: text), parts.scheme?.lowercased() == "s3" else {
            throw .location(text, "it does not begin with s3://.")
        }
        guard parts.user == nil, parts.password == nil else { throw .secretInAddress }
        let bucket = parts.host ?? ""
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789.-_")
        guard (3...255).contains(bucket.utf8.count), bucket.allSatisfy(allowed.contains), parts.port == nil
        else {
            throw .location(
                text, "a bucket's name has 3 or more lower-case letters, digits, dots and hyphens.")
        }
        var options: [String: String] = [:]
        for item in parts.queryItems ?? [] {
            guard ["endpoint", "region", "addressing"].contains(item.name), let value = item.value else {
                throw item.name.lowercased().contains("key") || item.name.lowercased().contains("secret")
                    ? .secretInAddress
                    : .location(text, "'\(item.name)' is none of endpoint, region, addressing.")
            }
            options[item.name] = value
        }
        func known(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        let region = options["region"] ?? known("AWS_REGION", "AWS_DEFAULT_REGION") ?? "us-east-1"
        let named = options["endpoint"] ?? known("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
        var endpoint = named ?? "https://s3.\(region).amazonaws.com"
        while endpoint.hasSuffix("/") { endpoint.removeLast() }
        guard let url = URLComponents(string: endpoint), ["http", "https"].contains(url.scheme),
            url.host?.isEmpty == false,
            url.path.isEmpty, url.user == nil, url.query == nil
        else { throw .location(text, "the endpoint '\(endpoint)' is not an address like https://HOST:PORT.") }
        if let word = options["addressing"] {
            guard let addressing = Addressing(rawValue: word) else {
                throw .location(text, "addressing is 'path' or 'virtual'.")
            }
            self.addressing = addressing
        } else {
            // A certificate for *.amazonaws.com covers no further dot, and most other stores want paths.
            addressing = named == nil && !bucket.contains(".") ? .virtual : .path
        }
        let folder = parts.path.split(separator: "/").joined(separator: "/")
        self.bucket = bucket
        self.endpoint = endpoint
        self.region = region
        prefix = folder.isEmpty ? "" : folder + "/"
    }

    /// The host of an object's address, with the port where it is not the scheme's own.
    var host: String {
        let url = URLComponents(string: endpoint)
        let port = url?.port.flatMap { $0 == (url?.scheme == "https" ? 443 : 80) ? nil : ":\($0)" } ?? ""
        let name = (url?.host ?? "") + port
        return addressing == .virtual ? "\(bucket).\(name)" : name
    }

    /// The scheme and host of an object's address.
    var origin: String { (endpoint.hasPrefix("https") ? "https://" : "http://") + host }

    /// The path of a key, encoded; of the bucket for an empty one.
    func path(of key: String) -> String {
        let key = S3Signature.encoded(key, keeping: "/")
        return addressing == .virtual ? "/" + key : "/\(bucket)" + (key.isEmpty ? "" : "/" + key)
    }
}
