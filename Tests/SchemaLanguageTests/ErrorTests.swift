import SchemaLanguage
import Testing

@Suite struct SchemaErrorTests {
    func errors(_ text: String) -> [SchemaSyntaxError] {
        do {
            _ = try SchemaDocument(parsing: text)
            return []
        } catch {
            return error.errors
        }
    }

    /// One mistake, its code and its place as line:column.
    @Test(
        arguments: [
            ("", "UNEXPECTED", "1:1"),
            ("import Foundation", "UNEXPECTED", "1:1"),
            ("DEFINE TABLE", "UNEXPECTED", "1:8"),
            ("DEFINE SCHEMA\nCREATE TYPE A;", "UNEXPECTED", "2:8"),
            ("DEFINE SCHEMA\nRECORD A (x STRING);", "UNEXPECTED", "2:8"),
            ("DEFINE SCHEMA\nRECORD TYPE A x STRING;", "UNEXPECTED", "2:15"),
            ("DEFINE SCHEMA\nRECORD TYPE A (x);", "UNEXPECTED", "2:17"),
            ("DEFINE SCHEMA\nRECORD TYPE A (x STRING y INT64);", "UNEXPECTED", "2:25"),
            ("DEFINE SCHEMA\nRECORD TYPE A (x STRING,);", "UNEXPECTED", "2:25"),
            ("DEFINE SCHEMA\nRECORD TYPE A (x STRING", "UNEXPECTED", "2:24"),
            ("DEFINE SCHEMA RECORD TYPE A (x STRING)\nRECORD TYPE B (x STRING);", "UNEXPECTED", "2:1"),
            ("DEFINE SCHEMA RECORD TYPE A (x LIST<LIST<STRING>>);", "UNEXPECTED", "1:37"),
            ("DEFINE SCHEMA RECORD TYPE A (x LIST);", "UNEXPECTED", "1:36"),
            ("DEFINE SCHEMA RECORD TYPE A (x NUMBER PREFERRED AS STRING);", "UNEXPECTED", "1:52"),
            ("DEFINE SCHEMA RECORD TYPE A (x ENCRYPTED NUMBER);", "UNEXPECTED", "1:42"),
            ("DEFINE SCHEMA RECORD TYPE A (GRANT DELETE TO \"_world\");", "UNEXPECTED", "1:36"),
            ("DEFINE SCHEMA RECORD TYPE A (grant STRING);", "UNEXPECTED", "1:36"),
            ("DEFINE SCHEMA RECORD TYPE A (GRANT READ \"_world\");", "UNEXPECTED", "1:41"),
            ("DEFINE SCHEMA RECORD TYPE A (x STRING); {", "UNEXPECTED_CHARACTER", "1:41"),
            ("DEFINE SCHEMA RECORD TYPE A (“x” STRING);", "UNEXPECTED_CHARACTER", "1:30"),
            ("DEFINE SCHEMA RECORD TYPE A (\"x STRING);\n", "UNTERMINATED_QUOTE", "1:30"),
            ("DEFINE SCHEMA\n  /* RECORD TYPE A (x STRING);\n", "UNTERMINATED_COMMENT", "2:3"),
            ("DEFINE SCHEMA\n RECORD TYPE A (\n  title BADTYPE\n );", "UNKNOWN_TYPE", "3:9"),
            ("DEFINE SCHEMA RECORD TYPE A (sortable STRING);", "NEEDS_QUOTES", "1:30"),
            ("DEFINE SCHEMA RECORD TYPE A (___etag STRING);", "NEEDS_QUOTES", "1:30"),
            ("DEFINE SCHEMA RECORD TYPE A (GRANT READ TO _world);", "NEEDS_QUOTES", "1:44"),
            ("DEFINE SCHEMA RECORD TYPE A (1st STRING);", "BAD_NAME", "1:30"),
            ("DEFINE SCHEMA RECORD TYPE A (\"\" STRING);", "BAD_NAME", "1:30"),
            ("DEFINE SCHEMA RECORD TYPE A (x STRING, x INT64);", "DUPLICATE", "1:40"),
            ("DEFINE SCHEMA RECORD TYPE A (); RECORD TYPE A ();", "DUPLICATE", "1:45"),
            ("DEFINE SCHEMA CREATE ROLE A; CREATE ROLE A;", "DUPLICATE", "1:42"),
            ("DEFINE SCHEMA RECORD TYPE A (x LIST<INT64> SORTABLE);", "INDEX_NOT_ALLOWED", "1:44"),
            ("DEFINE SCHEMA RECORD TYPE A (x ENCRYPTED STRING QUERYABLE);", "INDEX_NOT_ALLOWED", "1:49"),
            ("DEFINE SCHEMA RECORD TYPE A (x ASSET QUERYABLE);", "INDEX_NOT_ALLOWED", "1:38"),
            ("DEFINE SCHEMA RECORD TYPE A (x INT64 SEARCHABLE);", "INDEX_NOT_ALLOWED", "1:38"),
            ("DEFINE SCHEMA RECORD TYPE A (x ENCRYPTED ASSET);", "ENCRYPTION_NOT_ALLOWED", "1:42"),
            ("DEFINE SCHEMA RECORD TYPE A (\"___nothing\" STRING);", "UNKNOWN_SYSTEM_FIELD", "1:30"),
            ("DEFINE SCHEMA RECORD TYPE A (\"___etag\" INT64);", "SYSTEM_FIELD_TYPE", "1:30"),
            ("DEFINE SCHEMA RECORD TYPE A (GRANT READ TO Boss);", "UNDECLARED_ROLE", "1:44"),
        ])
    func `A mistake is told with its place`(_ text: String, _ code: String, _ place: String) throws {
        let errors = errors(text)
        let last = try #require(errors.last, "\(text) was read")
        #expect(last.code == code)
        #expect("\(last.line):\(last.column)" == place)
        #expect(last.description.contains("line \(last.line), column \(last.column)"))
    }

    @Test func `The message shows the line, and what was expected`() throws {
        let error = try #require(errors("DEFINE SCHEMA\r\n\tRECORD TYPE Ä (x é STRNG);\r\n").first)
        #expect(error.code == "UNEXPECTED_CHARACTER" && error.line == 2 && error.column == 14)
        let unknown = try #require(
            errors("DEFINE SCHEMA\r\n\tRECORD TYPE A ( /* é😀 */ when DATE);\r\n").first)
        #expect(unknown.line == 2 && unknown.column == 32)
        #expect(
            unknown.caret == "\tRECORD TYPE A ( /* é😀 */ when DATE);\n\t" + String(repeating: " ", count: 30)
                + "^")
        #expect(unknown.found == "'DATE'" && unknown.expected.contains("TIMESTAMP"))
        #expect(unknown.remedy == "Use TIMESTAMP.")
        let end = try #require(errors("DEFINE SCHEMA RECORD TYPE A (x STRING").first)
        #expect(end.found == "the end of the text" && end.expected.contains("')'"))
        let grant = try #require(errors("DEFINE SCHEMA RECORD TYPE A (grant STRING);").first)
        #expect(grant.remedy.contains("\"grant\""))
    }

    @Test func `Mistakes of meaning are told all at once, in the order of the text`() {
        let text = """
            DEFINE SCHEMA
            RECORD TYPE A (
                x DATE,
                x INT64,
                y LIST<STRING> SORTABLE SEARCHABLE,
                GRANT READ TO Nobody
            );
            RECORD TYPE B (z ASSET QUERYABLE SORTABLE);
            """
        #expect(
            errors(text).map { "\($0.line) \($0.code)" } == [
                "3 UNKNOWN_TYPE", "4 DUPLICATE", "5 INDEX_NOT_ALLOWED", "6 UNDECLARED_ROLE",
                "8 INDEX_NOT_ALLOWED", "8 INDEX_NOT_ALLOWED",
            ])
    }
}
