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
            ("DEFINE SCHEMA RECORD TYPE A (x STRING)\nRECORD TYPE B (x STRING);", "MISSING_SIGN", "1:39"),
            ("DEFINE SCHEMA RECORD TYPE A (\n  x STRING -- no comma\n  y INT64\n);", "MISSING_SIGN", "2:11"),
            ("DEFINE SCHEMA RECORD TYPE A (\n  x STRING;\n  y INT64\n);", "UNEXPECTED", "2:11"),
            ("DEFINE SCHEMA RECORD TYPE A (\n  x STRING\n;", "MISSING_SIGN", "2:11"),
            ("DEFINE SCHEMA RECORD TYPE A\n  x STRING\n);", "MISSING_SIGN", "1:28"),
            ("DEFINE SCHEMA RECORD TYPE A (x STRING(255), y INT64);", "UNEXPECTED", "1:38"),
            ("DEFINE SCHEMA RECORD TYPE A (x VARCHAR(255), y INT64);", "UNKNOWN_TYPE", "1:32"),
            ("DEFINE SCHEMA RECORD TYPE A (x QUERYABLE);", "UNEXPECTED", "1:32"),
            ("RECORD TYPE A (x STRING);", "UNEXPECTED", "1:1"),
            ("DEFINE RECORD TYPE A (x STRING);", "UNEXPECTED", "1:8"),
            ("DEFINE SCHEMA RECORD TYPE A (x LIST<LIST<STRING>>);", "UNEXPECTED", "1:37"),
            ("DEFINE SCHEMA RECORD TYPE A (x LIST<ENCRYPTED LIST<STRING>>);", "UNEXPECTED", "1:47"),
            ("DEFINE SCHEMA RECORD TYPE A (x ENCRYPTED LIST<LIST<STRING>>);", "UNEXPECTED", "1:47"),
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

    /// What people write, and what they are told to do.
    @Test(
        arguments: [
            ("RECORD TYPE A (x STRING);", "Write DEFINE SCHEMA once, above everything."),
            (
                "DEFINE RECORD TYPE A (x STRING);",
                "Write DEFINE SCHEMA once, above everything; after it, write RECORD TYPE without DEFINE."
            ),
            ("import Foundation", "A text in the schema language begins with DEFINE SCHEMA."),
            (
                "DEFINE SCHEMA DEFINE INDEX \"i\" ON A (x QUERYABLE);",
                "An index is a word after a field's type: title STRING QUERYABLE."
            ),
            (
                "DEFINE SCHEMA DEFINE RECORD TYPE A (x STRING);",
                "DEFINE SCHEMA is written once, above everything; remove DEFINE."
            ),
            (
                "DEFINE SCHEMA GRANT READ TO \"_world\";",
                "Write a grant inside the brackets of its record type."
            ),
            ("DEFINE SCHEMA RECRD TYPE A ();", "Use RECORD."),
            ("DEFINE SCHEMA RECORD TYPE A (x STRING QURYABLE);", "Use QUERYABLE."),
            ("DEFINE SCHEMA RECORD TYPE A (x STRING queryabel);", "Use QUERYABLE."),
            ("DEFINE SCHEMA RECORD TYPE A (x STRNG);", "Use STRING."),
            ("DEFINE SCHEMA RECORD TYPE A (x TIMSTAMP);", "Use TIMESTAMP."),
            ("DEFINE SCHEMA RECORD TYPE A (x int32);", "Use INT64."),
            ("DEFINE SCHEMA RECORD TYPE A (x ARRAY<STRING> QUERYABLE);", "Use LIST<STRING>."),
            ("DEFINE SCHEMA RECORD TYPE A (x LIST);", "A list says what it holds: LIST<STRING>."),
            ("DEFINE SCHEMA RECORD TYPE A (x Note);", "Write one of these types."),
            ("DEFINE SCHEMA RECORD TYPE A (x STRING(9));", "Types have no length; write STRING alone."),
            (
                "DEFINE SCHEMA RECORD TYPE A (x SORTABLE);",
                "The field's type is missing; write it before SORTABLE."
            ),
            (
                "DEFINE SCHEMA RECORD TYPE A (x STRING NOT NULL);",
                "The schema language has no NOT; remove it."
            ),
            ("DEFINE SCHEMA RECORD TYPE A (x STRING y INT64);", "Write ',' before 'y'."),
            ("DEFINE SCHEMA RECORD TYPE A (\n x STRING\n y INT64);", "Write ',' here."),
            (
                "DEFINE SCHEMA RECORD TYPE A (\n x STRING;\n y INT64);",
                "Fields are separated with ','; ';' ends the record type."
            ),
            ("DEFINE SCHEMA RECORD TYPE A (GRANT READ T \"_world\");", "Use TO."),
            ("DEFINE SCHEMA RECORD TYPE A (GRNT READ TO \"_world\");", "Use GRANT."),
            ("DEFINE SCHEMA RECORD TYPE A (READ TO \"_world\");", "Write GRANT before 'READ'."),
            ("DEFINE SCHEMA RECORD TYPE A (x, y INT64);", "The field's type is missing here: title STRING."),
            (
                "DEFINE SCHEMA RECORD TYPE A (first name STRING);",
                "A name is one word, or is in double quotes; remove 'name'."
            ),
            (
                "DEFINE SCHEMA RECORD TYPE A (x STRING,",
                "The record type 'A' of line 1 is not closed: end it with );"
            ),
            ("DEFINE SCHEMA RECORD TYPE A (GRANT RAED TO \"_world\");", "Use READ."),
            (
                "DEFINE SCHEMA RECORD TYPE A { x STRING };",
                "The brackets of a record type are round: RECORD TYPE Name ( … );"
            ),
            (
                "DEFINE SCHEMA RECORD TYPE A (x: STRING);",
                "Write only a blank between a field's name and its type: title STRING."
            ),
            ("DEFINE SCHEMA RECORD TYPE A (x [STRING]);", "A list is written LIST<STRING>."),
            (
                "DEFINE SCHEMA RECORD TYPE A (x STRING?);",
                "Every field may be without a value; remove the '?'."
            ),
            (
                "DEFINE SCHEMA RECORD TYPE A ('x' STRING);",
                "Names are quoted with straight double quotes: \"name\"."
            ),
            (
                "DEFINE SCHEMA RECORD TYPE cloudkit.share ();", "Write \"cloudkit.share\"."
            ),
            (
                "DEFINE SCHEMA RECORD TYPE \"cloudkit.share\" (cloudkit.title STRING, n INT64);",
                "Write \"cloudkit.title\"."
            ),
            (
                "DEFINE SCHEMA RECORD TYPE \"cloudkit.share\" (\"cloudkit.title\" INT64);",
                "Write \"cloudkit.title\" STRING."
            ),
            (
                "DEFINE SCHEMA RECORD TYPE A (x-y STRING);",
                "Names with other characters than letters, digits and '_' need double quotes: \"cloudkit.share\"."
            ),
            (
                "DEFINE SCHEMA # notes",
                "Comments begin with -- or //, or are between /* and */."
            ),
        ])
    func `The remedy fits what was written`(_ text: String, _ remedy: String) {
        let errors = errors(text)
        #expect(errors.count == 1, "\(errors)")
        #expect(errors.first?.remedy == remedy)
    }

    @Test func `Reading goes on behind a mistake of form`() {
        let text = """
            DEFINE SCHEMA
            RECORD TYPE A (
                x STRING
                y INT64,
                z STRING,
            )
            RECORD TYPE B (
                a STRING b c
            );
            CREATE ROLE;
            RECORD TYPE C (
                b BADTYPE,
                b INT64 QUERYABL
            );
            """
        #expect(
            errors(text).map { "\($0.line):\($0.column) \($0.code)" } == [
                "3:13 MISSING_SIGN", "6:1 UNEXPECTED", "6:2 MISSING_SIGN", "8:14 UNEXPECTED",
                "10:12 UNEXPECTED", "12:7 UNKNOWN_TYPE", "13:5 DUPLICATE", "13:13 UNEXPECTED",
            ])
        #expect(errors("DEFINE SCHEMA " + String(repeating: "x; ", count: 1_000)).count == 20)
        // What stands before a character that cannot be read is looked at as well; roles may stand behind it.
        #expect(
            errors("DEFINE SCHEMA\nRECORD TYPE A (x DATE, GRANT READ TO B);\n{").map(\.code) == [
                "UNKNOWN_TYPE", "UNEXPECTED_CHARACTER",
            ])
    }

    @Test(arguments: ["LIST<ENCRYPTED ", "ENCRYPTED LIST<", "LIST<", "LIST<x LIST<", "("])
    func `No text takes the reader so deep that the program stops`(_ nested: String) {
        let text = "DEFINE SCHEMA RECORD TYPE A (x " + String(repeating: nested, count: 20_000)
        #expect((1...2).contains(errors(text).count))
    }

    @Test func `The end of the text is shown behind its last word`() throws {
        let error = try #require(errors("DEFINE SCHEMA\nRECORD TYPE A (\n  x STRING\n\n\n").first)
        #expect(error.line == 3 && error.column == 11 && error.found == "the end of the text")
        #expect(error.caret == "  x STRING\n          ^")
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

    @Test("A second role after TO is told from a field")
    func secondRole() throws {
        let heads = ["GRANT READ TO a, b,", "GRANT READ TO a, \"_world\""]
        for head in heads {
            let text = "DEFINE SCHEMA RECORD TYPE T (name STRING, \(head) );"
            do {
                _ = try SchemaDocument(parsing: text)
                Issue.record("\(text) was read.")
            } catch { #expect("\(error)".contains("A grant names one role."), "\(error)") }
        }
        let fine = "DEFINE SCHEMA CREATE ROLE a; RECORD TYPE T (GRANT READ TO a, b STRING);"
        #expect(try SchemaDocument(parsing: fine).types.first?.fields.map(\.name) == ["b"])
    }
}
