import Crypto
import Foundation

/// AWS Signature Version 4, in the header of a request
/// (<https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>).
struct S3Signature {
    var credentials: S3Credentials
    var region: String
    var service = "s3"

    /// What is signed. Paths are encoded already, names and values of the query are not.
    struct Request {
        var method: String
        var path: String
        var query: [(name: String, value: String)] = []
        /// All that are signed, with `host` and `x-amz-date`.
        var headers: [String: String]
        /// The digest of the body, as hexadecimal digits.
        var bodySHA256: String
    }

    /// The digest of no bytes.
    static let emptySHA256 = hex(SHA256.hash(data: [UInt8]()))

    /// The value of `Authorization`.
    ///
    /// - Parameter time: as in `x-amz-date`: `20130524T000000Z`.
    func authorization(_ request: Request, time: String) -> String {
        let scope = "\(time.prefix(8))/\(region)/\(service)/aws4_request"
        let text =
            "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(Self.hex(SHA256.hash(data: Array(canonical(request).utf8))))"
        var key = SymmetricKey(data: Array("AWS4\(credentials.secret)".utf8))
        for part in [String(time.prefix(8)), region, service, "aws4_request"] {
            key = SymmetricKey(data: Self.code(part, key))
        }
        let names = request.headers.keys.map { $0.lowercased() }.sorted().joined(separator: ";")
        return
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope),SignedHeaders=\(names),Signature=\(Self.hex(Self.code(text, key)))"
    }

    /// The request in the one form that both sides sign.
    func canonical(_ request: Request) -> String {
        let headers = request.headers.map { (name: $0.key.lowercased(), value: Self.folded($0.value)) }
            .sorted { $0.name < $1.name }
        return [
            request.method, request.path, Self.queryText(request.query),
            headers.map { "\($0.name):\($0.value)\n" }.joined(), headers.map(\.name).joined(separator: ";"),
            request.bodySHA256,
        ].joined(separator: "\n")
    }

    /// The query, encoded and in order: what is signed and what is sent.
    static func queryText(_ query: [(name: String, value: String)]) -> String {
        query.map { (encoded($0.name), encoded($0.value)) }.sorted { $0 < $1 }
            .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// Percent-encodes all bytes but the unreserved ones of RFC 3986.
    static func encoded(_ text: String, keeping kept: String = "") -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~\(kept)".utf8)
        return text.utf8.map { byte in
            plain.contains(byte) ? String(UnicodeScalar(byte)) : "%" + hex([byte]).uppercased()
        }.joined()
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func code(_ text: String, _ key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
    }

    /// A header's value without spaces at its ends and with single ones inside.
    private static func folded(_ value: String) -> String {
        value.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
