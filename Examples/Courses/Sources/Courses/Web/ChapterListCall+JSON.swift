import CoreData
import Foundation

/// `{"call": "object", "type": "move", "old": [0, 1], "new": [2, 0], "row": {…}}`
extension ChapterListCall: Encodable {
    private enum Key: String, CodingKey { case call, type, index, name, row, old, new }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        switch self {
        case .willChange: try object.encode("willChange", forKey: .call)
        case .section(let type, let index, let name):
            try object.encode("section", forKey: .call)
            try object.encode(type.name, forKey: .type)
            try object.encode(index, forKey: .index)
            try object.encode(name, forKey: .name)
        case .object(let type, let row, let old, let new):
            try object.encode("object", forKey: .call)
            try object.encode(type.name, forKey: .type)
            try object.encode(row, forKey: .row)
            try object.encodeIfPresent(old.map { [$0.section, $0.row] }, forKey: .old)
            try object.encodeIfPresent(new.map { [$0.section, $0.row] }, forKey: .new)
        case .didChange: try object.encode("didChange", forKey: .call)
        }
    }
}
