import Foundation
import TestSupport
import Testing

@testable import RecordServer

@Suite struct RequestIDTests {
    @Test func areUUIDsOfVersionFour() throws {
        var seen: Set<RequestID> = []
        for _ in 0..<1_000 {
            let id = RequestID.next()
            #expect(seen.insert(id).inserted)
            let uuid = try #require(UUID(uuidString: id.description))
            #expect(uuid.uuid.6 >> 4 == 4)
            #expect(uuid.uuid.8 >> 6 == 2)
            #expect(RequestID(id.description) == id)
            #expect(RequestID(id.description.uppercased()) == id)
        }
    }

    @Test(arguments: Seed.some(10)) func prefixesMatchAsTextsDo(_ seed: Seed) throws {
        var random = seed.random
        for _ in 0..<200 {
            let id = RequestID.next()
            let other = RequestID.next()
            let text = id.description
            let beginning = String(text.prefix(random.int(1...36)))
            let prefix = try #require(
                RequestIDPrefix(random.oneIn(2) ? beginning : " \(beginning.uppercased()) "))
            #expect(prefix.matches(id))
            #expect(prefix.matches(other) == other.description.hasPrefix(beginning))
        }
    }

    @Test(arguments: ["", " ", "-", "g", "0x1", "é", String(repeating: "a", count: 33), "12345678/9"])
    func refusesOtherTexts(_ text: String) {
        #expect(RequestIDPrefix(text) == nil)
        #expect(RequestID(text) == nil)
    }

    @Test func takesNoPrefixForAnID() {
        #expect(RequestID("0123456789abcdef") == nil)
        #expect(RequestIDPrefix("0123456789abcdef") != nil)
    }
}
