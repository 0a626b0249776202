import RecordModel
import RecordStorage
import RecordWire

@testable import RecordEngine

extension FuzzTarget {
    private static let secret = ServiceSecret(bytes: Array(repeating: 7, count: 32))
    private static let owner = Array("zone:1".utf8)

    /// Markers and tokens that clients keep for the service. The first byte says which reader the rest is for: that of sealed
    /// texts, and behind a good seal those of markers, of places in change feeds, of addresses and of live queries' ids.
    static func tokens() throws -> FuzzTarget {
        let payloads: [[UInt8]] = [[], [1], Array(0..<32), Array("a position".utf8)]
        let sealed = payloads.flatMap { payload in
            [SealedToken.Carrier.json, .address].map {
                SealedToken.seal(payload, for: owner, in: $0, secret: secret)
            }
        }
        let strange = SealedToken.seal([1], for: Array("zone:2".utf8), secret: secret)
        var position = TokenBytes()
        position.write(7)
        for key in [StorageValue.text("ü"), .int(-1), .double(.nan), .null] { position.write(key) }
        var place = TokenBytes()
        place.write(12)
        place.write(99)
        let address =
            "/database/1/iCloud.test/development/private/records/query?ckAPIToken=a&ckWebAuthToken=b%2Fc"
        return FuzzTarget(
            name: "tokens",
            seeds: (sealed + [strange]).map { [0] + Array($0.utf8) }
                + [
                    [1] + position.bytes, [2] + place.bytes, [3] + Array(address.utf8),
                    [4] + Array("12-ab12-7".utf8),
                ],
            words: [
                "AQ", "==", "=", "+", "-", "/", "_", "AAAA", "%3D", "&", "?", "ckWebAuthToken=", "%", "%zz",
                "..",
                "tokens", "device", "\0\0\0\0\0\0\0\u{7F}",
            ], count: 6_000
        ) { input in
            guard let kind = input.first else { return false }
            let rest = Array(input.dropFirst())
            switch kind % 5 {
            case 0: return try openSealed(String(decoding: rest, as: UTF8.self), payloads)
            case 1: return try readMarker(rest)
            case 2: return try readPlace(rest)
            case 3:
                let target = RequestTarget(String(decoding: rest, as: UTF8.self))
                _ = target.credentials
                return (try? target.call()) != nil
            default:
                guard let cursor = LiveCursor(String(decoding: rest, as: UTF8.self)) else { return false }
                try Forgery.unless(LiveCursor(cursor.text) == cursor, "An id is read as another one.")
                return true
            }
        }
    }

    private static func openSealed(_ text: String, _ payloads: [[UInt8]]) throws -> Bool {
        guard let opened = SealedToken.open(text, for: owner, secret: secret) else { return false }
        try Forgery.unless(payloads.contains(opened), "A token opens that nobody sealed for this owner.")
        let own = SealedToken.seal(opened, for: owner, secret: secret)
        try Forgery.unless(Base64.decode(text) == Base64.decode(own), "Other bytes open as the same.")
        return true
    }

    /// A marker of version 0.1 is a cursor in the first form, whatever is in it; the engines look inside.
    private static func readMarker(_ payload: [UInt8]) throws -> Bool {
        let marker = SealedToken.seal(payload, for: owner, secret: secret)
        let cursor = try ContinuationMarker.read(marker, for: owner, secret: secret)
        let again = ContinuationMarker.make(cursor, for: owner, secret: secret)
        try Forgery.unless(
            ContinuationMarker.read(again, for: owner, secret: secret) == cursor, "A marker changes.")
        var isTaken = false
        for count in 0...4 {
            var scan = RecordScan(
                type: RecordType(name: "Note", id: 1), zones: [1], condition: .constant(true),
                sort: Array(repeating: SortKey(.column(.recordName), ascending: true), count: count),
                after: cursor, limit: 1)
            guard let position = try? ScanPosition.of(scan) else { continue }
            isTaken = true
            scan.after = position.cursor
            try Forgery.unless(ScanPosition.of(scan)?.cursor == position.cursor, "A cursor changes.")
        }
        return isTaken
    }

    private static func readPlace(_ payload: [UInt8]) throws -> Bool {
        let token = SealedToken.seal(payload, for: owner, secret: secret)
        guard let place = try? SyncToken.place(token, for: .zone(1), secret: secret) else { return false }
        let again = SyncToken.make(
            place.sequence, quietUntil: place.quietUntil, for: .zone(1), secret: secret)
        let read = try SyncToken.place(again, for: .zone(1), secret: secret)
        try Forgery.unless(
            read.sequence == place.sequence
                && read.quietUntil == (place.quietUntil > place.sequence ? place.quietUntil : 0),
            "A place in a feed changes.")
        try Forgery.unless(
            (try? SyncToken.place(token, for: .zone(2), secret: secret)) == nil,
            "It is good for another zone.")
        return true
    }
}
