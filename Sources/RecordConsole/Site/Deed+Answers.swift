import RecordEngine
import RecordModel
import RecordWire

extension Deed.Outcome {
    /// The first item of an answer's list, where it is not an error.
    func first(of list: String) -> JSONObject? {
        guard let answer,
            // The service's own answer is JSON; one that is none has done nothing worth noting.
            let json = try? JSONReader.read(answer, maximumDepth: Limits.jsonDepth).object,
            let item = json[list]?.array?.first?.object, ErrorDictionary(json: item) == nil
        else { return nil }
        return item
    }
}
