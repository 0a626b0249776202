public import Foundation

/// Two versions of a model and a mapping between them in the forms of Xcode's files.
///
/// The archives were made by a script with Python's `plistlib`, so that what reads them here did not write them.
public enum MappingSamples {
    /// Books by authors, and novels among them.
    public static let older = model(
        """
        <attribute name="pages" optional="YES" attributeType="Integer 32"/>
        """)

    /// The pages became a text, there are first authors, and publishers.
    public static let newer = model(
        """
        <attribute name="size" optional="YES" attributeType="String"/>
        <relationship name="firstAuthors" optional="YES" toMany="YES" deletionRule="Nullify"
            destinationEntity="Author" inverseName="firsts" inverseEntity="Author"/>
        """,
        author: """
            <relationship name="firsts" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book"
                inverseName="firstAuthors" inverseEntity="Book"/>
            """,
        more: """
            <entity name="Publisher"><attribute name="name" optional="YES" attributeType="String"/></entity>
            """)

    private static func model(_ book: String, author: String = "", more: String = "") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Book">
        <attribute name="title" optional="YES" attributeType="String"/>
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author"
            inverseName="books" inverseEntity="Author"/>
        \(book)
        </entity>
        <entity name="Novel" parentEntity="Book"><attribute name="genre" optional="YES" attributeType="String"/></entity>
        <entity name="Author"><attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book"
            inverseName="author" inverseEntity="Book"/>
        \(author)
        </entity>
        \(more)
        </model>
        """
    }

    /// One property of an entity mapping: its name, and the archive of its expression where the author wrote one.
    public typealias Property = (name: String, expression: String?)

    /// The text of an `xcmapping.xml` between the two versions.
    ///
    /// Books with fewer than 15 pages come along; the policy is that of novels.
    public static func xml(
        source: String = "App/Shelf.xcdatamodeld/Shelf.xcdatamodel",
        destination: String = "App/Shelf.xcdatamodeld/Shelf 2.xcdatamodel", policy: String = "NovelPolicy",
        filter: String = "pages &lt; 15", titleExpression: String? = nil
    ) -> String {
        var file = XMLFile()
        let book: [Property] = [("title", titleExpression), ("size", nil)]
        let relations: [Property] = [("author", nil), ("firstAuthors", firstAuthors)]
        file.entity("Author", "Author", number: 2, [("name", nil)], [("books", nil), ("firsts", nil)])
        file.entity("Book", "Book", number: 1, book, relations, filter: filter)
        file.entity("Novel", "Novel", number: 3, book + [("genre", nil)], relations, policy: policy)
        file.entity(nil, "Publisher", number: 4, [("name", nil)], [])
        return file.text(source: source, destination: destination)
    }

    private struct XMLFile {
        private var objects = ""
        private var last = 101
        private var mappings: [String] = []

        private mutating func identifier() -> String {
            last += 1
            return "z\(last)"
        }

        private func attribute(_ name: String, _ type: String, _ value: String) -> String {
            "        <attribute name=\"\(name)\" type=\"\(type)\">\(value)</attribute>\n"
        }

        mutating func entity(
            _ source: String?, _ destination: String, number: Int, _ attributes: [Property],
            _ relationships: [Property], filter: String? = nil, policy: String? = nil
        ) {
            let own = identifier()
            mappings.append(own)
            func add(_ properties: [Property], _ kind: String) -> String {
                properties.map { property in
                    let id = identifier()
                    objects += "    <object type=\"XDDEV\(kind)MAPPING\" id=\"\(id)\">\n"
                    if let expression = property.expression {
                        objects += attribute("valueexpressiondata", "binary", expression + "\n")
                    }
                    objects += attribute("name", "string", property.name) + "    </object>\n"
                    return id
                }.joined(separator: " ")
            }
            let lists = [
                ("attributemappings", "XDDEVATTRIBUTEMAPPING", add(attributes, "ATTRIBUTE")),
                ("relationshipmappings", "XDDEVRELATIONSHIPMAPPING", add(relationships, "RELATIONSHIP")),
            ]
            objects += "    <object type=\"XDDEVENTITYMAPPING\" id=\"\(own)\">\n"
            if let policy { objects += attribute("migrationpolicyclassname", "string", policy) }
            if let source { objects += attribute("sourcename", "string", source) }
            if let filter { objects += attribute("sourcefilterpredicatestring", "string", filter) }
            objects += attribute("mappingtypename", "string", "Undefined")
            objects += attribute("mappingnumber", "int16", "\(number)")
            objects += attribute("destinationname", "string", destination)
            objects += attribute("autogenerateexpression", "bool", "1")
            for (name, type, ids) in lists {
                objects +=
                    "        <relationship name=\"\(name)\" type=\"0/0\" destination=\"\(type)\" idrefs=\"\(ids)\"></relationship>\n"
            }
            objects += "    </object>\n"
        }

        mutating func text(source: String, destination: String) -> String {
            """
            <?xml version="1.0" standalone="yes"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

            <database>
                <databaseInfo><version>134481920</version><nextObjectID>\(last + 1)</nextObjectID></databaseInfo>
            \(objects)    <object type="XDDEVMAPPINGMODEL" id="z101">
            \(attribute("sourcemodelpath", "string", source))\(attribute("destinationmodelpath", "string", destination))\
                    <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" \
            idrefs="\(mappings.joined(separator: " "))"></relationship>
                </object>
            </database>
            """
        }
    }

    /// `FUNCTION($entityPolicy, "shout:", $source.title)`
    public static let shout = joined(
        """
        YnBsaXN0MDDUAQIDBAUGRklZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKv
        EBIHCA8QFxseHyQlKS43OTo8PUBVJG51bGzSCQoLDFgkY2xhc3Nlc1okY2xhc3NuYW1lowwNDl8QHE5TS2V5UGF0aFNw
        ZWNpZmllckV4cHJlc3Npb25cTlNFeHByZXNzaW9uWE5TT2JqZWN0VXRpdGxl0xESExQVFlYkY2xhc3NfEBBOU0V4cHJl
        c3Npb25UeXBlWU5TS2V5UGF0aIABEAqAAtIJChgZpBkaDQ5fEBNOU0tleVBhdGhFeHByZXNzaW9uXxAUTlNGdW5jdGlv
        bkV4cHJlc3Npb27SCQocHaMdDQ5fEBROU1ZhcmlhYmxlRXhwcmVzc2lvblZzb3VyY2XTERIgISIjWk5TVmFyaWFibGWA
        BRACgAZfEBB2YWx1ZUZvcktleVBhdGg60gkKJiejJygOXk5TTXV0YWJsZUFycmF5V05TQXJyYXnSESorLFpOUy5vYmpl
        Y3RzgAmhLYAD1REvEjAxMjM0NTZbTlNBcmd1bWVudHNZTlNPcGVyYW5kXk5TU2VsZWN0b3JOYW1lgASAChADgAeACNIJ
        CjgaoxoNDlxlbnRpdHlQb2xpY3nTERIgISI7gA1Wc2hvdXQ60hEqKz6hP4AL1REvEjAxQUJDREWADIAQEASADoAP0UdI
        VHJvb3SAERIAAYagAAgAEQAbACQAKQAyAEQAWQBfAGQAbQB4AHwAmwCoALEAtwC+AMUA2ADiAOQA5gDoAO0A8gEIAR8B
        JAEoAT8BRgFNAVgBWgFcAV4BcQF2AXoBiQGRAZYBoQGjAaUBpwGyAb4ByAHXAdkB2wHdAd8B4QHmAeoB9wH+AgACBwIM
        Ag4CEAIbAh0CHwIhAiMCJQIoAi0CLwAAAAAAAAIBAAAAAAAAAEoAAAAAAAAAAAAAAAAAAAI0
        """)

    /// `FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", "AuthorToAuthor", $source.author)`
    public static let firstAuthors = joined(
        """
        YnBsaXN0MDDUAQIDBAUGUFNZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKv
        EBUHCA8QFxobICQnKC0uMjdAQkNFRkpVJG51bGzSCQoLDFgkY2xhc3Nlc1okY2xhc3NuYW1lowwNDl8QGU5TQ29uc3Rh
        bnRWYWx1ZUV4cHJlc3Npb25cTlNFeHByZXNzaW9uWE5TT2JqZWN0XkF1dGhvclRvQXV0aG9y0xESExQVFlYkY2xhc3Nf
        EA9OU0NvbnN0YW50VmFsdWVfEBBOU0V4cHJlc3Npb25UeXBlgAGAAhAA0gkKGBmjGQ0OXxAcTlNLZXlQYXRoU3BlY2lm
        aWVyRXhwcmVzc2lvblZhdXRob3LTERMcHR4fWU5TS2V5UGF0aIAEEAqABdIJCiEipCIjDQ5fEBNOU0tleVBhdGhFeHBy
        ZXNzaW9uXxAUTlNGdW5jdGlvbkV4cHJlc3Npb27SCQolJqMmDQ5fEBROU1ZhcmlhYmxlRXhwcmVzc2lvblZzb3VyY2XT
        ERMpKissWk5TVmFyaWFibGWACBACgAlfEBB2YWx1ZUZvcktleVBhdGg60gkKLzCjMDEOXk5TTXV0YWJsZUFycmF5V05T
        QXJyYXnSETM0NVpOUy5vYmplY3RzgAyhNoAG1RE4Ezk6Ozw9Pj9bTlNBcmd1bWVudHNZTlNPcGVyYW5kXk5TU2VsZWN0
        b3JOYW1lgAeADRADgAqAC9IJCkEjoyMNDldtYW5hZ2Vy0xETKSorRIAQXxA6ZGVzdGluYXRpb25JbnN0YW5jZXNGb3JF
        bnRpdHlNYXBwaW5nTmFtZWQ6c291cmNlSW5zdGFuY2VzOtIRMzRHokhJgAOADtUROBM5OktMTU5PgA+AExAEgBGAEtFR
        UlRyb290gBQSAAGGoAAIABEAGwAkACkAMgBEAFwAYgBnAHAAewB/AJsAqACxAMAAxwDOAOAA8wD1APcA+QD+AQIBIQEo
        AS8BOQE7AT0BPwFEAUkBXwF2AXsBfwGWAZ0BpAGvAbEBswG1AcgBzQHRAeAB6AHtAfgB+gH8Af4CCQIVAh8CLgIwAjIC
        NAI2AjgCPQJBAkkCUAJSAo8ClAKXApkCmwKmAqgCqgKsAq4CsAKzArgCugAAAAAAAAIBAAAAAAAAAFQAAAAAAAAAAAAA
        AAAAAAK/
        """)

    /// A `.cdm` with the mappings of books and authors, whose hashes are another compiler's.
    public static let foreign =
        Data(
            base64Encoded: joined(
                """
                YnBsaXN0MDDUAQIDBAUG9vlZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKv
                EFsHCA8SExobHSAjJCkqLjQ9QEFGI0lLTE9VXF8SEmBhYmRlaGlLa25yZHV7fH6Cg4KFaIdLiYwjkJKTl4Kbnp+hpaip
                qrHHyMjJymjMS87RydXY29ze3+Hl6+7yVSRudWxs0gkKCwxYJGNsYXNzZXNaJGNsYXNzbmFtZaMMDQ5fEBhOU0ZldGNo
                UmVxdWVzdEV4cHJlc3Npb25cTlNFeHByZXNzaW9uWE5TT2JqZWN00gkKEBGjEQ0OXxAZTlNDb25zdGFudFZhbHVlRXhw
                cmVzc2lvblRCb29r0xQVFhcYGVYkY2xhc3NfEA9OU0NvbnN0YW50VmFsdWVfEBBOU0V4cHJlc3Npb25UeXBlgAKAAxAA
                WnBhZ2VzIDwgMTXTFBUWFxwZgAXSCQoeH6MfDQ5fEBROU0Z1bmN0aW9uRXhwcmVzc2lvbtIJCiEioyINDl8QFE5TVmFy
                aWFibGVFeHByZXNzaW9uV21hbmFnZXLTFBYlJicoWk5TVmFyaWFibGWACBACgAlfEDFmZXRjaFJlcXVlc3RGb3JTb3Vy
                Y2VFbnRpdHlOYW1lZDpwcmVkaWNhdGVTdHJpbmc60gkKKyyjLC0OXk5TTXV0YWJsZUFycmF5V05TQXJyYXnSFC8wMVpO
                Uy5vYmplY3RzgAyiMjOABIAG1RQ1FjY3ODk6OzxbTlNBcmd1bWVudHNZTlNPcGVyYW5kXk5TU2VsZWN0b3JOYW1lgAeA
                DRAEgAqAC9IJCj4/oz8NDl8QHE5TS2V5UGF0aFNwZWNpZmllckV4cHJlc3Npb25dc291cmNlQ29udGV4dNMUFkJDREVZ
                TlNLZXlQYXRogA8QCoAQ0gkKR0ikSB8NDl8QE05TS2V5UGF0aEV4cHJlc3Npb27TFBYlJidKgBNfEBB2YWx1ZUZvcktl
                eVBhdGg60hQvME2hToAR1RQ1FjY3UFFSU1SAEoAWEAOAFIAV1BQWVldYWVpbXk5TRlJFeHByZXNzaW9uXxAPTlNNT0NF
                eHByZXNzaW9ugAEQMoAOgBfSCQpdXqJeDl8QD05TRW50aXR5TWFwcGluZ1pCb29rVG9Cb29rTxAgAQEBAQEBAQEBAQEB
                AQEBAQEBAQEBAQEBAQEBAQEBAQFPECACAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAtIJCmNIo0gNDlV0aXRs
                ZdMUFkJmUmeAH4AgVnNvdXJjZdMUFiUmJ2qAItIULzBsoW2AIdUUNRY2NzhvOnBxgCWAI4Ak0gkKc3SidA5fEBFOU1By
                b3BlcnR5TWFwcGluZ9MUdnd4eXpfEBlOU0Rlc3RpbmF0aW9uUHJvcGVydHlOYW1lXxARTlNWYWx1ZUV4cHJlc3Npb26A
                J4AogCZUc2l6ZdIUdnh9gCrSFC8wf6KAgYApgCtWYXV0aG9y0xQVFheEGYAt0xQWQmZShoAv0xQWJSYniIAx0hQvMIqh
                i4Aw1RQ1FjY3OI06jo+ANIAygDPTFBYlJieRgDZfED9kZXN0aW5hdGlvbkluc3RhbmNlc0ZvclNvdXJjZVJlbGF0aW9u
                c2hpcE5hbWVkOnNvdXJjZUluc3RhbmNlczrSFC8wlKKVloAugDXVFDUWNjc4mDqZmoA5gDeAONMUdnd4nJ2AO4A6XGZp
                cnN0QXV0aG9yc9IUdniggD3SFC8woqKjpIA8gD7SCQqmp6KnDlxOU0RpY3Rpb25hcnlUbm90ZVdieSBoYW5k0xSrL6yt
                r1dOUy5rZXlzgEChroBBobCAQtsUsrO0tba3uLm6u7y9vr/AwcLDxMXGXxATTlNBdHRyaWJ1dGVNYXBwaW5nc18QF05T
                RGVzdGluYXRpb25FbnRpdHlOYW1lXxAeTlNEZXN0aW5hdGlvbkVudGl0eVZlcnNpb25IYXNoXU5TTWFwcGluZ05hbWVd
                TlNNYXBwaW5nVHlwZV8QFk5TUmVsYXRpb25zaGlwTWFwcGluZ3NfEBJOU1NvdXJjZUVudGl0eU5hbWVfEBlOU1NvdXJj
                ZUVudGl0eVZlcnNpb25IYXNoXxASTlNTb3VyY2VFeHByZXNzaW9uWk5TVXNlckluZm+AGYAsgByAHoAaEAWAP4AbgB2A
                GIBDXkF1dGhvclRvQXV0aG9yVkF1dGhvclRuYW1l0xQWQmZSy4BI0xQWJSYnzYBK0hQvMM+h0IBJ1RQ1FjY3ONI609SA
                TYBLgEzTFHZ3eNbXgE+ATtIULzDZodqAUFVib29rc9IUdnjdgFJWZmlyc3Rz0hR2eOCAVNIULzDiouPkgFOAVdcUsrO1
                tre4vObn6Drp6oBRgEeARYBWgEbSCQrs7aLtDl5OU01hcHBpbmdNb2RlbNIULzDvovDxgESAV9IU8/T1XxAQTlNFbnRp
                dHlNYXBwaW5nc4BYgFnR9/hUcm9vdIBaEgABhqAACAARABsAJAApADIARACiAKgArQC2AMEAxQDgAO0A9gD7AP8BGwEg
                AScBLgFAAVMBVQFXAVkBZAFrAW0BcgF2AY0BkgGWAa0BtQG8AccByQHLAc0CAQIGAgoCGQIhAiYCMQIzAjYCOAI6AkUC
                UQJbAmoCbAJuAnACcgJ0AnkCfQKcAqoCsQK7Ar0CvwLBAsYCywLhAugC6gL9AwIDBAMGAxEDEwMVAxcDGQMbAyQDMwNF
                A0cDSQNLA00DUgNVA2cDcgOVA7gDvQPBA8cDzgPQA9ID2QPgA+ID5wPpA+sD9gP4A/oD/AQBBAQEGAQfBDsETwRRBFME
                VQRaBF8EYQRmBGkEawRtBHQEewR9BIQEhgSNBI8ElASWBJgEowSlBKcEqQSwBLIE9AT5BPwE/gUABQsFDQUPBREFGAUa
                BRwFKQUuBTAFNQU4BToFPAVBBUQFUQVWBV4FZQVtBW8FcQVzBXUFdwWOBaQFvgXfBe0F+wYUBikGRQZaBmUGZwZpBmsG
                bQZvBnEGcwZ1BncGeQZ7BooGkQaWBp0GnwamBqgGrQavBrEGvAa+BsAGwgbJBssGzQbSBtQG1gbcBuEG4wbqBu8G8Qb2
                BvkG+wb9BwwHDgcQBxIHFAcWBxsHHgctBzIHNQc3BzkHPgdRB1MHVQdYB10HXwAAAAAAAAIBAAAAAAAAAPoAAAAAAAAA
                AAAAAAAAAAdk
                """)) ?? Data()

    private static func joined(_ lines: String) -> String { lines.filter { !$0.isWhitespace } }
}
