/// `request as! NSFetchRequest<NSFetchRequestResult>`, which Objective-C's generics allow and Swift's do not: the cast ends
/// the program on Linux.
extension FilePorter {
    mutating func portCast(_ position: Int) {
        let end = file.skipAngles(position + 3)
        guard file.isAt(position + 2, "NSFetchRequest"), end > position + 3,
            file.isAt(end - 2, "NSFetchRequestResult")
        else { return }
        guard file.isAt(position + 1, "!"), let start = operandStart(before: position) else {
            guard file.isAt(position + 1, "?") else { return }
            return edits.remark(
                file.location(position),
                "'\(file.text(position..<end))' is nil on Linux; write NSFetchRequest<NSFetchRequestResult>(request), which is no "
                    + "optional")
        }
        edits.insert("NSFetchRequest<NSFetchRequestResult>(", at: file.tokens[start].range.lowerBound)
        let operandEnd = file.tokens[position - 1].range.upperBound
        edits.replace(operandEnd..<file.tokens[end - 1].range.upperBound, by: ")")
    }

    /// Where the chain of names, calls and subscripts begins that ends before a token.
    private func operandStart(before position: Int) -> Int? {
        var index = position - 1
        while index >= 0 {
            if file.isAt(index, ")") || file.isAt(index, "]") {
                guard let open = file.partners[index] else { return nil }
                // A call or a subscript follows its name without a blank.
                guard open > 0, !file.tokens[open].followsBlank,
                    file.isName(open - 1) || file.isAt(open - 1, ">") || file.partners[open - 1] != nil
                else { return open }
                guard !file.isAt(open - 1, ">") else { return nil }
                index = open - 1
                continue
            }
            guard file.isName(index) else { return nil }
            guard file.isAt(index - 1, ".") else { return index }
            index -= 2
            while file.isAt(index, "?") || file.isAt(index, "!") { index -= 1 }
        }
        return nil
    }
}
