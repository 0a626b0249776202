import AssetStorageFiles
import Foundation
import RecordEngine
import RecordModel
import RecordStorage
import RecordStorageSQLite
import RecordWire
import TestSupport
import Testing

/// What proves an upload, and what does not.
@Suite struct AssetReceiptTests {
    private static let refusal = "bad upload receipt (did_not_validate)"

    private static func expectRefused(_ answer: TestCloud.Answer, _ comment: String) {
        #expect(answer.codes == ["BAD_REQUEST"], "\(comment)")
        #expect(answer.records[0]["reason"].string?.contains(refusal) == true, "\(comment)")
    }

    @Test func `A receipt is good for its file and its database`() async throws {
        try await TestCloud.run { cloud in
            let asset = try await cloud.upload([1, 2, 3])
            let other = try await cloud.upload([4, 5, 6])
            let receipt = try #require(asset["receipt"].string)
            Self.expectRefused(
                try await cloud.save("r", file: asset.with("receipt", other["receipt"])), "of another file")
            Self.expectRefused(
                try await cloud.save("r", file: asset.with("receipt", .string(receipt.dropLast() + "_"))),
                "changed")
            Self.expectRefused(try await cloud.save("r", file: asset.with("receipt", .null)), "missing")
            Self.expectRefused(try await cloud.save("r", file: asset, as: .bob), "of another user's database")
            Self.expectRefused(try await cloud.save("r", file: asset, in: .public), "of another database")
            let production = try await cloud.send(
                .recordsModify,
                [
                    "operations": [
                        TestCloud.operation(
                            "create", "r", type: "Photo", fields: ["file": ["value": asset]])
                    ]
                ], environment: .production)
            #expect(production.codes == ["BAD_REQUEST"])
            #expect(try await cloud.save("r", file: asset).codes == [nil])
        }
    }

    @Test func `A receipt is good for a day`() async throws {
        try await TestCloud.run { cloud in
            let asset = try await cloud.upload([1])
            cloud.wait(milliseconds: Int64(Limits.receiptSeconds) * 1_000 - 1_000)
            #expect(try await cloud.save("r", file: asset).codes == [nil])
            cloud.wait(milliseconds: 1_000)
            Self.expectRefused(try await cloud.save("s", file: asset), "expired")
        }
    }

    @Test func `A record that is saved back whole keeps its file`() async throws {
        try await TestCloud.run { cloud in
            let asset = try await cloud.upload([1])
            try await cloud.save("r", file: asset)
            let sent = try #require(await cloud.record("r"))["fields"]["file"]["value"]
            for operation in ["forceUpdate", "forceReplace"] {
                #expect(try await cloud.save("r", file: sent, operation: operation).codes == [nil])
            }
            Self.expectRefused(try await cloud.save("s", file: sent), "another record has no such file")
            let wish = TestCloud.operation(
                "forceUpdate", "r", type: "Photo", fields: ["other": ["value": sent]])
            Self.expectRefused(try await cloud.modify([wish]), "another field has no such file")
            #expect(
                try await cloud.save("r", file: sent.with("size", 77)).records[0]["fields"]["file"]["value"][
                    "size"]
                    == 1, "what is known counts, not what is sent")
        }
    }

    @Test func `Lists hold files`() async throws {
        try await TestCloud.run { cloud in
            let files = [
                try await cloud.upload([1]), try await cloud.upload([2]), try await cloud.upload([1]),
            ]
            let saved = try await cloud.save("r", file: .array(files))
            #expect(saved.codes == [nil], "\(saved.json.text)")
            let field = saved.records[0]["fields"]["file"]
            #expect(field["type"] == "ASSETID_LIST")
            let urls = field["value"].elements.compactMap { $0["downloadURL"].string }
            #expect(urls.count == 3)
            #expect(try await cloud.download(urls[1]) == [2])
            // One goes, one stays without a receipt, one comes.
            let next: JSONValue = [field["value"][1], try await cloud.upload([3])]
            #expect(try await cloud.save("r", file: next).codes == [nil])
            Self.expectRefused(
                try await cloud.save("r", file: [field["value"][0]]), "what went cannot come back like this")
        }
    }

    @Test func `A record holds so many files`() async throws {
        try await TestCloud.run { cloud in
            let file = try await cloud.upload([1])
            let most = Array(repeating: file, count: Limits.assetsPerRecord)
            #expect(try await cloud.save("r", file: .array(most)).codes == [nil])
            #expect(try await cloud.save("r", file: .array(most + [file])).codes == ["QUOTA_EXCEEDED"])
        }
    }

    @Test func `A file can be referred to again without its bytes`() async throws {
        try await TestCloud.run { cloud in
            let asset = try await cloud.upload([1, 2, 3], in: .public)
            try await cloud.save("r", file: asset, in: .public)
            try await cloud.save("n", ["n": ["value": 1]], in: .public)
            let body: JSONValue = [
                "assets": [
                    ["recordName": "r", "fieldName": "file"], ["recordName": "r", "fieldName": "none"],
                    ["recordName": "n", "fieldName": "n"], ["recordName": "missing", "fieldName": "file"],
                ]
            ]
            let answer = try await cloud.send(.assetsRereference, body, as: .bob, in: .public)
            let items = answer.json["assets"].elements
            #expect(
                items.map { $0["serverErrorCode"].string } == [
                    nil, "BAD_REQUEST", "BAD_REQUEST", "NOT_FOUND",
                ])
            #expect(try await cloud.save("s", file: items[0], as: .bob, in: .public).codes == [nil])
            let record = try #require(await cloud.record("s", in: .public))
            let url = try #require(record["fields"]["file"]["value"]["downloadURL"].string)
            #expect(try await cloud.download(url) == [1, 2, 3])
            let many = Array(
                repeating: ["recordName": "r", "fieldName": "file"] as JSONValue,
                count: Limits.itemsPerRequest + 1)
            let over = try await cloud.send(
                .assetsRereference, ["assets": .array(many)], in: .public)
            #expect(over.code == "BAD_REQUEST")
        }
    }

    @Test func `Files of records whose names mean the same are not taken for each other`() async throws {
        try await TestCloud.run { cloud in
            let names = ["\u{E9}", "e\u{301}"]
            for (number, name) in names.enumerated() {
                let file = try await cloud.upload([UInt8(number)])
                #expect(try await cloud.save(name, file: file).codes == [nil])
            }
            let wishes = names.map { ["recordName": .string($0), "fieldName": "file"] as JSONValue }
            let answer = try await cloud.send(.assetsRereference, ["assets": .array(wishes)])
            let sums = Set(answer.json["assets"].elements.compactMap { $0["fileChecksum"].string })
            #expect(sums.count == 2, "\(answer.json.text)")
        }
    }

    @Test func `All files of a list can be referred to again`() async throws {
        try await TestCloud.run { cloud in
            let files = [
                try await cloud.upload([1]), try await cloud.upload([2]), try await cloud.upload([1]),
            ]
            try await cloud.save("r", file: .array(files))
            try await cloud.modify([
                TestCloud.operation(
                    "create", "one", type: "Film",
                    fields: ["poster": ["value": try await cloud.upload([3], type: "Film", field: "poster")]])
            ])
            let wishes: JSONValue = [
                ["recordName": "one", "fieldName": "poster"], ["recordName": "r", "fieldName": "file"],
                ["recordName": "r", "fieldName": "none"],
            ]
            let answer = try await cloud.send(.assetsRereference, ["assets": wishes])
            let items = answer.json["assets"].elements
            #expect(items.map { $0["serverErrorCode"].string } == [nil, nil, "BAD_REQUEST"])
            #expect(items[0]["fileChecksum"].string != nil, "a field of one file has its dictionary")
            #expect(
                items[1].elements.map { $0["fileChecksum"] } == files.map { $0["fileChecksum"] },
                "in the order of the list")
            // The value goes into another field as it is, or together with others.
            let copies = [items[1], .array(items[1].elements + [items[0]])]
            for (number, value) in copies.enumerated() {
                #expect(try await cloud.save("copy\(number)", file: value).codes == [nil])
                let record = try #require(await cloud.record("copy\(number)"))
                let urls = record["fields"]["file"]["value"].elements.compactMap { $0["downloadURL"].string }
                var contents: [[UInt8]] = []
                for url in urls { contents.append(try await cloud.download(url)) }
                #expect(contents == [[1], [2], [1]] + (number == 0 ? [] : [[3]]))
            }
        }
    }

    @Test func `One answer refers to so many files`() async throws {
        try await TestCloud.run { cloud in
            let file = try await cloud.upload([1])
            let poster = try await cloud.upload([1], type: "Film", field: "poster")
            let most = JSONValue.array(Array(repeating: file, count: Limits.assetsPerRecord))
            try await cloud.save("r", file: most)
            try await cloud.modify([
                TestCloud.operation(
                    "create", "one", type: "Film", fields: ["poster": ["value": poster]])
            ])
            let list: JSONValue = ["recordName": "r", "fieldName": "file"]
            let whole = try await cloud.send(.assetsRereference, ["assets": [list]])
            #expect(whole.json["assets"][0].elements.count == Limits.assetsPerRecord)
            let over = try await cloud.send(
                .assetsRereference, ["assets": [list, ["recordName": "one", "fieldName": "poster"]]])
            #expect(over.code == "BAD_REQUEST")
        }
    }

    @Test func `Public addresses stay, private ones end`() async throws {
        try await TestCloud.run { cloud in
            let life = Int64(Limits.downloadSeconds) * 1_000
            func url(_ scope: DatabaseScope) async throws -> String {
                let record = try #require(await cloud.record("r", in: scope))
                return try #require(record["fields"]["file"]["value"]["downloadURL"].string)
            }
            for scope in [DatabaseScope.public, .private] {
                try await cloud.save("r", file: try await cloud.upload([9], in: scope), in: scope)
            }
            let (open, closed) = (try await url(.public), try await url(.private))
            #expect(open != closed)
            cloud.wait(milliseconds: life * 3 / 4 - 1_000)
            #expect(try await cloud.download(closed) == [9])
            cloud.wait(milliseconds: life / 4 + 1_000)
            #expect(try await url(.public) == open)
            #expect(try await cloud.download(open) == [9])
            let error = await #expect(throws: ServiceError.self) { try await cloud.download(closed) }
            #expect(error?.code == .accessDenied)
            #expect(try await cloud.download(try await url(.private)) == [9])
            for wrong in [
                "/assets/get/x/f", "/assets/get//f", open.replacing("/assets/get/A", with: "/assets/get/B"),
            ] {
                let error = await #expect(throws: ServiceError.self) { try await cloud.download(wrong) }
                #expect(error?.code == .notFound)
            }
        }
    }
}
