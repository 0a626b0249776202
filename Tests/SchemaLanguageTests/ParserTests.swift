import RecordModel
import SchemaLanguage
import Testing

@Suite struct SchemaParserTests {
    /// All of the language in one text.
    static let whole = """
        DEFINE SCHEMA
            CREATE ROLE Editor;
            RECORD TYPE Note (
                "___recordID" REFERENCE QUERYABLE,
                "___createTime" TIMESTAMP SORTABLE,
                title STRING QUERYABLE SORTABLE SEARCHABLE,
                body ENCRYPTED STRING,
                tags LIST<STRING> QUERYABLE,
                rating NUMBER PREFERRED AS DOUBLE SORTABLE,
                count NUMBER PREFERRED AS INT64,
                any NUMBER,
                sealed LIST<ENCRYPTED INT64>,
                picture ASSET,
                GRANT READ TO "_world",
                GRANT READ, WRITE TO Editor,
                GRANT CREATE TO "_icloud",
                GRANT WRITE TO "_creator"
            );
        """

    @Test func `The whole language is read`() throws {
        let document = try SchemaDocument(parsing: Self.whole)
        #expect(document.roles == ["Editor"])
        let note = try #require(document["Note"])
        #expect(note.fields.count == 10)
        #expect(note["title"]?.indexes == [.queryable, .sortable, .searchable])
        #expect(note["body"]?.type == DeclaredType(FieldType(.string), .encrypted))
        #expect(note["rating"]?.type == DeclaredType(FieldType(.double), .numberAsDouble))
        #expect(note["count"]?.type.type == FieldType(.int64))
        #expect(note["any"]?.type.type == FieldType(.double))
        #expect(note["sealed"]?.type == DeclaredType(.list(.int64), .encrypted))
        #expect(note["___recordID"]?.systemName == .recordID)
        #expect(note.grants.count == 4)
        #expect(note.grants[1] == SecurityGrant([.read, .write], to: "Editor"))
    }

    @Test func `The printed form is that of Apple's exports`() throws {
        let text = """
            define schema record type "cloudkit.share" ("cloudkit.title" string, GRANT write, read TO "_creator");
            Record Type Empty ( );
            """
        #expect(
            try SchemaDocument(parsing: text).description == """
                DEFINE SCHEMA

                    RECORD TYPE "cloudkit.share" (
                        "cloudkit.title" STRING,
                        GRANT READ, WRITE TO "_creator"
                    );

                    RECORD TYPE Empty (
                    );

                """)
    }

    @Test func `An export names all fields of the system and the users`() throws {
        let document = try SchemaDocument(parsing: "DEFINE SCHEMA RECORD TYPE B (z INT64, A STRING);")
        #expect(
            document.exported().description == """
                DEFINE SCHEMA

                    RECORD TYPE B (
                        A               STRING,
                        "___createTime" TIMESTAMP,
                        "___createdBy"  REFERENCE,
                        "___etag"       STRING,
                        "___modTime"    TIMESTAMP,
                        "___modifiedBy" REFERENCE,
                        "___recordID"   REFERENCE,
                        z               INT64,
                        GRANT WRITE TO "_creator",
                        GRANT CREATE TO "_icloud",
                        GRANT READ TO "_world"
                    );

                    RECORD TYPE Users (
                        "___createTime" TIMESTAMP,
                        "___createdBy"  REFERENCE,
                        "___etag"       STRING,
                        "___modTime"    TIMESTAMP,
                        "___modifiedBy" REFERENCE,
                        "___recordID"   REFERENCE,
                        roles           LIST<INT64>,
                        GRANT WRITE TO "_creator",
                        GRANT READ TO "_world"
                    );

                """)
    }

    @Test func `Grants are exported in the order of their roles' bytes`() throws {
        let text = """
            DEFINE SCHEMA
            CREATE ROLE dev;
            CREATE ROLE Admin;
            RECORD TYPE A (
                GRANT READ TO dev, GRANT READ TO "_world", GRANT WRITE TO Admin, GRANT CREATE TO "_icloud",
                GRANT WRITE TO dev
            );
            """
        let grants = try SchemaDocument(parsing: text).exported()["A"]?.grants
        #expect(
            grants == [
                SecurityGrant(.write, to: "Admin"), SecurityGrant(.create, to: "_icloud"),
                SecurityGrant(.read, to: "_world"), SecurityGrant([.read, .write], to: "dev"),
            ])
    }

    /// What hand-written and exported files of other apps have.
    @Test(
        arguments: [
            "\u{FEFF}DEFINE SCHEMA\r\n\r\n    RECORD TYPE A (\r\n        x STRING\r\n    );  \r\n\r\n",
            "-- one\n// two\n/* three\n * four */ DEFINE /**/ SCHEMA RECORD TYPE A(x STRING/* why */, -- because\n y INT64);",
            "DEFINE SCHEMA;\nRECORD TYPE A (x STRING);;\n;RECORD TYPE B ();",
            "DEFINE SCHEMA RECORD TYPE A (x STRING)",
            "define schema\rrecord type A (x list < string > searchable queryable);\r",
            "DEFINE SCHEMA RECORD TYPE List (order INT64, type STRING, text STRING, end TIMESTAMP, list STRING, role STRING, create STRING, record STRING, to STRING, read STRING, string STRING, number NUMBER);",
            "DEFINE SCHEMA RECORD TYPE A (\"title\" STRING, \"grant\" STRING, \"Sortable\" INT64 SORTABLE);",
            "DEFINE SCHEMA RECORD TYPE A (GRANT READ TO \"_world\", x STRING, GRANT CREATE, WRITE TO \"_creator\");",
            "DEFINE SCHEMA RECORD TYPE CD_A (CD_data BYTES QUERYABLE SORTABLE, CD_data_ckAsset ASSET, CD_moveReceipt BYTES, CD_secret ENCRYPTED BYTES, place LOCATION QUERYABLE SORTABLE, tags LIST<STRING> SEARCHABLE);",
            "DEFINE SCHEMA RECORD TYPE A (x STRING, GRANT READ TO Late); CREATE ROLE Late;",
            "DEFINE SCHEMA RECORD TYPE A (x STRING, GRANT READ TO \"Late\"); CREATE ROLE \"Late\";",
            "DEFINE SCHEMA",
            "DEFINE\u{A0}SCHEMA\tRECORD TYPE A (x ENCRYPTED LIST<STRING>);",
            "// above\n// all\nDEFINE SCHEMA\n    // of a type\n    RECORD TYPE A (\n\n        // of a field, in “quotes” and with 'marks'\n        x STRING,\n\n        /* of a\n           grant */\n        GRANT READ TO \"_world\" -- at the end\n    );",
            "DEFINE SCHEMA\n    RECORD TYPE A (\n        x          INT64        QUERYABLE   SORTABLE,\n        GRANT WRITE TO \"_creator\", GRANT CREATE TO \"_icloud\", GRANT READ TO \"_world\"\n    );",
            "DEFINE SCHEMA CREATE ROLE \"night shift\"; RECORD TYPE A (tags LIST<STRING> SEARCHABLE, seen LIST<REFERENCE> QUERYABLE, parts LIST<BYTES>, files LIST<ASSET>, GRANT CREATE, WRITE TO \"night shift\", GRANT READ TO \"night shift\");",
            "DEFINE SCHEMA RECORD TYPE Users (roles LIST<INT64>, friend REFERENCE QUERYABLE, GRANT READ, WRITE TO \"_creator\");",
            "DEFINE SCHEMA RECORD TYPE A (\"from\" STRING, \"to\" STRING QUERYABLE, \"schema\" INT64, from_2 STRING, \"___recordID\" REFERENCE QUERYABLE, \"___createTime\" TIMESTAMP QUERYABLE SORTABLE);",
            "DEFINE SCHEMA RECORD TYPE A (\"_hidden\" STRING, \"___etag\" STRING, \"___recordID\" REFERENCE QUERYABLE SORTABLE);",
        ])
    func `What real files have is read, and reads back`(_ text: String) throws {
        let document = try SchemaDocument(parsing: text)
        #expect(try SchemaDocument(parsing: document.description) == document)
        #expect(
            try SchemaDocument(parsing: document.exported().description).normalized() == document.normalized()
        )
    }
}
