import DataModel
import Foundation
import ModelTestSupport
import TestSeeds
import Testing

/// Damaged models give an error of ours or a model; anything else, or a trap, fails.
@Suite struct FuzzTests {
    private let seed = Seed.one.value

    @Test("Damaged XML")
    func xml() throws {
        var random = Random(seed: seed)
        for run in 0..<60 {
            var source = RandomModel(seed: seed + UInt64(run), isXML: true)
            let bytes = [UInt8](try source.model().xml().utf8)
            for _ in 0..<20 { check({ try ModelDocument(xml: $0) }, damage(bytes, &random)) }
        }
    }

    @Test("Damaged archives")
    func archive() throws {
        var random = Random(seed: seed)
        for run in 0..<60 {
            var source = RandomModel(seed: seed + UInt64(run), isXML: false)
            let bytes = [UInt8](try source.model().archive())
            for _ in 0..<30 { check({ try ModelDocument(archive: $0) }, damage(bytes, &random)) }
        }
    }

    @Test("Damaged model caches")
    func modelCache() throws {
        var random = Random(seed: seed)
        var source = RandomModel(seed: seed, isXML: false)
        let bytes = [UInt8](try source.model().modelCache())
        for _ in 0..<300 { check({ try ModelDocument(modelCache: $0) }, damage(bytes, &random)) }
        check({ try ModelDocument(modelCache: $0) }, [])
    }

    @Test("Random bytes")
    func noise() {
        var random = Random(seed: seed)
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            check({ try ModelDocument(xml: $0) }, bytes)
            check({ try ModelDocument(archive: $0) }, Array("bplist00".utf8) + bytes)
            check({ try ModelDocument(modelCache: $0) }, bytes)
        }
    }

    private func check(_ read: (Data) throws -> ModelDocument, _ bytes: [UInt8]) {
        do {
            let model = try read(Data(bytes))
            _ = try? model.xml()
            _ = try? model.archive()
        } catch {
            #expect(error is ModelDocumentError, "seed \(seed): \(error)")
        }
    }

    /// The bytes with a few changed, taken out, doubled or cut off.
    private func damage(_ bytes: [UInt8], _ random: inout Random) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let length = Int.random(in: 1...12, using: &random)
            let end = min(bytes.count, place + length)
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 3: bytes.removeSubrange(place..<end)
            case 4:
                bytes.insert(
                    contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
            default: if Bool.random(using: &random) { bytes.removeSubrange(place...) }
            }
        }
        return bytes
    }
}
