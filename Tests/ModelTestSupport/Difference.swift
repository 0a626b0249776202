public import DataModel

/// The first lines in which two models differ.
public func difference(_ first: ModelDocument, _ second: ModelDocument) -> String {
    var texts = ["", ""]
    dump(first, to: &texts[0])
    dump(second, to: &texts[1])
    let lines = texts.map { $0.split(separator: "\n") }
    let pair = zip(lines[0], lines[1]).first { $0 != $1 }
    return pair.map { "\($0.0) | \($0.1)" } ?? "one is longer"
}
