/// `#selector` where the call around it says what is meant.
extension FilePorter {
    mutating func portSelector(_ position: Int) {
        guard file.isAt(position + 1, "("), let close = file.partners[position + 1] else { return }
        let selector = PortedSelector(file: file, parentheses: position + 1...close)
        if let comparison = selector.comparison {
            guard let bytes = file.byteRange(position..<close + 1) else { return }
            return edits.replace(bytes, by: "Selector(\(Spelling.literal(comparison)))")
        }
        guard let open = file.openParenthesis(around: position) else { return leave(position, selector) }
        let call = Call(file: file, open: open, selectorAt: position)
        let isPorted =
            switch call.labels {
            case [nil, "selector", "name", "object"] where call.name == "addObserver":
                portObserver(call, selector)
            case ["timeInterval", "target", "selector", "userInfo", "repeats"],
                ["fireAt", "interval", "target", "selector", "userInfo", "repeats"],
                ["fire", "interval", "target", "selector", "userInfo", "repeats"]:
                portTimer(call, selector)
            case ["withTarget", "selector", "object"] where call.name == "registerUndo":
                portUndo(call, selector)
            case [nil, "with", "afterDelay"] where call.name == "perform":
                portDelayedCall(call, selector)
            case ["withTarget", "selector", "object"] where call.name == "cancelPreviousPerformRequests":
                portCancellation(call, selector)
            default: false
            }
        if !isPorted { leave(position, selector, in: call) }
    }

    private mutating func leave(_ position: Int, _ selector: PortedSelector, in call: Call? = nil) {
        let advice = call.flatMap { LeftoverAdvice.selectorCalls[$0.name] } ?? LeftoverAdvice.selector
        edits.remark(file.location(position), "'#selector(\(selector.text))' \(advice)")
    }

    /// A call with a selector among its arguments.
    private struct Call {
        let name: String
        let open: Int
        let close: Int
        let arguments: [PortedArgument]
        let labels: [String?]

        init(file: PortedFile, open: Int, selectorAt position: Int) {
            self.open = open
            close = file.partners[open] ?? open
            arguments = file.arguments(at: open)
            labels = arguments.map(\.label)
            name = file.isName(open - 1) ? file.text(open - 1) : ""
        }

        func argument(_ label: String) -> PortedArgument? { arguments.first { $0.label == label } }
    }

    // MARK: Calls

    /// `addObserver(self, selector: #selector(saved(_:)), name: n, object: o)`
    private mutating func portObserver(_ call: Call, _ selector: PortedSelector) -> Bool {
        guard let method = method(selector, at: call.open), let first = call.arguments.first,
            let handler = handler(of: method, parameter: "Notification")
        else { return false }
        removeArgument("selector", of: call)
        edits.insert(" \(handler)", at: file.tokens[call.close].range.upperBound)
        edits.needsSupport = true
        return !first.value.isEmpty
    }

    private mutating func portTimer(_ call: Call, _ selector: PortedSelector) -> Bool {
        guard let method = method(selector, at: call.open),
            let handler = handler(of: method, parameter: "Timer"),
            let information = call.argument("userInfo"), file.text(information.value) == "nil"
        else { return false }
        removeArgument("selector", of: call)
        removeArgument("userInfo", of: call)
        edits.insert(" \(handler)", at: file.tokens[call.close].range.upperBound)
        edits.needsSupport = true
        return true
    }

    /// `registerUndo(withTarget: self, selector: #selector(rename(_:)), object: old)`
    private mutating func portUndo(_ call: Call, _ selector: PortedSelector) -> Bool {
        guard let method = method(selector, at: call.open), method.labels.count == 1, !method.isAsync,
            !method.canThrow,
            let target = call.argument("withTarget"), let object = call.argument("object"),
            let end = file.byteRange(target.value)?.upperBound, let value = file.byteRange(object.value)
        else { return false }
        let argument = method.labels[0].map { $0 + ": object" } ?? "object"
        let isConstant = file.text(object.value) == "nil"
        edits.replace(
            end..<value.lowerBound,
            by: isConstant
                ? ") { $0.\(method.name)(\(method.labels[0].map { $0 + ": " } ?? "")" : ") { [object = ")
        edits.replace(
            value.upperBound..<file.tokens[call.close].range.upperBound,
            by: isConstant ? ") }" : "] in $0.\(method.name)(\(argument)) }")
        return true
    }

    /// `perform(#selector(save), with: nil, afterDelay: 1)`
    private mutating func portDelayedCall(_ call: Call, _ selector: PortedSelector) -> Bool {
        guard let method = method(selector, at: call.open), method.labels.isEmpty,
            let handler = handler(of: method, parameter: ""),
            let object = call.argument("with"), file.text(object.value) == "nil",
            let start = file.byteRange(call.arguments[0].whole),
            let delay = file.byteRange(call.arguments[2].whole)
        else { return false }
        edits.replace(start.lowerBound..<delay.lowerBound, by: "named: \(Spelling.literal(method.name)), ")
        edits.insert(" \(handler)", at: file.tokens[call.close].range.upperBound)
        edits.needsSupport = true
        return true
    }

    private mutating func portCancellation(_ call: Call, _ selector: PortedSelector) -> Bool {
        guard let selected = call.argument("selector"), let object = call.argument("object"),
            file.text(object.value) == "nil", let start = file.byteRange(selected.whole),
            let end = file.byteRange(object.whole)
        else { return false }
        edits.replace(start.lowerBound..<end.upperBound, by: "named: \(Spelling.literal(selector.name))")
        edits.needsSupport = true
        return true
    }

    /// Removes an argument with the comma and the blanks after it.
    private mutating func removeArgument(_ label: String, of call: Call) {
        guard let position = call.arguments.firstIndex(where: { $0.label == label }),
            position + 1 < call.arguments.count,
            let own = file.byteRange(call.arguments[position].whole),
            let next = file.byteRange(call.arguments[position + 1].whole)
        else { return }
        edits.replace(own.lowerBound..<next.lowerBound, by: "")
    }

    // MARK: Methods

    /// The method that a selector means: the declared one, or what its labels say.
    private func method(_ selector: PortedSelector, at position: Int) -> PortingIndex.Method? {
        guard !selector.isAccessor else { return nil }
        let known = index.methods[selector.name] ?? []
        let candidates = known.filter { method in
            if let labels = selector.labels { return method.labels == labels }
            return selector.parameterCount.map { $0 == method.labels.count } ?? (method.labels.count < 2)
        }
        // Other classes may have methods of the name too.
        let owner = selector.owner ?? scope(around: position)?.typeName
        let own = candidates.filter { $0.owner == owner }
        if let first = own.first { return first }
        if let near = candidates.first(where: { $0.path == file.path }) { return near }
        if let first = candidates.first { return first }
        // Methods of other modules: one without parameters has no labels.
        guard known.isEmpty, let labels = selector.labels, labels.count == 1 else { return nil }
        return PortingIndex.Method(
            name: selector.name, owner: nil, labels: labels, types: ["Any"], hasResult: false, isAsync: false,
            canThrow: false,
            isStatic: false, path: file.path)
    }

    /// A closure that calls the method of its first parameter with its second.
    private func handler(of method: PortingIndex.Method, parameter: String) -> String? {
        guard !method.isStatic, !method.isAsync, !method.canThrow, method.labels.count < 2 else { return nil }
        let name = Spelling.escaped(method.name)
        let result = method.hasResult ? "_ = " : ""
        guard let label = method.labels.first else {
            let second = parameter.isEmpty ? "" : ", _"
            return parameter.isEmpty
                ? "{ \(result)$0.\(name)() }" : "{ target\(second) in \(result)target.\(name)() }"
        }
        guard let argument = Self.argument(of: method.types.first ?? "Any", given: parameter) else {
            return nil
        }
        return "{ \(result)$0.\(name)(\(label.map { $0 + ": " } ?? "")\(argument)) }"
    }

    private static func argument(of type: String, given: String) -> String? {
        var bare = type.split(separator: ".").last.map(String.init) ?? type
        while bare.hasSuffix("?") || bare.hasSuffix("!") { bare.removeLast() }
        switch bare {
        case given, "Any": return "$1"
        case "AnyObject", "NSObject":
            return given == "Timer" ? "$1" : bare == "AnyObject" ? "$1 as AnyObject" : nil
        case "NSNotification" where given == "Notification":
            return "NSNotification(name: $1.name, object: $1.object, userInfo: $1.userInfo)"
        default: return nil
        }
    }
}

/// What is in the parentheses of `#selector`.
struct PortedSelector {
    let text: String
    /// The name of the method, without types.
    let name: String
    /// The type that is written before it.
    let owner: String?
    /// The labels where they are written; nil for `_`.
    let labels: [String?]?
    /// What `as (T) -> (A) -> B` says.
    let parameterCount: Int?
    /// `getter:` or `setter:`
    let isAccessor: Bool

    init(file: PortedFile, parentheses: ClosedRange<Int>) {
        let inside = parentheses.lowerBound + 1..<parentheses.upperBound
        text = file.text(inside)
        isAccessor =
            file.isAt(inside.lowerBound + 1, ":")
            && ["getter", "setter"].contains(file.text(inside.lowerBound))
        var position = inside.lowerBound
        var name = ""
        var owner: String?
        var labels: [String?]?
        while position < inside.upperBound {
            // A type may be qualified by generic arguments or in parentheses.
            if file.isAt(position, "("), name.isEmpty { position = (file.partners[position] ?? position) + 1 }
            guard file.isName(position) else { break }
            owner = name.first?.isUppercase == true && name != "Self" ? name : nil
            name = file.text(position)
            position = file.skipAngles(position + 1)
            if file.isAt(position, "!") || file.isAt(position, "?") { position += 1 }
            guard file.isAt(position, ".") else { break }
            position += 1
        }
        if file.isAt(position, "("), let close = file.partners[position] {
            labels = (position + 1..<close).filter { file.isName($0) }.map {
                file.isAt($0, "_") ? nil : file.text($0)
            }
            position = close + 1
        }
        self.name = name
        self.owner = owner
        self.labels = labels
        parameterCount = Self.parameterCount(file, from: position, to: inside.upperBound)
    }

    /// The parameters of the last function type in `as (Self) -> (Notification) -> Void`.
    private static func parameterCount(_ file: PortedFile, from start: Int, to end: Int) -> Int? {
        guard file.isAt(start, "as") else { return nil }
        var groups: [Int] = []
        var position = start + 1
        while position < end {
            if file.isAt(position, "("), let close = file.partners[position] {
                if file.isAt(close + 1, "-") {
                    groups.append(close == position + 1 ? 0 : file.arguments(at: position).count)
                }
                position = close
            }
            position += 1
        }
        return groups.last
    }

    /// The selector of Foundation's methods that compare, which sort descriptors take.
    var comparison: String? {
        let names = [
            "compare", "caseInsensitiveCompare", "localizedCompare", "localizedCaseInsensitiveCompare",
            "localizedStandardCompare",
        ]
        let owner = text.prefix { $0 != "." }
        guard names.contains(name),
            ["NSString", "NSNumber", "NSDate", "NSObject", "String"].contains(String(owner))
        else {
            return nil
        }
        return name + ":"
    }
}
