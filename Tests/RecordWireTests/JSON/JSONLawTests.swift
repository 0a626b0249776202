import Foundation
import RecordWire
import TestSupport
import Testing

@Suite struct JSONLawTests {
    @Test(arguments: Seed.some(8))
    func `What the writer writes, the reader reads as it was`(_ seed: Seed) throws {
        var random = seed.random
        for _ in 0..<400 {
            let value = random.json()
            let bytes = value.bytes
            let again = try JSONReader.read(bytes)
            #expect(again.bytes == bytes)
            // Equality of numbers and texts is by what they are: -0.0 and canonical forms aside, all is the same.
            #expect(again == value, "\(value.text)")
        }
    }

    @Test(arguments: Seed.some(8))
    func `Foundation reads what the writer writes, with the same meaning`(_ seed: Seed) throws {
        var random = seed.random
        for _ in 0..<150 {
            let text = random.anyText()
            let number = random.int64()
            let double = random.double()
            let value: JSONValue = ["text": .string(text), "int": .int(number), "double": .double(double)]
            let read = try JSONSerialization.jsonObject(with: Data(value.with("tree", random.json()).bytes))
            let object = try #require(read as? [String: Any])
            let readText = try #require(object["text"] as? String)
            #expect(readText.utf8.elementsEqual(text.utf8))
            #expect((object["int"] as? NSNumber)?.int64Value == number)
            // NB: Foundation on Linux misses the last digits of some numbers, so only most of them are compared.
            let readDouble = try #require((object["double"] as? NSNumber)?.doubleValue)
            #expect(abs(readDouble - double) <= abs(double) * 1e-13 + .leastNormalMagnitude)
        }
    }

    static let valid =
        #"{"a":[1,-2.5e3,true,false,null,"x\u00e9\ud83d\ude00\n"],"b":{"c":{},"d":[]},"é😀":"\\"} "#

    @Test func `A text cut at any byte is refused`() throws {
        let bytes = Array(Self.valid.utf8)
        _ = try JSONReader.read(bytes)
        for count in 0..<bytes.count - 1 {
            #expect(throws: JSONError.self, "cut after \(count) bytes") {
                try JSONReader.read(bytes.prefix(count))
            }
        }
    }

    @Test(arguments: Seed.some(4))
    func `Mutated bytes never trap, and what is read is what Foundation reads`(_ seed: Seed) throws {
        var random = seed.random
        for _ in 0..<6_000 {
            var bytes = random.oneIn(3) ? random.json(depth: 3).bytes : Array(Self.valid.utf8)
            for _ in 0..<random.int(1...4) { random.mutate(&bytes) }
            guard let value = try? JSONReader.read(bytes) else { continue }
            let again = try JSONReader.read(value.bytes)
            #expect(again == value)
            #expect(
                throws: Never.self, "accepted: \(String(decoding: bytes, as: UTF8.self))"
            ) {
                try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            }
        }
    }
}

extension Random {
    /// Changes, removes or doubles a byte or a run of them.
    mutating func mutate(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        let place = int(0...bytes.count - 1)
        switch int(0...4) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: next())
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(pick(Array("{}[]\",:0-eE.\\u".utf8), else: 0), at: place)
        case 3: bytes.removeLast(int(0...bytes.count))
        default:
            let end = min(bytes.count, place + int(1...8))
            bytes.insert(contentsOf: Array(bytes[place..<end]), at: int(0...bytes.count))
        }
    }
}
