import ArgumentParser
import RecordModel
import RecordStorage
import RecordWire
import SchemaLanguage

/// `stratus schema show`
struct SchemaShowCommand: DataCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the record types of a container and their fields.",
        discussion: """
            EXAMPLES
              stratus schema show --container iCloud.com.example.app
              stratus schema show --container iCloud.com.example.app --environment production --json
            """)

    @OptionGroup var tenant: TenantOptions
    @OptionGroup var data: DataOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let tenant = try tenant.tenant(data)
        let schema = try await data.withStore { $0.schema(of: tenant) }
        let types = schema.types.values.sorted { $0.name < $1.name }
        if output.json { return Console.standard.line(json: Self.json(types, tenant)) }
        guard !types.isEmpty else {
            return Console.standard.note(
                "\(tenant) has no record types; development makes them as they are used.")
        }
        Console.standard.line(Self.text(types))
    }

    /// The types in the words of CloudKit's schema language.
    static func text(_ types: [RecordType]) -> String {
        types.map { type in
            let width = type.fields.map { TextWidth.of($0.name) }.max() ?? 0
            let lines = type.fields.map { field in
                "    " + TextWidth.pad(field.name, to: width) + " " + words(of: field).joined(separator: " ")
            }
            return "RECORD TYPE \(type.name) (\n\(lines.joined(separator: ",\n"))\n);"
        }
        .joined(separator: "\n\n")
    }

    private static func words(of field: FieldSchema) -> [String] {
        [DeclaredType(field.type, field.declaration).description] + field.indexes.words
    }

    private static func json(_ types: [RecordType], _ tenant: Tenant) -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            writer.member("container", tenant.container.rawValue)
            writer.member("environment", tenant.environment.rawValue)
            writer.key("recordTypes")
            writer.beginArray()
            for type in types {
                writer.beginObject()
                writer.member("name", type.name)
                writer.key("fields")
                writer.beginArray()
                for field in type.fields {
                    writer.beginObject()
                    writer.member("name", field.name)
                    writer.member("type", field.type.tag)
                    writer.member(
                        "declared", DeclaredType(field.type, field.declaration).description)
                    writer.member("indexes", field.indexes.words)
                    writer.endObject()
                }
                writer.endArray()
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
    }
}
