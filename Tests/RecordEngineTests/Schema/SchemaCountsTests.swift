import RecordModel
import TestSeeds
import Testing

/// What a schema counts as types come, change and go is what looking at all of them would say.
@Suite struct SchemaCountsTests {
    @Test(arguments: Seed.some(20))
    func `Counts are those of the types`(_ seed: Seed) {
        var random = seed.random
        var schema = Schema()
        for _ in 0..<200 {
            let number = random.int(1...6)
            if random.oneIn(4) {
                schema.remove(typeNamed: "T\(number)")
            } else {
                var type = RecordType(
                    name: "T\(number)", id: Int64(random.oneIn(5) ? number + 10 : number),
                    fields: random.oneIn(2)
                        ? [] : [FieldSchema(name: "f", type: FieldType(.asset), indexes: [], column: 1)])
                type.grants = random.oneIn(2) ? [SecurityGrant(.read, to: SecurityGrant.signedInRole)] : nil
                schema.set(type)
            }
            let types = schema.types.values
            #expect(schema.hasAssets == types.contains(where: \.hasAssets))
            #expect(schema.isReadableByEverybody == types.allSatisfy(\.isReadableByEverybody))
            #expect(
                schema.filesAreReadableByEverybody
                    == types.allSatisfy { !$0.hasAssets || $0.isReadableByEverybody })
            for id in Int64(1)...16 { #expect(schema.type(numbered: id) == types.first { $0.id == id }) }
        }
        for name in Array(schema.types.keys) { schema.remove(typeNamed: name) }
        #expect(schema == Schema())
    }
}
