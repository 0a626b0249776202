import DataModel
import Foundation
import TestSeeds
import Testing

/// Bytes that claim to be a property list are read as Foundation reads them, or not at all.
@Suite struct PropertyListTests {
    private static var sample: [String: Any] {
        [
            "text": "é", "empty": "", "ascii": "NSStoreType", "yes": true, "no": false, "small": 7,
            "large": Int64.max,
            "negative": -3, "real": 2.5, "date": Date(timeIntervalSinceReferenceDate: 7),
            "data": Data([0, 1, 255]),
            "list": ["a", "b", 3] as [Any], "hashes": ["Course": Data([1, 2])],
        ]
    }

    private static func binary(_ list: Any) throws -> Data {
        try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func `What Foundation writes is read`(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let data = try PropertyListSerialization.data(
            fromPropertyList: Self.sample, format: format, options: 0)
        let read = try #require(PropertyList.dictionary(data))
        #expect(NSDictionary(dictionary: read) == NSDictionary(dictionary: Self.sample))
        #expect(
            read["large"] as? Int64 == .max && read["yes"] as? Bool == true && read["real"] as? Double == 2.5)
        #expect(
            read["list"] as? [Any] != nil && read["hashes"] as? [String: Data] == ["Course": Data([1, 2])])
    }

    /// Foundation stops the program where an element of the set is no object that it knows.
    @Test func `A set is no property list`() throws {
        var data = try Self.binary(["list": ["a", "b"]])
        let array = try #require(data.firstIndex(of: 0xA2))
        #expect(PropertyList.dictionary(data) != nil)
        data[array] = 0xC2
        #expect(PropertyList.dictionary(data) == nil)
    }

    @Test func `A list that holds itself is none, nor is one that grows without end`() throws {
        // A dictionary with itself under its key; then twelve lists that each hold the next one eleven times.
        func list(_ objects: [[UInt8]]) -> Data {
            var bytes = Array("bplist00".utf8)
            var offsets: [UInt8] = []
            for object in objects {
                offsets.append(UInt8(bytes.count))
                bytes += object
            }
            let table = bytes.count
            bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
            for number in [objects.count, 0, table] { bytes += [0, 0, 0, 0, 0, 0, 0, UInt8(number)] }
            return Data(bytes)
        }
        #expect(PropertyList.dictionary(list([[0xD1, 1, 0], [0x51, 0x61]])) == nil)
        #expect(
            PropertyList.dictionary(list([[0xD1, 1, 2], [0x51, 0x61], [0x51, 0x62]]))?["a"] as? String == "b")
        let levels = (3..<14).map { next in [0xAB] + [UInt8](repeating: UInt8(next), count: 11) }
        #expect(
            PropertyList.dictionary(list([[0xD1, 1, 2], [0x51, 0x61]] + levels + [[0x51, 0x62]])) == nil)
    }

    @Test("Damaged lists", arguments: Seed.some(20, failed: []))
    func damaged(seed: Seed) throws {
        var random = seed.random
        let original = try Self.binary(Self.sample)
        for _ in 0..<200 {
            var data = original
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                data[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            // Whatever comes of it can be written again.
            if let list = PropertyList.dictionary(data) { _ = try Self.binary(list) }
        }
    }
}
