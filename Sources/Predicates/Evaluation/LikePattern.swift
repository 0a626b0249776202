/// A pattern of `?` and `*`.
struct LikePattern {
    private enum Element {
        case character(Character)
        case one
        case run
    }

    private let elements: [Element]

    init(_ pattern: String) {
        var elements: [Element] = []
        var isEscaped = false
        for character in pattern {
            switch character {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "?" where !isEscaped: elements.append(.one)
            case "*" where !isEscaped: elements.append(.run)
            default: elements.append(.character(character))
            }
            isEscaped = false
        }
        if isEscaped { elements.append(.character("\\")) }
        self.elements = elements
    }

    /// Whether the pattern matches the whole string.
    ///
    /// On a mismatch only the last `*` takes one more character; earlier ones never have to, so the work
    /// stays below length times length. Now and then `check` may end it.
    func matches(_ string: String, check: () throws -> Void) rethrows -> Bool {
        let characters = Array(string)
        var steps = 0
        var position = 0
        var element = 0
        var lastRun: (element: Int, position: Int)?
        while position < characters.count {
            steps += 1
            if steps % StringFolding.stepsPerCheck == 0 { try check() }
            if element < elements.count, case .run = elements[element] {
                lastRun = (element, position)
                element += 1
            } else if element < elements.count, accepts(elements[element], characters[position]) {
                element += 1
                position += 1
            } else if let run = lastRun {
                lastRun = (run.element, run.position + 1)
                element = run.element + 1
                position = run.position + 1
            } else {
                return false
            }
        }
        return elements[element...].allSatisfy { if case .run = $0 { true } else { false } }
    }

    private func accepts(_ element: Element, _ character: Character) -> Bool {
        switch element {
        case .character(let wanted): wanted.utf8.elementsEqual(character.utf8)
        case .one: true
        case .run: false
        }
    }
}
