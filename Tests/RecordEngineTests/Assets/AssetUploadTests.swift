import AssetStorageFiles
import Foundation
import RecordEngine
import RecordModel
import RecordStorageSQLite
import RecordWire
import TestSupport
import Testing

/// Files on their way in and out, without a socket.
@Suite struct AssetUploadTests {
    private static let photo: [UInt8] = [0xFF, 0xD8, 0xFF] + (0..<5_000).map { UInt8($0 % 251) }

    @Test(arguments: [DatabaseScope.public, .private])
    func `A file goes in, into a record, and comes out`(scope: DatabaseScope) async throws {
        try await TestCloud.run { cloud in
            for bytes in [[], [7], Self.photo] {
                let asset = try await cloud.upload(bytes, in: scope)
                #expect(asset["size"].int == Int64(bytes.count))
                #expect(asset["wrappingKey"].string != nil && asset["referenceChecksum"].string != nil)
                #expect(Base64.decode(asset["fileChecksum"].string ?? "")?.first == 1)
                let saved = try await cloud.save("r", file: asset, in: scope)
                #expect(saved.codes == [nil], "\(saved.json.text)")
                let value = saved.records[0]["fields"]["file"]["value"]
                #expect(value["receipt"] == .null, "a receipt is the uploader's alone")
                #expect(value["fileChecksum"] == asset["fileChecksum"])
                #expect(saved.records[0]["fields"]["file"]["type"] == "ASSETID")
                let record = try #require(await cloud.record("r", in: scope))
                let url = try #require(record["fields"]["file"]["value"]["downloadURL"].string)
                #expect(url.hasPrefix("http://localhost/assets/get/") && url.hasSuffix("/${f}"))
                #expect(try await cloud.download(url) == bytes)
            }
        }
    }

    @Test func `Every answer that carries the record carries the address`() async throws {
        try await TestCloud.run { cloud in
            try await cloud.makeZones("Z")
            let asset = try await cloud.upload(Self.photo)
            let saved = try await cloud.save("r", file: asset, zone: "Z")
            func url(_ record: JSONValue) -> String? {
                record["fields"]["file"]["value"]["downloadURL"].string
            }
            #expect(url(saved.records[0]) != nil)
            let found = try await cloud.query(["recordType": "Photo"], zone: "Z")
            #expect(url(found.records[0]) != nil)
            let feed = try await cloud.changes(zone: "Z")
            #expect(url(feed.records[0]) != nil)
            let conflict = try await cloud.save("r", file: asset, operation: "create", zone: "Z")
            #expect(conflict.codes == ["CONFLICT"])
            #expect(url(conflict.records[0]["serverRecord"]) != nil)
            // Only where the field is wanted.
            let lookup = try await cloud.send(
                .recordsLookup,
                [
                    "records": [["recordName": "r"]], "zoneID": ["zoneName": "Z"], "desiredKeys": [],
                    "numbersAsStrings": true,
                ])
            #expect(lookup.records[0]["fields"] == [:])
        }
    }

    @Test func `Same content is kept once`() async throws {
        try await TestCloud.run { cloud in
            let first = try await cloud.upload(Self.photo)
            let second = try await cloud.upload(Self.photo, as: .bob)
            #expect(first["fileChecksum"] == second["fileChecksum"])
            #expect(cloud.assetPaths.digests(after: nil, limit: 10).count == 1)
            #expect(cloud.assetPaths.unfinished.isEmpty)
        }
    }

    @Test func `An address is good for one file, which may come again`() async throws {
        try await TestCloud.run { cloud in
            let token = try await cloud.uploadToken()
            let first = try await cloud.upload(Self.photo, token: token)
            let again = try await cloud.upload(Self.photo, token: token)
            #expect(first["fileChecksum"] == again["fileChecksum"])
            let error = await #expect(throws: ServiceError.self) {
                try await cloud.upload([1], token: token)
            }
            #expect(error?.code == .accessDenied)
            #expect(cloud.assetPaths.digests(after: nil, limit: 10).count == 1)
            #expect(cloud.assetPaths.unfinished.isEmpty)
            // Another address for the same field.
            _ = try await cloud.upload([1], token: try await cloud.uploadToken())
        }
    }

    @Test func `A receipt is good for the record and the field that its address is for`() async throws {
        try await TestCloud.run { cloud in
            let named = try await cloud.upload(Self.photo, token: try await cloud.uploadToken("mine"))
            #expect(try await cloud.save("other", file: named).json.text.contains("did_not_validate"))
            #expect(try await !cloud.save("mine", file: named).json.text.contains("did_not_validate"))
            let field = try await cloud.upload(
                [2], token: try await cloud.uploadToken(nil, field: "thumbnail"))
            #expect(try await cloud.save("mine", file: field).json.text.contains("did_not_validate"))
            let type = try await cloud.upload([3], token: try await cloud.uploadToken(nil, type: "Film"))
            #expect(try await cloud.save("mine", file: type).json.text.contains("did_not_validate"))
        }
    }

    @Test func `An address is good for fifteen minutes`() async throws {
        try await TestCloud.run { cloud in
            let token = try await cloud.uploadToken()
            _ = try await cloud.upload(Self.photo, token: token)
            cloud.wait(milliseconds: Int64(Limits.uploadTokenSeconds) * 1_000 - 1_000)
            _ = try await cloud.upload(Self.photo, token: token)
            cloud.wait(milliseconds: 1_000)
            let error = await #expect(throws: ServiceError.self) {
                try await cloud.upload([1], token: token)
            }
            #expect(error?.code == .accessDenied)
            #expect(error?.reason.contains("expired") == true)
            for wrong in ["", "x", token.dropLast(2) + "AA"] {
                let error = await #expect(throws: ServiceError.self) {
                    try await cloud.upload([1], token: wrong)
                }
                #expect(error?.code == .accessDenied)
            }
            #expect(cloud.assetPaths.unfinished.isEmpty)
        }
    }

    @Test func `A file may have as many bytes as the limit says`() async throws {
        try await TestCloud.run { cloud in
            var bytes = [UInt8](repeating: 3, count: Limits.assetBytes)
            let asset = try await cloud.upload(bytes, pieces: 1_000_000)
            #expect(asset["size"].int == Int64(Limits.assetBytes))
            bytes.append(3)
            let error = await #expect(throws: ServiceError.self) {
                try await cloud.upload(bytes, pieces: 1_000_000)
            }
            #expect(error?.code == .quotaExceeded)
            #expect(cloud.assetPaths.unfinished.isEmpty, "nothing of it is left")
            #expect(cloud.assetPaths.digests(after: nil, limit: 10).count == 1)
        }
    }

    @Test func `A request asks for so many addresses`() async throws {
        try await TestCloud.run { cloud in
            let wish: JSONValue = ["recordType": "Photo", "fieldName": "file"]
            let most = Array(repeating: wish, count: Limits.uploadTokensPerRequest)
            let answer = try await cloud.send(.assetsUpload, ["tokens": .array(most)])
            #expect(answer.json["tokens"].elements.count == most.count)
            #expect(Set(answer.json["tokens"].elements.map { $0["recordName"].string }).count == most.count)
            let over = try await cloud.send(.assetsUpload, ["tokens": .array(most + [wish])])
            #expect(over.code == "BAD_REQUEST")
        }
    }

    @Test func `Who may not write gets no address`() async throws {
        try await TestCloud.run { cloud in
            let body: JSONValue = ["tokens": [["recordType": "Photo", "fieldName": "file"]]]
            for scope in [DatabaseScope.public, .private] {
                let answer = try await cloud.send(.assetsUpload, body, as: .nobody, in: scope)
                #expect(answer.code == "AUTHENTICATION_REQUIRED")
                let again = try await cloud.send(
                    .assetsRereference, ["assets": [["recordName": "r", "fieldName": "file"]]], as: .nobody,
                    in: scope)
                #expect(again.code == "AUTHENTICATION_REQUIRED")
            }
            try await cloud.save("n", ["n": ["value": 1]], type: "Photo")
            for (wish, code): (JSONValue, String) in [
                (["recordType": "Photo", "fieldName": "n"], "BAD_REQUEST"),
                (["recordType": "Photo", "fieldName": "_x"], "BAD_REQUEST"),
                (["recordType": "", "fieldName": "file"], "BAD_REQUEST"),
                (["recordType": "Photo", "fieldName": "file", "recordName": "_r"], "BAD_REQUEST"),
            ] {
                let answer = try await cloud.send(.assetsUpload, ["tokens": [wish]])
                #expect(answer.code == code, "\(wish.text)")
            }
            let other = try await cloud.send(
                .assetsUpload, body.with("zoneID", ["zoneName": "nowhere"]))
            #expect(other.code == "ZONE_NOT_FOUND")
        }
    }

    @Test(arguments: Seed.some(30))
    func `A multipart body gives its file, however it is cut`(seed: Seed) async throws {
        var random = seed.random
        // It ends in what no file here holds: a file with its own boundary in it is cut there, and rightly.
        let boundary = "b" + random.text(Array("abcdef0123-'"), 0...20) + "z"
        // Many line ends and dashes, so that beginnings of boundaries abound.
        let alphabet: [UInt8] = [0x0D, 0x0A, 0x2D, 0x62, 0x61, 0x00]
        let file = (0..<random.int(0...3_000)).map { _ in random.pick(alphabet, else: 0) }
        let name = random.pick(["name=\"files\"", "name=x; filename=\"a.jpg\"", "name=\"file\""], else: "")
        var body = Array(
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n".utf8)
        if random.oneIn(2) { body = Array("a preamble\r\n".utf8) + body }
        if random.oneIn(3) { body = [] }
        body += Array(
            "--\(boundary)\r\nContent-Disposition: form-data; \(name)\r\nContent-Type: image/jpeg\r\n\r\n"
                .utf8)
        body += file
        body += Array("\r\n--\(boundary)".utf8)
        if random.oneIn(2) {
            body += Array(
                "\r\nContent-Disposition: form-data; name=\"files\"\r\n\r\nanother\r\n--\(boundary)".utf8)
        }
        body += Array("--\r\n".utf8)
        let pieces = random.int(1...70)
        try await TestCloud.run { [body] cloud in
            let asset = try await cloud.upload(
                body, contentType: "multipart/form-data; boundary=\"\(boundary)\"", pieces: pieces)
            #expect(asset["size"].int == Int64(file.count))
            try await cloud.save("r", file: asset)
            let record = try #require(await cloud.record("r"))
            let url = try #require(record["fields"]["file"]["value"]["downloadURL"].string)
            #expect(try await cloud.download(url) == file)
        }
    }

    @Test(arguments: Seed.some(30))
    func `A file may hold what is nearly its boundary`(seed: Seed) async throws {
        var random = seed.random
        let boundary = random.pick(["frontier", "b", "--", String(repeating: "x", count: 70)], else: "b")
        let line = "\r\n--\(boundary)"
        // Each ends in a byte behind which it can be no boundary, whatever follows.
        let nearly =
            [
                "2", "-", "-x", "--2", "--\n", "--\rx", " x", "  --\r\n", "\t-", "\rx", "\n", "\r\rx",
                "--  x", "-- -",
            ]
            .map { line + $0 + "." } + [String(line.dropLast()) + ".", "\r\n-.", "\r\n.", "\r."]
        let file = Array((0..<random.int(0...40)).map { _ in random.pick(nearly, else: "") }.joined().utf8)
        let blanks = random.pick(["", " ", "\t  "], else: "")
        let body =
            "\(line.dropFirst())\(blanks)\r\nContent-Disposition: form-data; name=files\r\n\r\n"
            + String(decoding: file, as: UTF8.self)
            + "\(line)--\(blanks)" + random.pick(["", "\r\n", "\r\nan epilogue\(line)\r\n"], else: "")
        let pieces = random.int(1...70)
        try await TestCloud.run { cloud in
            let asset = try await cloud.upload(
                Array(body.utf8), contentType: "multipart/form-data; boundary=\"\(boundary)\"", pieces: pieces
            )
            try await cloud.save("r", file: asset)
            let record = try #require(await cloud.record("r"))
            let url = try #require(record["fields"]["file"]["value"]["downloadURL"].string)
            #expect(try await cloud.download(url) == file)
        }
    }

    @Test func `A multipart body without a whole file is refused`() async throws {
        try await TestCloud.run { cloud in
            let head = "--b\r\nContent-Disposition: form-data; name=\"files\"\r\n\r\n"
            for (type, body) in [
                ("multipart/form-data", head + "x\r\n--b--\r\n"),
                ("multipart/form-data; boundary=b", ""),
                ("multipart/form-data; boundary=b", head + "cut off"),
                ("multipart/form-data; boundary=b", head + "cut off\r\n--"),
                ("multipart/form-data; boundary=b", head + "cut off\r\n--b"),
                ("multipart/form-data; boundary=b", head + "cut off\r\n--b-"),
                ("multipart/form-data; boundary=b", head + "not the last\r\n--b\r\n"),
                ("multipart/form-data; boundary=b", head + "not the last\r\n--b\r\nX: y\r\n\r\n"),
                ("multipart/form-data; boundary=b", head + "another's\r\n--b--x"),
                ("multipart/form-data; boundary=b", head + "no line end\r\n--b--\n"),
                ("multipart/form-data; boundary=b", "--b\r\nX: y\r\n\r\nno file\r\n--b--\r\n"),
                ("multipart/form-data; boundary=b", "--b\r\n" + String(repeating: "x", count: 20_000)),
            ] {
                let error = await #expect(throws: ServiceError.self) {
                    try await cloud.upload(Array(body.utf8), contentType: type)
                }
                #expect(error?.code == .badRequest, "\(body.prefix(60))")
            }
            #expect(cloud.assetPaths.unfinished.isEmpty)
            #expect(cloud.assetPaths.digests(after: nil, limit: 10).isEmpty)
        }
    }
}
