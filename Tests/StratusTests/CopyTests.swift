import ArgumentParser
import Crypto
import Foundation
import RecordModel
import RecordStorageSQLite
import RecordTransfer
import RecordWire
import TestSeeds
import Testing

@testable import stratus

@Suite struct CopyTests {
    @Test func `A state is what was written, and nothing else is one`() throws {
        let json = """
            {"version":1,"target":"a","databaseToken":"t","queries":{"public A":{"since":3,"startedAt":9,"filter":3,\
            "marker":"m"},"public B":{"since":5}},"zones":{"Z":{"token":"x","isDone":true}}}
            """
        let state = try #require(CopyState(json: Array(json.utf8)))
        #expect(CopyState(json: state.json) == state)
        #expect(String(decoding: state.json, as: UTF8.self) == json)
        #expect(!state.isEmpty && state.isComplete)
        #expect(CopyState(target: "a").isEmpty)
        for broken in ["", "{}", "[]", #"{"version":2,"target":"a"}"#, String(json.dropLast(9))] {
            #expect(CopyState(json: Array(broken.utf8)) == nil, "\(broken)")
        }
    }

    @Test func `Digests add up in any order`() {
        let digests = (0..<50).map { number in
            (0..<32).map { UInt8(truncatingIfNeeded: $0 * 37 + number * 101) }
        }
        func sum(_ digests: [[UInt8]]) -> DigestSum {
            var sum = DigestSum()
            for digest in digests { sum.add(digest) }
            return sum
        }
        #expect(sum(digests) == sum(digests.reversed()))
        #expect(sum(digests) != sum(Array(digests.dropLast())))
        // The same digest twice is not none at all.
        #expect(sum([digests[1], digests[1]]) != DigestSum())
        #expect(sum([]).description.count == 64)
    }

    @Test func `A token that an answer brings replaces the one that was given`() {
        let credentials = RequestCredentials(apiToken: "a", webAuthToken: "b+")
        #expect(credentials.query == "ckAPIToken=a&ckWebAuthToken=b%2B")
        credentials.renew(from: ["x-apple-cloudkit-web-auth-token": "c"])
        #expect(credentials.query == "ckAPIToken=a&ckWebAuthToken=c")
        let anonymous = RequestCredentials(apiToken: "a", webAuthToken: nil)
        anonymous.renew(from: ["x-apple-cloudkit-session": "c"])
        #expect(anonymous.query == "ckAPIToken=a")
    }

    @Test func `A key reads the public database, and a user's tokens beside it the private one`() throws {
        let directory = try TemporaryDirectory()
        let pem = try directory.file("key.pem", P256.Signing.PrivateKey().pemRepresentation)
        let words = ["--from", "http://a", "--container", "iCloud.a"]
        let key = try CopyCommand.parse(words + ["--key", "1", "--key-file", pem]).source
        let tokens = try CopyCommand.parse(words).source
        // What is given, and whether each database is opened by a key; nil where it is not opened.
        let rows: [(source: CopySource, api: String?, user: String?, isKey: [DatabaseScope: Bool])] = [
            (key, nil, nil, [.public: true]), (key, "a", nil, [.public: true]),
            (key, "a", "u", [.public: true, .private: false]),
            (tokens, "a", "u", [.public: false, .private: false]), (tokens, "a", nil, [.public: false]),
        ]
        for row in rows {
            let opened = try row.source.credentials(api: row.api, user: row.user)
            #expect(opened.mapValues(\.isKey) == row.isKey, "\(row.api ?? "-") \(row.user ?? "-")")
        }
        // A user's token alone opens nothing, and is not passed over in silence.
        for source in [key, tokens] {
            let failure = #expect(throws: Failure.self) { try source.credentials(api: nil, user: "u") }
            #expect(failure?.sentence.contains("private database") == true)
        }
        #expect(throws: Failure.self) { try tokens.credentials(api: nil, user: nil) }
    }

    @Test func `A refused signature is made again, as a server that was restarted needs it`() async throws {
        let directory = try TemporaryDirectory()
        func refusal(_ code: String) -> TransportAnswer {
            TransportAnswer(status: 401, body: Array(#"{"serverErrorCode":"\#(code)","reason":"r"}"#.utf8))
        }
        let transport = try await LocalTransport(directory: directory.path, signsRequests: true)
        let client = RemoteClient(
            transport,
            patience: .init(attempts: 9, firstWait: .milliseconds(1), longestWait: .milliseconds(1)))
        let refused = refusal("AUTHENTICATION_FAILED")
        let later = TransportAnswer(
            status: 503,
            body: Array(#"{"serverErrorCode":"TRY_AGAIN_LATER","reason":"r","retryAfter":1}"#.utf8))
        for faults in [[refused], [refused, refused], [later], [refused, later, refused]] {
            transport.fail(faults)
            _ = try await client.send(.usersCaller, EmptyRequest())
        }
        // A key that is wrong stays wrong, and a token is not tried again.
        transport.fail([refused, refused, refused])
        await #expect(throws: ErrorDictionary.self) { try await client.send(.usersCaller, EmptyRequest()) }
        transport.fail([refusal("AUTHENTICATION_REQUIRED")])
        await #expect(throws: ErrorDictionary.self) { try await client.send(.usersCaller, EmptyRequest()) }
        await transport.store.close()
        let tokens = try await LocalTransport(directory: directory.path, faults: [refused])
        await #expect(throws: ErrorDictionary.self) {
            try await tokens.client().send(.usersCaller, EmptyRequest())
        }
        await tokens.store.close()
    }

    @Test func `A state file's name is one of a file, whatever the user is called`() {
        #expect(CopyWork.fileName(of: "_abc-1.x") == "_abc-1.x")
        #expect(CopyWork.fileName(of: "_a/../b ü") == "_a%2F..%2Fb%20%C3%BC")
        let long = CopyWork.fileName(of: String(repeating: "ü", count: 200))
        #expect(long.utf8.count < 100 && long != CopyWork.fileName(of: String(repeating: "ü", count: 201)))
    }

    @Test func `A copy is given what belongs together`() throws {
        let words = ["--from", "http://a", "--container", "iCloud.a"]
        #expect(throws: (any Error).self) { try CopyCommand.parse(words + ["--follow", "--verify"]) }
        #expect(throws: (any Error).self) { try CopyCommand.parse(["--container", "iCloud.a"]) }
        let half = try CopyCommand.parse(words + ["--key", "1"])
        #expect(throws: Failure.self) { try half.source.credentials() }
        #expect(throws: Failure.self) { try half.source.credentials(api: "a", user: "u") }
        let wrong = try CopyCommand.parse(["--from", "nowhere", "--container", "iCloud.a"])
        #expect(throws: Failure.self) { try wrong.source.url() }
    }
}
