import DataModel
import Foundation
import ModelTestSupport
import TestSupport
import Testing

@testable import StratusCoreData

@Suite("Models and documents")
struct ModelLawTests {
    @Test("A document comes back from the descriptions as it was", arguments: Seed.some(60))
    func documents(seed: Seed) throws {
        var source = RandomModel(seed: seed.value, isXML: false)
        let document = try source.model()
        let model = NSManagedObjectModel(document: document)
        let back = model.document
        #expect(back == document.normalForm, "\(difference(back, document.normalForm))")
        #expect(NSManagedObjectModel(document: back) == model)
    }

    @Test("A model comes back from the archive of its document", arguments: Seed.some(30))
    func archives(seed: Seed) throws {
        var source = RandomModel(seed: seed.value, isXML: false)
        let model = NSManagedObjectModel(document: try source.model())
        let read = try ModelDocument(modelCache: model.document.modelCache())
        #expect(read == model.document, "\(difference(read, model.document))")
        #expect(NSManagedObjectModel(document: read) == model)
    }

    @Test("A copy is equal, of other objects, and can be changed", arguments: Seed.some(30))
    func copies(seed: Seed) throws {
        var source = RandomModel(seed: seed.value, isXML: false)
        let model = NSManagedObjectModel(document: try source.model())
        model.freezeForUse()
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy == model, "\(difference(copy.document, model.document))")
        #expect(Set(copy.document.entities) == Set(model.document.entities))
        let originals = Set(model.entities.map { ObjectIdentifier($0) })
        for entity in copy.entities {
            #expect(!originals.contains(ObjectIdentifier(entity)))
            for case let relationship as NSRelationshipDescription in entity.properties {
                #expect(relationship.destinationEntity.map { $0.managedObjectModel === copy } ?? true)
                #expect(
                    relationship.inverseRelationship?.entity.map { $0.managedObjectModel === copy } ?? true)
            }
        }
        guard let first = copy.entities.first else { return }
        first.addAttribute("added", .string)
        #expect(copy != model)
    }

    @Test("Circles and very deep inheritance are cut, not followed")
    func depth() {
        var document = ModelDocument()
        for number in 0..<3_000 {
            document.entities.append(EntityDocument(name: "E\(number)", parentName: "E\(max(0, number - 1))"))
        }
        document.composites = [
            CompositeDocument(
                name: "C", attributes: [AttributeDocument(name: "c", type: .composite, compositeName: "C")])
        ]
        document.entities[0].attributes = [AttributeDocument(name: "c", type: .composite, compositeName: "C")]
        let built = NSManagedObjectModel.building(document)
        built.model.freezeForUse()
        #expect(built.model.entities.count == 3_000)
        #expect(
            built.warnings.contains { $0.contains("E0") }
                && built.warnings.contains { $0.contains("inside itself") })
    }

    @Test("Models in parts merge to the whole", arguments: Seed.some(20))
    func merging(seed: Seed) throws {
        var source = RandomModel(seed: seed.value, isXML: false)
        let model = NSManagedObjectModel(document: try source.model())
        let again = NSManagedObjectModel(document: model.document)
        let merged = try #require(NSManagedObjectModel(byMerging: [model, again]))
        #expect(merged.document.entities == model.document.entities)
        #expect(merged.entities.allSatisfy { $0.managedObjectModel === merged })
    }
}
