import Foundation
import Testing

@testable import DataModel

@Suite struct HashTests {
    private func hex(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }

    // Python's hashlib gives these: the digest of the digests of 0 to 300 bytes, whose byte i is (7 i + count) mod 256.
    @Test func `Digests of every length are those of other implementations`() {
        var (of256, of512) = (SHA256(), SHA512())
        for count in 0...300 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + count) }
            var (short, long) = (SHA256(), SHA512())
            // In two parts, since updates may end anywhere in a block.
            short.update(bytes.prefix(count / 3))
            short.update(bytes.dropFirst(count / 3))
            long.update(bytes.prefix(count / 3))
            long.update(bytes.dropFirst(count / 3))
            of256.update(short.finalized())
            of512.update(long.finalized())
        }
        #expect(
            hex(of256.finalized())
                == "60d63ff40b5558727a9b786ac0be9300f7ca58fd9ddd3b2f3681b369018a87dc")
        #expect(
            hex(of512.finalized())
                == "e1f2f7d5d8fc48db06ec2a0eed639593f549caffa40245747258761214a3ec07"
                + "134903fde52ace6cfae161a82097ba01f33a97d48dd6a80d4521d96d7401357e")
    }
}
