import ArgumentParser
import RecordTransfer
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

    @Test func `A copy is given what belongs together`() throws {
        let words = ["--from", "http://a", "--container", "iCloud.a"]
        #expect(throws: (any Error).self) { try CopyCommand.parse(words + ["--follow", "--verify"]) }
        #expect(throws: (any Error).self) { try CopyCommand.parse(["--container", "iCloud.a"]) }
        let half = try CopyCommand.parse(words + ["--key", "1"])
        #expect(throws: Failure.self) { try half.source.credentials() }
        let wrong = try CopyCommand.parse(["--from", "nowhere", "--container", "iCloud.a"])
        #expect(throws: Failure.self) { try wrong.source.url() }
    }
}
