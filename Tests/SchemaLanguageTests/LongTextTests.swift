import RecordModel
import SchemaLanguage
import TestSupport
import Testing

/// Texts that are longer than anybody writes: read in one go, or refused where they are too much.
@Suite struct SchemaLongTextTests {
    private func last(_ text: String) -> SchemaSyntaxError? {
        do {
            _ = try SchemaDocument(parsing: text)
            return nil
        } catch {
            return error.errors.last
        }
    }

    /// Looking for each name's line from the beginning of the text would take an hour here.
    @Test(.timeLimit(.minutes(3)))
    func `Many names far down in a text are read`() throws {
        let comment = "/*" + String(repeating: " a comment\n", count: 400_000) + "*/"
        let roles = (0..<Limits.rolesPerTenant).map { "CREATE ROLE R\($0);" }
        let types = (0..<Limits.typesPerTenant).map { "RECORD TYPE T\($0) (x STRING);" }
        let document = try SchemaDocument(
            parsing: (["DEFINE SCHEMA", comment] + roles + types).joined(separator: "\n"))
        #expect(document.types.count == Limits.typesPerTenant)
        #expect(document.roles.count == Limits.rolesPerTenant)
    }

    @Test func `One more than a schema may hold ends the reading there`() throws {
        func statement(_ number: Int, _ text: (Int) -> String) -> String {
            "DEFINE SCHEMA\n" + (0..<number).map(text).joined(separator: "\n")
        }
        let type: (Int) -> String = { "RECORD TYPE T\($0) ();" }
        let role: (Int) -> String = { "CREATE ROLE R\($0);" }
        #expect(last(statement(Limits.typesPerTenant, type)) == nil)
        #expect(last(statement(Limits.rolesPerTenant, role)) == nil)
        #expect(last(statement(Limits.rolesPerTenant + 1, role))?.code == "TOO_MANY")
        let error = try #require(last(statement(Limits.typesPerTenant + 20_000, type)))
        #expect(error.code == "TOO_MANY" && error.line == Limits.typesPerTenant + 2 && error.column == 13)
        #expect(error.message.contains("1000 record types"))
        func fields(_ count: Int) -> String {
            "DEFINE SCHEMA RECORD TYPE A (" + (0..<count).map { "f\($0) STRING" }.joined(separator: ", ")
                + ");"
        }
        #expect(last(fields(Limits.fieldsPerType)) == nil)
        #expect(last(fields(Limits.fieldsPerType + 7))?.code == "TOO_MANY")
    }

    @Test func `Of very many mistakes the first are told`() throws {
        let fields = (0..<500).map { "f\($0) DATE" }.joined(separator: ", ")
        let error = #expect(throws: SchemaTextError.self) {
            try SchemaDocument(parsing: "DEFINE SCHEMA RECORD TYPE A (\(fields));")
        }
        #expect(error?.errors.count == 20)
        #expect(error?.errors.map(\.column) == error?.errors.map(\.column).sorted())
        // A long line is shown around its place only.
        #expect(error?.errors.last?.caret.count ?? 1_000 < 300)
    }

    @Test(arguments: Seed.some(20))
    func `A place is where its characters are counted to`(_ seed: Seed) throws {
        var random = seed.random
        for _ in 0..<100 {
            var text = random.oneIn(3) ? "\u{FEFF}DEFINE SCHEMA" : "DEFINE SCHEMA"
            for _ in 0..<random.int(0...30) {
                text += random.pick(
                    ["\n", "\r", "\r\n", " ", "\t", "/* é😀 */", ";", "/* a\r\nb */"], else: " ")
            }
            var line = 1
            var column = 1
            for character in text where character != "\u{FEFF}" {
                let isEnd = character == "\n" || character == "\r" || character == "\r\n"
                line += isEnd ? 1 : 0
                column = isEnd ? 1 : column + 1
            }
            let error = try #require(last(text + "{"))
            #expect(error.line == line && error.column == column, "\(text.debugDescription)")
        }
    }
}
