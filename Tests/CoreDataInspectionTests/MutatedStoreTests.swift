import Foundation
import TestSupport
import Testing

/// Stores that are damaged in any way are read, changed and saved, or refused with an error: nothing stops the program.
///
/// `make test` tries some 400; STRATUS_SOAK=300 makes it 100,000. The store that stopped a run is in the temporary folder,
/// as 'Mutated.sqlite'.
@Suite struct MutatedStoreTests {
    private static let failed: [UInt64] = [
        79_000_237, 101_000_303, 492_001_476, 4_724_284_530_555_215_462, 7_812_857_267_083_960_401,
    ]

    @Test("No mutated store stops the program", arguments: Seed.some(13, failed: failed))
    func mutated(seed: Seed) throws {
        var random = seed.random
        let original = try SampleStore(journal: "DELETE", history: true, chapters: 1)
        let bytes = try Data(contentsOf: original.url)
        let kept = original.url.deletingLastPathComponent().appendingPathComponent("Mutated.sqlite")
        for _ in 0..<25 {
            for name in try FileManager.default.contentsOfDirectory(atPath: original.directory.path) {
                try FileManager.default.removeItem(atPath: original.directory.path + "/" + name)
            }
            try bytes.write(to: original.url)
            try StoreMutation.apply(to: original.url, &random)
            try Data(contentsOf: original.url).write(to: kept)
            StoreMutation.exercise(original.url)
        }
    }
}
