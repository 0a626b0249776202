// The properties of a type without a value of it: a sample of each page would have to have an element in every list.
@_spi(Reflection) import Swift

@testable import RecordConsole

/// Walks templates and compares the names in them with the properties of what they show.
struct TemplateNames {
    /// The texts of the templates, by name.
    let texts: [String: String]
    /// What is wrong, as sentences.
    private(set) var problems: [String] = []
    /// The properties that a template names, as `Type.property`.
    private(set) var named: Set<String> = []
    /// The templates that were walked.
    private(set) var walked: Set<String> = []

    init(_ texts: [String: String]) { self.texts = texts }

    /// The types of all parts of a page, itself included.
    static func parts(of type: Any.Type) -> [any TemplateModel.Type] {
        guard let type = element(type) as? any TemplateModel.Type else { return [] }
        return [type] + properties(of: type).flatMap { parts(of: $0.type) }
    }

    /// The stored properties of a struct.
    static func properties(of type: Any.Type) -> [(name: String, type: Any.Type)] {
        var properties: [(name: String, type: Any.Type)] = []
        _ = _forEachField(of: type) { name, _, type, _ in
            properties.append((String(cString: name), type))
            return true
        }
        return properties
    }

    /// What a section of a value of the type shows: the element of a list, what is in an optional.
    private static func element(_ type: Any.Type) -> Any.Type {
        (type as? any Container.Type).map { element($0.elementType) } ?? type
    }

    // MARK: Walking

    /// A section that is open.
    private struct Section {
        var name: String
        var pushes: Bool
    }

    /// Walks a template.
    ///
    /// - Parameter stack: the types in which names are looked for, the innermost last.
    mutating func walk(_ template: String, _ stack: [Any.Type]) {
        guard let text = texts[template] else {
            return problems.append("There is no template '\(template)'.")
        }
        walked.insert(template)
        var stack = stack
        var sections: [Section] = []
        for tag in text.matches(of: /\{\{\{?([#^\/>]?)\s*([^}]*?)\s*\}?\}\}/) {
            let name = String(tag.2)
            switch tag.1 {
            case "#", "^":
                let type = find(name, stack, in: template)
                // A condition looks at nothing: names in it are those around it.
                let pushes = tag.1 == "#" && type != nil && type != Bool.self
                if pushes, let type { stack.append(Self.element(type)) }
                sections.append(Section(name: name, pushes: pushes))
            case "/":
                let section = sections.popLast()
                if section?.name != name {
                    problems.append("\(template): '\(name)' ends where it does not begin.")
                }
                if section?.pushes == true { stack.removeLast() }
            case ">": include(name, stack, in: template)
            default: _ = find(name, stack, in: template)
            }
        }
        for section in sections { problems.append("\(template): '\(section.name)' does not end.") }
    }

    /// A part that has a struct shows one; others show the names around them.
    private mutating func include(_ name: String, _ stack: [Any.Type], in template: String) {
        if let page = Templates.pages.first(where: { $0.template.name == name }), stack.last != page {
            problems.append("\(template): '\(name)' is included where there is no \(page).")
        }
        walk(name, stack)
    }

    /// The type of a property, looked for from the inside out; nil where it is unknown, which is a problem.
    private mutating func find(_ name: String, _ stack: [Any.Type], in template: String) -> Any.Type? {
        if name == "." { return stack.last }
        let path = name.split(separator: ".").map(String.init)
        for (index, owner) in stack.enumerated().reversed() {
            guard let first = path.first, let found = property(first, of: owner) else { continue }
            // A nil would be looked for further out, and another value of that name be found.
            if found is any AnyOptional.Type,
                stack[..<index].contains(where: { property(first, of: $0) != nil })
            {
                problems.append("\(template): '\(name)' of \(owner) may be nil and is also a name around it.")
            }
            return path.dropFirst().reduce(found) { type, name in
                let found = type.flatMap { property(name, of: Self.element($0)) }
                if found == nil {
                    problems.append("\(template): \(owner) has no '\(path.joined(separator: "."))'.")
                }
                return found
            }
        }
        problems.append("\(template): there is no '\(name)' in \(stack.reversed().map { "\($0)" }).")
        return nil
    }

    private mutating func property(_ name: String, of owner: Any.Type) -> Any.Type? {
        guard owner is any TemplateModel.Type else { return nil }
        let found = Self.properties(of: owner).first { $0.name == name }
        if found != nil { named.insert("\(owner).\(name)") }
        return found?.type
    }
}

private protocol Container {
    static var elementType: Any.Type { get }
}

extension Array: Container {
    fileprivate static var elementType: Any.Type { Element.self }
}

private protocol AnyOptional {}

extension Optional: Container, AnyOptional {
    fileprivate static var elementType: Any.Type { Wrapped.self }
}
