import RecordModel
import Testing

@testable import RecordServer

/// How many requests there may be over HTTP/2.
@Suite struct StreamPlaceTests {
    @Test func `An address has its share and no more, and gets back what it gives back`() throws {
        let places = StreamPlaces(capacity: 10, share: 3)
        let address = try #require(ClientAddress(text: "192.0.2.1"))
        let other = try #require(ClientAddress(text: "192.0.2.2"))
        var taken = (0..<3).compactMap { _ in places.take(for: address) }
        #expect(taken.count == 3 && places.take(for: address) == nil)
        #expect(places.take(for: other) != nil, "another address has its own share")
        taken.last?.end()
        taken.last?.end()
        #expect(places.count == 2 && places.refused == 1)
        #expect(places.take(for: address) != nil)
        taken = []
        #expect(places.count == 0, "a place that nobody holds is free")
    }

    @Test func `All addresses of a network have a share, and other networks theirs`() throws {
        let places = StreamPlaces(capacity: 100, share: 3, networkShare: 5)
        var taken = (0..<5).compactMap { places.take(for: ClientAddress(text: "2001:db8:1:\($0)::1")) }
        #expect(taken.count == 5 && places.take(for: ClientAddress(text: "2001:db8:1:99::1")) == nil)
        #expect(places.take(for: ClientAddress(text: "2001:db8:2:99::1")) != nil)
        taken.removeLast()
        #expect(places.take(for: ClientAddress(text: "2001:db8:1:99::1")) != nil)
        #expect(taken.count == 4)
    }

    @Test func `All addresses together have so many`() throws {
        let places = StreamPlaces(capacity: 5, share: 3)
        let taken = (0..<5).compactMap { _ in places.take(for: nil) }
        #expect(taken.count == 5 && places.take(for: nil) == nil)
        #expect(places.take(for: ClientAddress(text: "192.0.2.1")) == nil)
        #expect(places.count == 5 && places.refused == 2)
    }
}
