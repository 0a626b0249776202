import Foundation
import RecordWire
import TestSupport
import Testing

@Suite struct Base64Tests {
    @Test(arguments: Seed.some(4))
    func `Encoding and decoding agree with Foundation`(_ seed: Seed) throws {
        var random = seed.random
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let text = Data(bytes).base64EncodedString()
            #expect(Base64.encode(bytes) == text)
            #expect(Base64.decode(text) == bytes)
            let url = Base64.encodeURL(bytes)
            #expect(!url.contains { "+/=".contains($0) })
            #expect(Base64.decode(url) == bytes)
        }
    }

    @Test(arguments: [
        "A", "AAAAA", "A===", "AA===", "AAA==", "AAAA=", "=", "==", "A A A A", "AAA\n", "AA=A", "é", "AA*A",
    ])
    func `What is not base64 is refused`(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test(arguments: Seed.some(2))
    func `Random text never traps, and what is taken Foundation takes with the same meaning`(_ seed: Seed)
        throws
    {
        var random = seed.random
        let alphabet = Array("ABCabc019+/=") as [Character]
        var taken = 0
        for _ in 0..<3_000 {
            let text = random.text(alphabet, 0...9)
            guard let bytes = Base64.decode(text), text.count % 4 == 0 else { continue }
            taken += 1
            #expect(Data(base64Encoded: text).map(Array.init) == bytes, "\(text)")
        }
        #expect(taken > 100)
    }
}
