import RecordModel
import SchemaLanguage
import TestSupport
import Testing

@Suite struct SchemaLawTests {
    @Test(arguments: Seed.some(40))
    func `What was printed reads back as it was`(_ seed: Seed) throws {
        var documents = RandomSchema(random: seed.random)
        for _ in 0..<50 {
            let document = documents.document()
            #expect(try SchemaDocument(parsing: document.description) == document)
        }
    }

    @Test(arguments: Seed.some(10))
    func `Normal forms are the same again, and do not depend on the order`(_ seed: Seed) throws {
        var documents = RandomSchema(random: seed.random)
        var random = seed.random
        for _ in 0..<50 {
            let document = documents.document()
            let normal = document.normalized()
            #expect(normal.normalized() == normal)
            #expect(document.exported().normalized() == normal)
            #expect(try SchemaDocument(parsing: document.exported().description) == document.exported())
            var other = document
            other.roles.shuffle(using: &random)
            other.types.shuffle(using: &random)
            for index in other.types.indices { other.types[index].fields.shuffle(using: &random) }
            for index in other.types.indices { other.types[index].grants.shuffle(using: &random) }
            #expect(other.normalized() == normal)
        }
    }

    /// Whatever is done to a text, it is read or refused with a place inside it.
    @Test(arguments: Seed.some(20))
    func `Damaged texts are read or refused, and never stop the program`(_ seed: Seed) {
        var documents = RandomSchema(random: seed.random)
        var random = seed.random
        let bits = Array("(),;<>\"-/*\r\n\t {}é😀\u{FEFF}\u{A0}") + Array("GRANTLIST")
        for _ in 0..<60 {
            var characters = Array(documents.document().description)
            for _ in 0..<random.int(1...6) where !characters.isEmpty {
                let place = random.int(0...characters.count - 1)
                switch random.int(0...3) {
                case 0: characters.remove(at: place)
                case 1: characters.insert(random.pick(bits, else: "x"), at: place)
                case 2: characters[place] = random.pick(bits, else: "x")
                default: characters.removeSubrange(place..<min(place + random.int(1...20), characters.count))
                }
            }
            check(String(characters))
        }
    }

    @Test(arguments: Seed.some(10))
    func `Any characters are read or refused`(_ seed: Seed) {
        var random = seed.random
        for _ in 0..<200 {
            let scalars = (0..<random.int(0...60)).compactMap { _ in
                Unicode.Scalar(UInt32(random.oneIn(5) ? random.int(0...0x10FFFF) : random.int(0...127)))
            }
            check("DEFINE SCHEMA " + String(String.UnicodeScalarView(scalars)))
        }
    }

    private func check(_ text: String) {
        do {
            let document = try SchemaDocument(parsing: text)
            #expect((try? SchemaDocument(parsing: document.description)) == document, "\(text)")
        } catch {
            #expect(!error.errors.isEmpty)
            for problem in error.errors {
                #expect(problem.line >= 1 && problem.column >= 1)
                #expect(!problem.message.isEmpty && !problem.remedy.isEmpty && problem.caret.hasSuffix("^"))
            }
        }
    }
}
