import RecordWire

/// Shows what settings count and where each comes from; secrets never appear.
enum SettingsPrinter {
    /// The settings as a table.
    static func table(_ settings: [EffectiveSetting], width: Int?) -> String {
        let rows = settings.map {
            [$0.key.name, $0.shownValue, $0.source.rawValue, $0.key.flag ?? "", $0.key.environmentName]
        }
        let titles = ["SETTING", "VALUE", "FROM", "FLAG", "ENVIRONMENT"]
        return Table.text(titles.map { Table.Column(title: $0) }, rows: rows, width: width)
    }

    /// The settings as JSON: `{"port":{"value":"8080","source":"default"}}`.
    static func json(_ settings: [EffectiveSetting]) -> [UInt8] {
        JSONWriter.text { writer in
            writer.beginObject()
            for setting in settings {
                writer.key(text: setting.key.name)
                writer.beginObject()
                writer.key("value")
                setting.value == nil ? writer.null() : writer.string(setting.shownValue)
                writer.member("source", setting.source.rawValue)
                writer.endObject()
            }
            writer.endObject()
        }
    }
}
