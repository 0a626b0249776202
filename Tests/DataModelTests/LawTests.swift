import DataModel
import Foundation
import ModelTestSupport
import TestSeeds
import Testing

@Suite struct LawTests {
    /// The comment of a failure names it.
    private let seed = Seed.one.value

    @Test("Reading an archive gives the model that was written")
    func archive() throws {
        for run in 0..<150 {
            var source = RandomModel(seed: seed + UInt64(run), isXML: false)
            let model = try source.model()
            let data = try model.archive()
            let read = try ModelDocument(archive: data)
            #expect(read == model, "seed \(seed + UInt64(run)): \(difference(read, model))")
            #expect(try model.archive() == data, "seed \(seed + UInt64(run)): the bytes differ")
        }
    }

    @Test("Reading a model cache gives the model that was written")
    func modelCache() throws {
        for run in 0..<50 {
            var source = RandomModel(seed: seed + UInt64(run), isXML: false)
            let model = try source.model()
            #expect(try ModelDocument(modelCache: model.modelCache()) == model, "seed \(seed + UInt64(run))")
        }
    }

    @Test("Reading XML gives the model that was written")
    func xml() throws {
        for run in 0..<150 {
            var source = RandomModel(seed: seed + UInt64(run), isXML: true)
            let model = try source.model()
            let read = try ModelDocument(xml: Data(model.xml().utf8))
            #expect(read == model, "seed \(seed + UInt64(run)): \(difference(read, model))")
        }
    }

    @Test("What XML has no words for is an error, not a loss")
    func notExpressible() throws {
        var count = 0
        for run in 0..<200 {
            var source = RandomModel(seed: seed + UInt64(run), isXML: false)
            let model = try source.model()
            do {
                #expect(try ModelDocument(xml: Data(model.xml().utf8)) == model, "seed \(seed + UInt64(run))")
            } catch let error as ModelDocumentError {
                #expect(error.code == "NOT_EXPRESSIBLE", "seed \(seed + UInt64(run)): \(error)")
                count += 1
            }
        }
        #expect(count > 0)
    }
}
