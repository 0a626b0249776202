import RecordEngine
import RecordModel
import RecordWire

extension AuditedAction.Outcome {
    /// The first item of an answer's list, where it is not an error.
    func first(of list: String) -> JSONObject? {
        guard let item = items(of: list).first, ErrorDictionary(json: item) == nil else { return nil }
        return item
    }

    /// How many items of an answer's list are not errors.
    func count(of list: String) -> Int { items(of: list).count { ErrorDictionary(json: $0) == nil } }

    private func items(of list: String) -> [JSONObject] {
        guard let answer,
            // The service's own answer is JSON; one that is none has done nothing worth noting.
            let json = try? JSONReader.read(answer, maximumDepth: Limits.jsonDepth).object
        else { return [] }
        return json[list]?.array?.compactMap(\.object) ?? []
    }
}
