import Foundation
import NIOCore
import RecordEngine
public import RecordModel
import RecordStorage
public import RecordWire

/// Uploading and fetching files without a socket.
extension TestCloud {
    /// A stream of pieces, as a network gives them.
    private static func stream(_ bytes: [UInt8], pieces: Int) -> AsyncStream<ByteBuffer> {
        AsyncStream { continuation in
            for start in stride(from: 0, to: bytes.count, by: max(1, pieces)) {
                continuation.yield(ByteBuffer(bytes: bytes[start..<min(start + pieces, bytes.count)]))
            }
            continuation.finish()
        }
    }

    /// The token of an upload address for a field.
    public func uploadToken(
        _ name: String? = "r", type: String = "Photo", field: String = "file", zone: String? = nil,
        as sender: Sender = .alice, in scope: DatabaseScope = .private
    ) async throws -> String {
        var wish: JSONValue = ["recordType": .string(type), "fieldName": .string(field)]
        if let name { wish = wish.with("recordName", .string(name)) }
        var body: JSONValue = ["tokens": [wish]]
        if let zone { body = body.with("zoneID", ["zoneName": .string(zone)]) }
        let answer = try await send(.assetsUpload, body, as: sender, in: scope)
        guard let url = answer.json["tokens"][0]["url"].string, let token = url.split(separator: "/").last
        else { throw TestFailure("There is no upload address: \(answer.json.text)") }
        return String(token)
    }

    /// Uploads a file, and gives the dictionary for the field.
    public func upload(
        _ bytes: [UInt8], token: String? = nil, type: String = "Photo", field: String = "file",
        contentType: String? = nil, pieces: Int = 1_000, as sender: Sender = .alice,
        in scope: DatabaseScope = .private
    ) async throws -> JSONValue {
        let address: String
        // For a field of any record.
        if let token {
            address = token
        } else {
            address = try await uploadToken(nil, type: type, field: field, as: sender, in: scope)
        }
        let json = try await service.upload(
            Self.stream(bytes, pieces: pieces), token: "/\(address)", contentType: contentType)
        return try JSONReader.read(json)["singleFile"]
    }

    /// The content of a file by the address that a record carries.
    public func download(_ url: String) async throws -> [UInt8] {
        guard let start = url.range(of: "/assets/get/") else { throw TestFailure("\(url) is no address") }
        let file = try await service.download(url[start.upperBound...])
        let bytes = try await file.reader.read(at: 0, count: Int(file.reader.size))
        return Array(bytes.readableBytesView)
    }

    /// Saves a record that holds a file, or several.
    @discardableResult
    public func save(
        _ name: String, file: JSONValue, operation: String = "forceUpdate", zone: String? = nil,
        as sender: Sender = .alice, in scope: DatabaseScope = .private
    ) async throws -> Answer {
        var body: JSONValue = [
            "operations": [
                TestCloud.operation(operation, name, type: "Photo", fields: ["file": ["value": file]])
            ]
        ]
        if let zone { body = body.with("zoneID", ["zoneName": .string(zone)]) }
        return try await send(.recordsModify, body, as: sender, in: scope)
    }
}
