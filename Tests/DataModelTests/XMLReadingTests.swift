import DataModel
import Foundation
import TestSeeds
import Testing

@Suite struct XMLReadingTests {
    @Test("Every attribute of an entity and its attributes is read")
    func entity() throws {
        let model = try model(
            """
            <entity name="Base" isAbstract="YES" syncable="YES"/>
            <entity name="Note" representedClassName=".Note" parentEntity="Base" codeGenerationType="category"
                elementID="Memo" versionHashModifier="2" coreSpotlightDisplayNameExpression="title">
                <attribute name="title" optional="YES" attributeType="String" defaultValueString="a&quot;&#10;b"
                    minValueString="1" maxValueString="20" regularExpressionString="[a-z]+" indexed="YES"
                    elementID="name" versionHashModifier="x" spotlightIndexingEnabled="YES"
                    preserveAfterDeletion="YES" allowsCloudEncryption="YES"/>
                <attribute name="count" attributeType="Integer 16" defaultValueString="0.0" minValueString="-3"
                    maxValueString="7" usesScalarValueType="YES"/>
                <attribute name="price" attributeType="Decimal" defaultValueString="0.1" usesScalarValueType="NO"/>
                <attribute name="ratio" attributeType="Float" minValueString="0.5"/>
                <attribute name="flag" attributeType="Boolean" defaultValueString="YES"/>
                <attribute name="date" attributeType="Date" defaultDateTimeInterval="-12.5"
                    minDateTimeInterval="-100" maxDateTimeInterval="100"/>
                <attribute name="data" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                <attribute name="id" attributeType="UUID" defaultValueString="E621E1F8-C36C-495A-93FC-0C247A3E6E5F"/>
                <attribute name="link" attributeType="URI" defaultValueString="https://example.org"/>
                <attribute name="colors" attributeType="Transformable" valueTransformerName="" customClassName="[Int64]"/>
                <attribute name="upper" attributeType="String" derived="YES" derivationExpression="uppercase:(title)"/>
                <attribute name="place" attributeType="Composite" composite="Place"/>
                <attribute name="temporary" transient="YES"/>
                <userInfo><entry key="k" value="v"/></userInfo>
            </entity>
            <composite name="Place"><attribute name="x" attributeType="Double"/></composite>
            """)
        let note = try #require(model.entity(named: "Note"))
        #expect(note.className == ".Note" && note.className(inModule: "App") == "App.Note")
        #expect(note.parentName == "Base" && note.codeGeneration == .category)
        #expect(note.renamingIdentifier == "Memo" && note.versionHashModifier == "2")
        #expect(note.spotlightDisplayNameExpression == "title" && note.userInfo == ["k": "v"])
        #expect(model.entity(named: "Base")?.isAbstract == true)
        let expected: [AttributeDocument] = [
            AttributeDocument(
                name: "title", type: .string, isOptional: true, isIndexed: true,
                defaultValue: .string("a\"\nb"),
                minimumLength: 1, maximumLength: 20, regularExpression: "[a-z]+", allowsCloudEncryption: true,
                preservesValueOnDeletion: true, isSpotlightIndexed: true, renamingIdentifier: "name",
                versionHashModifier: "x"),
            AttributeDocument(
                name: "count", type: .integer16, defaultValue: .integer(0), minimumValue: .integer(-3),
                maximumValue: .integer(7), usesScalarType: true),
            AttributeDocument(
                name: "price", type: .decimal, defaultValue: .decimal(Decimal(1) / 10), usesScalarType: false),
            AttributeDocument(name: "ratio", type: .float, minimumValue: .double(0.5)),
            AttributeDocument(name: "flag", type: .boolean, defaultValue: .boolean(true)),
            AttributeDocument(
                name: "date", type: .date, defaultValue: .date(Date(timeIntervalSinceReferenceDate: -12.5)),
                minimumValue: .date(Date(timeIntervalSinceReferenceDate: -100)),
                maximumValue: .date(Date(timeIntervalSinceReferenceDate: 100))),
            AttributeDocument(name: "data", type: .binaryData, allowsExternalStorage: true),
            AttributeDocument(
                name: "id", type: .uuid,
                defaultValue: UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F").map { .uuid($0) }),
            AttributeDocument(name: "link", type: .uri, defaultValue: .uri("https://example.org")),
            AttributeDocument(
                name: "colors", type: .transformable, customClassName: "[Int64]", valueTransformerName: ""),
            AttributeDocument(name: "upper", type: .string, derivationExpression: "uppercase:(title)"),
            AttributeDocument(name: "place", type: .composite, compositeName: "Place"),
            AttributeDocument(name: "temporary", isTransient: true),
        ]
        #expect(note.attributes == expected)
        #expect(model.composites.map(\.name) == ["Place"] && model.sourceLanguage == "Swift")
    }

    @Test("Relationships, indexes, constraints, requests and configurations are read")
    func rest() throws {
        let model = try model(
            """
            <entity name="A">
                <relationship name="bs" optional="YES" toMany="YES" ordered="YES" minCount="1" maxCount="9"
                    deletionRule="No Action" destinationEntity="B" inverseName="a" inverseEntity="B"/>
                <relationship name="free" toMany="YES" maxCount="-1" destinationEntity="B"/>
                <fetchedProperty name="found" optional="YES">
                    <fetchRequest name="fetchedPropertyFetchRequest" entity="B" predicateString="x == $FETCH_SOURCE.y"/>
                </fetchedProperty>
            </entity>
            <entity name="B">
                <attribute name="x" attributeType="String"/><attribute name="y" attributeType="Double"/>
                <relationship name="a" maxCount="1" deleteRule="Cascade" destinationEntity="A" inverseName="bs"/>
                <fetchIndex name="byX" partialIndexPredicate="x != nil">
                    <fetchIndexElement property="x" type="Binary" order="descending"/>
                    <fetchIndexElement expression="length:(x)" expressionType="Integer 64" type="RTree"/>
                </fetchIndex>
                <compoundIndexes><compoundIndex><index value="x"/><index value="y"/></compoundIndex></compoundIndexes>
                <uniquenessConstraints><uniquenessConstraint><constraint value="x"/></uniquenessConstraint></uniquenessConstraints>
            </entity>
            <fetchRequest name="All" entity="B" fetchLimit="3" fetchBatchSize="4" includeSubentities="NO"
                returnDistinctResults="YES"/>
            <configuration name="Local" usedWithCloudKit="YES"><memberEntity name="B"/><memberEntity name="Gone"/></configuration>
            <elements><element name="A" positionX="0" positionY="0" width="1" height="1"/></elements>
            """)
        let first = model.entities[0]
        let second = model.entities[1]
        #expect(
            first.relationships == [
                RelationshipDocument(
                    name: "bs", isOptional: true, isOrdered: true, minCount: 1, maxCount: 9,
                    deleteRule: .noAction,
                    destinationEntityName: "B", inverseName: "a", inverseEntityName: "B"),
                RelationshipDocument(name: "free", maxCount: 0, destinationEntityName: "B"),
            ])
        #expect(second.relationships[0].deleteRule == .cascade && !second.relationships[0].isToMany)
        #expect(first.fetchedProperties[0].fetchRequest?.predicateFormat == "x == $FETCH_SOURCE.y")
        #expect(
            second.indexes == [
                FetchIndexDocument(
                    name: "byX",
                    elements: [
                        FetchIndexElementDocument(subject: .property("x"), isAscending: false),
                        FetchIndexElementDocument(
                            subject: .expression("length:(x)", resultType: .integer64), kind: .rTree),
                    ], partialIndexPredicate: "x != nil")
            ])
        #expect(second.compoundIndexes == [["x", "y"]] && second.uniquenessConstraints == [["x"]])
        #expect(
            model.fetchRequests == [
                FetchRequestDocument(
                    name: "All", entityName: "B", fetchLimit: 3, fetchBatchSize: 4,
                    includesSubentities: false,
                    returnsDistinctResults: true)
            ])
        #expect(
            model.configurations == [
                ConfigurationDocument(name: "Local", entityNames: ["B"], isUsedWithCloudKit: true)
            ])
    }

    @Test(
        "What is odd in real files is read, with a warning",
        arguments: [
            (#"<entity name="A"><attribute name="x"/></entity>"#, "attributeType"),
            (
                #"<entity name="A"><relationship name="r" toMany="YES" maxCount="1"/></entity>"#,
                "destinationEntity"
            ),
            (
                #"<entity name="A"><relationship name="r" maxCount="2" destinationEntity="A"/></entity>"#,
                "toMany"
            ),
            (#"<entity name="A" colour="red"/>"#, "colour"), (#"<picture/>"#, "picture"),
            (#"<entity name="A" codeGenerationType="Manual"/>"#, "Manual"),
            (
                #"<entity name="A"><relationship name="r" toMany="YES" minCount="3" maxCount="2" destinationEntity="A"/></entity>"#,
                "minCount"
            ),
            (
                #"<entity name="A"><attribute name="x" attributeType="Integer 16" defaultValueString="70000"/></entity>"#,
                "fit"
            ),
            (
                #"<entity name="A"><attribute name="x" attributeType="Date" defaultValueString="now"/></entity>"#,
                "defaultDateTimeInterval"
            ),
        ])
    func odd(body: String, word: String) throws {
        let folder = try TemporaryDirectory()
        let reading = try ModelDocument.read(contentsOf: folder.write(modelText(body), "contents"))
        #expect(reading.warnings.contains { $0.contains(word) && $0.contains(":3") }, "\(reading.warnings)")
    }

    @Test("Entities without a class are of NSManagedObject, also by a lone dot")
    func classes() throws {
        let model = try model(
            #"<entity name="A"/><entity name="B" representedClassName="NSManagedObject"/><entity name="C" representedClassName="."/>"#
        )
        #expect(model.entities.map(\.className) == [nil, nil, "."])
        #expect(model.entities.allSatisfy { $0.className(inModule: "App") == "NSManagedObject" })
    }

    @Test("Bytes of other encodings and comments are read")
    func encodings() throws {
        let text = modelText("<!-- <entity> --><entity name='Straße'><![CDATA[x]]></entity>")
        let wide = try #require(text.data(using: .utf16))
        for data in [Data(text.utf8), Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8), wide] {
            #expect(try ModelDocument(xml: data).entities.map(\.name) == ["Straße"])
        }
    }

    @Test("A default that is not a UUID is left out, and the rest of the model is read")
    func impossibleDefault() throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write(
            modelText(
                """
                <entity name="A"><attribute name="id" attributeType="UUID" defaultValueString="empy"/>
                <attribute name="title" attributeType="String"/></entity>
                """), "contents")
        let reading = try ModelDocument.read(contentsOf: file)
        let attributes = reading.document.entities.first?.attributes ?? []
        #expect(attributes.map(\.name) == ["id", "title"])
        #expect(attributes.first?.type == .uuid && attributes.first?.defaultValue == nil)
        #expect(reading.warnings.contains { $0.contains("'empy' is not a UUID") && $0.contains(":3") })
    }
}
