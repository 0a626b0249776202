import Crypto
import CurlAccess
import Foundation

/// Objects in a bucket of an S3-compatible store.
///
/// Each byte that goes out is covered by two digests that the store compares (SHA-256 in the signature, MD5 in a header), and one
/// that comes in by the store's own checksum where it has one. Files above ``partBytes`` go in parts, one in memory at a time.
public struct S3Store: ObjectStore {
    public let location: String

    /// The size of a part of a large object; stores take 5 MiB and more.
    static let partBytes = 16 << 20
    /// The most parts that an object has with every store.
    static let mostParts: Int64 = 10_000

    private let client: S3Client
    private let prefix: String
    private let partBytes: Int

    /// Opens a store; nothing is asked of it yet.
    public init(_ location: S3Location, credentials: S3Credentials, retries: S3Retries = S3Retries()) {
        self.init(S3Client(location: location, credentials: credentials, retries: retries))
    }

    init(_ client: S3Client, partBytes: Int = Self.partBytes) {
        self.client = client
        self.partBytes = partBytes
        location = client.location.text
        prefix = client.location.prefix
    }

    public func put(_ bytes: [UInt8], as name: String) async throws {
        try await expectAnswer(.init(method: "PUT", key: prefix + name, body: bytes))
    }

    public func put(file path: String, as name: String) async throws {
        let size = try OpenedFile.size(path)
        guard size > partBytes else {
            let bytes = try await piece(of: path, at: 0, count: Int(size))
            return try await put(bytes, as: name)
        }
        try await putParts(path, size: size, as: prefix + name)
    }

    private func piece(of path: String, at offset: Int64, count: Int) async throws -> [UInt8] {
        let bytes = try await onThread { try OpenedFile.read(path, at: offset, count: count) }
        guard bytes.count == count else { throw ObjectStorageError.file("read to its end", path, EIO) }
        return bytes
    }

    private func putParts(_ path: String, size: Int64, as key: String) async throws {
        let begun = try await expectAnswer(
            .init(method: "POST", key: key, query: [("uploads", "")], body: []))
        guard let id = S3Answer.text("UploadId", in: Self.text(begun)) else {
            throw ObjectStorageError.location(location, "its answer to a large upload is none of S3.")
        }
        do {
            let length = max(Int64(partBytes), (size + Self.mostParts - 1) / Self.mostParts)
            var list = "<CompleteMultipartUpload>"
            for (index, offset) in stride(from: 0, to: size, by: Int64.Stride(length)).enumerated() {
                let bytes = try await piece(of: path, at: offset, count: Int(min(length, size - offset)))
                let answer = try await expectAnswer(
                    .init(
                        method: "PUT", key: key, query: [("partNumber", "\(index + 1)"), ("uploadId", id)],
                        body: bytes))
                let tag = S3Answer.escaped(answer.headers["etag"] ?? "")
                list += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(tag)</ETag></Part>"
            }
            list += "</CompleteMultipartUpload>"
            try await complete(key, id, list, size)
        } catch {
            // The parts cost room until they are given up; what cannot be now is by removeUnfinished(_:). A cancelled task
            // sends no more, so another one does.
            let client = client
            await Task {
                // As said: what stays is given up by removeUnfinished(_:).
                _ = try? await client.send(.init(method: "DELETE", key: key, query: [("uploadId", id)]))
            }.value
            throw error
        }
    }

    /// Puts the parts together. An answer that was lost and asked for again finds no such upload: then the object tells.
    private func complete(_ key: String, _ id: String, _ list: String, _ size: Int64) async throws {
        let answer = try await client.send(
            .init(method: "POST", key: key, query: [("uploadId", id)], body: Array(list.utf8)))
        guard answer == nil else { return }
        guard try await head(String(key.dropFirst(prefix.count)))?.size == size else {
            throw ObjectStorageError.missing(key, in: location)
        }
    }

    @discardableResult
    private func expectAnswer(_ request: S3Client.Request) async throws -> CurlResponse {
        guard let answer = try await client.send(request) else {
            throw ObjectStorageError.missing(request.key, in: location)
        }
        return answer
    }

    private static func text(_ answer: CurlResponse) -> String {
        String(decoding: answer.body, as: UTF8.self)
    }

    public func get(_ name: String, maximumBytes: Int) async throws -> [UInt8] {
        let answer = try await expectAnswer(
            .init(
                method: "GET", key: prefix + name, headers: ["x-amz-checksum-mode": "ENABLED"],
                destination: .memory(maximumBytes: maximumBytes)))
        try Self.compare(name, answer) { SHA256.hash(data: answer.body) }
        return answer.body
    }

    public func get(_ name: String, toFile path: String) async throws {
        let answer = try await expectAnswer(
            .init(
                method: "GET", key: prefix + name, headers: ["x-amz-checksum-mode": "ENABLED"],
                destination: .file(path: path, maximumBytes: .max)))
        do {
            try await onThread {
                try Self.compare(name, answer) {
                    var hasher = SHA256()
                    try OpenedFile.read(path) { hasher.update(bufferPointer: $0) }
                    return hasher.finalize()
                }
            }
        } catch {
            // The reason above counts; who asked for the file throws its folder away.
            unlink(path)
            throw error
        }
    }

    /// Compares bytes with the store's own checksum, where it says one of the whole object.
    private static func compare(
        _ name: String, _ answer: CurlResponse, _ digest: () throws -> SHA256.Digest
    ) throws {
        guard let text = answer.headers["x-amz-checksum-sha256"], let expected = Data(base64Encoded: text),
            answer.headers["x-amz-checksum-type"] != "COMPOSITE"
        else { return }
        guard Data(try digest()) == expected else { throw ObjectStorageError.damaged(name) }
    }

    public func head(_ name: String) async throws -> ObjectInfo? {
        let answer = try await client.send(.init(method: "HEAD", key: prefix + name))
        return answer.map {
            ObjectInfo(name: name, size: $0.headers["content-length"].flatMap(Int64.init) ?? 0)
        }
    }

    public func list(_ prefix: String, from token: String?) async throws -> ObjectPage {
        let text = try await listing(prefix, token, delimiter: nil)
        let objects = S3Answer.elements("Contents", in: text).compactMap { element -> ObjectInfo? in
            guard let key = S3Answer.text("Key", in: element), key.hasPrefix(self.prefix),
                let size = S3Answer.text("Size", in: element).flatMap(Int64.init)
            else { return nil }
            let time = S3Answer.text("LastModified", in: element).flatMap(Self.time) ?? 0
            return ObjectInfo(name: String(key.dropFirst(self.prefix.count)), size: size, modifiedAt: time)
        }
        return ObjectPage(objects: objects, next: Self.next(text))
    }

    public func folders(in folder: String) async throws -> [String] {
        var names: [String] = []
        var token: String?
        repeat {
            let text = try await listing(folder, token, delimiter: "/")
            for element in S3Answer.elements("CommonPrefixes", in: text) {
                guard let path = S3Answer.text("Prefix", in: element) else { continue }
                names.append(String(path.dropFirst(prefix.count + folder.count).dropLast()))
            }
            token = Self.next(text)
        } while token != nil
        return names
    }

    private func listing(_ prefix: String, _ token: String?, delimiter: String?) async throws -> String {
        var query = [(name: "list-type", value: "2"), ("prefix", self.prefix + prefix)]
        if let token { query.append(("continuation-token", token)) }
        if let delimiter { query.append(("delimiter", delimiter)) }
        return Self.text(try await expectAnswer(.init(method: "GET", key: "", query: query)))
    }

    /// `2026-11-23T06:00:00.000Z` in milliseconds since 1970; some stores leave the fraction out.
    private static func time(_ text: String) -> Int64? {
        let whole = String(text.prefix { $0 != "." && $0 != "Z" }) + "Z"
        return (try? Date(whole, strategy: .iso8601)).map { Int64($0.timeIntervalSince1970) * 1_000 }
    }

    private static func next(_ text: String) -> String? {
        S3Answer.text("IsTruncated", in: text) == "true"
            ? S3Answer.text("NextContinuationToken", in: text) : nil
    }

    public func delete(_ name: String) async throws {
        _ = try await client.send(.init(method: "DELETE", key: prefix + name))
    }

    public func removeUnfinished(_ prefix: String) async throws {
        let answer = try await expectAnswer(
            .init(method: "GET", key: "", query: [("uploads", ""), ("prefix", self.prefix + prefix)]))
        for upload in S3Answer.elements("Upload", in: Self.text(answer)) {
            guard let key = S3Answer.text("Key", in: upload), let id = S3Answer.text("UploadId", in: upload),
                key.hasPrefix(self.prefix + prefix)
            else { continue }
            _ = try await client.send(.init(method: "DELETE", key: key, query: [("uploadId", id)]))
        }
    }
}
